package memory

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestRecallOfFew: a recall that shows few ranks outlines, and shows what one that
// reads all shows first, in full.
func TestRecallOfFew(t *testing.T) {
	w := fixture(t)
	var drafts []Draft
	for i := range 60 {
		d := Draft{What: fmt.Sprintf("Note %d: %s", i, strings.Repeat("a long sentence about tokens ", 12)), Why: "because", Tags: []string{"auth"},
			Importance: file.Importances()[i%3], Confidence: float64(i%7+1) / 8}
		switch i % 4 {
		case 0:
			d.Scope = []string{"src/**"}
		case 1:
			d.Scope = []string{"src/auth/*.go", "!src/auth/gen/**"}
		case 2:
			d.At = []string{"src/auth/token.go#Validate"}
		}
		drafts = append(drafts, d)
	}
	if _, err := w.RememberAll(t.Context(), drafts); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"src/auth/token.go", "src", "", "docs/x.md"} {
		all, err := w.Recaller().Recall(t.Context(), Query{Paths: []string{filepath.Join(w.Root(), path)}, Limit: -1})
		must.OK(t, err)
		few, err := w.Recaller().Recall(t.Context(), Query{Paths: []string{filepath.Join(w.Root(), path)}, Limit: 7})
		must.OK(t, err)
		if few.Total != all.Total || few.Omitted != max(0, all.Total-7) || len(few.Hits) != min(7, all.Total) {
			t.Errorf("%q: %d of %d, %d left out; there are %d", path, len(few.Hits), few.Total, few.Omitted, all.Total)
		}
		for i, h := range few.Hits {
			want := all.Hits[i]
			if h.Memory.UUID != want.Memory.UUID || h.Memory.What != want.Memory.What || h.Memory.Why != "because" || h.Match != want.Match || h.specific != want.specific {
				t.Errorf("%q, %d: %+v, want %+v", path, i, h, want)
			}
		}
	}
}

// TestGetEach: what is shown is what the files say now; one that went is left out.
func TestGetEach(t *testing.T) {
	w := fixture(t)
	kept := remember(t, w, Draft{What: "Tokens expire after an hour"})
	gone := remember(t, w, Draft{What: "Sessions are kept in Redis"})
	edited := kept.Clone()
	edited.What = "Tokens expire after a day"
	data, err := edited.Marshal()
	must.OK(t, err)
	write(t, filepath.Join(w.Place().MemoriesDir(), kept.RelPath()), string(data))
	must.OK(t, w.Forgotten().Forget(t.Context(), gone.UUID))
	got, err := w.GetEach(t.Context(), []string{gone.UUID, kept.UUID})
	if err != nil || len(got) != 1 || got[kept.UUID].Memory.What != edited.What {
		t.Errorf("%+v, %v", got, err)
	}
}
