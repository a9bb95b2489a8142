package extract

import (
	"bytes"
	"slices"
)

// Edit replaced the bytes [Start, OldEnd) of a text by NewLen others.
type Edit struct{ Start, OldEnd, NewLen int }

// hunk is one of several disjoint differences from an older text: the bytes [start,
// end) of the older became length bytes at now.
type hunk struct {
	start, end  int
	now, length int
}

// compose adds an edit of the newer text to the sorted hunks that lead to it. It
// merges hunks that the edit touches.
func compose(hunks []hunk, e Edit) []hunk {
	from := 0
	for from < len(hunks) && hunks[from].now+hunks[from].length < e.Start {
		from++
	}
	to := from
	for to < len(hunks) && hunks[to].now <= e.OldEnd {
		to++
	}
	shift := 0 // from the newer text to the older, before the edit
	if from > 0 {
		h := hunks[from-1]
		shift = h.end - (h.now + h.length)
	}
	one := hunk{start: e.Start + shift, end: e.OldEnd + shift, now: e.Start, length: e.NewLen}
	if to > from {
		first, last := hunks[from], hunks[to-1]
		now, end := min(e.Start, first.now), max(e.OldEnd, last.now+last.length)
		one = hunk{start: first.start - (first.now - now), end: last.end + end - (last.now + last.length), now: now, length: end - now + e.NewLen - (e.OldEnd - e.Start)}
	}
	out := append(slices.Clone(hunks[:from]), one)
	for _, h := range hunks[to:] {
		h.now += e.NewLen - (e.OldEnd - e.Start)
		out = append(out, h)
	}
	return out
}

// explains reports whether two texts are equal outside of the hunks.
func explains(hunks []hunk, old, text []byte) bool {
	at, now := 0, 0
	for _, h := range hunks {
		if h.start < at || h.end < h.start || h.end > len(old) || h.now < now || h.length < 0 || h.now+h.length > len(text) ||
			!bytes.Equal(old[at:h.start], text[now:h.now]) {
			return false
		}
		at, now = h.end, h.now+h.length
	}
	return bytes.Equal(old[at:], text[now:])
}

// diffHunk returns the one hunk between the common prefix and suffix of two texts.
func diffHunk(old, text []byte) []hunk {
	start := 0
	for start < min(len(old), len(text)) && old[start] == text[start] {
		start++
	}
	tail := 0
	for tail < min(len(old), len(text))-start && old[len(old)-1-tail] == text[len(text)-1-tail] {
		tail++
	}
	if start == len(old) && start == len(text) {
		return nil
	}
	return []hunk{{start: start, end: len(old) - tail, now: start, length: len(text) - tail - start}}
}

// wholeLines extends each hunk to the end of its line. The binding passes tree-sitter
// the point at which a hunk ended instead of the one at which it ends: behind a line's
// end both have the same column, and nothing reads the row.
func wholeLines(hunks []hunk, old []byte) []hunk {
	var out []hunk
	for _, h := range hunks {
		more := len(old) - h.end
		if n := bytes.IndexByte(old[h.end:], '\n'); n >= 0 {
			more = n + 1
		}
		if len(out) > 0 && h.start <= out[len(out)-1].end {
			last := &out[len(out)-1]
			more = max(h.end+more, last.end) - h.end
			last.length = h.now + h.length + more - last.now
			last.end = h.end + more
			continue
		}
		h.end += more
		h.length += more
		out = append(out, h)
	}
	return out
}
