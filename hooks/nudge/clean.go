package nudge

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"manicule/memory/gate"
)

// Clean makes a memory's text fit for a model's context, as one line of data:
// no control, direction or invisible characters, nothing that reads as a tag,
// none of the quotes that fence it.
func Clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := true // so that it doesn't begin with one
	for i, r := range s {
		switch {
		case unicode.IsSpace(r) || r == '\u2028' || r == '\u2029' || r == '\u0085':
			if !space {
				b.WriteByte(' ')
			}
			space = true
			continue
		case invisible(r):
			continue
		case r == '“' || r == '”' || r == '„' || r == '‟':
			r = '"'
		case r == '`':
			r = '\''
		case r == '<' && opensTag(s[i+1:]):
			r = '‹'
		}
		space = false
		b.WriteRune(r)
	}
	return strings.TrimRight(b.String(), " ")
}

// opensTag reports whether what follows a "<" would make it a tag, also when
// invisible characters stand between.
func opensTag(rest string) bool {
	for _, r := range rest {
		if !invisible(r) {
			return r == '/' || r == '!' || r == '?' || unicode.IsLetter(r)
		}
	}
	return false
}

// invisible is what [gate.Invisible] is, and what is no character.
func invisible(r rune) bool { return r == utf8.RuneError || gate.Invisible(r) }

// Cut shortens s to at most limit UTF-16 units, at a word where one ends near,
// and says so with an ellipsis.
func Cut(s string, limit int) string {
	if Units(s) <= limit {
		return s
	}
	units, end, word := 0, 0, 0
	for i, r := range s {
		if units += utf16.RuneLen(r); units > limit-1 {
			break
		}
		if r == ' ' {
			word = i
		}
		end = i + utf8.RuneLen(r)
	}
	if word > end/2 {
		end = word
	}
	return strings.TrimRight(s[:end], " ,;:.-") + "…"
}

// Units counts s as the agents do: in UTF-16 units.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
