package nudge

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"manicule/memory/gate"
)

// Clean converts a memory's text to one line of data for a model's context. It contains
// no control, direction or invisible characters, nothing that reads as a tag, and none of
// the quotes that fence it.
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

// named is a cleaned name of a file or place as a sentence has it. One that could read as more than a name is in backticks:
// whoever made the file chose it.
func named(name string) string {
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && !strings.ContainsRune("/\\._-+@,:#()[]{}$~=%&*?!…", r) {
			return "`" + name + "`"
		}
	}
	return name
}

// opensTag reports whether the text after a "<" would make it a tag, ignoring invisible
// characters between.
func opensTag(rest string) bool {
	for _, r := range rest {
		if !invisible(r) {
			return r == '/' || r == '!' || r == '?' || unicode.IsLetter(r)
		}
	}
	return false
}

// invisible reports whether [gate.Invisible] does, or r is not a character.
func invisible(r rune) bool { return r == utf8.RuneError || gate.Invisible(r) }

// Cut shortens s to at most limit UTF-16 units with an ellipsis, after a word if one ends
// nearby.
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

// Units counts UTF-16 units, as the agents do.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}
