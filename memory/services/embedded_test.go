package services

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/memory/leader"
)

// TestCodeProgress holds that another process learns from the leader how far it has embedded the
// code, while it does so and not afterwards.
func TestCodeProgress(t *testing.T) {
	o, root := opener(t), project(t)
	withModel(t, o)
	for f := range 4 {
		var b strings.Builder
		b.WriteString("package x\n")
		for i := range 80 {
			fmt.Fprintf(&b, "\nfunc F%dx%d() int {\n\treturn %d\n}\n", f, i, i)
		}
		must.Write(t, filepath.Join(root, fmt.Sprintf("f%d.go", f)), []byte(b.String()))
	}
	w := open(t, o, root)
	ix := w.Graph()
	if _, err := ix.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	led := make(chan struct{})
	s := w.Serve(t.Context(), ServeOptions{Role: "lsp", Graph: func() (*graph.Index, error) { return ix, nil }, OnLead: func(context.Context) { close(led) }})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	<-led
	other := open(t, o, root)
	defer func() {
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}()
	ask := func() *CodeProgress {
		for {
			p, err := askCodeProgress(t.Context(), other)
			if errors.Is(err, leader.ErrNone) {
				continue // it was too slow to be taken for there, as on a busy machine
			}
			must.OK(t, err)
			return p
		}
	}
	must.OK(t, s.searcher.SyncCode(t.Context(), nil))
	var seen []CodeProgress
	last := 0
	s.OnEmbed(func(done, total int) {
		if last = done; done < total {
			if p := ask(); p != nil {
				seen = append(seen, *p)
			}
		}
	})
	must.OK(t, s.embedCode(t.Context()))
	if len(seen) != 3 || seen[0] != (CodeProgress{80, 320}) || seen[2] != (CodeProgress{240, 320}) || last != 320 {
		t.Errorf("%+v, the last %d", seen, last)
	}
	if p := ask(); p != nil {
		t.Errorf("afterwards: %+v", *p)
	}
}
