// Package life owns how a memory ages: its effective confidence, and what a sweep does
// with it. It is pure: values in, values out. It must not know databases, files on disk
// or clocks.
package life

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"manicule/indexer/anchor"
	"manicule/memory/file"
)

// Use is what this machine knows of the use of a memory. The zero value is a memory that was
// never used here.
type Use struct {
	Last       time.Time // last recall, or last time that an agent followed it
	Uses       int       // recalls, and times that it was followed
	Followed   int       // times that an agent did what it says
	Overridden int       // times that an agent was shown it and did otherwise
	Worked     int       // sessions that followed it, after which the work passed
	Failed     int       // sessions that followed it, after which it failed or was taken back
	Changed    float64   // share of its files that changed since it was written
	Tier       Tier      // where the last sweep put it, 0 if none did
}

// Anchor is the state of an anchor of a memory.
type Anchor struct {
	State  anchor.State // "" for an anchor that is where its record says
	Reason string
}

// Facts are all that the effective confidence depends on.
type Facts struct {
	Memory  *file.Memory
	Anchors []Anchor // of the memory's anchors; nil if all are where their records say
	Use     Use
	Now     time.Time // zero: age has no effect
}

// Starting values. Their source is the constants of the design: evaluation may change them.
const (
	// keepsUnreviewed is the share that a memory keeps which came by git without a statement of
	// trust and that nobody on this machine reviewed.
	keepsUnreviewed = 0.75
	// keepsDisputed is the factor of a disputed memory.
	keepsDisputed = 0.8
	// losesChanged is lost if all files of a memory without anchors changed.
	losesChanged = 0.3
	// The loss by the state of an anchor.
	losesDrifted  = 0.1
	losesStale    = 0.4
	losesOrphaned = 0.5
	// Uses as trust: five uses without a correction add 0.05, up to 0.95, and ten
	// take the review flag off. A time that an agent did otherwise undoes five uses.
	usesPerStep = 5
	gainPerStep = 0.05
	gainCap     = 0.95
	usesReview  = 10
	// verdictPrior is the number of followed showings that a memory starts with. A single
	// overridden showing then costs as much as a dispute.
	verdictPrior = 4.0
	// What came of following it moves the confidence by what it is off from what is usual: of
	// the sessions that did what a memory says which they were not shown, outcomeUsual passed. So it gains
	// at most 5 % and loses at most 20 %, and never rises above gainCap. outcomePrior is the number of usual
	// sessions that a memory starts with: one that failed costs 4 %.
	outcomeSpan  = 0.25
	outcomeUsual = 0.8
	outcomePrior = 4.0
)

// Kind is how a factor takes part in the sum.
type Kind string

// The kinds of factors.
const (
	Start    Kind = "start"
	Plus     Kind = "plus"
	Multiply Kind = "times"
)

// Factor is one step from the stated to the effective confidence.
type Factor struct {
	Name  string  `json:"name"` // stated, use, verdicts, outcomes, unreviewed, disputed, anchors, files, age
	Kind  Kind    `json:"kind"`
	Value float64 `json:"value"`
	After float64 `json:"after"` // the confidence with this factor and those before it
	Why   string  `json:"why"`
}

// Explanation is the effective confidence with the factors that it is made of.
type Explanation struct {
	Confidence float64  `json:"confidence"`
	Factors    []Factor `json:"factors"`
	// Ages says whether the memory ages, and why.
	Ages string `json:"ages"`
}

// Confidence returns the effective confidence. It allocates nothing, since rankings call it often.
func Confidence(f Facts) float64 {
	m := f.Memory
	c := m.Confidence + gain(f)
	c *= verdicts(f.Use)
	c *= outcomes(f.Use, c)
	if unreviewed(m) {
		c *= keepsUnreviewed
	}
	if m.Trust.Disputed() {
		c *= keepsDisputed
	}
	lost, _ := anchorLoss(f, false)
	return c * (1 - lost) * keepsByChange(f) * keepsByAge(f)
}

// Explain returns the effective confidence and why it is what it is.
func Explain(f Facts) Explanation {
	m := f.Memory
	e := Explanation{Confidence: m.Confidence}
	e.Factors = append(e.Factors, Factor{"stated", Start, m.Confidence, m.Confidence, "as its file says"})
	add := func(name string, kind Kind, value float64, why string) {
		if kind == Plus {
			e.Confidence += value
		} else {
			e.Confidence *= value
		}
		e.Factors = append(e.Factors, Factor{name, kind, value, e.Confidence, why})
	}
	if g := gain(f); g > 0 {
		add("use", Plus, g, fmt.Sprintf("%s without a correction: %.2f for every %d, up to %.2f", times(f.Use.Uses-usesPerStep*f.Use.Overridden, "use"), gainPerStep, usesPerStep, gainCap))
	}
	if v := verdicts(f.Use); v != 1 {
		add("verdicts", Multiply, v, fmt.Sprintf("agents followed it %s and did otherwise %s", times(f.Use.Followed, "time"), times(f.Use.Overridden, "time")))
	}
	if o := outcomes(f.Use, e.Confidence); o != 1 {
		add("outcomes", Multiply, o, fmt.Sprintf("it worked in %s that followed it and failed in %d; usual is %.0f %%", times(f.Use.Worked, "session"), f.Use.Failed, 100*outcomeUsual))
	}
	if unreviewed(m) {
		add("unreviewed", Multiply, keepsUnreviewed, "it states no trust, and nobody reviewed it on this machine")
	}
	if m.Trust.Disputed() {
		add("disputed", Multiply, keepsDisputed, "disputed by "+cmp.Or(m.Trust.DisputedBy, file.Nameless))
	}
	if lost, why := anchorLoss(f, true); lost > 0 {
		add("anchors", Multiply, 1-lost, why)
	}
	if k := keepsByChange(f); k != 1 {
		add("files", Multiply, k, fmt.Sprintf("%.0f %% of its files changed since it was written", 100*f.Use.Changed))
	}
	if k := keepsByAge(f); k != 1 {
		h := halfLifeOf(m)
		add("age", Multiply, k, fmt.Sprintf("not used for %s, half-life %s", days(idleDays(f)), days(h)))
	}
	_, e.Ages = HalfLife(m)
	return e
}

// NeedsReview reports whether a memory still waits for a review. Enough uses without a correction
// count as one.
func NeedsReview(m *file.Memory, u Use) bool {
	return m.Trust.NeedsReview && m.Trust.VerifiedBy == "" && (m.Trust.Tainted || u.Uses-usesPerStep*u.Overridden < usesReview)
}

// Doubts say why a memory may be wrong or out of date, apart from the states of its anchors.
func Doubts(f Facts) []string {
	var out []string
	if f.Memory.Trust.Disputed() {
		out = append(out, "disputed")
	}
	if h := halfLifeOf(f.Memory); h > 0 && idleDays(f) > h {
		out = append(out, "not used for a long time")
	}
	if keepsByChange(f) < 1 {
		out = append(out, "its files changed since")
	}
	return out
}

func gain(f Facts) float64 {
	steps := (f.Use.Uses - usesPerStep*f.Use.Overridden) / usesPerStep
	if steps <= 0 || f.Memory.Trust.Disputed() || f.Memory.Confidence >= gainCap {
		return 0
	}
	return min(gainCap, f.Memory.Confidence+gainPerStep*float64(steps)) - f.Memory.Confidence
}

func verdicts(u Use) float64 {
	if u.Overridden == 0 {
		return 1
	}
	return (float64(u.Followed) + verdictPrior) / (float64(u.Followed+u.Overridden) + verdictPrior)
}

// outcomes is the factor of what came of following a memory, with the confidence before it.
func outcomes(u Use, before float64) float64 {
	if u.Worked == 0 && u.Failed == 0 {
		return 1
	}
	off := (1-outcomeUsual)*float64(u.Worked) - outcomeUsual*float64(u.Failed)
	factor := 1 + outcomeSpan*off/(float64(u.Worked+u.Failed)+outcomePrior)
	if factor <= 1 {
		return factor
	}
	if before >= gainCap {
		return 1
	}
	return min(factor, gainCap/before)
}

func unreviewed(m *file.Memory) bool { return m.Trust.Unreviewed && m.Trust.VerifiedBy == "" }

// anchorLoss is what the states of the anchors cost. A reason counts once, in proportion to the
// number of anchors. If no anchor is left, the loss is whole.
func anchorLoss(f Facts, explain bool) (lost float64, why string) {
	all := len(f.Memory.Anchors)
	if all == 0 {
		return 0, ""
	}
	for i, a := range f.Anchors {
		l := losses(a.State)
		if l == 0 || slices.ContainsFunc(f.Anchors[:i], func(b Anchor) bool { return losses(b.State) > 0 && b.Reason == a.Reason }) {
			continue
		}
		lost += l / float64(all)
		if explain {
			if why != "" {
				why += "; "
			}
			why += string(a.State)
			if a.Reason != "" {
				why += ": " + a.Reason
			}
		}
	}
	if AllOrphaned(f.Anchors, all) {
		lost = losesOrphaned // though one reason, such as a deleted file, may be the reason of all
	}
	return lost, why
}

func losses(s anchor.State) float64 {
	switch s {
	case anchor.Drifted:
		return losesDrifted
	case anchor.Stale:
		return losesStale
	case anchor.Orphaned:
		return losesOrphaned
	}
	return 0
}

// keepsByChange is the share that stays when files changed since. Anchors know more than that.
func keepsByChange(f Facts) float64 {
	if len(f.Memory.Anchors) > 0 {
		return 1
	}
	return 1 - losesChanged*f.Use.Changed
}

func keepsByAge(f Facts) float64 {
	h := halfLifeOf(f.Memory)
	if h <= 0 {
		return 1
	}
	idle := idleDays(f)
	if idle < 1 {
		return 1
	}
	return math.Exp2(-math.Floor(idle) / h)
}

// idleDays is the number of days since the memory was last used: written, confirmed, recalled or
// followed. Without a clock it is 0.
func idleDays(f Facts) float64 {
	if f.Now.IsZero() {
		return 0
	}
	return max(0, f.Now.Sub(LastUse(f.Memory, f.Use)).Hours()/24)
}

// LastUse is when a memory was last written, confirmed, recalled or followed.
func LastUse(m *file.Memory, u Use) time.Time {
	last := m.UpdatedAt.Time
	if m.CreatedAt.After(last) {
		last = m.CreatedAt.Time
	}
	if v := m.Trust.VerifiedAt; v != nil && v.After(last) {
		last = v.Time
	}
	if u.Last.After(last) {
		last = u.Last
	}
	return last
}

// typeHalfLife is the half-life of each type, in days. Types that are not listed don't age.
func typeHalfLife(t file.Type) float64 {
	switch t {
	case file.WorkState:
		return 7
	case file.E2EObservation:
		return 30
	case file.ErrorPattern, file.Gotcha:
		return 60
	case file.ModuleInsight, file.DeadEnd:
		return 90
	case file.CausalDependency, file.WorkflowRecipe:
		return 120
	case file.TaskCalibration:
		return 180
	}
	return 0
}

// HalfLife is the number of days after which an unused memory counts half, 0 if it does not age,
// and the reason. Pinned memories and decisions never age. Memories with anchors age only if they
// were inferred: the code tells whether they are still true.
func HalfLife(m *file.Memory) (halfLife float64, why string) {
	halfLife = halfLifeOf(m)
	switch {
	case m.Pinned:
		return halfLife, "it is pinned: it does not age"
	case m.Type == file.Decision:
		return halfLife, "decisions do not age"
	case followsCode(m):
		return halfLife, "it is tied to code, which tells whether it is true: it does not age"
	case hasOwnHalfLife(m):
		return halfLife, "half-life of " + days(halfLife) + ", as its file says"
	case halfLife > 0:
		return halfLife, fmt.Sprintf("half-life of %s, as every %s", days(halfLife), m.Type.Label())
	}
	return 0, fmt.Sprintf("a %s does not age", m.Type.Label())
}

// halfLifeOf is HalfLife without the reason. Lists ask for it of every memory.
func halfLifeOf(m *file.Memory) float64 {
	switch {
	case m.Pinned, m.Type == file.Decision, followsCode(m):
		return 0
	case hasOwnHalfLife(m):
		return *m.HalfLifeDays
	}
	return typeHalfLife(m.Type)
}

// followsCode reports whether the code tells if a memory is still true.
func followsCode(m *file.Memory) bool {
	return len(m.Anchors) > 0 && m.Trust.Origin != file.ObserverInferred
}

func hasOwnHalfLife(m *file.Memory) bool { return m.HalfLifeDays != nil && *m.HalfLifeDays > 0 }

func days(n float64) string {
	n = math.Round(n*10) / 10
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%g days", n)
}

func times(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
