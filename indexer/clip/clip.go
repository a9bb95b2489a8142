// Package clip cuts texts to a length, between characters. It is pure and knows no other package. How a
// text is cleaned, and where between words it is best cut, is for its callers to know.
package clip

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bytes returns the beginning of a text in at most so many bytes.
func Bytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// MarkedBytes is Bytes with an ellipsis behind a text that is cut.
func MarkedBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return Bytes(s, most) + "…"
}

// Chars returns the beginning of a text in at most so many characters.
func Chars(s string, most int) string {
	if len(s) <= most { // no character has less than a byte
		return s
	}
	for at := range s {
		if most == 0 {
			return s[:at]
		}
		most--
	}
	return s
}

// MarkedChars returns a text in at most so many characters, of which the last is an ellipsis if the
// text is cut. No space is left in front of it.
func MarkedChars(s string, most int) string {
	if len(Chars(s, most)) == len(s) {
		return s
	}
	return strings.TrimRightFunc(Chars(s, most-1), unicode.IsSpace) + "…"
}
