package retrieve

import (
	"math"
	"slices"
	"time"

	"manicule/memory/file"
)

// The bounds of what age and use count.
const (
	// defaultVolatility is how often a day the files of an item are taken to change where
	// no history tells it: it loses half of its recency in ten weeks.
	defaultVolatility = 0.01
	// usesCap is the number of uses above which more count nothing (V5-RET-12).
	usesCap = 100
)

// What a memory that may be out of date keeps of its confidence (V5-RET-17).
const (
	keepsUnused   = 0.9 // not used for a half-life, and tied to no code that would tell
	losesChanged  = 0.3 // when all of its files are others now
	keepsDisputed = 0.8
	// reviewAfter is by how much its files may be younger before it is worth a look.
	reviewAfter = 30 * 24 * time.Hour
)

// score makes the final scores: (relevance, recency, use) × phase × trust ×
// confidence (V5-RET-12).
func (r *run) score(list []Result) {
	now := r.Now()
	ph := phaseOf(r.q.Phase)
	for i := range list {
		x, it := &list[i], r.items[list[i].ID]
		x.created, x.Type = it.Created, it.Type
		x.Parts = ScoreParts{Relevance: x.Score, Recency: recency(it, now), Frequency: frequency(it.Uses), Phase: 1, Trust: 1, Confidence: 1}
		var keeps float64
		keeps, x.Doubts = staleness(it, now)
		if r.t.Standing && it.Type != "" {
			x.Parts.Phase, x.Parts.Trust, x.Parts.Confidence = ph.weight(it.Type), trust(it.Origin), it.Confidence*keeps
		}
		x.Score = (r.t.Relevance*x.Parts.Relevance + r.t.Recency*x.Parts.Recency + r.t.Frequency*x.Parts.Frequency) *
			x.Parts.Phase * x.Parts.Trust * x.Parts.Confidence / maxFactor(ph, r.t.Standing)
		if ph.weights != nil && x.Parts.Phase != 1 {
			x.Boosts = append(x.Boosts, Boost{"phase", x.Parts.Phase - 1, string(r.q.Phase) + " weighs a " + string(it.Type)})
		}
	}
}

// maxFactor is what a score can be multiplied with at most: divided by it, scores
// stay in [0, 1].
func maxFactor(ph phase, standing bool) float64 {
	if !standing {
		return 1
	}
	out := 1.0
	for _, w := range ph.weights {
		out = max(out, w)
	}
	return out * trust(file.UserTaught)
}

// recency falls with age, the faster the more its files change (V5-RET-13).
func recency(it Item, now time.Time) float64 {
	if it.Created.IsZero() {
		return 1
	}
	v := it.Volatility
	if v < 0 {
		v = defaultVolatility
	}
	days := max(0, now.Sub(it.Created).Hours()/24)
	return math.Exp(-days * v)
}

// frequency grows with use, ever more slowly, up to 1. It counts whole groups of
// usesPerStep uses: the first page of an answer counts as a use of what it shows,
// and must not change what its second page shows.
func frequency(uses int) float64 {
	whole := max(0, uses) / usesPerStep * usesPerStep
	return min(1, math.Log1p(float64(whole))/math.Log1p(usesCap))
}

// usesPerStep is how many uses count at once.
const usesPerStep = 25

// staleness is what an item keeps of its confidence, and why it is doubted.
// Anchors have taken their part already: they know their code better than a date
// does.
func staleness(it Item, now time.Time) (keeps float64, doubts []string) {
	keeps = 1
	if it.Disputed {
		keeps *= keepsDisputed
		doubts = append(doubts, "disputed")
	}
	if h := halfLife(it.Type); h > 0 && (!it.Anchored || it.Origin == file.ObserverInferred) {
		last := it.LastUsed
		if it.Created.After(last) {
			last = it.Created
		}
		if !last.IsZero() && now.Sub(last) > h {
			keeps *= keepsUnused
			doubts = append(doubts, "not used for a long time")
		}
	}
	if it.Changed > 0 && !it.Anchored {
		keeps *= 1 - losesChanged*it.Changed
		doubts = append(doubts, "its files changed since")
	}
	if it.Newer > reviewAfter && !it.Anchored {
		doubts = append(doubts, "worth a review: its files are much younger")
	}
	return keeps, doubts
}

// halfLife is how long a memory of a type may rest before it counts less; 0 for
// those that don't age (CONSTANTS of life).
func halfLife(t file.Type) time.Duration {
	days := map[file.Type]int{
		file.WorkState: 7, file.E2EObservation: 30, file.ErrorPattern: 60, file.Gotcha: 60, file.ModuleInsight: 90, file.DeadEnd: 90,
		file.CausalDependency: 120, file.WorkflowRecipe: 120, file.TaskCalibration: 180,
	}[t]
	return time.Duration(days) * 24 * time.Hour
}

// trusted leaves out what is trusted less than the question wants.
func (r *run) trusted(list []Result) []Result {
	if r.q.MinConfidence <= 0 {
		return list
	}
	return slices.DeleteFunc(list, func(x Result) bool {
		it := r.items[x.ID]
		keeps, _ := staleness(it, r.Now())
		if it.Type == "" || it.Confidence*keeps >= r.q.MinConfidence {
			return false
		}
		r.omit(OmitUntrusted, x.ID)
		return true
	})
}
