package file

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// sides are the versions between git's conflict markers. base is nil where git was
// not asked to write it (merge.conflictStyle).
type sides struct{ ours, base, theirs []byte }

// isMarker reports whether a line is one of git's conflict markers, with a label or
// without.
func isMarker(line []byte, sign string) bool {
	return bytes.HasPrefix(line, []byte(sign)) && (len(line) == len(sign) || line[len(sign)] == ' ' || line[len(sign)] == '\n' || line[len(sign)] == '\r')
}

// isAnyMarker reports whether a line is one of git's conflict markers.
func isAnyMarker(line []byte) bool {
	return slices.ContainsFunc([]string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"}, func(sign string) bool { return isMarker(line, sign) })
}

// splitMarkers reads the versions of a file that holds git's conflict markers; ok is
// false where they are not in order.
func splitMarkers(data []byte) (s sides, ok bool) {
	const (
		outside = iota
		inOurs
		inBase
		inTheirs
	)
	state, hunks, bases := outside, 0, 0
	for line := range bytes.Lines(data) {
		switch {
		case isMarker(line, "<<<<<<<"):
			if state != outside {
				return s, false
			}
			state = inOurs
			hunks++
		case isMarker(line, "|||||||") && state == inOurs:
			state = inBase
			bases++
		case isMarker(line, "=======") && (state == inOurs || state == inBase):
			state = inTheirs
		case isMarker(line, ">>>>>>>"):
			if state != inTheirs {
				return s, false
			}
			state = outside
		default:
			if state == outside || state == inOurs {
				s.ours = append(s.ours, line...)
			}
			if state == outside || state == inBase {
				s.base = append(s.base, line...)
			}
			if state == outside || state == inTheirs {
				s.theirs = append(s.theirs, line...)
			}
		}
	}
	if bases != hunks {
		s.base = nil
	}
	return s, hunks > 0 && state == outside
}

// Sides returns the versions of a file that holds git's conflict markers in order. base is nil where git did not write it.
func Sides(data []byte) (ours, base, theirs []byte, ok bool) {
	s, ok := splitMarkers(data)
	return s.ours, s.base, s.theirs, ok
}

// Bounds of the reading of markers that are not in order.
const (
	maxTornLines = 400
	maxNested    = 3
)

// HoldsMarkers reports whether a file holds one of git's conflict markers.
func HoldsMarkers(data []byte) bool { return conflict(data) >= 0 }

// ParseMerged is [Parse] for what a file holds, which may be git's conflict markers:
// they are read as [Merge] would have written the file. Markers that are nested, or of
// which a person removed one, are read too, if one reading is better than all others.
// The error is that of Parse where a side is no memory.
func ParseMerged(data []byte) (*Memory, error) {
	m, fault := Parse(data)
	if fault == nil || conflict(data) < 0 {
		return m, fault
	}
	if s, ok := splitMarkers(data); ok {
		if m, ok := s.merge(); ok {
			return m, nil
		}
	}
	if m, ok := readTorn(data); ok {
		return m, nil
	}
	e, _ := errors.AsType[*Error](fault)
	torn := *e
	torn.Msg += " whose markers are not complete"
	torn.Hint = "See which command brings a version back: `manicule doctor`."
	return nil, &torn
}

// merge merges two sides. ok is false if one is no memory.
func (s sides) merge() (m *Memory, ok bool) {
	ours, err := Parse(s.ours)
	if err != nil {
		return nil, false
	}
	theirs, err := Parse(s.theirs)
	if err != nil {
		return nil, false
	}
	var base *Memory
	if s.base != nil {
		base, _ = Parse(s.base) // without it, what both sides changed counts as a conflict
	}
	m, err = Merge(base, ours, theirs)
	return m, err == nil
}

// readTorn reads a file whose markers are not in order. No line of it is lost: each is in one side at least.
func readTorn(data []byte) (*Memory, bool) {
	lines := slices.Collect(bytes.Lines(data))
	if len(lines) > maxTornLines {
		return nil, false
	}
	// Somebody took one side and forgot a marker.
	var plain []byte
	for _, line := range lines {
		if !isAnyMarker(line) {
			plain = append(plain, line...)
		}
	}
	if m, err := Parse(plain); err == nil {
		return m, true
	}
	if m, ok := readNested(lines); ok {
		return m, true
	}
	return readLacking(lines)
}

// readLacking reads a file of which one marker was removed: where it was, both sides are memories and differ the least.
// ok is false if that holds of several places with another meaning.
func readLacking(lines [][]byte) (best *Memory, ok bool) {
	least, hash := -1, ""
	for at := range len(lines) + 1 {
		for _, sign := range []string{"<<<<<<<\n", "=======\n", ">>>>>>>\n"} {
			text := slices.Concat(slices.Concat(lines[:at]...), []byte(sign), slices.Concat(lines[at:]...))
			s, valid := splitMarkers(text)
			if !valid {
				continue
			}
			n := differingLines(s.ours, s.theirs)
			if least >= 0 && n > least {
				continue
			}
			m, valid := s.merge()
			if !valid {
				continue
			}
			h, err := m.Hash()
			if err != nil || n == least && h == hash {
				continue
			}
			best, ok = m, n != least
			least, hash = n, h
		}
	}
	return best, ok
}

// differingLines counts the lines that only one of two texts has.
func differingLines(a, b []byte) int {
	counts := map[string]int{}
	for line := range bytes.Lines(a) {
		counts[string(bytes.TrimSpace(line))]++
	}
	for line := range bytes.Lines(b) {
		counts[string(bytes.TrimSpace(line))]--
	}
	n := 0
	for _, c := range counts {
		n += max(c, -c)
	}
	return n
}

// hunk is a place with two sides, which may hold hunks; one without sides is a line.
type hunk struct {
	line         []byte
	ours, theirs []hunk
}

// readNested reads a file with markers within markers, as of a merge of a file with markers. All versions of it are
// kept.
func readNested(lines [][]byte) (m *Memory, ok bool) {
	top, rest, depth := hunks(lines, 0)
	if len(rest) > 0 || depth < 2 || depth > maxNested {
		return nil, false
	}
	for choice := range 1 << depth {
		v, err := Parse(render(nil, top, choice))
		if err != nil {
			return nil, false
		}
		if m == nil {
			m = v
		} else if m, err = Merge(nil, m, v); err != nil {
			return nil, false
		}
	}
	return m, true
}

// hunks reads lines up to a marker that ends or divides the hunk in which they are. depth is how deep hunks are nested,
// more than maxNested if the markers are not in order.
func hunks(lines [][]byte, level int) (out []hunk, rest [][]byte, depth int) {
	const broken = maxNested + 1
	if level > maxNested {
		return nil, lines, broken
	}
	for len(lines) > 0 {
		line := lines[0]
		switch {
		case isMarker(line, "<<<<<<<"):
			var h hunk
			var a, b, c int
			h.ours, lines, a = hunks(lines[1:], level+1)
			if len(lines) > 0 && isMarker(lines[0], "|||||||") {
				_, lines, c = hunks(lines[1:], level+1)
			}
			if len(lines) == 0 || !isMarker(lines[0], "=======") {
				return nil, lines, broken
			}
			h.theirs, lines, b = hunks(lines[1:], level+1)
			if len(lines) == 0 || !isMarker(lines[0], ">>>>>>>") {
				return nil, lines, broken
			}
			out, lines, depth = append(out, h), lines[1:], max(depth, 1+max(a, b, c))
		case isAnyMarker(line):
			return out, lines, depth
		default:
			out, lines = append(out, hunk{line: line}), lines[1:]
		}
	}
	return out, nil, depth
}

// render appends the text of one version: at each depth the bit of choice takes our side or theirs.
func render(text []byte, list []hunk, choice int) []byte {
	for _, h := range list {
		switch {
		case h.line != nil:
			text = append(text, h.line...)
		case choice&1 == 0:
			text = render(text, h.ours, choice>>1)
		default:
			text = render(text, h.theirs, choice>>1)
		}
	}
	return text
}

// MergeFiles is [Merge] for the text of three files; base is empty where there is
// none. The result is a whole memory file.
func MergeFiles(base, a, b []byte) (*Memory, error) {
	var from *Memory
	var err error
	if len(bytes.TrimSpace(base)) > 0 {
		if from, err = Parse(base); err != nil {
			return nil, fmt.Errorf("read the version that both come from: %w", err)
		}
	}
	one, err := Parse(a)
	if err != nil {
		return nil, fmt.Errorf("read the first version: %w", err)
	}
	two, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("read the second version: %w", err)
	}
	if from != nil && one.UUID == two.UUID && from.UUID != one.UUID {
		from = nil // git took a memory that both sides deleted for it, since the files are much alike
	}
	return Merge(from, one, two)
}
