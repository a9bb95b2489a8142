package memory

import (
	"fmt"
	"path"
	"slices"

	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/store"
)

// anchored lists the files that the memory's anchors name or were followed to.
func (h Hit) anchored() []string {
	var out []string
	for i, a := range h.Memory.Anchors {
		out = append(out, a.Path)
		if i < len(h.Places) && h.Places[i].State == anchor.Followed && h.Places[i].Path != "" {
			out = append(out, path.Clean(h.Places[i].Path))
		}
	}
	return out
}

// Freshness is how well a memory still fits the code, by the worst of its anchors.
type Freshness struct {
	State  anchor.State // "" for a memory without anchors
	Reason string       // of the worst anchor
}

// Freshness judges a memory by where its anchors are.
func (h Hit) Freshness() Freshness {
	if len(h.Memory.Anchors) == 0 {
		return Freshness{}
	}
	worst := Freshness{State: anchor.Fresh}
	for _, p := range h.Places {
		if rank(p.State) > rank(worst.State) {
			worst = Freshness{State: p.State, Reason: p.Reason}
		}
	}
	return worst
}

// Doubtful says whether a person should look whether the memory is still true.
func (s Freshness) Doubtful() bool { return s.State == anchor.Stale || s.State == anchor.Orphaned }

// Warning is what to say beside a memory that may be wrong, "" for others.
func (s Freshness) Warning() string {
	switch s.State {
	case anchor.Stale:
		return "may be stale: " + s.Reason
	case anchor.Orphaned:
		return "may be stale, its code is gone: " + s.Reason
	}
	return ""
}

// rank orders states, the best first.
func rank(s anchor.State) int {
	return slices.Index([]anchor.State{anchor.Fresh, anchor.Followed, anchor.Drifted, anchor.Stale, anchor.Orphaned}, s)
}

// How much of its confidence a memory loses by an anchor in a state.
const (
	lossDrifted  = 0.1
	lossStale    = 0.4
	lossOrphaned = 0.5
)

// Confidence is the memory's confidence as far as its code is what it was. It is
// reckoned when it is asked for and never written: code that comes back gives it
// back. A reason counts once, and in proportion to the anchors that have none.
func (h Hit) Confidence() float64 {
	all := len(h.Memory.Anchors)
	own := h.Memory.Confidence * reviewed(h.Memory)
	if all == 0 {
		return own
	}
	lost := 0.0
	var seen []string
	for _, p := range h.Places {
		if !p.Doubtful() || slices.Contains(seen, p.Reason) {
			continue
		}
		seen = append(seen, p.Reason)
		lost += loss(p) / float64(all)
	}
	return own * (1 - lost)
}

// unreviewed is how much of a memory's confidence counts that came by git without a
// word of trust and that nobody here has looked at.
const unreviewed = 0.75

func reviewed(m *file.Memory) float64 {
	if m.Trust.Unreviewed && m.Trust.VerifiedBy == "" {
		return unreviewed
	}
	return 1
}

func loss(p store.Place) float64 {
	switch p.State {
	case anchor.Drifted:
		return lossDrifted
	case anchor.Stale:
		return lossStale
	default:
		return lossOrphaned
	}
}

// Where names a memory's places: its anchors, where their code is now, as FILE,
// FILE#Symbol or FILE:LINE, then its scope. It is empty for the whole project.
func (h Hit) Where() []string {
	m := h.Memory
	var places []string
	for i, an := range m.Anchors {
		p, symbol, line := an.Path, an.Symbol, 0
		if an.Lines != nil {
			line = an.Lines.Start
		}
		if i < len(h.Places) && h.Places[i].State != "" && h.Places[i].State != anchor.Orphaned {
			p, symbol, line = h.Places[i].Path, h.Places[i].Symbol, h.Places[i].Line
		}
		switch {
		case an.Kind == anchor.KindSymbol:
			p += "#" + symbol
		case an.Kind != anchor.KindFile && line > 0:
			p = fmt.Sprintf("%s:%d", p, line)
		}
		places = append(places, p)
	}
	return append(places, m.Scope...)
}
