package observe

import (
	"strings"
	"testing"

	"manicule/hooks/observe/signal"
	"manicule/indexer/must"
)

// TestMutedKinds: the kinds that documentation calls candidates are those that the code proposes.
func TestMutedKinds(t *testing.T) {
	page := must.Read(t, "../../docs/observer.md")
	_, rest, ok := strings.Cut(string(page), "Eight kinds become candidates: ")
	list, _, _ := strings.Cut(rest, ". The other eleven")
	if !ok {
		t.Fatal("the page does not say which kinds become candidates")
	}
	for _, s := range signal.Specs() {
		proposes := s.FalseRate(signal.Judged{}) <= maxFalse && s.Kind != signal.RepeatedSearch // which has no sentence
		if documented := strings.Contains(list, "`"+string(s.Kind)+"`"); documented != proposes {
			t.Errorf("%s: documented as a candidate %v, proposed %v", s.Kind, documented, proposes)
		}
	}
}
