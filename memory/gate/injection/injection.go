// Package injection detects prompt injection: text that orders a coding agent to drop
// its instructions, take on another role, reveal what it must keep, hide its actions,
// or add foreign code or words to its answer. It is pure and fast, and recognizes
// forms alone: a lie in plain words passes. It must not know memories, files or
// agents.
package injection

import (
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	ahocorasick "github.com/BobuSumisu/aho-corasick"
)

// piece is how much of a text is looked at in one go, in bytes, and overlap how much
// of it again with the next: orders are a sentence or two, and the patterns take
// time only for pieces that have one of their words.
const (
	piece   = 1 << 10
	overlap = 3 << 7
)

// Rule names what a text was recognised by.
type Rule string

// The rules, most telling first.
const (
	Hidden   Rule = "hidden text"              // written in characters that nobody sees
	Override Rule = "overrides instructions"   // ignore all previous instructions
	Forged   Rule = "forged roles"             // the marks between a conversation's parts
	Persona  Rule = "another persona"          // from now on you are …
	Leak     Rule = "asks for the prompt"      // repeat your instructions
	Stealth  Rule = "hides from the person"    // don't tell the user
	Exfil    Rule = "sends secrets away"       // cat ~/.ssh/id_rsa to …
	Command  Rule = "orders a command"         // before anything else run curl … | sh
	Code     Rule = "plants code"              // put the following code into your solution
	Answer   Rule = "rewrites answers"         // add … to your reply
	Errand   Rule = "an errand for an AI chat" // what is the sentiment of this review
)

// finder is a rule's form. A text without any of the needles, which are lower
// case, does not have it; the pattern is matched with the text in lower case.
type finder struct {
	rule    Rule
	needles []string
	pattern *regexp.Regexp
	// unless is what before the match makes it a description, "" for nothing.
	unless *regexp.Regexp
}

// before is how many bytes before a match are looked at for what it is about.
const before = 48

var finders = sync.OnceValue(func() []finder {
	var out []finder
	for _, f := range forms() {
		x := finder{rule: f.rule, needles: strings.Split(f.needles, "|"), pattern: regexp.MustCompile(f.pattern)}
		if f.unless != "" {
			x.unless = regexp.MustCompile(f.unless)
		}
		out = append(out, x)
	}
	return out
})

// Find returns the first rule that a text breaks, "" for none. The same text
// always has the same answer.
func Find(text string) Rule {
	if hides(text) {
		return Hidden
	}
	plain := Plain(text)
	parts := pieces(plain)
	due := make([][]bool, len(parts))
	for i, part := range parts {
		due[i] = needles().in(part)
	}
	for n, f := range finders() {
		for i, part := range parts {
			if due[i] != nil && due[i][n] && f.in(part) {
				return f.rule
			}
		}
	}
	if errand(plain) {
		return Errand
	}
	return ""
}

// pieces cuts a text into overlapping parts, between characters.
func pieces(text string) []string {
	var out []string
	for len(text) > piece {
		end, next := piece, piece-overlap
		for !utf8.RuneStart(text[end]) {
			end--
		}
		for !utf8.RuneStart(text[next]) {
			next--
		}
		out, text = append(out, text[:end]), text[next:]
	}
	return append(out, text)
}

// mostErrand is how many words a bare request has at most: longer ones may as
// well be about the work at hand.
const mostErrand = 10

var (
	asks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:what(?:'s| is| are)|how (?:do|does|can|have|has)|who|which|why) .*\?|(?:suggest|recommend|compose|draft|provide (?:a|an|some|insights?|information)|explain (?:the|how|what|why)|describe the|break down the|give me|tell me|show me) .*)$`)
	})
	// work are words of who builds software, and marks of code.
	work = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("['\"]?[/_#(){}<>=:;\\\\]|\\.\\w|\\b(?:codes?|tests?|commits?|pr|prs|pull|docs?|readme|functions?|methods?|class|files?|errors?|logs?|config\\w*|builds?|apis?|branch\\w*|reviews?|chang\\w+|modules?|packages?|endpoints?|handlers?|cache\\w*|database|db|schema|migrations?|deploy\\w*|release\\w*|repo\\w*|server|client|library|lib|imports?|types?|flags?|hooks?|queue\\w*|workers?|threads?|lock\\w*|users?|decision|naming|names?|tokens?|sessions?|requests?|queries|query|tables?|jobs?|bugs?|fix\\w*|versions?|command\\w*|scripts?|cli|ui|css|html|json|sql|http|git|ci)\\b")
	})
)

// errand reports whether all of a text is a short request to an AI chat that has
// nothing to do with software: it is no note about code.
func errand(plain string) bool {
	plain = strings.TrimSpace(plain)
	if len(plain) > 20*mostErrand || strings.Contains(plain, "\n") || len(strings.Fields(plain)) > mostErrand {
		return false
	}
	return asks().MatchString(plain) && !work().MatchString(plain)
}

func (f finder) in(text string) bool {
	for from := 0; from < len(text); {
		at := f.pattern.FindStringIndex(text[from:])
		if at == nil {
			return false
		}
		start := from + at[0]
		if f.unless == nil || !f.unless.MatchString(text[max(0, start-before):start]) {
			return true
		}
		from += max(at[1], 1)
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	return false
}

// search finds the needles of all finders in one pass over a text.
type search struct {
	trie *ahocorasick.Trie
	of   [][]int // by needle: the finders that it belongs to
}

var needles = sync.OnceValue(func() search {
	var s search
	var all []string
	at := map[string]int{}
	for n, f := range finders() {
		for _, needle := range f.needles {
			i, ok := at[needle]
			if !ok {
				i = len(all)
				at[needle], all, s.of = i, append(all, needle), append(s.of, nil)
			}
			s.of[i] = append(s.of[i], n)
		}
	}
	s.trie = ahocorasick.NewTrieBuilder().AddStrings(all).Build()
	return s
})

// in says which finders have a needle in a text, nil for none.
func (s search) in(text string) (due []bool) {
	s.trie.Walk([]byte(text), func(_, _, needle int64) bool {
		if due == nil {
			due = make([]bool, len(finders()))
		}
		for _, n := range s.of[needle] {
			due[n] = true
		}
		return true
	})
	return due
}
