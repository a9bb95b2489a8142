// Package injection detects prompt injection: text that orders a coding agent to drop
// its instructions, take on another role, reveal what it must keep, hide its actions,
// or add foreign code or words to its answer. It is pure and fast, and recognizes
// forms alone: a lie in plain words passes. It must not know memories, files or
// agents.
package injection

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
	"unicode/utf8"

	"manicule/memory/lazydfa"
	"manicule/memory/literal"
)

// piece is how much of a text is checked at once, in bytes; overlap is how much of it is checked
// again with the next piece. Orders are a sentence or two, and a pattern costs time only on pieces
// that contain one of its words.
const (
	piece   = 1 << 10
	overlap = 3 << 7
)

// Rule names the kind of injection.
type Rule string

// The rules, most specific first.
const (
	Hidden   Rule = "hidden text"              // invisible characters
	Override Rule = "overrides instructions"   // ignore all previous instructions
	Forged   Rule = "forged roles"             // markers of a conversation's parts
	Persona  Rule = "another persona"          // from now on you are …
	Leak     Rule = "asks for the prompt"      // repeat your instructions
	Stealth  Rule = "hides from the person"    // don't tell the user
	Exfil    Rule = "sends secrets away"       // cat ~/.ssh/id_rsa to …
	Command  Rule = "orders a command"         // before anything else run curl … | sh
	Code     Rule = "plants code"              // put the following code into your solution
	Answer   Rule = "rewrites answers"         // add … to your reply
	Errand   Rule = "an errand for an AI chat" // what is the sentiment of this review
)

// finder is a compiled form. Its pattern matches text in lower case. It is compiled when a text
// first needs it, because compiling is slow and most patterns are never needed.
type finder struct {
	rule    Rule
	pattern func() *regexp.Regexp
	// quick tells where the pattern surely does not match; nil if that is not known. Its automaton looks for
	// a match at a place if begins are known, else anywhere. Nearly all places are without, and it takes a
	// tenth of the time.
	quick func() *lazydfa.Matcher
	// here matches the pattern at the beginning of a text, and after at its second character.
	here, after func() *regexp.Regexp
	// begins holds the words of the form's beginning, nil if that is not known.
	begins func() *literal.Set
	back   int // the beginning's
	// unless matches text before a match that makes it a description; nil for nothing.
	unless func() *regexp.Regexp
}

// before is how many bytes before a match are checked against unless.
const before = 48

var finders = sync.OnceValue(func() []finder {
	compiled := func(pattern string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
	}
	var out []finder
	for n, f := range forms() {
		b := beginnings()[n]
		x := finder{rule: f.rule, pattern: compiled(f.pattern), quick: sync.OnceValue(func() *lazydfa.Matcher { return quick(f.pattern, b.words != "") }), here: compiled(`\A(?:` + f.pattern + `)`), after: compiled(`\A(?s:.)(?:` + f.pattern + `)`), back: b.back,
			begins: sync.OnceValue(func() *literal.Set {
				if b.words == "" {
					return nil
				}
				return literal.New(strings.Split(b.words, between))
			})}
		if f.unless != "" {
			x.unless = compiled(f.unless)
		}
		out = append(out, x)
	}
	return out
})

// quick returns the automaton of a pattern, for matches that begin where it is asked or for all.
func quick(pattern string, here bool) *lazydfa.Matcher {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil // as the tests would say
	}
	made := lazydfa.New
	if here {
		made = lazydfa.NewAnchored
	}
	m, err := made(re)
	if err != nil {
		return nil
	}
	return m
}

// no reports whether the pattern surely has no match in a text from an offset on.
func (f finder) no(text string, from int) bool {
	m := f.quick()
	return m != nil && m.Match(text, from) == lazydfa.No
}

// Find returns the first rule that a text breaks, or "". It is deterministic.
func Find(text string) Rule {
	if text == "" {
		return ""
	}
	if hides(text) {
		return Hidden
	}
	plain := Plain(text)
	parts := pieces(plain)
	due := literals().due(plain, parts)
	for n, f := range finders() {
		for i, part := range parts {
			if due[i] != nil && due[i][n] && f.in(plain[part.from:part.to]) {
				return f.rule
			}
		}
	}
	if errand(plain) {
		return Errand
	}
	return ""
}

// span is a part of a text.
type span struct{ from, to int }

// mostWord is how far back a piece may begin to begin between two words, in bytes.
const mostWord = 64

// pieces cuts a text into overlapping parts at character boundaries. The later ones begin with a space where there is one: a word
// in the middle of a sentence is no beginning of one.
func pieces(text string) []span {
	var out []span
	from := 0
	for len(text)-from > piece {
		end, next := from+piece, from+piece-overlap
		for !utf8.RuneStart(text[end]) {
			end--
		}
		if space := strings.LastIndexByte(text[next-mostWord:next+1], ' '); space >= 0 {
			next += space - mostWord
		}
		for !utf8.RuneStart(text[next]) {
			next--
		}
		out, from = append(out, span{from, end}), next
	}
	return append(out, span{from, len(text)})
}

// mostErrand is the maximum number of words of a bare request. Longer ones may concern the work at
// hand.
const mostErrand = 10

var (
	asks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:(?:what(?:'s| is| are)|how (?:do|does|can|have|has)|who|which|why) .*\?|(?:suggest|recommend|compose|draft|provide (?:a|an|some|insights?|information)|explain (?:the|how|what|why)|describe the|break down the|give me|tell me|show me) .*)$`)
	})
	// states matches a sentence about drafts, suggestions and the like, which are no verbs there: "Draft orders of a shop are
	// deleted", "Draft is the default".
	states = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:suggest|recommend|compose|draft) (?:(?:of|in|on)\b|(?:(?:[\w-]+s|mode|state|status)(?: (?:by|from|in|of|on|with|without)(?: [\w-]+){1,3}?)? )?(?:(?:are|ca|can|could|did|do|does|had|has|have|is|may|must|need|should|was|were|wo|will)(?:n['’]t)?|cannot|never|needs?|expires?|live|means?|shows?|stays?)\b)`)
	})
	// standing matches an order that is one for many occasions, as rules of a project are: "Provide a fallback for every image",
	// "Tell me before adding dependencies", "Suggest alternatives when you say no". So is what answers should be like: "Give me short
	// answers".
	standing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[^?]*\b(?:every|each|before|unless|never|always|whenever|(?:when|if) you (?:are (?:not )?(?:sure|certain|unsure|uncertain|stuck|blocked|done|finished|wrong)|(?:cannot|can't)(?: (?:do|find|help|answer|solve)\b.*)?$|change|disagree|don't (?:agree|know|understand)|fail|propose|refuse|reject|say no|stop|suggest)|` +
			`^(?:give|show|tell) me (?:only )?(?:(?:brief|concise|direct|full|honest|long|plain|short|shorter|terse)(?:,? (?:and )?\w+)? )+(?:answers|explanations|replies|responses|sentences|summaries)(?:[.,;].*|(?: only| instead| please| at the end| at first)?[.!]?$)|over \w+$|^show me (?:\w+ )?\w+s with(?:out)? \w+$|first$)\b[^?]*$|^[^?]*, not \w[^?]*$`)
	})
	// work are words of software development, and characters of code.
	work = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("['\"]?[/_#(){}<>=:;\\\\]|\\.\\w|\\b(?:codes?|tests?|commits?|pr|prs|pull|docs?|readme|functions?|methods?|class|files?|errors?|logs?|config\\w*|builds?|apis?|branch\\w*|reviews?|chang\\w+|modules?|packages?|endpoints?|handlers?|cache\\w*|database|db|schema|migrations?|deploy\\w*|release\\w*|repo\\w*|server|client|library|lib|imports?|types?|flags?|hooks?|queue\\w*|workers?|threads?|lock\\w*|users?|decision|naming|names?|tokens?|sessions?|requests?|queries|query|tables?|jobs?|bugs?|fallbacks?|defaults?|middlewares?|validators?|dependenc\\w+|padding|alt|avatars?|fix\\w*|versions?|command\\w*|scripts?|cli|ui|css|html|json|sql|http|git|ci)\\b")
	})
)

// errand reports whether a text is nothing but a short request to an AI chat that has nothing to do
// with software.
func errand(plain string) bool {
	plain = strings.TrimSpace(plain)
	if len(plain) > 20*mostErrand || strings.Contains(plain, "\n") || len(strings.Fields(plain)) > mostErrand {
		return false
	}
	plain = strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(plain, "please "), "please, "), ".! ")
	return (asks().MatchString(plain) && !states().MatchString(plain) || forOnce(plain) >= onceAtLeast) && !standing().MatchString(plain) && !work().MatchString(plain)
}

func (f finder) in(text string) bool {
	for from := 0; from < len(text); {
		at := f.first(text[from:])
		if at == nil {
			return false
		}
		start := from + at[0]
		if f.unless == nil || !f.unless().MatchString(text[max(0, start-before):start]) {
			return true
		}
		// A description ends with its sentence: the rest of the match may be an order.
		end := from + at[1]
		from = end
		if stop := strings.IndexAny(text[start+1:end], sentenceEnds); stop >= 0 {
			from = start + 1 + stop
		}
	}
	return false
}

// beginning says where the matches of a form begin: at most back bytes before one of the words, not
// counting white space. Without words it is not known.
type beginning struct {
	words string // separated by |
	back  int
}

// first returns the place of the first match in a text, nil for none. It tries the pattern only
// where a match can begin, with the character before for what the pattern asks of that.
func (f finder) first(text string) []int {
	begins := f.begins()
	if begins == nil {
		if f.no(text, 0) {
			return nil
		}
		return f.pattern().FindStringIndex(text)
	}
	var found []int
	next := 0 // no match begins before it
	begins.Each(text, func(_, at int) bool {
		from := at
		for passed := 0; from > next && passed <= f.back; from-- {
			if !isSpace(text[from-1]) {
				passed++
			}
		}
		for ; from <= at && found == nil; from++ {
			if utf8.RuneStart(text[from]) {
				found = f.at(text, from)
			}
		}
		next = max(next, from)
		return found == nil
	})
	return found
}

// at returns the place of the match that begins at an offset, nil for none.
func (f finder) at(text string, from int) []int {
	if f.no(text, from) {
		return nil
	}
	if from == 0 {
		return f.here().FindStringIndex(text)
	}
	_, size := utf8.DecodeLastRuneInString(text[:from])
	at := f.after().FindStringIndex(text[from-size:])
	if at == nil {
		return nil
	}
	return []int{from, from - size + at[1]}
}

// isSpace reports what \s matches.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r' }

// sentenceEnds are the characters that end a sentence or a part of it.
const sentenceEnds = ".!?:;\n"

// search finds in one pass the forms that a text may match: those with at least one string of each
// clause and one needle in the text.
type search struct {
	set     *literal.Set
	lengths []int     // by string
	of      [][]place // by string
	all     []int     // number of clauses, by form
}

// place is a clause of a form.
type place struct{ form, clause int }

// between separates the strings of a clause.
const between = "|"

var literals = sync.OnceValue(func() search {
	var s search
	var words []string
	at := map[string]int{}
	for n, f := range forms() {
		list := append([]string{f.needles}, clauses()[n]...)
		s.all = append(s.all, len(list))
		for c, clause := range list {
			for w := range strings.SplitSeq(clause, between) {
				i, ok := at[w]
				if !ok {
					i = len(words)
					at[w], words, s.lengths, s.of = i, append(words, w), append(s.lengths, len(w)), append(s.of, nil)
				}
				s.of[i] = append(s.of[i], place{n, c})
			}
		}
	}
	s.set = literal.New(words)
	return s
})

// due reports for each piece of a text which forms it may match; nil for none. It looks through the
// text once, although pieces overlap.
func (s search) due(text string, parts []span) [][]bool {
	forms := len(s.all)
	have := make([]uint32, len(parts)*forms) // by piece and form: one bit for each clause
	first := 0                               // the first piece that ends behind the word
	s.set.Each(text, func(word, at int) bool {
		for parts[first].to <= at {
			first++
		}
		end := at + s.lengths[word]
		for i := first; i < len(parts) && parts[i].from <= at; i++ {
			if end > parts[i].to {
				continue
			}
			of := have[i*forms:][:forms]
			for _, p := range s.of[word] {
				of[p.form] |= 1 << p.clause
			}
		}
		return true
	})
	out := make([][]bool, len(parts))
	for i := range parts {
		for form, bits := range have[i*forms:][:forms] {
			if bits == 1<<s.all[form]-1 {
				if out[i] == nil {
					out[i] = make([]bool, forms)
				}
				out[i][form] = true
			}
		}
	}
	return out
}
