package junk

import (
	"slices"
	"strings"
	"unicode"

	"manicule/memory/gate/junk/likely"
	"manicule/memory/gate/junk/speech"
)

// isFragment reports whether nobody could learn anything from a text by itself.
func isFragment(text string, lines []string) bool {
	if wordsWithLetters(text) == 0 || isScrap(text) || len(lines) == 1 && isPath(text) {
		return true
	}
	f := compiled()
	if len(lines) > 1 && share(lines, func(l string) bool { return f.form.MatchString(l) || f.heading.MatchString(l) }) >= .75 && has(lines, f.form.MatchString, 2) {
		return true
	}
	if len(lines) > 1 {
		return leadsIn(lines[len(lines)-1]) && wordsWithLetters(text) <= fewWords && !f.because.MatchString(text)
	}
	l := strings.TrimSpace(lines[0])
	switch {
	case isToken(l), f.blank.MatchString(l), f.tags.MatchString(l):
		return true
	case leadsIn(l):
		return !saysARule(l) && !mayBeARule(l) && (wordsWithLetters(l) <= fewWords || !strings.Contains(l, ". ") && !f.because.MatchString(l))
	case f.heading.MatchString(l) && !strings.HasSuffix(l, "."):
		return !saysARule(l) && !mayBeARule(l) && (!f.rule.MatchString(l) || wordsWithLetters(l) < 5) && !(strings.Contains(l, " — ") && hasVerb(l))
	case strings.HasPrefix(l, "|") && strings.HasSuffix(l, "|"): // a row of a table
		return true
	case f.only.MatchString(l):
		return !f.because.MatchString(l)
	case f.middle.MatchString(l), f.markup.MatchString(l), f.where.MatchString(unmarked(l)), f.labels.MatchString(l), f.linked.MatchString(unmarked(l)), isQuestion(l), isTail(l):
		return true
	}
	return f.cut.MatchString(l) && !endsWhole(l)
}

// mostOfSubject is how many words the subject of such a clause has.
const mostOfSubject = 4

// endsWhole reports whether a line is a whole sentence although its last word leads on: the word belongs to the verb of a clause.
func endsWhole(line string) bool {
	f := compiled()
	found := f.stranded.FindStringSubmatch(line)
	if found == nil {
		return false
	}
	subject := strings.Fields(strings.ToLower(found[2]))
	for _, w := range subject {
		if strings.HasSuffix(w, "ly") || slices.Contains([]string{"also", "and", "always", "can", "cannot", "could", "do", "does", "is", "are", "may", "might", "must", "never", "not", "only", "or", "should", "then", "to", "will", "would"}, w) {
			return false // "which may lead to" lacks what it leads to
		}
	}
	if len(subject) == 0 || len(subject) > mostOfSubject {
		return false
	}
	g := speech.Of(found[1])
	return f.rule.MatchString(found[1]) || max(g.FirstBase, g.Finite) >= .5
}

// fewestLetters is how many letters the shortest word has that a person may mean.
const fewestLetters = 3

// isScrap reports whether a text has fewer letters and digits than any word that says something, where words are written with letters.
func isScrap(text string) bool {
	n := 0
	for _, r := range text {
		switch {
		case r >= 0x1100 && unicode.IsLetter(r):
			return false // a sign of such a script is a syllable or a word
		case unicode.IsLetter(r), unicode.IsDigit(r):
			n++
		}
	}
	return n < fewestLetters
}

// isQuestion reports whether a line only asks.
func isQuestion(line string) bool {
	line = strings.TrimRight(line, "*_ \t")
	if f := compiled(); f.forbids.MatchString(line) && !f.asks.MatchString(line) { // what ends it is code, as `try?` is
		return false
	}
	return strings.HasSuffix(line, "?") && strings.Count(line, "?") == 1 && !strings.ContainsAny(line, ".:;→—–") && !unspaced(line)
}

// isTail reports whether a line is the end of a sentence that began elsewhere.
func isTail(line string) bool {
	return line[0] >= 'a' && line[0] <= 'z' && strings.HasSuffix(line, ".") && wordsWithLetters(line) <= 5 && !strings.ContainsAny(line, "`=:;,") && !says().MatchString(line)
}

// fewWords is up to how many words lead in what follows and say nothing else.
const fewWords = 14

// leadsIn reports whether a line ends as if something followed.
func leadsIn(line string) bool {
	line = strings.TrimRight(line, "*_ \t")
	return strings.HasSuffix(line, ":") || strings.HasSuffix(line, "：")
}

// saysARule reports whether a heading, or a line that leads in, is by its words very probably a rule that can be understood by
// itself: "Before submitting a PR, make sure your code passes linting:".
func saysARule(line string) bool {
	line = strings.TrimLeft(line, "# ")
	return likely.Judges(line) && likely.Of(line).Probability < hardlyJunk
}

// fewestOfRule is from how many words a heading, or a line that leads in, may be a rule.
const fewestOfRule = 4

// mayBeARule reports whether a heading, or a line that leads in, has a verb that makes it a statement or an order: "The server is a
// thin bridge:". It is not refused for its form.
func mayBeARule(line string) bool {
	line = strings.TrimLeft(line, "# ")
	if wordsWithLetters(line) < fewestOfRule || isQuestion(line) {
		return false
	}
	g := speech.Of(line)
	return max(g.FirstBase, g.Finite) >= .5
}

// isToken reports whether a text is one name, address or mark of code. A single word may be meant.
func isToken(text string) bool {
	return !strings.ContainsAny(text, " \t") && !unspaced(text) && strings.IndexFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\''
	}) >= 0
}
