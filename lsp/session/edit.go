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

// appended returns edits and e, in a new slice. Typing on is one edit.
func appended(edits []Edit, e Edit) []Edit {
	if e.Start == e.OldEnd && e.NewLen == 0 {
		return edits
	}
	next := append(slices.Clone(edits), e)
	if n := len(next); n > 1 {
		last := &next[n-2]
		if e.Start == e.OldEnd && e.Start == last.Start+last.NewLen && last.Start == last.OldEnd {
			last.NewLen += e.NewLen
			return next[:n-1]
		}
	}
	return next
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
