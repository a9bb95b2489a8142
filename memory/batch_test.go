package memory

import (
	"context"
	"errors"
	"fmt"
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

// ending calls end when it scans a text that mentions something.
type ending struct {
	full.Rules
	word string
	end  func()
}

func (e ending) First(text string) (string, error) {
	if strings.Contains(text, e.word) {
		e.end()
	}
	return e.Rules.First(text)
}

// TestImportEndsAtOnce: who ends an import waits for no reading of what was written. The next command knows it.
func TestImportEndsAtOnce(t *testing.T) {
	w := fixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	var drafts []Draft
	for i := range 3 * batchSize {
		drafts = append(drafts, Draft{What: fmt.Sprintf("service %d never writes to table %d before its lock is taken", i, i*7), Scope: []string{fmt.Sprintf("src/m%d/**", i)}})
	}
	w.gate = gate.New(w.recaller.scopes, ending{word: fmt.Sprintf("service %d ", batchSize+1), end: cancel}) // in the second chunk
	if _, err := w.RememberAll(ctx, drafts); !errors.Is(err, context.Canceled) {
		t.Fatalf("it was not ended: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(w.Place().MemoriesDir(), "*", "*.json"))
	must.OK(t, err)
	rows, err := w.Store().All(t.Context())
	must.OK(t, err)
	if len(files) == 0 || len(files) >= len(drafts) || len(rows) != 0 {
		t.Errorf("%d files were written, and %d read", len(files), len(rows))
	}
	_, err = w.Refresh(t.Context())
	must.OK(t, err)
	if rows, err = w.Store().All(t.Context()); err != nil || len(rows) != len(files) {
		t.Errorf("%d of %d are known afterwards, %v", len(rows), len(files), err)
	}
}
