package injection

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"golang.org/x/text/unicode/norm"
)

// leastHidden is the minimum number of Unicode tag characters that make a hidden text. The flag of
// a region has six.
const leastHidden = 8

// tagPrefix are the first bytes of each tag character.
const tagPrefix = "\xf3\xa0"

// hides reports whether a text contains a second one in Unicode's tags, invisible characters that
// each stand for an ASCII character.
func hides(text string) bool {
	if !strings.Contains(text, tagPrefix) {
		return false
	}
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
	out := make([]byte, 0, len(text))
	strange := false
	for len(text) > 0 {
		var n int
		if out, n = appendASCII(out, text); n == len(text) {
			break
		}
		if more, end, odd, ok := appendAlone(out, text, n); ok {
			out, text, strange = more, text[end:], strange || odd
			continue
		}
		// The last character before what is not ASCII may combine with it. What is left out does
		// not come between them.
		begin := n
		for begin > 0 && kept(text[begin-1]) == 0 {
			begin--
		}
		if begin > 0 {
			begin--
			out = out[:len(out)-1]
		}
		end := n
		for end < len(text) && (text[end] >= utf8.RuneSelf || kept(text[end]) == 0) {
			end++
		}
		part := plainPart(text[begin:end])
		out, text, strange = append(out, part...), text[end:], strange || isStrange(part)
	}
	plain := joinSpaced(unsafe.String(unsafe.SliceData(out), len(out))) // nothing writes to out from here on
	if !strange {
		return plain
	}
	return latin(plain)
}

// isStrange reports whether a text has letters of which some look like Latin ones.
func isStrange(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cyrillic, unicode.Greek) }) >= 0
}

// plainRune is what becomes of a character beyond ASCII. alone is true if it does not combine with what
// stands before it, so that the same becomes of it in any text.
type plainRune struct {
	text           string
	alone, strange bool
}

// plainRunes are those of the two planes that have nearly all characters in use, each made when a text
// first has it: a page for 256 of them.
var plainRunes [0x20000 >> 8]atomic.Pointer[[256]atomic.Pointer[plainRune]]

func plainOf(r rune) *plainRune {
	if int(r)>>8 >= len(plainRunes) {
		return newPlainRune(r)
	}
	page := plainRunes[r>>8].Load()
	if page == nil {
		page = new([256]atomic.Pointer[plainRune])
		if !plainRunes[r>>8].CompareAndSwap(nil, page) {
			page = plainRunes[r>>8].Load()
		}
	}
	p := page[r&0xff].Load()
	if p == nil {
		p = newPlainRune(r)
		page[r&0xff].Store(p)
	}
	return p
}

func newPlainRune(r rune) *plainRune {
	seen := strings.Map(readAs, string(r))
	p := &plainRune{text: plainPart(string(r)), alone: seen == "" || norm.NFKC.PropertiesString(seen).BoundaryBefore()}
	p.strange = isStrange(p.text)
	return p
}

// appendAlone appends what becomes of the characters at an offset up to the next one of ASCII that is kept,
// and returns the offset of that. ok is false if one of them is not alone.
func appendAlone(out []byte, text string, from int) (more []byte, end int, strange, ok bool) {
	for end = from; end < len(text) && (text[end] >= utf8.RuneSelf || kept(text[end]) == 0); {
		r, size := utf8.DecodeRuneInString(text[end:])
		if end += size; r < utf8.RuneSelf {
			continue
		}
		p := plainOf(r)
		if !p.alone {
			return out, from, false, false
		}
		out, strange = append(out, p.text...), strange || p.strange
	}
	return out, end, strange, true
}

// plainPart is Plain for a part of a text, without what is seen in longer parts.
func plainPart(text string) string {
	return strings.ToLower(norm.NFKC.String(strings.Map(readAs, text)))
}

// readAs returns the character that another one is read as, -1 for one that is not seen.
func readAs(r rune) rune {
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
}

// kept returns what becomes of an ASCII character, 0 if it is left out. It is 0 for other bytes.
func kept(c byte) byte {
	switch {
	case c == '`':
		return '\''
	case c == '\n':
		return c
	case c == ' ' || c >= '\t' && c <= '\r':
		return ' '
	case c < ' ' || c >= 0x7f:
		return 0
	case c >= 'A' && c <= 'Z':
		return c + 'a' - 'A'
	}
	return c
}

// keptBytes is kept as a table.
var keptBytes = sync.OnceValue(func() *[256]byte {
	var out [256]byte
	for c := range out {
		out[c] = kept(byte(c))
	}
	return &out
})

// appendASCII appends what becomes of a text up to its first byte that is not ASCII, and returns
// the offset of that.
func appendASCII(out []byte, text string) ([]byte, int) {
	table := keptBytes()
	n := len(out)
	out = slices.Grow(out, len(text))[:n+len(text)]
	for i := range len(text) {
		c := text[i]
		if k := table[c]; k != 0 {
			out[n] = k
			n++
		} else if c >= utf8.RuneSelf {
			return out[:n], i
		}
	}
	return out[:n], len(text)
}

// lookalikes are Cyrillic and Greek letters and the Latin ones that they look like.
const lookalikes = "аaеeоoрpсcхxуyіiјjѕsԁdһhӏlкkмmтtвbнhοoαaεeιiκkνvρpτtυuχxγy"

// latinLetters returns the Latin letters by those that look like them.
var latinLetters = sync.OnceValue(func() map[rune]rune {
	like := map[rune]rune{}
	letters := []rune(lookalikes)
	for i := 0; i+1 < len(letters); i += 2 {
		like[letters[i]] = letters[i+1]
	}
	return like
})

// otherLetter returns the offset of the first letter beyond ASCII, -1 if there is none.
func otherLetter(text string) int {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		if unicode.IsLetter(r) {
			return i
		}
		i += size
	}
	return -1
}

// latin replaces look-alikes in words that also have Latin letters. Other words belong to another
// script.
func latin(text string) string {
	like := latinLetters()
	var b strings.Builder
	b.Grow(len(text))
	for len(text) > 0 {
		at := otherLetter(text)
		if at < 0 {
			break
		}
		begin, end := at, at // of the word; only ASCII comes before its first other letter
		for begin > 0 && text[begin-1] < utf8.RuneSelf && unicode.IsLetter(rune(text[begin-1])) {
			begin--
		}
		mixed := begin < at
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !unicode.IsLetter(r) {
				break
			}
			mixed = mixed || r < utf8.RuneSelf
			end += size
		}
		b.WriteString(text[:begin])
		for _, r := range text[begin:end] {
			if l, ok := like[r]; ok && mixed {
				r = l
			}
			b.WriteRune(r)
		}
		text = text[end:]
	}
	b.WriteString(text)
	return b.String()
}

// leastSpaced is the minimum number of single letters in a row that form a spaced word.
const leastSpaced = 5

// spaced reports whether a text may have such a row.
func spaced(text string) bool {
	// In a row, letters and single spaces take turns, and four of its bytes begin at a multiple of step:
	// nearly all texts are without.
	const row = 2*leastSpaced - 1
	const step = row - 3
	letter := func(c byte) bool { return c >= 'a' && c <= 'z' }
	for i := 0; i+4 <= len(text); i += step {
		if (text[i] == ' ' && text[i+2] == ' ' && letter(text[i+1]) && letter(text[i+3]) ||
			text[i+1] == ' ' && text[i+3] == ' ' && letter(text[i]) && letter(text[i+2])) && hasRow(text[max(0, i-row-1):min(len(text), i+row+1)]) {
			return hasRow(text)
		}
	}
	return false
}

func hasRow(text string) bool {
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
