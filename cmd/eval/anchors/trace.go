package anchors

import (
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
)

// trail records the resolutions of an anchor along a history.
type trail struct{ marks []mark }

// mark is one resolution between two commits.
type mark struct {
	from, to string
	anchoring.Resolution
}

func (t *trail) add(from, to string, r anchoring.Resolution) {
	t.marks = append(t.marks, mark{from, to, r})
}

// diverged says at which step of the pair's history the anchor left the element, to find
// the reason. Fresh resolutions are left out unless all are requested.
func (t *trail) diverged(p pair, chain []string, all bool) string {
	at := make(map[string]int, len(chain))
	for i, c := range chain {
		at[c] = i
	}
	outside := 0
	good := 0 // the last commit of the chain at which both agreed
	for k := len(p.Steps) - 1; k >= 0; k-- {
		if _, ok := at[p.Steps[k].Commit]; !ok {
			outside++
		}
	}
	steps := slices.Clone(p.Steps)
	slices.SortStableFunc(steps, func(a, b step) int { return at[a.Commit] - at[b.Commit] })
	var out strings.Builder
	for _, s := range steps {
		i, ok := at[s.Commit]
		if !ok || len(s.Lines) != 2 {
			continue
		}
		m, known := t.before(i, at)
		if !known || m.Path == s.File && (m.Line == s.Lines[0] || !cites(p.Kind) && m.Line <= s.Lines[0] && s.Lines[0] <= m.EndLine) {
			good = max(good, i)
			continue
		}
		fmt.Fprintf(&out, "\n  wrong after %s (%s) at %s %v: %s:%d %s by %q, since %s %s",
			s.Commit[:10], s.Change, s.File, s.Lines, m.Path, m.Line, m.State, m.Rung, chain[good][:10], m.Reason)
		break
	}
	for _, m := range t.marks {
		if i := at[m.to]; i > good && (all || m.State != anchor.Fresh) {
			fmt.Fprintf(&out, "\n    %s..%s %s:%d %s by %q %.2f %s", m.from[:10], m.to[:10], m.Path, m.Line, m.State, m.Rung, m.Confidence, m.Reason)
		}
	}
	fmt.Fprintf(&out, "\n  %d of %d steps are not on the way of %d commits", outside, len(p.Steps), len(chain))
	return out.String()
}

// cites reports whether elements of a kind are lines for anchors. For other kinds the
// dataset's first line may differ from ours.
func cites(kind string) bool { return kind == "block" || kind == "variable" }

// before returns the last resolution up to a commit of the chain.
func (t *trail) before(i int, at map[string]int) (mark, bool) {
	for k := len(t.marks) - 1; k >= 0; k-- {
		if j, ok := at[t.marks[k].to]; ok && j <= i { // others are on a branch
			return t.marks[k], true
		}
	}
	return mark{}, false
}
