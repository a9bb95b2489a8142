package anchoring

import (
	"fmt"

	"manicule/indexer/anchor"
)

// oldSource returns the file that an anchor was made in, nil if it is unknown. After a
// rebase the path may hold another file in the old state, which says nothing about the
// cited lines.
func (w *World) oldSource(a anchor.Anchor) *Source {
	o := w.old(a.Path)
	if a.Blob == "" || o != nil && (o.Blob == "" || o.Blob == a.Blob) {
		return o
	}
	if w.Blob != nil {
		if b := w.Blob(a.Path, a.Blob); b != nil {
			return b
		}
	}
	if a.Kind == anchor.KindLines && a.Quote != "" && o != nil && !o.quoteMatches(a) {
		return nil // another text, and not the same with other line ends
	}
	return o
}

func (w *World) old(path string) *Source {
	if w.Old == nil {
		return nil
	}
	return w.Old(path)
}

// resolveMovedFile finds an anchor in a file that moved unchanged.
func resolveMovedFile(a anchor.Anchor, n *Source) Resolution {
	r := resolveUnchanged(a, n)
	if r.State == anchor.Fresh {
		r.State, r.Rung, r.Confidence = anchor.Followed, anchor.RungFile, sureMoved
		r.Reason = fmt.Sprintf("%s is now %s", a.Path, n.Path)
	}
	return r
}

// resolveByRecordIn finds an anchor by its record in the file that its own became.
func (w *World) resolveByRecordIn(a anchor.Anchor, n *Source) Resolution {
	r := w.resolveByRecord(a, n)
	if r.State == anchor.Fresh {
		r.State, r.Rung, r.Confidence = anchor.Followed, anchor.RungFile, min(r.Confidence, sureMoved)
		r.Reason = fmt.Sprintf("%s is now %s", a.Path, n.Path)
	}
	return r
}
