package importer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"manicule/memory/lazyregexp"
)

// decode converts a rule file to text: UTF-8 with or without a byte order mark, UTF-16 with one,
// otherwise Latin-1. Line ends become LF.
func decode(data []byte) string {
	var s string
	switch {
	case hasPrefix(data, 0xff, 0xfe):
		s = fromUTF16(data[2:], binary.LittleEndian)
	case hasPrefix(data, 0xfe, 0xff):
		s = fromUTF16(data[2:], binary.BigEndian)
	default:
		s = strings.TrimPrefix(string(data), "\ufeff")
	}
	if !utf8.ValidString(s) {
		s = fromLatin1(s)
	}
	s = strings.ReplaceAll(s, "\x00", " ")
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

func hasPrefix(data []byte, a, b byte) bool { return len(data) >= 2 && data[0] == a && data[1] == b }

func fromUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return string(utf16.Decode(units))
}

// fromLatin1 keeps valid UTF-8 and decodes other bytes as Latin-1.
func fromLatin1(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			r = rune(s[0])
		}
		b.WriteRune(r)
		s = s[n:]
	}
	return b.String()
}

// keyOf is the identity of an imported rule. All kinds of rule files are one family, so a copy of
// CLAUDE.md as AGENTS.md adds nothing.
func keyOf(family, text string, scope []string) string {
	scope = slices.Clone(scope)
	slices.Sort(scope)
	sum := sha256.Sum256([]byte("v1\x00" + family + "\x00" + oneLine(text) + "\x00" + strings.Join(scope, "\x00")))
	return hex.EncodeToString(sum[:])
}

// oneLine collapses white space.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// clip cuts to at most n characters, near the end of a word, and marks the cut.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	runes := []rune(s)[:n-1]
	for i := len(runes) - 1; i > len(runes)*2/3; i-- {
		if unicode.IsSpace(runes[i]) {
			runes = runes[:i]
			break
		}
	}
	return strings.TrimRightFunc(string(runes), unicode.IsSpace) + "…"
}

// sentence splits off the first sentence. It does not split at abbreviations, within code or
// parentheses, or at a dot inside a word.
func sentence(s string) (first, rest string) {
	code, depth := false, 0
	for i, r := range s {
		switch {
		case r == '`':
			code = !code
		case code:
		case r == '(':
			depth++
		case r == ')':
			depth = max(0, depth-1)
		case (r == '.' || r == '!' || r == '?' || r == '。') && depth == 0:
			end := i + utf8.RuneLen(r)
			for end < len(s) && strings.IndexByte(`"')*`, s[end]) >= 0 {
				end++
			}
			if end < len(s) && s[end] != ' ' && r != '。' {
				continue
			}
			if r == '.' && abbreviated(s[:i]) {
				continue
			}
			return s[:end], strings.TrimSpace(s[end:])
		}
	}
	return s, ""
}

var abbreviations = []string{"e.g", "i.e", "etc", "vs", "cf", "approx", "incl", "resp", "no", "fig", "mr", "dr", "st"}

func abbreviated(before string) bool {
	word := before[strings.LastIndexAny(before, " (`\"")+1:]
	if _, err := strconv.Atoi(word); err == nil && len(word) <= 2 {
		up := strings.TrimRight(before[:len(before)-len(word)], " ")
		return up == "" || strings.ContainsAny(up[len(up)-1:], ".:;,)") // "… 1. Do this 2. …"
	}
	return slices.Contains(abbreviations, strings.ToLower(word)) || len(word) == 1 && word[0] >= 'A'
}

// split divides a rule's text into what and rest. A short text is all what; of a longer one the
// first sentence is.
func split(text string) (what, rest string) {
	const short = 160
	text = oneLine(text)
	if utf8.RuneCountInString(text) <= short {
		return text, ""
	}
	what, rest = sentence(text)
	// A label or an interjection says nothing alone.
	for rest != "" && (utf8.RuneCountInString(what) < 40 || strings.HasSuffix(what, ":")) {
		next, more := sentence(rest)
		if utf8.RuneCountInString(what)+1+utf8.RuneCountInString(next) > maxWhat {
			break
		}
		what, rest = what+" "+next, more
	}
	if utf8.RuneCountInString(what) > maxWhat {
		return atClause(what), text
	}
	return what, rest
}

// enumerated matches the second label of an enumeration within a sentence: "(a) …, (b) …".
var enumerated = lazyregexp.New(`\((?:b|ii|2)\) `)

// atClause cuts a long sentence to its first clauses. An enumeration is not cut between its parts, which would say that these
// are all.
func atClause(s string) string {
	if enumerated.MatchString(s) {
		return clip(s, maxWhat)
	}
	head := string([]rune(s)[:maxWhat])
	best := -1
	for _, mark := range []string{" — ", "; ", " – ", " ("} {
		best = max(best, strings.LastIndex(head, mark))
	}
	if best < maxWhat/4 || strings.Count(head[:best], "`")%2 == 1 {
		return clip(s, maxWhat)
	}
	return head[:best] + "."
}

func words(s string) int { return len(strings.Fields(s)) }

// slug converts a heading to a tag.
func slug(s string) string {
	parts := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if len(parts) > 4 {
		parts = parts[:4]
	}
	return strings.Join(parts, "-")
}
