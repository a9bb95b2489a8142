//go:build !nohugot

package local

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/embed/models"
)

// TestLongTextsOnTheGoBackend: what is cut to the model's length by our tokenizer runs, although hugot
// counts more tokens in some of it.
func TestLongTextsOnTheGoBackend(t *testing.T) {
	root := os.Getenv("MANICULE_TEST_MODELS")
	if root == "" {
		t.Skip("MANICULE_TEST_MODELS names no folder of models: `make model-for-tests` prints one")
	}
	data := must.Read(t, "../../../docs/internals.md")
	dir := filepath.Join(root, strings.ToLower(models.Default)+"-fp32")
	if _, err := os.Stat(dir); err != nil {
		t.Skip("the model is not there in float32")
	}
	e, _, err := Open(t.Context(), Options{Model: models.Default, Dims: 384, MaxTokens: 256, Dir: dir, File: "model.onnx", Backend: Go, Threads: 2})
	must.OK(t, err)
	defer func() { _ = e.Close() }()
	began := time.Now()
	for at := 0; at+4000 < len(data) && time.Since(began) < 20*time.Second; at += 4000 {
		if _, err := e.Embed(t.Context(), []string{string(data[at : at+4000])}); err != nil {
			t.Fatalf("4,000 bytes at %d: %v", at, err)
		}
	}
}
