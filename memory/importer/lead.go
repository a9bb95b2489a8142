package importer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"manicule/memory/lazyregexp"
)

// lastSentence returns the lead-in of a list. The text before it becomes a rule of its own.
func (c *chunker) lastSentence(b block) block {
	at := 0
	for rest := b.text; ; {
		_, more := sentence(rest)
		if more == "" {
			break
		}
		at, rest = len(b.text)-len(more), more
	}
	if at == 0 || !endsInColon(b.text) || words(b.text[:at]) < 6 {
		return b
	}
	c.add(rawRule{line: b.line, text: strings.TrimSpace(b.text[:at]), label: label(b), subject: b.subject})
	b.text, b.lead, b.subject = b.text[at:], false, ""
	return b
}

// sample matches lead-ins of code that illustrates the rule above.
var sample = lazyregexp.New(`(?i)^\W*(?:bad|good|wrong|right|correct|incorrect|avoid|instead|don['’]t|do|examples?|usage|before|after|preferred|not|yes|no|for example|e\.g\.)\b[^.]{0,40}$`)

// endsInRun matches a lead-in whose verb needs the command below.
var endsInRun = lazyregexp.New(`(?i)[\s,](?:run|execute|invoke)$`)

// runWith puts code behind its lead-in, with joins them. "Before you commit, run:" is no label of what follows: former is
// how earlier versions wrote it.
func runWith(text, with, code string) (joined, former string) {
	if lead := strings.TrimRight(text, ":： "); endsInRun.MatchString(lead) {
		return lead + " " + code, with + code
	}
	return with + code, ""
}

// leadCode handles a paragraph that leads in code.
func (c *chunker) leadCode(b, next block) {
	fenced := "```" + next.lang + "\n" + next.text + "\n```"
	brief := words(b.text) <= 4 && !normative.MatchString(b.text)
	switch {
	case c.prev >= 0 && words(b.text) <= 6 && (brief || sample.MatchString(b.text)):
		c.append(c.prev, b.text+"\n"+fenced)
	case brief || sample.MatchString(b.text):
		c.drop(b, "fragment")
		c.drop(next, codeReason(next))
		c.last = -1
	default:
		r := rawRule{line: b.line, text: b.text, label: label(b), rest: fenced}
		code, former := inlined(next.text)
		with := strings.TrimRight(b.text, ":： ") + ": "
		switch {
		case !endsInColon(b.text):
		case code != "":
			r.text, r.former = runWith(b.text, with, code)
			r.rest = ""
		case former != "":
			r.former = with + former
		}
		c.last = c.add(r)
	}
}

// inlined writes a few short lines of code into a sentence, or returns "" if they don't fit. Lines of a drawing say nothing one by
// one; earlier versions wrote them so, which former tells.
func inlined(code string) (text, former string) {
	var out []string
	drawing := false
	for l := range strings.SplitSeq(strings.TrimSpace(code), "\n") {
		if l = strings.TrimSpace(l); l == "" || strings.HasPrefix(l, "# ") {
			continue
		}
		if !strings.ContainsFunc(l, isWordRune) || strings.ContainsFunc(l, isDrawing) {
			drawing = true
		}
		if len(out) == 4 || strings.ContainsAny(l, "`{}") || strings.HasPrefix(l, "#") || strings.HasSuffix(l, "\\") {
			return "", ""
		}
		out = append(out, "`"+l+"`")
	}
	s := strings.Join(out, "; ")
	switch {
	case utf8.RuneCountInString(s) > 150:
		return "", ""
	case drawing:
		return "", s
	}
	return s, ""
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isDrawing reports whether a character is one of boxes or an arrow up or down, as diagrams have them.
func isDrawing(r rune) bool {
	return r >= '\u2500' && r <= '\u257f' || strings.ContainsRune("↑↓↕⇑⇓⇕▲▼", r)
}
