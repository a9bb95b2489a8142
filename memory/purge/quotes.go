package purge

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
)

// quoted is how many bytes of a text in a row are a quote of it: more than unrelated texts have in
// common, and less than what logs leave of a text that they cut.
const quoted = 24

// quotes finds any part of some texts that is as long as quoted, wherever in the text it begins. It
// compares the hash of each stretch of what it looks through, so that the number of texts costs nothing.
type quotes struct {
	known map[string]struct{}
	maybe []uint64 // a bit for each hash of a known stretch
}

// The hash of a stretch is a polynomial in base over its bytes, and gone is what its first byte adds.
const (
	base      = 0x9e3779b97f4a7c15 // odd, with bits all over
	maybeBits = 20
)

// power returns base to the power of n.
func power(n int) uint64 {
	out := uint64(1)
	for range n {
		out *= base
	}
	return out
}

func newQuotes() *quotes {
	return &quotes{known: map[string]struct{}{}, maybe: make([]uint64, 1<<maybeBits/64)}
}

// learn adds all stretches of a text that are wanted.
func (q *quotes) learn(text string, wanted func(at int) bool) {
	for at := 0; at+quoted <= len(text); at++ {
		if utf8.RuneStart(text[at]) && wanted(at) {
			q.known[text[at:at+quoted]] = struct{}{}
		}
	}
}

// forget drops what other texts say too, which tells nothing.
func (q *quotes) forget(others string) {
	q.index()
	q.each([]byte(others), func(stretch []byte) bool { delete(q.known, string(stretch)); return true })
	q.index()
}

// index makes the bits of the known stretches.
func (q *quotes) index() {
	clear(q.maybe)
	for s := range q.known {
		var h uint64
		for i := range len(s) {
			h = h*base + uint64(s[i])
		}
		h >>= 64 - maybeBits
		q.maybe[h/64] |= 1 << (h % 64)
	}
}

// in reports whether data has a known stretch.
func (q *quotes) in(data []byte) (found bool) {
	q.each(data, func([]byte) bool { found = true; return false })
	return found
}

// each calls f for the known stretches in data, until f returns false.
func (q *quotes) each(data []byte, f func([]byte) bool) {
	if len(q.known) == 0 || len(data) < quoted {
		return
	}
	first, h := power(quoted), uint64(0)
	for i, b := range data {
		h = h*base + uint64(b)
		if i >= quoted {
			h -= first * uint64(data[i-quoted])
		}
		if i+1 < quoted {
			continue
		}
		if k := h >> (64 - maybeBits); q.maybe[k/64]&(1<<(k%64)) == 0 {
			continue
		}
		stretch := data[i+1-quoted : i+1]
		if _, ok := q.known[string(stretch)]; ok && !f(stretch) {
			return
		}
	}
}

// parts cuts a text where JSON or a shell writes a character in another way, so that each part looks
// the same in every file.
func parts(text string) []string {
	out := strings.FieldsFunc(text, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == utf8.RuneError || strings.ContainsRune("\"\\<>&'`$\u2028\u2029", r)
	})
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// forms returns the lines of a text, as they are and as JSON writes them.
func forms(text string) []string {
	out := strings.FieldsFunc(text, func(r rune) bool { return r < ' ' })
	for _, line := range out {
		if in, ok := inJSON(line); ok {
			out = append(out, in)
		}
	}
	return out
}

// inJSON returns a text as it is between the quotation marks of JSON; ok is false if that is no difference.
func inJSON(text string) (in string, ok bool) {
	data, err := json.Marshal(text)
	if err != nil || len(data) < 2 {
		return "", false
	}
	in = string(data[1 : len(data)-1])
	return in, in != text
}

// outside returns which stretches of a text tell something: not those of which more than half is the
// name of a file, which is found in the logs of work that had nothing to do with the memory.
func outside(text string, isPath func(string) bool) func(at int) bool {
	in := make([]int, len(text)+1) // how many bytes before are part of a path
	for at := 0; at < len(text); {
		if text[at] == ' ' {
			in[at+1] = in[at]
			at++
			continue
		}
		end := at + len(text[at:])
		if n := strings.IndexByte(text[at:], ' '); n >= 0 {
			end = at + n
		}
		word := strings.Trim(text[at:end], ".,:;()[]")
		if n := strings.IndexAny(word, "#:"); n >= 0 { // a symbol or a line in it
			word = word[:n]
		}
		path := 0
		if isPath(word) {
			path = 1
		}
		for ; at < end; at++ {
			in[at+1] = in[at] + path
		}
	}
	return func(at int) bool { return 2*(in[at+quoted]-in[at]) <= quoted }
}
