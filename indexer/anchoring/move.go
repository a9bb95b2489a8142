package anchoring

import "manicule/indexer/extract"

// Edit is one change of a text: NewLen bytes replaced those from Start to before
// OldEnd. Offsets are those of the text just before the edit.
type Edit = extract.Edit

// Move maps a range through edits, in their order. Text inserted at its start goes
// before it, text inserted at its end goes behind it, and text inserted inside extends
// it. A replaced beginning or end stays part of it. ok is false if an edit replaced
// all of it: undoing that edit requires a new search.
func Move(edits []Edit, r extract.Span) (moved extract.Span, ok bool) {
	for _, e := range edits {
		shift := e.NewLen - (e.OldEnd - e.Start)
		switch {
		case e.OldEnd <= r.Start: // before it
			r.Start, r.End = r.Start+shift, r.End+shift
		case e.Start >= r.End: // behind it
		case e.Start <= r.Start && e.OldEnd >= r.End: // all of it
			return extract.Span{}, false
		case e.Start < r.Start: // over its start
			r.Start, r.End = e.Start+e.NewLen, r.End+shift
		case e.OldEnd > r.End: // over its end
			r.End = e.Start
		default: // inside
			r.End += shift
		}
	}
	return r, true
}
