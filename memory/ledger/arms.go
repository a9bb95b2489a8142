package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"slices"

	"manicule/memory/store"
)

// Arm is the group of a session in the comparison of sessions with and without memories.
type Arm string

// The arms. A session without an arm takes no part.
const (
	Off     Arm = "off"     // hooks tell nothing; what is asked for is answered
	Passive Arm = "passive" // the brief at the start, and what is asked for
	Full    Arm = "full"
)

// arms lists the arms.
func arms() []Arm { return []Arm{Full, Passive, Off} }

// The shares of the arms, of 10,000.
const (
	offShare     = 500
	passiveShare = 1000
)

// ArmOf assigns a session of a repository to an arm. It is the same each time, and depends on
// nothing that the session does.
func ArmOf(repository, session string) Arm {
	sum := sha256.Sum256([]byte("arm\x00" + repository + "\x00" + session))
	switch n := binary.BigEndian.Uint64(sum[:8]) % 10_000; {
	case n < offShare:
		return Off
	case n < offShare+passiveShare:
		return Passive
	}
	return Full
}

// ArmsFrom is the number of earlier sessions from which on sessions are assigned to arms. Before,
// there is little to tell that could make a difference.
const ArmsFrom = 20

// leastInArm is the number of sessions that an arm needs before it is compared.
const leastInArm = 10

// ArmStats compares the sessions by arm.
type ArmStats struct {
	Arm      Arm       `json:"arm"`
	Sessions int       `json:"sessions"`
	Figures  []Compare `json:"figures"`
}

// Compare is one figure of an arm: its mean a session, and how much more than in the full arm.
type Compare struct {
	Name string  `json:"name"` // calls, failures_repeated, files_reread, corrections, tokens
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"` // 95 % interval of the mean
	High float64 `json:"high"`
	// More is the difference from the full arm with its interval; Known is false while there are
	// too few sessions, or the interval includes 0.
	More     float64 `json:"more_than_full"`
	MoreLow  float64 `json:"more_low"`
	MoreHigh float64 `json:"more_high"`
	Known    bool    `json:"known"`
	// Aim is how much less the full arm should have than one that is told less, as a share; 0 where none is set.
	Aim float64 `json:"aim,omitzero"`
}

// Less is how much less the full arm has, as a share of what this one has.
func (c Compare) Less() float64 {
	if c.Mean == 0 {
		return 0
	}
	return c.More / c.Mean
}

// aims are the shares by which sessions that are told everything should have less.
func aims() map[string]float64 { return map[string]float64{"calls": .2, "files_reread": .5} }

// figure is one compared figure of a session.
type figure struct {
	name string
	of   func(store.ShownSession) int
}

func figures() []figure {
	return []figure{
		{"calls", func(x store.ShownSession) int { return x.Calls }},
		{"failures_repeated", func(x store.ShownSession) int { return x.Repeated }},
		{"files_reread", func(x store.ShownSession) int { return x.Reread }},
		{"corrections", func(x store.ShownSession) int { return x.Corrections }},
		{"tokens", func(x store.ShownSession) int { return x.Tokens }},
	}
}

// compareArms compares finished sessions by arm. seed selects the draws of the bootstrap, so that
// the same sessions have the same intervals.
func compareArms(sessions []store.ShownSession, seed uint64) []ArmStats {
	by := map[Arm][]store.ShownSession{}
	for _, x := range sessions {
		if x.Over && x.Arm != "" {
			by[Arm(x.Arm)] = append(by[Arm(x.Arm)], x)
		}
	}
	out := []ArmStats{}
	if len(by) == 0 {
		return out
	}
	for _, arm := range arms() {
		a := ArmStats{Arm: arm, Sessions: len(by[arm]), Figures: []Compare{}}
		for _, f := range figures() {
			own, full := values(f, by[arm]), values(f, by[Full])
			c := Compare{Name: f.name}
			c.Mean, c.Low, c.High = bootstrap(own, nil, seed)
			if arm != Full && len(own) > 0 && len(full) > 0 {
				c.More, c.MoreLow, c.MoreHigh = bootstrap(own, full, seed)
				c.Known = min(len(own), len(full)) >= leastInArm && (c.MoreLow > 0 || c.MoreHigh < 0)
				c.Aim = aims()[f.name]
			}
			a.Figures = append(a.Figures, c)
		}
		out = append(out, a)
	}
	return out
}

// resamples is the number of bootstrap draws.
const resamples = 1000

// bootstrap returns the mean of a, or by how much it exceeds that of b, with the 95 % percentile
// interval (Efron 1979), rounded to a hundredth.
func bootstrap(a, b []float64, seed uint64) (mean, low, high float64) {
	if len(a) == 0 {
		return 0, 0, 0
	}
	r := rand.New(rand.NewPCG(seed, 1))
	draw := func(v []float64) (sum float64) {
		for range v {
			sum += v[r.IntN(len(v))]
		}
		return sum / float64(max(1, len(v)))
	}
	draws := make([]float64, resamples)
	for i := range draws {
		draws[i] = draw(a) - draw(b)
	}
	slices.Sort(draws)
	return hundredth(average(a) - average(b)), hundredth(draws[resamples*25/1000]), hundredth(draws[resamples*975/1000])
}

func average(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(1, len(v)))
}

func hundredth(x float64) float64 {
	if x < 0 {
		return -hundredth(-x)
	}
	return float64(int(100*x+.5)) / 100
}
