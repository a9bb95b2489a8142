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

// Freshness says how well a memory still fits the code, by its worst anchor.
type Freshness struct {
	State  anchor.State // "" for a memory without anchors
	Reason string       // of the worst anchor
}

// Freshness judges a memory by the places of its anchors.
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

// Doubtful reports whether a person should check that the memory is still true.
func (s Freshness) Doubtful() bool { return s.State == anchor.Stale || s.State == anchor.Orphaned }

// Warning returns the text to show beside a memory that may be wrong, or "".
func (s Freshness) Warning() string {
	switch s.State {
	case anchor.Stale:
		return "may be stale: " + s.Reason
	case anchor.Orphaned:
		return "may be stale, its code is gone: " + s.Reason
	}
	return ""
}

// rank orders states, best first.
func rank(s anchor.State) int {
	return slices.Index([]anchor.State{anchor.Fresh, anchor.Followed, anchor.Drifted, anchor.Stale, anchor.Orphaned}, s)
}

// The confidence that a memory loses by the state of an anchor.
const (
	lossDrifted  = 0.1
	lossStale    = 0.4
	lossOrphaned = 0.5
)

// Confidence is the memory's confidence, reduced by the states of its anchors. It is computed on
// demand and never written, so code that comes back restores it. A reason counts once, in
// proportion to the number of anchors.
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

// unreviewed is the factor for the confidence of a memory that came by git without a statement of
// trust and that nobody on this machine reviewed.
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

// Where lists a memory's places: its anchors at their current places, as FILE, FILE#Symbol or
// FILE:LINE, then its scope. It is empty for the whole project.
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
