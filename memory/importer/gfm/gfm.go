// Package gfm reads Markdown as GitHub writes it: with tables, boxes of tasks and text that is struck out.
// Those are the extensions of goldmark that rule files need, written after goldmark's own (MIT, Yusuke
// Inuzuka), whose package compiles the patterns of all extensions before main. The syntax tree is the same,
// see the test. It must not know what is read.
package gfm

import (
	"bytes"
	"sync"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Parse returns the syntax tree of a text.
func Parse(src []byte) ast.Node {
	return shared().Parse(text.NewReader(src))
}

// shared is a parser for all texts: what it knows of one is in the context of each call.
var shared = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(append(parser.DefaultInlineParsers(), util.Prioritized(boxes{}, 0), util.Prioritized(strikes{}, 500))...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), util.Prioritized(tables{}, 200))...),
		parser.WithASTTransformers(util.Prioritized(pipes{}, 0)),
	)
})

// boxes parses the box of a task, "[ ]" or "[x]", at the beginning of a list's entry.
type boxes struct{}

// Trigger returns the first byte of a box.
func (boxes) Trigger() []byte { return []byte{'['} }

// Parse parses a box.
func (boxes) Parse(parent ast.Node, block text.Reader, _ parser.Context) ast.Node {
	if parent.Parent() == nil || parent.Parent().FirstChild() != parent || parent.HasChildren() {
		return nil
	}
	if _, ok := parent.Parent().(*ast.ListItem); !ok {
		return nil
	}
	line, _ := block.PeekLine()
	if len(line) < 3 || line[2] != ']' || line[1] != 'x' && line[1] != 'X' && !isSpace(line[1]) {
		return nil
	}
	end := 3
	for end < len(line) && isSpace(line[end]) {
		end++
	}
	block.Advance(end)
	return east.NewTaskCheckBox(line[1] == 'x' || line[1] == 'X')
}

// isSpace reports what \s matches.
func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r' }

// strikes parses "~~text~~".
type strikes struct{}

// IsDelimiter reports the sign around text that is struck out.
func (strikes) IsDelimiter(b byte) bool { return b == '~' }

// CanOpenCloser reports whether one sign closes what another opens.
func (strikes) CanOpenCloser(opener, closer *parser.Delimiter) bool {
	return opener.Char == closer.Char
}

// OnMatch makes a node.
func (strikes) OnMatch(int) ast.Node { return east.NewStrikethrough() }

// Trigger returns the first byte.
func (strikes) Trigger() []byte { return []byte{'~'} }

// Parse parses one or two signs.
func (s strikes) Parse(_ ast.Node, block text.Reader, pc parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, segment := block.PeekLine()
	node := parser.ScanDelimiter(line, before, 1, s)
	if node == nil || node.OriginalLength > 2 || before == '~' {
		return nil
	}
	node.Segment = segment.WithStop(segment.Start + node.OriginalLength)
	block.Advance(node.OriginalLength)
	pc.PushDelimiter(node)
	return node
}

// tables makes tables of paragraphs that have a line such as "|---|:-:|".
type tables struct{}

// maxFilled is how many cells are added in a text to rows that have fewer than their table has columns. Of a table of
// 1,000 columns each line of two bytes would be a thousand cells.
const maxFilled = 100_000

// filled counts them in a text.
var filled = parser.NewContextKey()

// Transform makes the tables of a paragraph.
func (t tables) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	pos, lines := node.Pos(), node.Lines()
	for i := 1; i < lines.Len(); i++ {
		columns := alignments(segmentOf(lines, i, reader))
		if columns == nil {
			continue
		}
		header := t.row(lines.At(i-1), columns, true, reader.Source())
		t.fill(header, len(columns), pc)
		if len(columns) != header.ChildCount() {
			return
		}
		made := east.NewTable()
		made.Alignments = columns
		made.SetPos(pos)
		made.AppendChild(made, east.NewTableHeader(header))
		for j := i + 1; j < lines.Len(); j++ {
			row := t.row(lines.At(j), columns, false, reader.Source())
			t.fill(row, len(columns), pc)
			made.AppendChild(made, row)
		}
		lines.SetSliced(0, i-1)
		node.Parent().InsertAfter(node.Parent(), node, made)
		if lines.Len() == 0 {
			node.Parent().RemoveChild(node.Parent(), node)
			continue
		}
		last := lines.At(i - 2)
		last.Stop-- // without the line's end
		lines.Set(i-2, last)
	}
}

func segmentOf(lines *text.Segments, i int, reader text.Reader) []byte {
	s := lines.At(i)
	return s.Value(reader.Source())
}

// row parses a line of a table.
func (tables) row(line text.Segment, columns []east.Alignment, header bool, source []byte) *east.TableRow {
	segment := line.TrimLeftSpace(source)
	segment = segment.TrimRightSpace(source)
	value := segment.Value(source)
	row := east.NewTableRow(columns)
	row.SetPos(line.Start)
	at, end := 0, len(value)
	if end > 0 && value[0] == '|' {
		at++
	}
	if end > 0 && value[end-1] == '|' {
		end--
	}
	n := 0
	for ; at < end; n++ {
		alignment := east.AlignNone
		if n < len(columns) {
			alignment = columns[n]
		} else if !header {
			return row
		}
		cell := east.NewTableCell()
		cell.SetPos(line.Start + at - line.Padding)
		cell.Alignment = alignment
		stop := at
		for stop < end && (value[stop] != '|' || stop > 0 && value[stop-1] == '\\') {
			stop++
		}
		inner := text.NewSegment(segment.Start+at, segment.Start+stop)
		inner = inner.TrimLeftSpace(source)
		inner = inner.TrimRightSpace(source)
		cell.Lines().Append(inner)
		row.AppendChild(row, cell)
		at = stop + 1
	}
	return row
}

// fill adds the cells that a row lacks.
func (tables) fill(row *east.TableRow, columns int, pc parser.Context) {
	count, _ := pc.Get(filled).(int)
	for n := row.ChildCount(); n < columns && count < maxFilled; n++ {
		row.AppendChild(row, east.NewTableCell())
		count++
	}
	pc.Set(filled, count)
}

// alignments parses the line below a table's head, nil for another line.
func alignments(line []byte) []east.Alignment {
	if w, _ := util.IndentWidth(line, 0); w > 3 {
		return nil
	}
	only := true
	for _, c := range line {
		if c != '-' {
			only = false
		}
		if !util.IsSpace(c) && c != '-' && c != '|' && c != ':' {
			return nil
		}
	}
	if only {
		return nil
	}
	columns := bytes.Split(line, []byte{'|'})
	if util.IsBlank(columns[0]) {
		columns = columns[1:]
	}
	if len(columns) > 0 && util.IsBlank(columns[len(columns)-1]) {
		columns = columns[:len(columns)-1]
	}
	var out []east.Alignment
	for _, c := range columns {
		c = bytes.TrimFunc(c, func(r rune) bool { return r < 128 && isSpace(byte(r)) })
		dashes := bytes.Trim(c, ":")
		left, right := len(c)-len(bytes.TrimLeft(c, ":")), len(c)-len(bytes.TrimRight(c, ":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 || left > 1 || right > 1 {
			return nil
		}
		switch {
		case left+right == 2:
			out = append(out, east.AlignCenter)
		case left == 1:
			out = append(out, east.AlignLeft)
		case right == 1:
			out = append(out, east.AlignRight)
		default:
			out = append(out, east.AlignNone)
		}
	}
	return out
}

// pipes takes the backslash from "\|" in the code of a table's cell. Everywhere else it is none of the text
// already.
type pipes struct{}

// Transform changes the cells of a document.
func (p pipes) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	_ = ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if entering && n.Kind() == ast.KindCodeSpan && inCell(n) {
			p.unescape(n, reader.Source())
		}
		return ast.WalkContinue, nil
	})
}

func inCell(n ast.Node) bool {
	for ; n != nil; n = n.Parent() {
		if n.Kind() == east.KindTableCell {
			return true
		}
	}
	return false
}

func (pipes) unescape(code ast.Node, source []byte) {
	for c := code.FirstChild(); c != nil; {
		next := c.NextSibling()
		t, ok := c.(*ast.Text)
		if !ok {
			c = next
			continue
		}
		i := bytes.Index(t.Segment.Value(source), []byte(`\|`))
		if i < 0 {
			c = next
			continue
		}
		at := t.Segment.Start + i - t.Segment.Padding
		before, after := ast.NewRawTextSegment(t.Segment.WithStop(at)), ast.NewRawTextSegment(t.Segment.WithStart(at+1))
		code.InsertAfter(code, t, before)
		code.InsertAfter(code, before, after)
		code.RemoveChild(code, t)
		c = after
	}
}
