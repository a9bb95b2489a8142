package file

import (
	"bytes"
	"fmt"
)

// sides are the versions between git's conflict markers. base is nil where git was
// not asked to write it (merge.conflictStyle).
type sides struct{ ours, base, theirs []byte }

// isMarker reports whether a line is one of git's conflict markers, with a label or
// without.
func isMarker(line []byte, sign string) bool {
	return bytes.HasPrefix(line, []byte(sign)) && (len(line) == len(sign) || line[len(sign)] == ' ' || line[len(sign)] == '\n' || line[len(sign)] == '\r')
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

// ParseMerged is [Parse] for what a file holds, which may be git's conflict markers:
// they are read as [Merge] would have written the file. The error is that of Parse
// where a side is no memory.
func ParseMerged(data []byte) (*Memory, error) {
	m, fault := Parse(data)
	if fault == nil || conflict(data) < 0 {
		return m, fault
	}
	s, ok := splitMarkers(data)
	if !ok {
		return nil, fault
	}
	ours, err := Parse(s.ours)
	if err != nil {
		return nil, fault
	}
	theirs, err := Parse(s.theirs)
	if err != nil {
		return nil, fault
	}
	var base *Memory
	if s.base != nil {
		base, _ = Parse(s.base) // without it, what both sides changed counts as a conflict
	}
	if m, err = Merge(base, ours, theirs); err != nil {
		return nil, fault
	}
	return m, nil
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
	return Merge(from, one, two)
}
