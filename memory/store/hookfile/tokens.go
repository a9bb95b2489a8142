package hookfile

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxColumn is how much of a text is indexed, in bytes. A memory is a few sentences; of a longer one
// hooks find what it begins with.
const maxColumn = 8 << 10

// eachToken calls f with the stems of the words of a text, in order: the runs of letters, digits and
// private characters without case and accents, as FTS5's tokenizer "porter unicode61" makes them.
func eachToken(text string, f func(stem string)) {
	eachUnstemmed(text, func(word []byte) { f(stem(string(word))) })
}

// eachUnstemmed is eachToken for the words themselves. f must not keep them.
func eachUnstemmed(text string, f func(word []byte)) {
	var buf [64]byte
	word := buf[:0]
	flush := func() {
		if len(word) > 0 {
			f(word)
			word = word[:0]
		}
	}
	if len(text) > maxColumn {
		text = text[:maxColumn]
	}
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			word = append(word, byte(r))
		case 'A' <= r && r <= 'Z':
			word = append(word, byte(r)+'a'-'A')
		case r < utf8.RuneSelf:
			flush()
		case unicode.Is(unicode.Mn, r): // an accent of its own belongs to the word, and is dropped
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.Is(unicode.Co, r):
			word = utf8.AppendRune(word, plain(unicode.ToLower(r)))
		default:
			flush()
		}
	}
	flush()
}

// plain returns a letter without its accent.
func plain(r rune) rune {
	if r >= 0xac00 && r <= 0xd7a3 { // Hangul syllables decompose to letters, not accents
		return r
	}
	var buf [utf8.UTFMax]byte
	base, size := utf8.DecodeRune(norm.NFD.PropertiesString(string(buf[:utf8.EncodeRune(buf[:], r)])).Decomposition())
	if size == 0 || !unicode.IsLetter(base) {
		return r
	}
	return base
}

func tokens(text string) (list []string) {
	eachToken(text, func(stem string) { list = append(list, stem) })
	return list
}
