package exporter

import (
	"bytes"
	"strings"

	"manicule/memory/file"
	"manicule/memory/lazyregexp"
)

// Shown is a memory as a Markdown export shows it.
type Shown struct {
	UUID     string
	Type     file.Type
	What     string
	Why      string
	Places   []string // its scope, and its anchors as FILE#Symbol
	Tags     []string
	Personal bool
	Past     bool   // it is deprecated, superseded or disputed
	Outside  bool   // it rests on an outside source, or came by git and nobody reviewed it
	For      string // the agent that it is for alone; "" for everybody
	Line     int
}

// Line is a line of an export that is no part of it, such as one that somebody added.
type Line struct {
	Number int
	Text   string
}

var (
	shownCount = lazyregexp.New(`^(?:1 memory|\d+ memories)\.$`)
	shownWhat  = lazyregexp.New(`^- \*\*(.+)\*\*(?: \(([^()]*(?:\([^()]*\)[^()]*)*)\))?$`)
	shownFacts = lazyregexp.New("^  \\*(Applies to .*)\\* `([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})`$")
)

// ReadMarkdown reads what [Markdown] wrote. others are the lines that it did not write, and those of memories that are not whole.
// ok is false for any other text.
func ReadMarkdown(data []byte) (list []Shown, others []Line, ok bool) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !bytes.HasPrefix(data, []byte("# Memories\n")) && !bytes.HasPrefix(data, []byte("# Memories\r\n")) {
		return nil, nil, false
	}
	types := map[string]file.Type{}
	for _, t := range file.Types() {
		types[title(t)] = t
	}
	var typ file.Type
	var m *Shown  // the one that is read; nil between two
	var of []Line // the lines of m
	drop := func() {
		for _, l := range of {
			if strings.TrimSpace(l.Text) != "" {
				others = append(others, l)
			}
		}
		m, of = nil, nil
	}
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		line = strings.TrimRight(line, "\r\n")
		if heading, is := strings.CutPrefix(line, "### "); is {
			drop()
			typ = types[heading]
			continue
		}
		if w := shownWhat.FindStringSubmatch(line); w != nil && typ != "" {
			drop()
			m = &Shown{Type: typ, What: w[1], Line: n}
			for mark := range strings.SplitSeq(w[2], ", ") {
				m.Personal = m.Personal || mark == "personal"
				m.Outside = m.Outside || mark == fromOutside || strings.HasSuffix(file.NotReviewed, ", "+mark)
				if agent, is := strings.CutPrefix(mark, onlyFor); is {
					m.For = agent
				}
				m.Past = m.Past || mark == "deprecated" || mark == "superseded" || mark == "disputed"
			}
		}
		if m == nil {
			if line != "" && !strings.HasPrefix(line, "#") && !shownCount.MatchString(line) {
				others = append(others, Line{n, line})
			}
			continue
		}
		facts := shownFacts.FindStringSubmatch(line)
		if facts == nil {
			of = append(of, Line{n, line})
			continue
		}
		var why []string
		for _, l := range of[1:] {
			why = append(why, strings.TrimPrefix(l.Text, "  "))
		}
		m.UUID, m.Why = facts[2], strings.TrimSpace(strings.Join(why, "\n"))
		applies, rest := spansOf(strings.TrimPrefix(facts[1], "Applies to "))
		m.Places = applies
		if _, tags, has := strings.Cut(rest, " · tags "); has {
			m.Tags = strings.Split(tags, ", ")
		}
		list, m, of = append(list, *m), nil, nil
	}
	drop()
	return list, others, len(list) > 0
}

// spansOf returns the code spans that a text begins with, separated by commas, and the rest.
func spansOf(text string) (spans []string, rest string) {
	for {
		fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
		end := strings.Index(text[len(fence):], fence)
		if fence == "" || end < 0 {
			return spans, text
		}
		span := text[len(fence):][:end]
		if len(fence) > 1 {
			span = strings.TrimSuffix(strings.TrimPrefix(span, " "), " ")
		}
		spans = append(spans, span)
		text = text[2*len(fence)+end:]
		next, more := strings.CutPrefix(text, ", ")
		if !more {
			return spans, text
		}
		text = next
	}
}
