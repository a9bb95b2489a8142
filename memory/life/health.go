package life

import (
	"math"
	"time"
)

// Health is how well a set of memories is kept, from 0 to 100, with the shares that it is made of.
type Health struct {
	Score int `json:"score"`
	// Sure is the mean of effective ÷ stated confidence, at most 1.
	Sure float64 `json:"sure"`
	// Used is the share that was used, written or confirmed within 30 days, or does not age.
	Used float64 `json:"used"`
	// Settled is the share without a dispute, a conflict, a contradiction, a pending review or lost code.
	Settled float64 `json:"settled"`
}

// The weights of the parts. What may be wrong weighs most: it misleads.
const (
	weighsSure    = 40
	weighsUsed    = 20
	weighsSettled = 40
	usedWithin    = 30 // days
	knownAfter    = 7  // days
)

// Member is a memory for [HealthOf].
type Member struct {
	Facts
	Unsettled bool // its code is stale or gone, or another memory contradicts it
}

// young reports whether a memory is too new for anything to be known of it.
func (x Member) young() bool {
	return !x.Now.IsZero() && x.Now.Sub(x.Memory.CreatedAt.Time) < knownAfter*24*time.Hour
}

// HealthOf returns the health of some memories; ok is false for none, and while all of them are new
// and nothing is wrong with one: a full score would say only that they were written.
func HealthOf(list []Member) (h Health, ok bool) {
	if len(list) == 0 {
		return h, false
	}
	for _, x := range list {
		m := x.Memory
		ok = ok || !x.young()
		if m.Confidence > 0 {
			h.Sure += min(1, Confidence(x.Facts)/m.Confidence)
		}
		if half := halfLifeOf(m); half == 0 || idleDays(x.Facts) <= usedWithin {
			h.Used++
		}
		if !x.Unsettled && !m.Trust.Disputed() && len(m.Conflict) == 0 && !NeedsReview(m, x.Use) {
			h.Settled++
		}
	}
	n := float64(len(list))
	h.Sure, h.Used, h.Settled = round(h.Sure/n), round(h.Used/n), round(h.Settled/n)
	h.Score = int(math.Round(weighsSure*h.Sure + weighsUsed*h.Used + weighsSettled*h.Settled))
	return h, ok || h.Settled < 1
}

func round(x float64) float64 { return math.Round(x*1000) / 1000 }
