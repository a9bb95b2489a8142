package junk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Features calls add with the name of each property of a text that the learned model weighs. A name
// may come several times; it is valid until add returns.
//
// Names begin with 1 for a text of one line and with n for others. Then: the kinds of two adjacent
// tokens of a line (b), how a line begins (p) and its shape (h) with the share of such lines, words (w), how the
// text begins (f) and ends (e), and its size (l, t).
func Features(text string, add func(name []byte)) {
	f := features{add: add}
	lines := nonEmpty(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }))
	f.count = '1'
	if len(lines) > 1 {
		f.count = 'n'
	}
	starts, shapes := map[string]int{}, map[string]int{}
	words, plain := 0, 0
	var last []string
	for i, line := range lines {
		tokens, in := tokens(line)
		words += len(in) + wide(line)/2
		for _, w := range in {
			plain++
			f.any('w', w)
		}
		for j := 1; j < len(tokens); j++ {
			f.name('b', tokens[j-1], tokens[j])
			f.any('b', tokens[j-1], tokens[j])
		}
		start := strings.Join(tokens[:min(4, len(tokens))], " ")
		starts[start]++
		shapes[shape(line)]++
		if i == 0 {
			f.name('f', start)
			f.name('f', strings.Join(tokens[:min(3, len(tokens))], " "))
			if len(in) > 0 {
				f.name('f', "word", in[0])
			}
		}
		words += len(tokens) - 2 - len(in)
		last = tokens
	}
	if len(lines) > 1 {
		for s, n := range starts {
			f.name('p', s, shareOf(n, len(lines)))
		}
		for s, n := range shapes {
			f.name('h', s, shareOf(n, len(lines)))
		}
	}
	if len(last) > 0 {
		f.name('e', strings.Join(last[max(0, len(last)-3):], " "))
	}
	f.name('l', size(len(lines)))
	f.name('t', size(words))
	if words > 0 {
		f.name('t', "plain", shareOf(plain, words))
	}
}

// features builds the names.
type features struct {
	add   func([]byte)
	count byte
	buf   []byte
}

// any is name for texts of any number of lines.
func (f *features) any(family byte, parts ...string) {
	count := f.count
	f.count = '*'
	f.name(family, parts...)
	f.count = count
}

func (f *features) name(family byte, parts ...string) {
	f.buf = append(f.buf[:0], f.count, family)
	for _, p := range parts {
		f.buf = append(f.buf, ' ')
		f.buf = append(f.buf, p...)
	}
	f.add(f.buf)
}

// wide counts the letters of scripts that put no spaces between words.
func wide(line string) (n int) {
	for _, r := range line {
		if r > 0x2e7f && unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// size names a number by its order.
func size(n int) string {
	for i, most := range []int{0, 1, 2, 3, 5, 8, 14, 30, 60} {
		if n <= most {
			return string(rune('0' + i))
		}
	}
	return "9"
}

func shareOf(n, all int) string {
	switch s := float64(n) / float64(all); {
	case s == 1:
		return "all"
	case s >= .5:
		return "most"
	case s >= .25:
		return "some"
	}
	return "few"
}

// shape is how a line begins, with runs of letters and of digits as one character each.
func shape(line string) string {
	var b strings.Builder
	var before rune
	for _, r := range line {
		switch {
		case unicode.IsUpper(r) && before != 'a':
			r = 'A'
		case unicode.IsLetter(r):
			r = 'a'
		case unicode.IsDigit(r):
			r = '9'
		case r == '\t':
			r = '→'
		}
		if r == before && (r == 'a' || r == 'A' || r == '9' || r == ' ') {
			continue
		}
		if r == 'a' && before == 'A' {
			before = r
			continue
		}
		b.WriteRune(r)
		if before = r; b.Len() > 9 {
			break
		}
	}
	return b.String()
}

// tokens returns the kinds of a line's tokens between marks of its ends, and its words in lower case.
func tokens(line string) (kinds, words []string) {
	kinds = append(kinds, "^")
	if trimmed := strings.TrimLeft(line, " \t\u00a0"); len(trimmed) < len(line) {
		indent := "_"
		if line[0] == '\t' || len(line)-len(trimmed) > 3 {
			indent = "__"
		}
		kinds = append(kinds, indent)
	}
	for _, field := range strings.Fields(line) {
		core := strings.TrimFunc(field, mark)
		if core == "" {
			kinds = append(kinds, marks(field))
			continue
		}
		at := strings.Index(field, core)
		if at > 0 {
			kinds = append(kinds, marks(field[:at]))
		}
		kind, word := kindOf(core)
		kinds = append(kinds, kind)
		if word != "" {
			words = append(words, word)
		}
		if after := field[at+len(core):]; after != "" {
			kinds = append(kinds, marks(after))
		}
	}
	return append(kinds, "$"), words
}

// mark reports whether a character stands around words.
func mark(r rune) bool {
	return r != '/' && r != '_' && r != '$' && r != '~' && r != '@' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// marks shortens a run of marks.
func marks(s string) string {
	if n := utf8.RuneCountInString(s); n > 3 {
		r, _ := utf8.DecodeRuneInString(s)
		return string(r) + "…"
	}
	return s
}

// closed are the words that carry the grammar of a sentence. They are their own kind.
var closed = func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(`a an the this that these those it its they their them we our us i my me you your he she
		is are was were be been being has have had do does did done doesn't don't isn't aren't wasn't can can't cannot could will would should must may might shall won't
		not no never always only also then than so if when while where whenever before after until unless because since as by for from in into of on onto out over per to up via with within without
		and or but nor both either each every all any some other such at about between through during under across
		use run add see keep make set get avoid prefer ensure let now here there what which who why how more most instead new`) {
		set[w] = true
	}
	return set
}()

// kindOf returns what a token without marks around it looks like, and the word that it is.
func kindOf(s string) (kind, word string) {
	letters, digits, other, upper, wide := 0, 0, 0, 0, 0
	for _, r := range s {
		switch {
		case r >= utf8.RuneSelf && unicode.IsLetter(r):
			letters++
			wide++
		case unicode.IsLetter(r):
			letters++
			if unicode.IsUpper(r) {
				upper++
			}
		case unicode.IsDigit(r):
			digits++
		case r == '\'' || r == '’':
		default:
			other++
		}
	}
	switch {
	case digits == 0 && other == 0:
		return wordKind(s, letters, upper, wide)
	case letters == 0 && other == 0:
		return "9", ""
	case letters == 0:
		return numberKind(s), ""
	case other == 0 && digits > 0 && len(s) >= 7 && strings.Trim(s, "0123456789abcdef") == "":
		if len(s) == 40 {
			return "sha", ""
		}
		return "hex", ""
	case strings.Contains(s, "://"):
		return "url", ""
	case strings.Contains(s, "]("):
		return "link", ""
	case strings.HasPrefix(s, "0x"):
		return "0x", ""
	case strings.ContainsAny(s, "/\\"):
		if i := strings.LastIndexByte(s, ':'); i > 0 && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
			return "path:9", ""
		}
		return "path", ""
	case strings.Contains(s, "::"):
		return "a::b", ""
	case strings.Contains(s, "("):
		return "call", ""
	case strings.Contains(s, "@"):
		return "a@b", ""
	case strings.Contains(s, "="):
		return "a=b", ""
	case strings.Contains(s, ":"):
		return "a:b", ""
	case strings.Contains(s, "."):
		return "a.b", ""
	case strings.Contains(s, "_"):
		return "a_b", ""
	case strings.Contains(s, "-") && digits == 0:
		return "a-b", ""
	case digits > 0 && other == 0:
		return "a9", ""
	}
	return "mix", ""
}

func numberKind(s string) string {
	switch {
	case strings.Count(s, "-") == 2 && len(s) == 10:
		return "date"
	case strings.Contains(s, ":"):
		return "9:9"
	case strings.Contains(s, "/"):
		return "9/9"
	case strings.Contains(s, "."):
		return "9.9"
	}
	return "9-9"
}

func wordKind(s string, letters, upper, wide int) (kind, word string) {
	word = strings.ToLower(s)
	if closed[word] {
		return word, word
	}
	first, _ := utf8.DecodeRuneInString(s)
	capital := unicode.IsUpper(first)
	if letters < 3 || len(word) > 20 {
		word = ""
	}
	switch {
	case wide > 0 && unspaced(s):
		return "字", ""
	case upper == letters && letters > 1:
		return "AB", word
	case upper > 1 || upper == 1 && !capital:
		return "aB", ""
	}
	kind = "a"
	for _, suffix := range []string{"ed", "ing", "ly", "tion", "s"} {
		if letters > len(suffix)+1 && strings.HasSuffix(s, suffix) {
			kind = suffix
			break
		}
	}
	if capital {
		return "A" + kind, word
	}
	return kind, word
}
