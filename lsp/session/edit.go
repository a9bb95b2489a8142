package session

import (
	"slices"

	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

// Edit replaced the bytes [Start, OldEnd) of a text by NewLen others.
type Edit = extract.Edit

// trimEdit returns the edit that replaces old[start:end] by text, without their common
// prefix and suffix: a client that sends the whole document changes only what differs.
func trimEdit(old []byte, start, end int, text string) Edit {
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

// appendEdit returns edits and e in a new slice. It merges typing, and corrections of
// what was just typed, into one edit.
func appendEdit(edits []Edit, e Edit) []Edit {
	if e.Start == e.OldEnd && e.NewLen == 0 {
		return edits
	}
	n := len(edits)
	if n == 0 || !continues(edits[n-1], e) {
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

// continues reports whether an edit changes only what the edit before it wrote, so that
// both move a range as one edit does. Typing at an end of a replacement does not count,
// because a range may begin or end there.
func continues(last, e Edit) bool {
	end := last.Start + last.NewLen
	if last.Start == last.OldEnd {
		return last.Start <= e.Start && e.OldEnd <= end
	}
	return last.Start < e.Start && e.OldEnd < end
}

// moved shifts [start, end) by edits, false if it was removed.
func moved(edits []Edit, start, end int) (int, int, bool) {
	r, ok := anchoring.Move(edits, extract.Span{Start: start, End: end})
	return r.Start, r.End, ok
}

// original shifts an offset back to before edits. One inside an insertion becomes the
// place of the insertion.
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
