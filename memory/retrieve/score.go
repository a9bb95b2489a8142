package retrieve

import (
	"math"
	"slices"
	"time"

	"manicule/memory/file"
)

// Limits of the effect of age and use.
const (
	// defaultVolatility is the assumed number of changes a day if no history is known. An item then
	// loses half of its recency in ten weeks.
	defaultVolatility = 0.01
	// usesCap is the number of uses above which more have no effect.
	usesCap = 100
)

// The share of its confidence that a possibly outdated memory keeps.
const (
	keepsUnused   = 0.9 // unused for a half-life, and tied to no code that would tell
	losesChanged  = 0.3 // if all of its files have changed
	keepsDisputed = 0.8
	// reviewAfter is how much newer its files must be to suggest a review.
	reviewAfter = 30 * 24 * time.Hour
)

// score computes the final scores: (relevance, recency, use) × phase × trust × confidence.
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

// maxFactor is the maximum of the factors of a score. Dividing by it keeps scores in [0, 1].
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

// recency falls with age, faster for files that change often.
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

// frequency grows logarithmically with use, up to 1. It counts in steps of usesPerStep: showing the
// first page of an answer counts as a use, and must not change the second page.
func frequency(uses int) float64 {
	whole := max(0, uses) / usesPerStep * usesPerStep
	return min(1, math.Log1p(float64(whole))/math.Log1p(usesCap))
}

// usesPerStep is how many uses count as one step.
const usesPerStep = 25

// staleness returns the share of its confidence that an item keeps, and why it is doubted. It skips
// anchored items, whose anchors know more than dates.
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

// halfLife is how long a memory of a type may go unused before it counts less; 0 if it does not
// age.
func halfLife(t file.Type) time.Duration {
	days := map[file.Type]int{
		file.WorkState: 7, file.E2EObservation: 30, file.ErrorPattern: 60, file.Gotcha: 60, file.ModuleInsight: 90, file.DeadEnd: 90,
		file.CausalDependency: 120, file.WorkflowRecipe: 120, file.TaskCalibration: 180,
	}[t]
	return time.Duration(days) * 24 * time.Hour
}

// trusted removes results that are less trusted than the question wants.
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
