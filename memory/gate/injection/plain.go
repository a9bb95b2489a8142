package injection

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// leastHidden is the minimum number of Unicode tag characters that make a hidden text. The flag of
// a region has six.
const leastHidden = 8

// hides reports whether a text contains a second one in Unicode's tags, invisible characters that
// each stand for an ASCII character.
func hides(text string) bool {
	n := 0
	for _, r := range text {
		if r >= 0xE0020 && r <= 0xE007E {
			if n++; n >= leastHidden {
				return true
			}
		}
	}
	return false
}

// Plain returns a text as people read it: without invisible characters, in lower case and
// compatibility form, with look-alike letters in Latin words as Latin, plain quotes, and spaced
// letters joined.
func Plain(text string) string {
	if lower, ok := plainASCII(text); ok {
		return joinSpaced(lower)
	}
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '’' || r == '‘' || r == '`':
			return '\''
		case r == '“' || r == '”' || r == '«' || r == '»':
			return '"'
		case r == '\n':
			return r
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, text)
	text = strings.ToLower(norm.NFKC.String(text))
	text = joinSpaced(text)
	if strings.IndexFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }) < 0 {
		return text
	}
	return latin(text)
}

// plainASCII is the fast path of Plain for ASCII, which most texts are.
func plainASCII(text string) (plain string, ok bool) {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c >= utf8.RuneSelf:
			return "", false
		case c == '`':
			out = append(out, '\'')
		case c == '\n':
			out = append(out, c)
		case c == ' ' || c >= '\t' && c <= '\r':
			out = append(out, ' ')
		case c < ' ' || c == 0x7f:
		case c >= 'A' && c <= 'Z':
			out = append(out, c+'a'-'A')
		default:
			out = append(out, c)
		}
	}
	return string(out), true
}

// lookalikes are Cyrillic and Greek letters and the Latin ones that they look like.
const lookalikes = "аaеeоoрpсcхxуyіiјjѕsԁdһhӏlкkмmтtвbнhοoαaεeιiκkνvρpτtυuχxγy"

// latin replaces look-alikes in words that also have Latin letters. Other words belong to another
// script.
func latin(text string) string {
	like := map[rune]rune{}
	letters := []rune(lookalikes)
	for i := 0; i+1 < len(letters); i += 2 {
		like[letters[i]] = letters[i+1]
	}
	var b strings.Builder
	word := []rune{}
	mixed := false
	flush := func() {
		for _, r := range word {
			if l, ok := like[r]; ok && mixed {
				r = l
			}
			b.WriteRune(r)
		}
		word, mixed = word[:0], false
	}
	for _, r := range text {
		if !unicode.IsLetter(r) {
			flush()
			b.WriteRune(r)
			continue
		}
		mixed = mixed || r < 0x80
		word = append(word, r)
	}
	flush()
	return b.String()
}

// leastSpaced is the minimum number of single letters in a row that form a spaced word.
const leastSpaced = 5

// spaced reports whether a text may have such a row.
func spaced(text string) bool {
	row := 0
	for i := 0; i < len(text); i++ {
		begins := i == 0 || text[i-1] == ' '
		ends := i+1 == len(text) || text[i+1] == ' '
		switch {
		case begins && ends && text[i] >= 'a' && text[i] <= 'z':
			if row++; row >= leastSpaced {
				return true
			}
		case text[i] != ' ' || begins: // another word, or an empty one
			row = 0
		}
	}
	return false
}

// joinSpaced joins words whose letters are spaced out: "i g n o r e". Two spaces separate words, or
// nothing does.
func joinSpaced(text string) string {
	if !spaced(text) {
		return text
	}
	parts := strings.Split(text, " ")
	single := func(i int) bool {
		return i < len(parts) && len(parts[i]) == 1 && parts[i][0] >= 'a' && parts[i][0] <= 'z'
	}
	var out []string
	for i := 0; i < len(parts); {
		n := 0
		for single(i + n) {
			n++
		}
		if n < leastSpaced {
			out = append(out, parts[i])
			i++
			continue
		}
		out = append(out, strings.Join(parts[i:i+n], ""))
		i += n
	}
	return strings.Join(out, " ")
}
