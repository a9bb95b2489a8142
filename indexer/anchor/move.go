package anchor

import "manicule/indexer/extract"

// Edit is one change of a text: the bytes from Start to before OldEnd gave way
// to NewLen others. Offsets are those of the text just before the edit.
type Edit = extract.Edit

// Move takes a range through edits, in their order. What is typed at its start
// goes before it, what is typed at its end behind it, what is typed inside of it
// makes it longer, and a new beginning or end of it is part of it. ok is false
// when an edit took all of it: who undoes that edit has to look for it again.
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
