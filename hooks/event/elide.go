package event

import "io"

// elider passes JSON text through and drops what exceeds the limit of a string, so that a
// file's content in a payload costs neither memory nor decoding. It knows only strings
// and escapes; the decoder reports faults.
type elider struct {
	src    io.Reader
	limit  int // bytes kept of each string
	budget int // bytes kept of all strings; when spent, shortString of each

	state    byte // outside, inside, slash, hex
	hex      int  // remaining hex digits of a \u escape
	dropping bool
	kept     int // kept of this string

	passed int64     // bytes so far
	cuts   []int64   // where strings of which something was dropped end in what passed, after their quote, until they are read
	copy   io.Writer // takes what passed, if it is not nil
}

const (
	outside byte = iota // between strings
	inside              // in a string, between characters
	slash               // after a backslash
	hex                 // in the digits of a \u escape
)

// shortString is the limit of a string when the budget is spent.
const shortString = 256

// Read fills p with the text that is kept.
func (e *elider) Read(p []byte) (int, error) {
	for {
		n, err := e.src.Read(p)
		n = e.filter(p[:n])
		e.passed += int64(n)
		if e.copy != nil {
			_, _ = e.copy.Write(p[:n]) // it keeps what it can
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// filter compacts p in place and returns the length that is kept.
func (e *elider) filter(p []byte) int {
	w := 0
	for i := 0; i < len(p); i++ {
		if e.dropping && (e.state == inside || e.state == slash) {
			if i += e.skip(p[i:]); i == len(p) {
				break
			}
		}
		c, was := p[i], e.state
		if e.pass(c) {
			p[w] = c
			w++
		}
		if e.dropping && was != outside && e.state == outside {
			e.cuts = append(e.cuts, e.passed+int64(w))
		}
	}
	return w
}

// wasCut reports whether something was dropped of the string that ends there. Strings are asked for in their order.
func (e *elider) wasCut(end int64) bool {
	n := 0
	for n < len(e.cuts) && e.cuts[n] < end {
		n++
	}
	e.cuts = e.cuts[n:]
	return len(e.cuts) > 0 && e.cuts[0] == end
}

// skip counts the bytes at the front of p to drop. It is pass specialised for the one
// case that dominates the time of a large payload.
func (e *elider) skip(p []byte) int {
	i := 0
	if e.state == slash {
		i, e.state = 1, inside // the kind of escape is irrelevant here
	}
	for i < len(p) {
		switch p[i] {
		case '"':
			return i
		case '\\':
			if i+1 == len(p) {
				e.state = slash
				return len(p)
			}
			i += 2
		default:
			i++
		}
	}
	return len(p)
}

func (e *elider) pass(c byte) bool {
	switch e.state {
	case outside:
		if c == '"' {
			e.state, e.kept, e.dropping = inside, 0, false
		}
		return true
	case slash:
		e.state = inside
		if c == 'u' {
			e.state, e.hex = hex, 4
		}
	case hex:
		if c == '"' { // a broken escape must not hide the end of the string
			e.state = outside
			return true
		}
		if e.hex--; e.hex == 0 {
			e.state = inside
		}
	default:
		if c == '"' {
			e.state = outside
			e.budget -= e.kept
			return true
		}
		// Dropping may only begin between two characters.
		e.dropping = e.dropping || e.kept >= e.limit || e.budget < e.kept && e.kept >= shortString
		if c == '\\' {
			e.state = slash
		}
	}
	if e.dropping {
		return false
	}
	e.kept++
	return true
}
