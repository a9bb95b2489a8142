package lazyregexp

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"manicule/memory/lazydfa"
	"manicule/memory/literal"
)

// A matcher tells whether a regular expression matches, without running it on most texts. It takes
// the expression apart at its alternatives. One that is only words is looked up; another one is run
// only on a text with a word that it needs. All words are found in one pass.
type matcher struct {
	set    *literal.Set
	words  []string // of the set, ASCII letters in lower case
	owners [][]owner
	window int    // the words begin at the start of the text and have up to this length, 0: anywhere
	parts  []part // the whole expression, and alternatives of it
	always uint64 // the parts that need no word
}

// part is an expression in both forms, each made at its first use.
type part struct {
	quick func() *lazydfa.Matcher // nil if there is none
	whole func() *regexp.Regexp
}

func newPart(re *syntax.Regexp, whole func() *regexp.Regexp) part {
	return part{whole: whole, quick: sync.OnceValue(func() *lazydfa.Matcher {
		m, err := lazydfa.New(re)
		if err != nil {
			return nil // as it is too large, which package regexp reports
		}
		return m
	})}
}

func (p part) match(s string) bool {
	if a := p.ask(s); a != lazydfa.Maybe {
		return a == lazydfa.Yes
	}
	return p.whole().MatchString(s)
}

func (p part) ask(s string) lazydfa.Answer {
	if p.quick == nil {
		return lazydfa.Maybe
	}
	if m := p.quick(); m != nil {
		return m.Match(s, 0)
	}
	return lazydfa.Maybe
}

// owner is an alternative that a word belongs to.
type owner struct {
	part int // alone: the word is all of it
	edges
	exact string // how the word must be written, "" in any case
}

const alone = -1

// edges are conditions on both ends of a word.
type edges struct {
	start, skipping bool // it begins the text, perhaps after characters of no word
	before, after   bool // it has a word's boundary
	end             bool // it ends the text
}

// The limits of what is taken apart.
const (
	mostWords = 1000
	mostParts = 64
	mostRunes = 8 // of a class
	shortest  = 2 // the bytes of a word that is worth a search
)

// The characters that expressions fold to letters of ASCII and that are none.
const longS, kelvin = '\u017f', '\u212a'

// folds reports whether a text has a character that only the expression itself folds.
func folds(s string) bool {
	return strings.Contains(s, string(longS)) || strings.Contains(s, string(kelvin))
}

// newMatcher returns the matcher of an expression, which compiled returns as a whole.
func newMatcher(expr string, compiled func() *regexp.Regexp) *matcher {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return &matcher{parts: []part{{whole: compiled}}, always: 1} // compiling it reports the error
	}
	m := &matcher{parts: []part{newPart(re, compiled)}}
	branches := alternativesOf(re.Simplify())
	known := map[string]int{}
	own := func(word string, o owner) {
		i, ok := known[word]
		if !ok {
			i = len(m.words)
			known[word] = i
			m.words, m.owners = append(m.words, word), append(m.owners, nil)
		}
		m.owners[i] = append(m.owners[i], o)
	}
	var others []*syntax.Regexp
	anywhere := false
	for _, b := range branches {
		list, e, ok := wordsOf(b)
		if !ok {
			others = append(others, b)
			continue
		}
		anywhere = anywhere || !e.start
		for _, w := range list {
			o := owner{part: alone, edges: e}
			if w.letters == exactly {
				o.exact = w.text
			}
			own(lowerASCII(w.text), o)
		}
	}
	for _, b := range others {
		i := 0
		if len(m.parts) < mostParts && len(branches) > 1 && writable(b) {
			i = len(m.parts)
			m.parts = append(m.parts, newPart(b, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(b.String()) })))
		}
		list := needed(b)
		if list == nil {
			m.always |= 1 << i
		}
		for _, w := range list {
			own(w, owner{part: i})
			anywhere = true
		}
	}
	if !anywhere {
		for _, w := range m.words {
			m.window = max(m.window, len(w))
		}
	}
	m.set = literal.NewFolded(m.words)
	return m
}

// writable reports whether an expression has no large class, which takes the standard library
// milliseconds to write.
func writable(re *syntax.Regexp) bool {
	for i := 0; i+1 < len(re.Rune) && re.Op == syntax.OpCharClass; i += 2 {
		if re.Rune[i+1]-re.Rune[i] > 1000 {
			return false
		}
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !writable(sub) })
}

// match reports whether the expression matches a text that doesn't fold.
func (m *matcher) match(s string) bool {
	found, parts := m.look(s)
	for i := 0; !found && parts != 0; i, parts = i+1, parts>>1 {
		found = parts&1 != 0 && m.parts[i].match(s)
	}
	return found
}

// mayMatch reports false for most texts that don't fold and that the expression does not match.
func (m *matcher) mayMatch(s string) bool {
	found, parts := m.look(s)
	return found || parts != 0 && m.parts[0].ask(s) != lazydfa.No
}

// look finds a word that is an alternative, or the parts whose words are there.
func (m *matcher) look(s string) (found bool, parts uint64) {
	parts = m.always
	text := s
	if m.window > 0 {
		start := 0
		for start < len(s) && !isWordByte(s[start]) {
			start++
		}
		text = s[:min(len(s), start+m.window)]
	}
	m.set.Each(text, func(word, at int) bool {
		for i := range m.owners[word] {
			o := &m.owners[word][i]
			if o.part != alone {
				parts |= 1 << o.part
			} else if o.holds(s, at, at+len(m.words[word])) {
				found = true
				return false
			}
		}
		return true
	})
	return found, parts
}

// holds reports whether a word from one offset to another fulfils the conditions.
func (o *owner) holds(s string, from, to int) bool {
	if o.exact != "" && s[from:to] != o.exact || o.end && to < len(s) || o.start && !o.skipping && from > 0 {
		return false
	}
	if o.before && !boundary(s, from) || o.after && !boundary(s, to) {
		return false
	}
	for i := from - 1; o.skipping && i >= 0; i-- {
		if isWordByte(s[i]) {
			return false
		}
	}
	return true
}

func boundary(s string, at int) bool {
	return (at > 0 && isWordByte(s[at-1])) != (at < len(s) && isWordByte(s[at]))
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, s)
}

// alternativesOf returns the alternatives of an expression. It takes alternatives within a sequence out of
// it if the rest of the sequence is words and conditions.
func alternativesOf(re *syntax.Regexp) []*syntax.Regexp {
	var out []*syntax.Regexp
	switch re.Op {
	case syntax.OpCapture:
		return alternativesOf(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			out = append(out, alternativesOf(sub)...)
		}
		return out
	case syntax.OpConcat:
		if _, _, ok := wordsOf(re); ok {
			break
		}
		at := -1
		for i, sub := range re.Sub {
			if _, ok := finite(sub); ok || isEdge(sub) {
				continue
			}
			if sub = bare(sub); at >= 0 || sub.Op != syntax.OpAlternate {
				return []*syntax.Regexp{re}
			}
			at = i
		}
		if at < 0 {
			break
		}
		for _, branch := range bare(re.Sub[at]).Sub {
			middle := []*syntax.Regexp{branch}
			if branch = bare(branch); branch.Op == syntax.OpConcat {
				middle = branch.Sub
			}
			out = append(out, alternativesOf(&syntax.Regexp{Op: syntax.OpConcat, Flags: re.Flags, Sub: slices.Concat(re.Sub[:at], middle, re.Sub[at+1:])})...)
		}
		return out
	}
	return []*syntax.Regexp{re}
}

// bare returns what a group contains.
func bare(re *syntax.Regexp) *syntax.Regexp {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	return re
}

func isEdge(re *syntax.Regexp) bool {
	return re.Op == syntax.OpBeginText || re.Op == syntax.OpEndText || re.Op == syntax.OpWordBoundary || isSkip(re)
}

// isSkip tells `\W*`, which doesn't match the characters of folds if it ignores case.
func isSkip(re *syntax.Regexp) bool {
	if re.Op != syntax.OpStar || re.Sub[0].Op != syntax.OpCharClass {
		return false
	}
	class := re.Sub[0].Rune
	return slices.Equal(class, []rune{0, '0' - 1, '9' + 1, 'A' - 1, 'Z' + 1, '_' - 1, '_' + 1, 'a' - 1, 'z' + 1, unicode.MaxRune}) ||
		slices.Equal(class, []rune{0, '0' - 1, '9' + 1, 'A' - 1, 'Z' + 1, '_' - 1, '_' + 1, 'a' - 1, 'z' + 1, longS - 1, longS + 1, kelvin - 1, kelvin + 1, unicode.MaxRune})
}

// wordsOf returns the words that an expression matches if it is only words between conditions.
func wordsOf(re *syntax.Regexp) (list []word, e edges, ok bool) {
	subs := []*syntax.Regexp{re}
	if re = bare(re); re.Op == syntax.OpConcat {
		subs = re.Sub
	}
	for ; len(subs) > 0; subs = subs[1:] {
		switch {
		case subs[0].Op == syntax.OpBeginText && !e.before:
			e.start = true
		case e.start && !e.before && isSkip(subs[0]):
			e.skipping = true
		case subs[0].Op == syntax.OpWordBoundary:
			e.before = true
		default:
			goto middle
		}
	}
middle:
	for ; len(subs) > 0; subs = subs[:len(subs)-1] {
		switch last := subs[len(subs)-1]; {
		case last.Op == syntax.OpEndText:
			e.end = true
		case last.Op == syntax.OpWordBoundary:
			e.after = true
		default:
			list, ok = sequences(subs)
			for _, w := range list {
				ok = ok && len(w.text) >= shortest && (!e.skipping || isWordByte(w.text[0]))
			}
			return list, e, ok
		}
	}
	return nil, e, false
}

// word is a text that an expression matches.
type word struct {
	text    string
	letters lettering
}

// lettering is how the ASCII letters of a word must be written.
type lettering int

const (
	noLetters lettering = iota
	exactly
	anyCase
)

func (w word) plus(o word) (word, bool) {
	return word{w.text + o.text, max(w.letters, o.letters)}, w.letters == noLetters || o.letters == noLetters || w.letters == o.letters
}

// sequences returns the words of a sequence.
func sequences(subs []*syntax.Regexp) ([]word, bool) {
	list := []word{{}}
	for _, sub := range subs {
		more, ok := finite(sub)
		if !ok || len(more)*len(list) > mostWords {
			return nil, false
		}
		next := make([]word, 0, len(list)*len(more))
		for _, a := range list {
			for _, b := range more {
				w, ok := a.plus(b)
				if !ok {
					return nil, false
				}
				next = append(next, w)
			}
		}
		list = next
	}
	return list, true
}

// finite returns the words that an expression matches if they are few and it has no conditions.
func finite(re *syntax.Regexp) ([]word, bool) {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []word{{}}, true
	case syntax.OpLiteral:
		return literalWord(re)
	case syntax.OpCharClass:
		return classWords(re)
	case syntax.OpCapture:
		return finite(re.Sub[0])
	case syntax.OpQuest:
		list, ok := finite(re.Sub[0])
		return append(list, word{}), ok
	case syntax.OpConcat:
		return sequences(re.Sub)
	case syntax.OpAlternate:
		var all []word
		for _, sub := range re.Sub {
			list, ok := finite(sub)
			if !ok || len(all)+len(list) > mostWords {
				return nil, false
			}
			all = append(all, list...)
		}
		return all, true
	default: // it may match anything
	}
	return nil, false
}

func literalWord(re *syntax.Regexp) ([]word, bool) {
	w := word{text: string(re.Rune)}
	for _, r := range re.Rune {
		fold := re.Flags&syntax.FoldCase != 0
		switch {
		case r == longS, r == kelvin, fold && r >= utf8.RuneSelf && unicode.SimpleFold(r) != r:
			return nil, false
		case r < utf8.RuneSelf && unicode.IsLetter(r) && fold:
			w.letters = anyCase
		case r < utf8.RuneSelf && unicode.IsLetter(r):
			w.letters = exactly
		}
	}
	return []word{w}, true
}

func classWords(re *syntax.Regexp) ([]word, bool) {
	var runes []rune
	for i := 0; i+1 < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if r == longS || r == kelvin {
				continue // a text with them is left to the expression
			}
			if runes = append(runes, r); len(runes) > mostRunes {
				return nil, false
			}
		}
	}
	var out []word
	for _, r := range runes {
		switch {
		case r >= utf8.RuneSelf || !unicode.IsLetter(r):
			out = append(out, word{string(r), noLetters})
		case slices.Contains(runes, r^('a'-'A')):
			out = append(out, word{string(r), anyCase})
		default:
			out = append(out, word{string(r), exactly})
		}
	}
	return out, true
}

// mostNeeded is the number of words up to which a text is searched for them.
const mostNeeded = 200

// needed returns words, with ASCII letters in lower case, of which each match of an expression
// contains at least one, or nil if there are none.
func needed(re *syntax.Regexp) []string {
	if list, ok := finite(re); ok {
		return searchable(list)
	}
	switch re.Op {
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpConcat:
		return neededOf(re.Sub)
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			list := needed(sub)
			if list == nil || len(all)+len(list) > mostNeeded {
				return nil
			}
			all = append(all, list...)
		}
		return all
	default: // it may match without any fixed text
	}
	return nil
}

// neededOf returns the rarest words of a sequence: those of a part, or of several words in a row.
func neededOf(subs []*syntax.Regexp) []string {
	var best []string
	consider := func(list []string) {
		if list != nil && (best == nil || rarer(list, best)) {
			best = list
		}
	}
	for i, sub := range subs {
		consider(needed(sub))
		for k := i + 2; k <= len(subs); k++ {
			list, ok := sequences(subs[i:k])
			if !ok {
				break
			}
			consider(searchable(list))
		}
	}
	return best
}

func searchable(list []word) []string {
	if len(list) > mostNeeded {
		return nil
	}
	var out []string
	for _, w := range list {
		if len(w.text) < shortest {
			return nil
		}
		out = append(out, lowerASCII(w.text))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rarer reports whether fewer texts are likely to contain one of a than of b: its shortest word is
// longer.
func rarer(a, b []string) bool {
	return len(slices.MinFunc(a, byLength)) > len(slices.MinFunc(b, byLength))
}

func byLength(a, b string) int { return len(a) - len(b) }
