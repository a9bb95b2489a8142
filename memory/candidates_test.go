package memory

import (
	"slices"
	"testing"

	"manicule/memory/file"
	"manicule/memory/store"
)

// TestEvidence: who reviews a candidate reads what was seen, and no names of kinds or long ids. A doubt stays.
func TestEvidence(t *testing.T) {
	details := []byte(`{"kind":"co_access","evidence":[4,9],"for":"4 of 10 commits change both"}`)
	row := store.DraftRow{Memory: &file.Memory{Details: details}, Status: store.StatusCandidate, Reason: seenInWork + "co_access", Session: "0a267433-12b2-4e4b-b8c0-a308901127bc"}
	if got, want := candidate(row).Evidence, []string{"events 4, 9 of session 0a267433", "4 of 10 commits change both"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	row.Reason += "; " + doubtMark + "it is a state"
	if got := candidate(row).Evidence; got[0] != doubtMark+"it is a state" {
		t.Errorf("a doubt: %q", got)
	}
	row = store.DraftRow{Memory: &file.Memory{}, Status: store.StatusDraft, Reason: "an agent said so"}
	if got := candidate(row).Evidence; !slices.Equal(got, []string{"an agent said so"}) {
		t.Errorf("a draft: %q", got)
	}
}
