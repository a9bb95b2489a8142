package importer

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"manicule/indexer/markdown"
	"manicule/memory/importer/gfm"
	"manicule/memory/lazyregexp"
)

type blockKind int

const (
	heading blockKind = iota
	paragraph
	list
	code
	table
	html
	rule
)

// block is a Markdown block in the chunker's form.
type block struct {
	kind     blockKind
	line     int    // 1-based, of its first line
	level    int    // of a heading
	text     string // plain, with inline code in backticks; of a code block: the code
	lang     string
	lines    []string // of a paragraph: its source lines as plain text
	items    []item
	ordered  bool
	bold     bool // emphasized as a whole
	links    int  // number of characters of link text
	images   bool // only images and links around them
	lead     bool // it starts with emphasized words that end in a colon or full stop
	subject  string
	imported bool // only "@path"
}

// item is one entry of a list.
type item struct {
	block
	rest string // what follows the first paragraph
	subs int    // number of entries in its sub-lists
	task bool
}

type document struct {
	meta    meta
	blocks  []block
	imports []string
}

// parseDocument parses the front matter and the blocks of a rule file.
func parseDocument(src string) document {
	m, body := cutFrontMatter(src)
	r := &reader{src: markdown.Bound([]byte(body))}
	r.starts = append(r.starts, 0)
	for i, c := range r.src {
		if c == '\n' {
			r.starts = append(r.starts, i+1)
		}
	}
	root := gfm.Parse(r.src)
	doc := document{meta: m, blocks: r.blocks(root)}
	doc.imports = r.imports
	return doc
}

type reader struct {
	src     []byte
	starts  []int
	imports []string
}

func (r *reader) line(offset int) int {
	lo, hi := 0, len(r.starts)
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if r.starts[mid] <= offset {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1
}

// lineOf returns the first line of a node: its own position, or its content's.
func (r *reader) lineOf(n ast.Node) int {
	if n.Type() == ast.TypeBlock && n.Lines() != nil && n.Lines().Len() > 0 {
		line := r.line(n.Lines().At(0).Start)
		if _, ok := n.(*ast.FencedCodeBlock); ok {
			line--
		}
		return line
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			return r.line(t.Segment.Start)
		}
		if line := r.lineOf(c); line > 0 {
			return line
		}
	}
	return max(0, r.positionLine(n))
}

func (r *reader) positionLine(n ast.Node) int {
	if p := n.Pos(); p >= 0 && p < len(r.src) {
		return r.line(p)
	}
	return 0
}

func (r *reader) blocks(parent ast.Node) []block {
	var out []block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		b := block{line: r.lineOf(n)}
		switch n := n.(type) {
		case *ast.Heading:
			b.kind, b.level, b.text = heading, n.Level, oneLine(r.inline(n))
		case *ast.Paragraph, *ast.TextBlock:
			b.kind = paragraph
			r.fill(&b, n)
		case *ast.List:
			b.kind, b.ordered = list, n.IsOrdered()
			for li := n.FirstChild(); li != nil; li = li.NextSibling() {
				b.items = append(b.items, r.item(li))
			}
		case *ast.FencedCodeBlock:
			b.kind, b.lang = code, string(n.Language(r.src))
			b.text = r.raw(n)
		case *ast.CodeBlock:
			b.kind, b.text = code, r.raw(n)
		case *east.Table:
			b.kind, b.text = table, r.table(n)
		case *ast.Blockquote:
			out = append(out, r.blocks(n)...)
			continue
		case *ast.HTMLBlock:
			b.kind, b.text = html, r.raw(n)
		case *ast.ThematicBreak:
			b.kind = rule
		default:
			continue
		}
		if b.line == 0 && len(out) > 0 {
			b.line = out[len(out)-1].line
		}
		b.line = max(1, b.line)
		out = append(out, b)
	}
	return out
}

func (r *reader) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		b.Write(s.Value(r.src))
	}
	return strings.TrimRight(b.String(), "\n")
}

// alert matches the marker of a GitHub alert, "[!WARNING]".
var alert = lazyregexp.New(`^\[!(\w+)\]\s*`)

// importRef matches a file that Claude Code and Gemini include: "@docs/x.md".
var importRef = lazyregexp.New(`(?:^|[\s(])@((?:\.{0,2}/|~/)?[\w.-]+(?:/[\w.-]+)*\.\w+)`)

func (r *reader) fill(b *block, n ast.Node) {
	raw := r.inline(n)
	b.text = alert.ReplaceAllString(oneLine(raw), "")
	for l := range strings.SplitSeq(raw, "\n") {
		if l = oneLine(l); l != "" {
			b.lines = append(b.lines, l)
		}
	}
	b.links, b.images = r.linkText(n), r.onlyImages(n)
	first := n.FirstChild()
	if e, ok := first.(*ast.Emphasis); ok {
		bold := oneLine(r.inline(e))
		after := strings.TrimSpace(strings.TrimPrefix(b.text, bold))
		b.bold = after == "" || after == ":" || after == "."
		b.lead = strings.HasSuffix(bold, ":") || strings.HasSuffix(bold, ".") ||
			strings.HasPrefix(after, ":") || strings.HasPrefix(after, "—") || strings.HasPrefix(after, "–") || strings.HasPrefix(after, "- ")
	}
	if m := subjectPath.FindStringSubmatch(b.text); m != nil {
		b.subject = m[1]
	}
	for _, m := range importRef.FindAllStringSubmatch(r.outsideCode(n), -1) {
		r.imports = append(r.imports, strings.TrimSuffix(m[1], "."))
		b.imported = b.imported || oneLine(b.text) == "@"+m[1]
	}
}

func (r *reader) item(li ast.Node) item {
	it := item{block: block{kind: paragraph, line: r.lineOf(li)}}
	first := li.FirstChild()
	if first == nil {
		return it
	}
	switch first.(type) {
	case *ast.TextBlock, *ast.Paragraph:
		r.fill(&it.block, first)
		if box, ok := first.FirstChild().(*east.TaskCheckBox); ok && box != nil {
			it.task = true
		}
		first = first.NextSibling()
	}
	var rest []string
	for n := first; n != nil; n = n.NextSibling() {
		s, subs := r.render(n, "")
		it.subs += subs
		if s != "" {
			rest = append(rest, s)
		}
	}
	it.rest = strings.Join(rest, "\n")
	it.line = max(1, it.line)
	return it
}

// render renders a block below a rule as plain text.
func (r *reader) render(n ast.Node, indent string) (s string, items int) {
	switch n := n.(type) {
	case *ast.List:
		var out []string
		i := n.Start
		for li := n.FirstChild(); li != nil; li = li.NextSibling() {
			mark := "- "
			if n.IsOrdered() {
				mark = strconv.Itoa(i) + ". "
				i++
			}
			it := r.item(li)
			items++
			line := indent + mark + it.text
			if it.rest != "" {
				line += "\n" + indentBy(it.rest, indent+"  ")
			}
			out = append(out, line)
		}
		return strings.Join(out, "\n"), items
	case *ast.FencedCodeBlock:
		return "```" + string(n.Language(r.src)) + "\n" + r.raw(n) + "\n```", 0
	case *ast.CodeBlock, *ast.HTMLBlock:
		return r.raw(n), 0
	case *east.Table:
		return r.table(n), 0
	case *ast.Paragraph, *ast.TextBlock, *ast.Heading:
		var b block
		r.fill(&b, n)
		return indent + b.text, 0
	case *ast.ThematicBreak:
		return "", 0
	}
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		t, sub := r.render(c, indent)
		items += sub
		out = append(out, t)
	}
	return strings.Join(out, "\n"), items
}

func indentBy(s, indent string) string {
	return indent + strings.ReplaceAll(s, "\n", "\n"+indent)
}

func (r *reader) table(n ast.Node) string {
	var rows []string
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells []string
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			cells = append(cells, oneLine(r.inline(c)))
		}
		rows = append(rows, "| "+strings.Join(cells, " | ")+" |")
	}
	return strings.Join(rows, "\n")
}

// inline renders the inline content of a block as plain text and keeps soft line breaks.
func (r *reader) inline(n ast.Node) string {
	var b strings.Builder
	r.writeInline(&b, n)
	return b.String()
}

func (r *reader) writeInline(b *strings.Builder, n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(unescape(c.Segment.Value(r.src)))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte('\n')
			}
		case *ast.String:
			b.Write(c.Value)
		case *ast.CodeSpan:
			b.WriteByte('`')
			for t := c.FirstChild(); t != nil; t = t.NextSibling() {
				if s, ok := t.(*ast.Text); ok {
					b.WriteString(strings.ReplaceAll(string(s.Segment.Value(r.src)), "\n", " "))
				}
			}
			b.WriteByte('`')
		case *ast.AutoLink:
			b.Write(c.URL(r.src))
		case *ast.Image, *east.TaskCheckBox:
		case *ast.RawHTML:
			var raw strings.Builder
			for i := range c.Segments.Len() {
				s := c.Segments.At(i)
				raw.Write(s.Value(r.src))
			}
			if !htmlTag.MatchString(raw.String()) {
				b.WriteString(raw.String()) // a placeholder such as <name>
			}
		default:
			r.writeInline(b, c)
		}
	}
}

// htmlTag matches meaningless tags and comments. Other <words> are placeholders.
var htmlTag = lazyregexp.New(`(?i)^(?:<!--|</?(?:a|b|br|i|em|p|div|span|img|kbd|sub|sup|strong|code|details|summary|u)\b)`)

var escaped = lazyregexp.New("\\\\([!-/:-@\\[-`{-~])")

func unescape(b []byte) []byte { return escaped.ReplaceAll(b, []byte("$1")) }

// linkText counts the characters of link text.
func (r *reader) linkText(n ast.Node) int {
	total := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Link:
			total += len(oneLine(r.inline(c)))
		case *ast.AutoLink:
			total += len(c.URL(r.src))
		default:
			total += r.linkText(c)
		}
	}
	return total
}

// onlyImages reports whether a node is a line of badges.
func (r *reader) onlyImages(n ast.Node) bool {
	if n.FirstChild() == nil {
		return false
	}
	images := 0
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Image:
			images++
		case *ast.Link:
			if _, ok := c.FirstChild().(*ast.Image); !ok {
				return false
			}
			images++
		case *ast.Text:
			if len(strings.TrimSpace(string(c.Segment.Value(r.src)))) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return images > 0
}

// outsideCode returns the inline text without code spans.
func (r *reader) outsideCode(n ast.Node) string {
	var b strings.Builder
	// The visitor returns no error, so the walk has none.
	_ = ast.Walk(n, func(c ast.Node, in bool) (ast.WalkStatus, error) {
		if _, ok := c.(*ast.CodeSpan); ok {
			return ast.WalkSkipChildren, nil
		}
		if t, ok := c.(*ast.Text); ok && in {
			b.Write(t.Segment.Value(r.src))
			if t.SoftLineBreak() {
				b.WriteByte('\n')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}
