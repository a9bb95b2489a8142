package anchoring

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"manicule/indexer/anchor"
)

// lineTable maps between bytes and 1-based lines of one source. A final line end does
// not begin another line; an empty source has one line.
type lineTable struct {
	src    []byte
	starts []int
}

func newLineTable(src []byte) lineTable {
	starts := []int{0}
	for i := 0; ; {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 || i+n+1 >= len(src) {
			return lineTable{src: src, starts: starts}
		}
		i += n + 1
		starts = append(starts, i)
	}
}

func (t lineTable) count() int { return len(t.starts) }

// line returns the line that holds a byte.
func (t lineTable) line(offset int) int {
	i, found := slices.BinarySearch(t.starts, offset)
	if found {
		return i + 1
	}
	return i
}

// start returns the first byte of a line.
func (t lineTable) start(line int) int { return t.starts[line-1] }

// end returns the offset behind the text of a line, without its line end.
func (t lineTable) end(line int) int {
	end := len(t.src)
	if line < len(t.starts) {
		end = t.starts[line]
	}
	return t.start(line) + len(bytes.TrimRight(t.src[t.start(line):end], "\r\n"))
}

// text returns a line without trailing white space and without a byte order mark. What is no UTF-8, as in a file in
// Latin-1, becomes the replacement character: a record holds no such bytes.
func (t lineTable) text(line int) string {
	text := string(t.src[t.start(line):t.end(line)])
	if line == 1 {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	return strings.ToValidUTF8(trimEnd(text), replacement)
}

const (
	replacement   = "\uFFFD"
	byteOrderMark = "\uFEFF" // may begin a file; an editor leaves it out of the text
)

// sameLine reports whether two lines are equal. The replacement character equals any
// other one: an editor knows the encoding of a file, and sends its text in UTF-8.
func sameLine(a, b string) bool {
	if a == b {
		return true
	}
	if !strings.Contains(a, replacement) && !strings.Contains(b, replacement) {
		return false
	}
	x, y := []rune(a), []rune(b)
	return slices.EqualFunc(x, y, func(x, y rune) bool { return x == y || x == utf8.RuneError || y == utf8.RuneError })
}

// clamp limits a range to the source.
func (t lineTable) clamp(r anchor.LineRange) anchor.LineRange {
	r.Start = min(max(r.Start, 1), t.count())
	r.End = min(max(r.End, r.Start), t.count())
	return r
}

// matches returns the first line of every occurrence of the quoted lines within a
// range.
func (t lineTable) matches(quote []string, within anchor.LineRange) []int {
	var found []int
	for line := within.Start; line+len(quote)-1 <= within.End; line++ {
		if t.quoteAt(quote, line) {
			found = append(found, line)
		}
	}
	return found
}

// quoteAt reports whether the quoted lines are at a line.
func (t lineTable) quoteAt(quote []string, line int) bool {
	if line < 1 || line+len(quote)-1 > t.count() {
		return false
	}
	for i, want := range quote {
		if !sameLine(t.text(line+i), want) {
			return false
		}
	}
	return true
}

// quote returns the text of lines in its stored form.
func (t lineTable) quote(r anchor.LineRange) string {
	lines := make([]string, 0, r.End-r.Start+1)
	for line := r.Start; line <= r.End; line++ {
		lines = append(lines, t.text(line))
	}
	return strings.Join(lines, "\n")
}

// quoteLines is the inverse of quote, also for records that people wrote.
func quoteLines(quote string) []string {
	lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(quote, byteOrderMark), "\n"), "\n")
	for i := range lines {
		lines[i] = trimEnd(lines[i])
	}
	return lines
}

func trimEnd(line string) string { return strings.TrimRight(line, " \t\r") }
