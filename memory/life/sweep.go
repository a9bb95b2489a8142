package life

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/memory/file"
)

// Tier is how far a memory is from being archived.
type Tier int

// The tiers.
const (
	Kept     Tier = 1 // pinned, or proven by use
	Active   Tier = 2
	Fading   Tier = 3 // agents are not told of it unasked
	Archived Tier = 4 // its file is gone, and can be restored
)

// String is the name that people read.
func (t Tier) String() string {
	switch t {
	case Kept:
		return "kept"
	case Fading:
		return "fading"
	case Archived:
		return "archived"
	}
	return "active"
}

// MarshalText writes the name.
func (t Tier) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// TierOf is the tier of a memory, also of one that no sweep has seen.
func TierOf(m *file.Memory, u Use) Tier {
	switch {
	case m.Pinned:
		return Kept
	case u.Tier != 0:
		return u.Tier
	}
	return Active
}

// Starting values of a sweep. Their source is the constants of the design.
const (
	// ActiveFrom is the confidence below which a memory fades. At no trust level are agents told
	// unasked of one that is less sure.
	ActiveFrom = 0.45
	// A memory is proven by this confidence after this many uses.
	provenConfidence = 0.9
	provenUses       = 10
	// archiveHalfLives unused half-lives archive a memory.
	archiveHalfLives = 3
	// FadingGrace is how long a memory has to fade before it is archived.
	FadingGrace = 24 * time.Hour
	// OrphanGrace is how long all of its code has to be gone.
	OrphanGrace = 30 * 24 * time.Hour
	// ChunkSize is how many memories a sweep judges before it yields.
	ChunkSize = 250
	// Use for the order within a limit halves in 30 days.
	accessHalfLife = 30
	accessCap      = 100
)

// Limit is how many memories an owner may have: a project 2,000, an agent 500, a
// mission 200.
func Limit(ownerKind string) int {
	switch ownerKind {
	case "agent":
		return 500
	case "mission", "session":
		return 200
	}
	return 2000
}

// Standing is what a sweep knows of a memory beside the facts.
type Standing struct {
	Tier  Tier      // 0 if no sweep has seen it
	Since time.Time // when it came to that tier
	// Orphaned is since when all of its code is gone, zero if some is there.
	Orphaned time.Time
}

// Move is what a sweep does with a memory.
type Move struct {
	UUID   string `json:"uuid"`
	What   string `json:"what"`
	From   Tier   `json:"from"`
	To     Tier   `json:"to"`
	Reason string `json:"reason"`
}

// Judge returns the tier that a memory moves to in one sweep, and why. A memory moves by one tier in
// a sweep, except for a pin.
func Judge(f Facts, was Standing) (to Tier, reason string) {
	m := f.Memory
	from := was.Tier
	if from == 0 {
		from = Active
	}
	if m.Pinned {
		return Kept, "it is pinned"
	}
	c := Confidence(f)
	used := f.Use.Uses - usesPerStep*f.Use.Overridden
	proven := c >= provenConfidence && used >= provenUses
	switch {
	case from == Fading && c >= ActiveFrom:
		return Active, fmt.Sprintf("its confidence is %.2f again", c)
	case from == Active && proven:
		return Kept, fmt.Sprintf("%s, confidence %.2f", times(used, "use"), c)
	case from == Kept && !proven:
		return Active, fmt.Sprintf("it is not pinned, and its confidence is %.2f", c)
	case from == Active && c < ActiveFrom:
		return Fading, fmt.Sprintf("its confidence is %.2f: %s", c, worst(f))
	case from == Fading && f.Now.Sub(was.Since) >= FadingGrace:
		if why := outlived(f, was); why != "" {
			return Archived, why
		}
	}
	return from, ""
}

// outlived returns why a fading memory is archived, or "".
func outlived(f Facts, was Standing) string {
	m := f.Memory
	if m.Type == file.Decision {
		return "" // only a person gives up a decision
	}
	if h := halfLifeOf(m); h > 0 && idleDays(f) >= archiveHalfLives*h {
		return fmt.Sprintf("not used for %s, %d half-lives of %s", days(math.Floor(idleDays(f))), archiveHalfLives, days(h))
	}
	if !was.Orphaned.IsZero() && f.Now.Sub(was.Orphaned) >= OrphanGrace {
		return fmt.Sprintf("its code is gone for %s", days(math.Floor(f.Now.Sub(was.Orphaned).Hours()/24)))
	}
	return ""
}

// worst returns why a memory is less sure than its file says: the factor that costs most.
func worst(f Facts) string {
	why, least := "its file says so", 1.0
	for _, x := range Explain(f).Factors {
		if x.Kind == Multiply && x.Value < least {
			why, least = x.Why, x.Value
		}
	}
	return why
}

// AllOrphaned returns whether all anchors of a memory are orphaned.
func AllOrphaned(anchors []Anchor, total int) bool {
	n := 0
	for _, a := range anchors {
		if a.State == anchor.Orphaned {
			n++
		}
	}
	return total > 0 && n >= total
}

// Ranked is a memory with its worth within a limit.
type Ranked struct {
	UUID   string
	Score  float64
	Exempt bool // pinned: it counts and is never archived
}

// Score orders memories of one owner: confidence, recent use and importance. access is
// the access score when the memory was last used.
func Score(f Facts, access float64) float64 {
	if !f.Now.IsZero() && !f.Use.Last.IsZero() {
		access *= math.Exp2(-max(0, f.Now.Sub(f.Use.Last).Hours()/24) / accessHalfLife)
	}
	score := Confidence(f) * (1 + min(1, math.Log1p(access)/math.Log1p(accessCap)))
	switch f.Memory.Importance {
	case file.High:
		return score * 1.25
	case file.Low:
		return score * 0.8
	}
	return score
}

// Excess returns which of an owner's memories are too many, the worst first.
func Excess(list []Ranked, limit int) []Ranked {
	over := len(list) - limit
	if over <= 0 {
		return nil
	}
	list = slices.DeleteFunc(slices.Clone(list), func(r Ranked) bool { return r.Exempt })
	sorting.Func(list, func(a, b Ranked) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.UUID, b.UUID))
	})
	return list[:min(over, len(list))]
}
