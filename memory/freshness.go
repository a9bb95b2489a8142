package memory

import (
	"fmt"
	"path"
	"slices"

	"manicule/indexer/anchor"
	"manicule/memory/life"
)

// anchored lists the files that the memory's anchors name or are in now.
func (h Hit) anchored() []string {
	var out []string
	for i, a := range h.Memory.Anchors {
		out = append(out, a.Path)
		if i < len(h.Places) && h.Places[i].Elsewhere() {
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

// Facts are what the memory's effective confidence depends on.
func (h Hit) Facts() life.Facts {
	f := life.Facts{Memory: h.Memory, Use: h.Use, Now: h.Now}
	for _, p := range h.Places {
		if p.Doubtful() {
			f.Anchors = append(f.Anchors, life.Anchor{State: p.State, Reason: p.Reason})
		}
	}
	return f
}

// Confidence is the memory's effective confidence: see [life.Confidence]. It is computed on demand
// and never written, so code that comes back and a use restore it.
func (h Hit) Confidence() float64 { return life.Confidence(h.Facts()) }

// LittleSure says how sure the memory is now, if that is too little to tell it unasked while its file says otherwise; else it is
// empty. The number is that of `manicule show`.
func (h Hit) LittleSure() string {
	now := h.Confidence()
	if now >= life.ActiveFrom || h.Memory.Confidence < life.ActiveFrom {
		return ""
	}
	return fmt.Sprintf("confidence %.2f, stated %.2f", now, h.Memory.Confidence)
}

// Tier is the tier to which the last sweep moved the memory.
func (h Hit) Tier() life.Tier { return life.TierOf(h.Memory, h.Use) }

// Doubts say why the memory may be wrong or out of date, apart from the states of its anchors.
func (h Hit) Doubts() []string { return life.Doubts(h.Facts()) }

// NeedsReview reports whether the memory still waits for a review.
func (h Hit) NeedsReview() bool { return life.NeedsReview(h.Memory, h.Use) }

// Where lists a memory's places: its anchors at their current places, as FILE, FILE#Symbol,
// FILE:LINE or FILE:LINE-LINE, then its scope. It is empty for the whole project.
func (h Hit) Where() []string {
	m := h.Memory
	var places []string
	for i, an := range m.Anchors {
		p, symbol, line, end := an.Path, an.Symbol, 0, 0
		if an.Lines != nil {
			line, end = an.Lines.Start, an.Lines.End
		}
		if i < len(h.Places) && h.Places[i].State != "" && h.Places[i].State != anchor.Orphaned {
			at := h.Places[i]
			p, symbol, line, end = at.Path, at.Symbol, at.Line, at.EndLine
		}
		switch {
		case an.HasSymbol() && symbol != "":
			p += "#" + symbol
		case an.Kind != anchor.KindFile && line > 0 && end > line:
			p = fmt.Sprintf("%s:%d-%d", p, line, end)
		case an.Kind != anchor.KindFile && line > 0:
			p = fmt.Sprintf("%s:%d", p, line)
		}
		places = append(places, p)
	}
	return append(places, m.Scope...)
}
