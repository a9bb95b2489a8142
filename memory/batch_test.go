package memory

import (
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/secret/full"
)

// counting counts the scans of texts that mention something.
type counting struct {
	full.Rules
	word string
	n    *atomic.Int32
}

func (c counting) First(text string) (string, error) {
	if strings.Contains(text, c.word) {
		c.n.Add(1)
	}
	return c.Rules.First(text)
}

// TestBatchScansOnce: what an import has just scanned is not scanned again by the sync at its end,
// but by each later one that finds it changed.
func TestBatchScansOnce(t *testing.T) {
	var n atomic.Int32
	f := fixture(t)
	f.gate = gate.New(f.recaller.scopes, counting{word: "aardvark", n: &n})
	f.wording.gate = f.gate
	r, err := f.RememberAll(t.Context(), []Draft{{What: "The aardvark queue drops jobs over 2 MB", Type: file.Gotcha}})
	if err != nil || len(r) != 1 || !r[0].Accepted {
		t.Fatalf("%+v, %v", r, err)
	}
	if n.Load() != 1 {
		t.Errorf("scanned %d times", n.Load())
	}
	rel, err := filepath.Rel(f.Place().MemoriesDir(), r[0].Path)
	must.OK(t, err)
	if err := f.Store().Rejudge(t.Context(), filepath.ToSlash(rel)); err != nil || n.Load() != 2 {
		t.Errorf("judged again, scanned %d times: %v", n.Load(), err)
	}
}
