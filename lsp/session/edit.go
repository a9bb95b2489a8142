package session

import (
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// Edit replaced the bytes [Start, OldEnd) of a text by NewLen others.
type Edit = extract.Edit

// trimmed returns the edit that replaces old[start:end] by text, without what
// both have in common at their ends: a client that sends the whole document
// moves no more than it changed.
func trimmed(old []byte, start, end int, text string) Edit {
	for start < end && text != "" && old[start] == text[0] {
		start++
		text = text[1:]
	}
	for start < end && text != "" && old[end-1] == text[len(text)-1] {
		end--
		text = text[:len(text)-1]
	}
	return Edit{Start: start, OldEnd: end, NewLen: len(text)}
}

// appended returns edits and e, in a new slice. Typing on is one edit, and so is
// what a person corrects in what was just typed.
func appended(edits []Edit, e Edit) []Edit {
	if e.Start == e.OldEnd && e.NewLen == 0 {
		return edits
	}
	n := len(edits)
	if n == 0 || !within(edits[n-1], e) {
		return append(slices.Clone(edits), e)
	}
	next := slices.Clone(edits)
	last := &next[n-1]
	last.NewLen += e.NewLen - (e.OldEnd - e.Start)
	if last.Start == last.OldEnd && last.NewLen == 0 {
		return next[:n-1]
	}
	return next
}

// within says whether an edit changes only what the one before it wrote, so that
// the two move a range just as one edit does. What is typed at an end of a
// replacement is another matter: a range may begin or end there.
func within(last, e Edit) bool {
	end := last.Start + last.NewLen
	if last.Start == last.OldEnd {
		return last.Start <= e.Start && e.OldEnd <= end
	}
	return last.Start < e.Start && e.OldEnd < end
}

// moved carries [start, end) through edits, false when it is gone.
func moved(edits []Edit, start, end int) (int, int, bool) {
	r, ok := anchor.Move(edits, extract.Span{Start: start, End: end})
	return r.Start, r.End, ok
}

// original carries an offset back to before edits. One inside of what was
// inserted becomes the place of the insertion.
func original(edits []Edit, offset int) int {
	for _, e := range slices.Backward(edits) {
		switch {
		case offset >= e.Start+e.NewLen:
			offset += e.OldEnd - e.Start - e.NewLen
		case offset > e.Start:
			offset = min(offset, e.OldEnd)
		}
	}
	return offset
}
