package fingerprint

import (
	"slices"
	"strings"
)

// The minimal matches.
const (
	leastQuoted = 3 // words of a quotation that is part of a message, one of them telling
	leastSame   = 2 // of one that is the whole first line
	longQuoted  = 7 // words of a quotation of common words only
	leastWhole  = 4 // words of a message that a memory has in full
	maxWords    = 200
)

// Message is the output of a tool, split into words.
type Message struct {
	all   []string // of every line
	first []string // of the first line
	names []string // quoted in the message, verbatim
	codes []string // of the tool: TS2307, no-console
}

// Parse splits a message. codes are the rule or kind of error, if the tool gives one.
func Parse(text string, codes ...string) Message {
	var m Message
	head, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	m.all, m.first = wordsOf(text), wordsOf(head)
	for _, q := range quotations(head) {
		if w := wordsOf(q); len(w) == 1 && telling(w[0]) {
			m.names = append(m.names, w[0])
		}
	}
	for _, c := range codes {
		if c = strings.ToLower(strings.TrimSpace(c)); c != "" && strings.Trim(c, "0123456789") != "" {
			m.codes = append(m.codes, c)
		}
	}
	return m
}

// Pattern recognizes an error that a memory describes.
type Pattern struct {
	quoted [][]string // specific enough as a part of a message
	whole  [][]string // specific enough as a whole message
	texts  [][]string
	plain  string // the whole text, in lower case
}

// Of makes a pattern from the texts of a memory. A text counts if it quotes the error, as “…”, "…",
// '…' or `…`, or contains the whole message.
func Of(texts ...string) Pattern {
	var p Pattern
	for _, t := range texts {
		p.plain += strings.ToLower(t) + "\n"
		p.texts = append(p.texts, wordsOf(t))
		for _, q := range quotations(t) {
			w := wordsOf(q)
			if len(w) >= leastSame && slices.ContainsFunc(w, telling) {
				p.whole = append(p.whole, w)
			}
			if len(w) >= longQuoted || len(w) >= leastQuoted && slices.ContainsFunc(w, telling) {
				p.quoted = append(p.quoted, w)
			}
		}
	}
	return p
}

// Matches reports whether a message is the error of the pattern. It is strict: different names make
// a different error.
func (p Pattern) Matches(m Message) bool {
	if slices.ContainsFunc(p.whole, func(w []string) bool { return slices.Equal(w, m.first) }) {
		return true
	}
	for _, q := range p.quoted {
		if contains(m.all, q) {
			return true
		}
	}
	if len(m.first) >= leastWhole && (slices.ContainsFunc(m.first, telling) || len(m.first) >= longQuoted) {
		for _, t := range p.texts {
			if contains(t, m.first) {
				return true
			}
		}
	}
	return p.names(m)
}

// names reports whether the pattern contains the message's code and every name that the message
// quotes.
func (p Pattern) names(m Message) bool {
	if len(m.names) == 0 {
		return false
	}
	has := func(word string) bool {
		return slices.ContainsFunc(p.texts, func(t []string) bool { return slices.Contains(t, word) })
	}
	if !slices.ContainsFunc(m.codes, func(c string) bool { return has(fold(c)) && strings.Contains(p.plain, c) }) {
		return false
	}
	for _, n := range m.names {
		if !has(n) {
			return false
		}
	}
	return true
}

// wordsOf splits a text into folded words and strips the punctuation around them.
func wordsOf(text string) []string {
	var out []string
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		w = strings.TrimLeft(w, "\"'`“”‘’«»()[]{},;:!?") // a leading dot may begin a path
		if w = strings.TrimRight(w, "\"'`“”‘’«»()[]{},;.:!?"); w == "" {
			continue
		}
		if out = append(out, foldNamed(w)); len(out) == maxWords {
			break
		}
	}
	return out
}

// foldNamed is fold that keeps the last part of every path: modules have no extension, and the name
// of a missing module matters.
func foldNamed(w string) string {
	if i := strings.LastIndexAny(strings.TrimRight(w, `/\`), `/\`); i >= 0 && !strings.Contains(w, "://") {
		return "…/" + digitsFolded(w[i+1:])
	}
	return fold(w)
}

func contains(all, part []string) bool {
	if len(part) == 0 {
		return false
	}
	for i := 0; i+len(part) <= len(all); i++ {
		if slices.Equal(all[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// quotations lists the quoted parts of a text, for any kind of quotes.
func quotations(text string) []string {
	var out []string
	for _, pair := range [][2]string{{"“", "”"}, {"\"", "\""}, {"`", "`"}, {"'", "'"}, {"‘", "’"}} {
		rest := text
		for {
			_, after, ok := cutOpening(rest, pair[0])
			if !ok {
				break
			}
			inner, behind, ok := cutClosing(after, pair[1])
			if !ok {
				break
			}
			out = append(out, inner)
			rest = behind
		}
	}
	return out
}

// cutOpening cuts at an opening quote. An apostrophe within a word is none.
func cutOpening(text, quote string) (before, after string, ok bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], quote)
		if i < 0 {
			return text, "", false
		}
		at := from + i
		if at == 0 || !wordByte(text[at-1]) {
			return text[:at], text[at+len(quote):], true
		}
		from = at + len(quote)
	}
}

func cutClosing(text, quote string) (inner, behind string, ok bool) {
	for from := 0; ; {
		i := strings.Index(text[from:], quote)
		if i < 0 {
			return "", "", false
		}
		at := from + i
		if end := at + len(quote); end == len(text) || !wordByte(text[end]) {
			return text[:at], text[end:], true
		}
		from = at + len(quote)
	}
}

func wordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c == '_'
}

// telling reports whether a word identifies an error. Common words of compilers and folded words
// don't.
func telling(w string) bool {
	if strings.Trim(w, "#<>=-+*&|^%$@!~,.:;()[]{}'\"`") == "" {
		return false
	}
	switch w {
	case "<addr>", "<url>", "<id>", "<path>":
		return false
	}
	return !strings.Contains(common, " "+w+" ")
}

// common are words that all compilers and linters use in messages, separated by spaces.
const common = " " +
	"a an the this that these those it its is are was were be been has have had do does did done and or not no nor but of to in into on at by for " +
	"from with without as if then than so such only also any all each every some other another more most too very can cannot can't could should " +
	"must may might will would error errors warning fatal failed fails failure fail unable cause caused because find found finding resolve " +
	"resolved undefined defined define definition undeclared declared declaration declarations declare unknown unexpected expected expecting " +
	"token tokens identifier name names named symbol symbols type types typed value values variable variables var vars let const constant field " +
	"fields member members attribute attributes property properties method methods function functions func fn class classes struct interface enum " +
	"trait object objects instance module modules package packages import imports imported importing export exports exported file files path " +
	"paths directory line lines column code statement statements expression expressions operator operators operand operands argument arguments " +
	"arg args parameter parameters param params return returns returned call calls called caller assign assigned assignable assignment assigning " +
	"use used uses unused using usage never always read reads write exist exists existing missing invalid illegal syntax parse parsing parser " +
	"mismatch mismatched mismatching match matches matching incompatible compatible convert converted conversion implicit implicitly explicit " +
	"explicitly access accessed accessible private public protected static string strings number numbers int integer float bool boolean null nil " +
	"none void list array map dict tuple possibly possible impossible unreachable reachable redeclared redefined duplicate already again " +
	"deprecated corresponding overload overloads one two left right side hand # "
