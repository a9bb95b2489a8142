//go:build cgo

package extract

import (
	"bytes"
	"regexp"
	"strconv"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"manicule/indexer/markdown"
)

// blockParser returns a Markdown parser for blocks only; it skips the content of
// paragraphs.
func blockParser() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100), // the order of goldmark's own list
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewHTMLBlockParser(), 900),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	))
}

// frontMatter matches the data block that many site generators expect before the text.
// Its end would turn its last line into a heading.
var frontMatter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\A(?:---|\+\+\+)[ \t]*\r?\n(?s:.*?\n)??(?:---|\+\+\+)[ \t]*(?:\r?\n|\z)`)
})

// headings finds the headings of a Markdown source with goldmark. The grammar takes
// ten times as long for the same result: in a repository with many pages that was a
// fifth of the indexing time.
func headings(src []byte) *facts {
	found := newFacts()
	if m := frontMatter().FindIndex(src); m != nil {
		clean := bytes.Clone(src)
		for i := range clean[:m[1]] {
			if clean[i] != '\n' && clean[i] != '\r' {
				clean[i] = ' '
			}
		}
		src = clean
	}
	document := blockParser().Parse(text.NewReader(markdown.Bound(src)))
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		h, ok := n.(*ast.Heading)
		if !entering || !ok || h.Lines().Len() == 0 {
			return ast.WalkContinue, nil
		}
		first, last := h.Lines().At(0), h.Lines().At(h.Lines().Len()-1)
		name := trimmed(src, Span{Start: first.Start, End: last.Stop})
		name.End = name.Start + len(bytes.TrimRight(src[name.Start:name.End], " \t\r\n"))
		if name.End == name.Start {
			return ast.WalkSkipChildren, nil
		}
		found.definitions = append(found.definitions, definition{
			role: roleHeading, kind: strconv.Itoa(h.Level), name: name, span: headingSpan(src, name), arity: -1, body: -1,
		})
		return ast.WalkSkipChildren, nil
	})
	return found
}

// headingSpan returns the span of a heading with its marks: the number signs before
// it, or the line below it.
func headingSpan(src []byte, name Span) Span {
	start := name.Start
	for start > 0 && (src[start-1] == ' ' || src[start-1] == '\t' || src[start-1] == '#') {
		start--
	}
	for src[start] == ' ' || src[start] == '\t' {
		start++
	}
	end := lineEnd(src, name.End)
	if src[start] != '#' || start == name.Start {
		start = name.Start
		if n := bytes.IndexByte(src[end:], '\n'); n >= 0 {
			end = lineEnd(src, end+n+1)
		}
	}
	return Span{Start: start, End: end}
}
