package archtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// heavy lists what manicule-hook must not link, by the beginnings of import paths:
// it starts at every call of a tool.
func heavy() []string {
	return []string{
		"runtime/cgo", "github.com/smacker/go-tree-sitter", "github.com/zricethezav/gitleaks", "github.com/yuin/goldmark", "github.com/gomlx/",
		"github.com/knights-analytics/", "github.com/yalue/onnxruntime_go", "github.com/spf13/", "net/http", "go.lsp.dev/", "github.com/modelcontextprotocol/",
		module + "/memory/services", module + "/memory/secret/full", module + "/memory/importer", module + "/memory/embed/provider", module + "/lsp", module + "/indexer/anchoring",
	}
}

func TestHookProgramIsSmall(t *testing.T) {
	for _, pkg := range linked(t, []string{"CGO_ENABLED=0"}, "./cmd/manicule-hook") {
		for _, h := range heavy() {
			if pkg == h || strings.HasPrefix(pkg, strings.TrimSuffix(h, "/")+"/") {
				t.Errorf("cmd/manicule-hook links %s: what needs it belongs to the program that it hands over to", pkg)
			}
		}
	}
}

// TestMemoriesNeedNoParsers: who stores, reads and judges memories is handed what makes anchors, so that the tests of
// most packages link without C.
func TestMemoriesNeedNoParsers(t *testing.T) {
	for _, pkg := range linked(t, nil, "./hooks", "./memory", "./memory/consolidate", "./memory/exporter", "./memory/fastpath", "./memory/threads", "./memory/units") {
		if pkg == module+"/indexer/extract" || pkg == module+"/indexer/anchoring" {
			t.Errorf("what has memories links %s: does it need more of an anchor than its record?", pkg)
		}
	}
}

// linked lists what packages link.
func linked(t *testing.T, env []string, packages ...string) []string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps"}, packages...)...)
	cmd.Dir = "../../.."
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	must.OK(t, err)
	list := strings.Fields(string(out))
	if len(list) < 50 {
		t.Fatalf("only %d packages: is the list right?", len(list))
	}
	return list
}
