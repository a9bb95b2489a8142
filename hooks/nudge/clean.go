package nudge

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
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

// invisible reports characters that a person wouldn't see: controls, format
// characters (directions, zero widths, tags), variation selectors, fillers,
// private use and what is no character.
func invisible(r rune) bool {
	switch {
	case r == utf8.RuneError, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff:
		return true
	case r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, r == 0x034f, r == 0x17b4, r == 0x17b5:
		return true
	}
	return false
}

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
