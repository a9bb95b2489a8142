package folder

import (
	"path"
	"slices"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/follow"
	"manicule/memory/store"
)

// Places returns the places of a memory's anchors, in their order: from the tracker,
// else from the store, else from the records.
func (a *Anchors) Places(h memory.Hit) []follow.Place {
	if a.tracker != nil {
		if list := a.tracker.Of(h.Memory.UUID); len(list) > 0 {
			return list
		}
	}
	out := make([]follow.Place, len(h.Memory.Anchors))
	for i, at := range h.Memory.Anchors {
		out[i] = follow.Place{Memory: h.Memory.UUID, Index: i, Anchor: at}
		if i < len(h.Places) && h.Places[i].State != "" {
			out[i].Place = h.Places[i]
			continue
		}
		out[i].Place = store.Place{State: anchor.Fresh, Path: path.Clean(at.Path), Symbol: at.Symbol, Ordinal: at.Ordinal, Confidence: 1}
		if at.Lines != nil {
			out[i].Line, out[i].EndLine = at.Lines.Start, at.Lines.End
		}
	}
	return out
}

// WorstPlace returns the place with the worst state.
func WorstPlace(places []follow.Place) (at follow.Place, ok bool) {
	order := []anchor.State{anchor.Fresh, anchor.Followed, anchor.Drifted, anchor.Stale, anchor.Orphaned}
	for i, p := range places {
		if p.State == "" {
			p.State = anchor.Fresh // not resolved yet
		}
		if i == 0 || slices.Index(order, p.State) > slices.Index(order, at.State) {
			at, ok = p, true
		}
	}
	return at, ok
}
