package retrieve

import (
	"context"
	"math"
	"testing"
	"time"

	"manicule/memory/file"
)

// TestLearned: what was learned of types weighs in phases alone, within a fifth, and scores stay in [0, 1].
func TestLearned(t *testing.T) {
	items := map[string]Item{
		"gotcha":   {Type: file.Gotcha, Confidence: 1, Origin: file.UserTaught},
		"dead end": {Type: file.DeadEnd, Confidence: 1, Origin: file.UserTaught},
	}
	likes := func(of file.Type, w float64) func(Phase, file.Type) float64 {
		return func(p Phase, x file.Type) float64 {
			if x == of && p != Refine {
				return w
			}
			return 1
		}
	}
	for name, tc := range map[string]struct {
		phase           Phase
		learned         func(Phase, file.Type) float64
		gotcha, deadEnd float64
	}{
		"nothing learned":      {Implement, nil, 1.4, 1.2},
		"less":                 {Implement, likes(file.Gotcha, .9), 1.4 * .9, 1.2},
		"no less than a fifth": {Implement, likes(file.Gotcha, .1), 1.4 * .8, 1.2},
		"no more than a fifth": {Implement, likes(file.Gotcha, 9), 1.4 * 1.2, 1.2},
		"of another phase":     {Refine, likes(file.Gotcha, .9), 1.2, 1.2},
		"without a phase":      {NoPhase, likes(file.DeadEnd, 1.2), 1, 1},
	} {
		e := &Engine{Now: func() time.Time { return time.UnixMilli(0) }, Learned: tc.learned,
			Words: func(context.Context, string, int) ([]Ranked, error) {
				return []Ranked{{ID: "gotcha", Score: 1}, {ID: "dead end", Score: .98}}, nil
			},
			Item: func(id string) (Item, bool) { it, ok := items[id]; return it, ok }}
		out, err := e.Search(t.Context(), Question{Text: "retry queue", Phase: tc.phase, Limit: 2, Explicit: true})
		if err != nil || len(out.Results) != 2 {
			t.Fatalf("%s: %+v, %v", name, out, err)
		}
		for _, r := range out.Results {
			want := map[string]float64{"gotcha": tc.gotcha, "dead end": tc.deadEnd}[r.ID]
			if math.Abs(r.Parts.Phase-want) > 1e-9 || r.Score > 1 {
				t.Errorf("%s: a %s weighs %.3f with a score of %.3f, want %.3f", name, r.ID, r.Parts.Phase, r.Score, want)
			}
		}
	}
}
