package memory

import (
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

func TestCorrect(t *testing.T) {
	says := func(what string) func(*file.Memory) error {
		return func(m *file.Memory) error { m.What = what; return nil }
	}
	for _, tt := range []struct {
		name       string
		correction Correction
		code       string // "" where it is accepted
	}{
		{"what is right", Correction{Change: says("Refresh fails loudly"), Note: "it returns the error since May"}, ""},
		{"of the version that was read", Correction{Change: says("Refresh fails loudly"), Version: 2}, ""},
		{"of an earlier version", Correction{Change: says("Refresh fails loudly"), Version: 1}, "conflict"},
		{"nothing", Correction{Change: says("Refresh fails silently"), Note: "it is wrong"}, "malformed"},
		{"white space at the end", Correction{Change: says("Refresh fails silently \n"), Note: "it is wrong"}, "malformed"},
		{"white space within", Correction{Change: says("Refresh  fails\nsilently"), Note: "it is wrong"}, "malformed"},
		{"no text", Correction{Change: says(" ")}, "malformed"},
		{"a secret", Correction{Change: says("the token is ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o")}, "secret"},
		{"a secret in the note", Correction{Change: says("x"), Note: "it was ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o"}, "secret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := fixture(t)
			id := remember(t, w, Draft{What: "Refresh fails silently", At: []string{"src/auth/token.go#Validate"}}).UUID
			if _, err := w.Edits().Dispute(t.Context(), id, "not any more"); err != nil {
				t.Fatal(err)
			}
			r, err := w.Edits().Correct(t.Context(), id, tt.correction)
			if err != nil || r.Code != tt.code || r.Accepted != (tt.code == "") || !r.Accepted && r.Reason == "" {
				t.Fatalf("%+v, %v", r, err)
			}
			h, err := w.Get(t.Context(), id)
			must.OK(t, err)
			m := h.Memory
			if !r.Accepted {
				if m.Lineage.Version != 2 || m.Trust.DisputedBy != "ada" || m.What != "Refresh fails silently" {
					t.Errorf("it is changed: %+v", m)
				}
				return
			}
			if m.Lineage.Version != 3 || m.Lineage.ChangeKind != "correct" || m.Lineage.ChangeNote != tt.correction.Note || m.Trust.VerifiedBy != "ada" || m.Trust.DisputedBy != "" {
				t.Errorf("%+v", m)
			}
			past, err := w.History().Timeline(t.Context(), id)
			if err != nil || len(past) != 3 || !strings.Contains(past[1].Memory.What, "silently") {
				t.Errorf("history: %d versions, %v", len(past), err)
			}
		})
	}
}
