package main

import (
	"bytes"
	"context"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/memory/gate"
)

// maxColoured is the size of a text from which on it is printed without colours: a preview is drawn
// at every move of the cursor, and the whole text is parsed for it.
const maxColoured = 256 << 10

// stretch is a part of a text in one colour.
type stretch struct {
	start, end int
	code       string // of the terminal
}

// colouring returns the parts of a source text that have a colour, in their order: keywords, literals
// and comments. It has none where the language is not known, and for prose.
func colouring(ctx context.Context, path string, text []byte) []stretch {
	l, known := grammars.ForPath(path)
	if !known || l.ID == "markdown" || len(text) > maxColoured {
		return nil
	}
	_, tree, err := extract.ParseTree(ctx, l.ID, text)
	if err != nil {
		return nil
	}
	var out []stretch
	at := 0
	comment := func(to int) { // what is between tokens, and no space
		gap := text[at:max(at, to)]
		if inner := bytes.TrimSpace(gap); len(inner) > 0 {
			start := at + bytes.Index(gap, inner)
			out = append(out, stretch{start, start + len(inner), faint})
		}
	}
	for _, t := range tree.Tokens {
		start, end := int(t.Start), int(t.End)
		if start < at || end > len(text) {
			continue
		}
		comment(start)
		at = end
		switch first := text[start:end]; {
		case t.Class == extract.ClassLiteral:
			out = append(out, stretch{start, end, green})
		case t.Class == extract.ClassMark && len(first) > 1 && isWord(first):
			out = append(out, stretch{start, end, yellow})
		}
	}
	comment(len(text))
	return out
}

// isWord reports whether a mark is a keyword, not an operator.
func isWord(b []byte) bool {
	for _, c := range b {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '_' {
			return false
		}
	}
	return true
}

// coloured returns the lines of a text from one to another, as a terminal shows them.
func coloured(ctx context.Context, c *console, path string, text []byte, from, to int) []string {
	var parts []stretch
	if c.paint(bold, "-") != "-" {
		parts = colouring(ctx, path, text)
	}
	var out []string
	start, n := 0, 0
	for line := range bytes.Lines(text) {
		end := start + len(line)
		if n++; n > to {
			break
		}
		if n >= from {
			out = append(out, colouredLine(c, text, start, end, parts))
		}
		for len(parts) > 0 && parts[0].end <= end {
			parts = parts[1:]
		}
		start = end
	}
	return out
}

// colouredLine returns a line of a text in its colours. A file is not trusted with codes of its own.
func colouredLine(c *console, text []byte, start, end int, parts []stretch) string {
	var b strings.Builder
	end = start + len(bytes.TrimRight(text[start:end], " \t\r\n"))
	at := start
	for _, p := range parts {
		from, to := max(p.start, at), min(p.end, end)
		if p.start >= end {
			break
		}
		if from >= to {
			continue
		}
		b.WriteString(gate.Printable(string(text[at:from])))
		b.WriteString(c.paint(p.code, gate.Printable(string(text[from:to]))))
		at = to
	}
	b.WriteString(gate.Printable(string(text[at:end])))
	return b.String()
}
