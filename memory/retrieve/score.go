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

// The bounds of a learned weight.
const (
	leastLearned = 0.8
	mostLearned  = 1.2
)

// reviewAfter is how much newer than an item its files must be to suggest a review.
const reviewAfter = 30 * 24 * time.Hour

// score computes the final scores: (relevance, recency, use) × phase × trust × confidence, which multiplies a
// share of it.
func (r *run) score(list []Result) {
	now := r.Now()
	ph := phaseOf(r.q.Phase)
	for i := range list {
		x, it := &list[i], r.items[list[i].ID]
		x.created, x.Type = it.Created, it.Type
		x.Parts = ScoreParts{Relevance: x.Score, Recency: recency(it, now), Frequency: frequency(it.Uses), Phase: 1, Trust: 1, Confidence: 1}
		x.Doubts = doubts(it)
		if r.t.Standing && it.Type != "" {
			x.Parts.Phase, x.Parts.Trust, x.Parts.Confidence = ph.weight(it.Type), trust(it.Origin), it.Confidence
			if r.Learned != nil && ph.weights != nil {
				x.Parts.Phase *= min(mostLearned, max(leastLearned, r.Learned(r.q.Phase, it.Type)))
			}
		}
		x.Score = (r.t.Relevance*x.Parts.Relevance + r.t.Recency*x.Parts.Recency + r.t.Frequency*x.Parts.Frequency) *
			x.Parts.Phase * x.Parts.Trust * (1 - r.t.Doubted*(1-x.Parts.Confidence)) / maxFactor(ph, r.t.Standing)
		if r.Learned != nil {
			x.Score = min(1, x.Score)
		}
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

// doubts returns why an item may be wrong. Anchors know more than the dates of files.
func doubts(it Item) []string {
	if it.Newer > reviewAfter && !it.Anchored {
		return append(slices.Clip(it.Doubts), "worth a review: its files are much younger")
	}
	return it.Doubts
}

// trusted removes results that are less trusted than the question wants.
func (r *run) trusted(list []Result) []Result {
	if r.q.MinConfidence <= 0 {
		return list
	}
	return slices.DeleteFunc(list, func(x Result) bool {
		it := r.items[x.ID]
		if it.Type == "" || it.Confidence >= r.q.MinConfidence {
			return false
		}
		r.omit(OmitUntrusted, x.ID)
		return true
	})
}
