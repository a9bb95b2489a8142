package ledger

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/retrieve"
)

// Starter is a memory that a newcomer should read, with its score.
type Starter struct {
	Hit   memory.Hit
	Score float64
	Uses  int // times it was recalled, or shown to an agent
}

// Weights in [Starters] beside confidence and trust.
const (
	pinWeight = 2.0   // of a pinned memory
	useFull   = 100.0 // uses above which more have no effect, as in V5-RET's frequency
)

// Starters selects the memories that a newcomer needs first, best first, at most limit. The score
// is the confidence, times the trust in the origin, times 2 for a pin, times up to 2 for use,
// times the value of its type (see [worth]). It excludes memories that are tainted
// and unconfirmed, wait for review, are disputed or personal, or describe only a moment (see
// [passing]); left is their number.
func Starters(hits []memory.Hit, accesses map[string]int, totals Totals, limit int) (out []Starter, left int) {
	for _, h := range hits {
		m := h.Memory
		if m == nil || unfit(m) || slices.Contains(passing(), m.Type) {
			left++
			continue
		}
		f := Starter{Hit: h, Uses: accesses[m.UUID] + totals.unasked(m.UUID)}
		trust := retrieve.Trust(m.Trust.Origin)
		if m.Trust.VerifiedBy != "" {
			trust = retrieve.Trust(file.UserTaught) // a person vouches for it
		}
		f.Score = h.Confidence() * trust * (1 + min(1, math.Log1p(float64(f.Uses))/math.Log1p(useFull)))
		f.Score *= worth(m)
		if m.Pinned {
			f.Score *= pinWeight
		}
		out = append(out, f)
	}
	sorting.Func(out, func(a, b Starter) int {
		x, y := a.Hit.Memory, b.Hit.Memory
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(y.Importance.Rank(), x.Importance.Rank()), strings.Compare(x.UUID, y.UUID))
	})
	out = slices.DeleteFunc(out, saidBefore())
	return out[:min(max(0, limit), len(out))], left
}

// saidBefore returns a function that reports whether an earlier memory has the same text. Rules are often repeated for a
// folder, and a newcomer reads each once.
func saidBefore() func(Starter) bool {
	seen := map[string]bool{}
	return func(s Starter) bool {
		text := strings.ToLower(strings.Join(strings.Fields(s.Hit.Memory.What), " "))
		again := seen[text]
		seen[text] = true
		return again
	}
}

// worth is the value of a memory for a newcomer by its type: first gotchas and dead ends, then
// decisions, last what the code and its folders show themselves. Project-wide memories precede
// those about one file.
func worth(m *file.Memory) float64 {
	w := 1.0
	switch m.Type {
	case file.Gotcha, file.DeadEnd, file.ErrorPattern:
		w = 1.8
	case file.Decision:
		w = 1.6
	case file.Requirement:
		w = 1.25
	case file.ModuleInsight:
		w = 0.7
	}
	if forbids(m.What) {
		w *= 1.2 // breaking it is a mistake, not a matter of style
	}
	if m.Why != "" {
		w *= 1.15 // it says why
	}
	if len(m.Scope) == 1 && !strings.ContainsAny(m.Scope[0], "*?") {
		w *= 0.85 // one file
	}
	return w
}

// forbids reports whether a memory begins by saying what must not be done, or must.
func forbids(what string) bool {
	if _, rest, ok := strings.Cut(what, ": "); ok && strings.HasPrefix(rest, "FORBIDDEN") { // below a heading
		return true
	}
	what = strings.ToLower(what)
	for _, word := range []string{"never ", "do not ", "don't ", "must not ", "forbidden", "always "} {
		if strings.HasPrefix(what, word) {
			return true
		}
	}
	return false
}

// unfit reports whether a memory is unsuitable as a starter.
func unfit(m *file.Memory) bool {
	unconfirmed := (m.Trust.Tainted || m.Trust.NeedsReview || m.Trust.Unreviewed) && m.Trust.VerifiedBy == ""
	return unconfirmed || m.Trust.Disputed() || m.Visibility == file.Personal || m.Owner != nil
}

// passing are types that describe a moment or a measurement, not the code.
func passing() []file.Type {
	return []file.Type{file.WorkState, file.WorkUnitOutcome, file.TaskCalibration, file.ContextCost, file.Episode, file.E2EObservation}
}
