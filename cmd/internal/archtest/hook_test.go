package archtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// heavy lists what manicule-hook must not link, by the beginnings of import paths:
// it starts at every call of a tool.
func heavy() []string {
	return []string{
		"runtime/cgo", "github.com/smacker/go-tree-sitter", "github.com/zricethezav/gitleaks", "github.com/yuin/goldmark", "github.com/gomlx/",
		"github.com/knights-analytics/", "github.com/yalue/onnxruntime_go", "github.com/spf13/", "net/http", "go.lsp.dev/", "github.com/modelcontextprotocol/",
		module + "/memory/services", module + "/memory/secret/full", module + "/memory/importer", module + "/memory/embed/provider", module + "/lsp",
	}
}

func TestHookProgramIsSmall(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./cmd/manicule-hook")
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Fields(string(out))
	if len(list) < 50 {
		t.Fatalf("only %d packages: is the list right?", len(list))
	}
	for _, pkg := range list {
		for _, h := range heavy() {
			if pkg == h || strings.HasPrefix(pkg, strings.TrimSuffix(h, "/")+"/") {
				t.Errorf("cmd/manicule-hook links %s: what needs it belongs to the program that it hands over to", pkg)
			}
		}
	}
}
