package memory

import (
	"errors"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestMergeKeepsHandEdits: a file that somebody changes while the merge runs is
// neither overwritten nor removed.
func TestMergeKeepsHandEdits(t *testing.T) {
	for _, tt := range []struct {
		name  string
		edits int // which of the memories is edited; the first is kept
	}{{"the kept one", 0}, {"another", 1}} {
		t.Run(tt.name, func(t *testing.T) {
			w := fixture(t)
			var hits []Hit
			hashes := map[string]string{}
			for _, what := range []string{"Refresh fails silently", "The refresh fails and says nothing"} {
				h, err := w.Get(t.Context(), remember(t, w, Draft{What: what}).UUID)
				must.OK(t, err)
				if hashes[h.Memory.UUID], err = h.Memory.Hash(); err != nil {
					t.Fatal(err)
				}
				hits = append(hits, h)
			}
			kept, other := hits[0].Memory.UUID, hits[1].Memory.UUID
			byHand := hits[tt.edits].Memory.Clone()
			byHand.Why = "written by hand"
			r, err := w.Consolidations().Merge(t.Context(), MergeRequest{Keep: kept, Others: []string{other}, Hashes: hashes, Change: func(m *file.Memory, _ []*file.Memory) {
				m.Tags = []string{"merged"}
				if _, err := file.Write(w.Place().MemoriesDir(), byHand); err != nil {
					t.Error(err)
				}
			}})
			if tt.edits == 0 && (err != nil || r.Accepted || r.Code != "conflict") {
				t.Errorf("%+v, %v", r, err)
			}
			if u, ok := errors.AsType[*UserError](err); tt.edits == 1 && (!ok || !strings.Contains(u.Msg, "was changed meanwhile")) {
				t.Errorf("%+v, %v", r, err)
			}
			if got, err := w.Get(t.Context(), byHand.UUID); err != nil || got.Memory.Why != byHand.Why {
				t.Errorf("the edit by hand is lost: %+v, %v", got.Memory, err)
			}
			if got, err := w.Get(t.Context(), other); err != nil || got.Memory.What != hits[1].Memory.What {
				t.Errorf("the other is gone: %+v, %v", got.Memory, err)
			}
			if graves, err := w.State().Tombstones().List(t.Context()); err != nil || len(graves) != 0 {
				t.Errorf("tombstones: %+v, %v", graves, err)
			}
		})
	}
}
