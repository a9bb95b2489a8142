package memory

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"manicule/memory/core"
)

// TestEditCoreTogether: of writers at the same time none loses what another wrote.
func TestEditCoreTogether(t *testing.T) {
	w := fixture(t)
	var wg sync.WaitGroup
	for i := range uint64(8) {
		other, _ := open(t, w.Root(), i+2)
		wg.Go(func() {
			_, err := other.EditCore(t.Context(), func(d *core.Document) {
				d.Conventions = append(d.Conventions, fmt.Sprint("convention ", i))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	d, err := core.Read(w.Place())
	if err != nil || len(d.Conventions) != 8 || d.Version != 8 {
		t.Errorf("%d conventions in version %d: %v", len(d.Conventions), d.Version, err)
	}
}

// TestEditCoreBehindALink writes nothing outside of the repository.
func TestEditCoreBehindALink(t *testing.T) {
	w := fixture(t)
	outside := t.TempDir()
	folder := filepath.Join(w.Root(), ".manicule")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, folder); err != nil {
		t.Skip(err)
	}
	if _, err := w.EditCore(t.Context(), func(d *core.Document) { d.Summary = "A service" }); err == nil {
		t.Error("it was written")
	}
	if left, err := os.ReadDir(outside); err != nil || len(left) > 0 {
		t.Errorf("outside there is %v, %v", left, err)
	}
}
