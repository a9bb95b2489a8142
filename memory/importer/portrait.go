package importer

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"manicule/memory/file"
)

// group is a set of words that say something about a sentence.
type group int

const (
	strictWords  group = iota // they leave no choice
	placeWords                // they say where something is
	statusWords               // they are about what was done or is planned
	productWords              // they describe a product
	genericWords              // they stand in advice that holds in every repository
	youWords                  // they speak to the reader
	pointerWords              // they point to another text
	agentWords                // they speak to or about an assistant
	groups
)

// lexicon returns the groups of each word, in lower case, as a set of bits.
var lexicon = sync.OnceValue(func() map[string]uint16 {
	lists := [groups]string{
		strictWords:  "never always must shall only cannot can't don't doesn't not no nothing none forbidden required mandatory prohibited avoid won't mustn't",
		placeWords:   "lives live located under inside folder directory directories path file files module package contains holds stored root",
		statusWords:  "todo done completed complete planned phase phases sprint milestone current currently future week roadmap progress pending status implemented implement upcoming soon recently recent priority goal goals next added fixed deliverable deliverables step steps plan",
		productWords: "provides supports offers enables allows platform application app system product features feature designed modern powerful seamless solution service web mobile users customers business helps framework library tool project",
		genericWords: "clean readable readability maintainable maintainability concise simple simplicity small focused meaningful descriptive self-documenting comprehensive thorough thoroughly modular modularity reusable reusability edge nesting magic duplicate duplication repetition separation concerns responsibility composition inheritance best practice practices quality smells coverage clear clearly properly proper gracefully graceful complex obvious over-engineer premature existing consistent consistently consistency efficient efficiently robust idiomatic intuitive understandable unnecessary independent isolated sensitive secure securely scalable scalability performance optimize optimization accessible accessibility responsive experience assumptions clarify thoughtful docstrings high-quality well well-structured well-documented good better ensure validate sanitize handle handling appropriate relevant important critical strive keep minimal specific explicit patterns principle principles solid dry kiss yagni",
		youWords:     "you your you're yourself yours",
		pointerWords: "see refer docs documentation readme guide below above section details document described listed documented reference checklist template",
		agentWords:   "user users user's assistant agent agents ai claude copilot cursor codex gemini llm llms model models prompt prompts response responses context session sessions conversation subagent subagents task tasks tool tools token tokens human ask think memory skill skills",
	}
	words := map[string]uint16{}
	for g, list := range lists {
		for w := range strings.FieldsSeq(list) {
			words[w] |= 1 << g
		}
	}
	return words
})

// portrait is what a memory shows of its use: what its words add up to, and its place.
type portrait struct {
	typ   file.Type
	what  string
	head  string // its headings, in lower case
	order bool   // it begins with an order

	words, spans, names, paths, shouting, specific, foreign, pictures int
	of                                                                [groups]int
}

func (o Options) portraitOf(c Chunk) portrait {
	p := portrait{typ: c.Type, what: c.What, head: strings.ToLower(c.Label), order: commands(body(c.What))}
	start, code := true, false
	for part := range strings.SplitSeq(c.What, "`") {
		if code {
			p.words, p.spans, p.specific = p.words+1, p.spans+1, p.specific+1
			if o.hasName(part) {
				p.names++
			}
			if strings.Contains(part, "/") {
				p.paths++
			}
			start = false
		} else {
			for w := range strings.FieldsSeq(part) {
				p.word(w, start)
				last, _ := utf8.DecodeLastRuneInString(w)
				start = strings.ContainsRune(".:;!?—–-•", last)
			}
		}
		code = !code
	}
	return p
}

// word adds a word outside of code. At the start of a sentence, its capital says nothing.
func (p *portrait) word(w string, start bool) {
	p.words++
	for _, r := range w {
		if isPicture(r) {
			p.pictures++
		}
	}
	w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
	if w == "" {
		return
	}
	capitals, inner, joined, letters, digit := 0, false, false, 0, false
	for i, r := range w {
		letters++
		switch {
		case r >= 'A' && r <= 'Z' || r >= utf8.RuneSelf && unicode.IsUpper(r):
			capitals++
			inner = inner || i > 0
		case r >= '0' && r <= '9':
			digit = true
		case r == '_' || r == '.' || r == ':':
			joined = true
		case r == '/':
			p.paths++
			p.specific++
		case r >= firstIdeograph:
			p.foreign++
		}
	}
	switch {
	case capitals == letters && capitals > 1:
		p.shouting++
	case inner || joined, capitals == 1 && !start:
		p.specific++
	}
	if digit {
		p.specific++
	}
	for in, g := lexicon()[strings.ReplaceAll(strings.ToLower(w), "’", "'")], 0; in != 0; in, g = in>>1, g+1 {
		p.of[g] += int(in & 1)
	}
}

// firstIdeograph is the first character of the scripts of Asia that write without spaces.
const firstIdeograph = 0x3000

// isPicture reports whether a character is an arrow, a symbol or an emoji.
func isPicture(r rune) bool { return r >= 0x2190 && r < 0x2c00 || r >= 0x1f000 }

// headed reports whether the headings contain one of some words.
func (p *portrait) headed(words ...string) bool {
	for _, w := range words {
		if strings.Contains(p.head, w) {
			return true
		}
	}
	return false
}
