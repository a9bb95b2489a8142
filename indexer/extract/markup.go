package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"manicule/indexer/sorting"
)

// markupKind is whose rules the markup of a component follows.
type markupKind int

const (
	markupVue markupKind = iota + 1
	markupSvelte
	markupAstro
)

// markupCode is what the markup of a component does, as TypeScript: an expression is a statement, what
// names something for the elements below it (a loop, a slot, a snippet) is a function around theirs, and
// the tag of a component is a call of it.
type markupCode struct {
	text   []byte
	parts  []markupPart  // by their places in the text
	scopes []markupScope // likewise
}

// markupPart is a piece of the text that stands in the source. A part of another length there, such as
// a tag with dashes, is one name.
type markupPart struct {
	at, size   int // in the text
	start, end int // in the source
}

// markupScope is the element in which the parameters of a function of the text are names.
type markupScope struct {
	at         int // of the function in the text
	start, end int // in the source
}

// maxMarkupScopes is how many functions of the text may lie in each other. Nobody writes so many loops,
// and a parser takes a frame of its stack for each.
const maxMarkupScopes = 64

// markupReader reads the markup of one source.
type markupReader struct {
	markupCode
	src   []byte
	kind  markupKind
	known map[string]bool // the names that the code of the component declares or imports
	open  []markupElement
	named map[string][]int // the places of open elements, by name
	depth int              // functions that are open
	nest  int              // elements in expressions in elements
	lost  bool             // something that began has no end: nothing behind it can be trusted
	literals
}

// markupElement is an element or a block whose end was not seen yet.
type markupElement struct {
	name    string // "#each" for a block
	closers []string
	scopes  []int // indices of scopes
}

// readMarkup translates the markup of a component.
func readMarkup(kind markupKind, src []byte, known map[string]bool) markupCode {
	m := &markupReader{src: src, kind: kind, known: known, named: map[string][]int{}}
	start := 0
	if kind == markupAstro {
		if spans := scriptsAndFrontMatter(src); len(spans) > 0 && dashes(src, len(src)-len(bytes.TrimLeft(src, " \t\r\n"))) {
			start = nextLine(src, spans[0].End)
		}
	}
	m.glue("(() => {\n")
	m.nodes(start, false)
	m.closeTo(0, len(src))
	m.glue("});\n")
	sorting.StableFunc(m.scopes, func(a, b markupScope) int { return a.at - b.at })
	return m.markupCode
}

// glue adds text that the source does not have.
func (m *markupReader) glue(s string) { m.text = append(m.text, s...) }

// copy adds a piece of the source.
func (m *markupReader) copy(start, end int) {
	if start < end {
		m.parts = append(m.parts, markupPart{at: len(m.text), size: end - start, start: start, end: end})
		m.text = append(m.text, m.src[start:end]...)
	}
}

// name adds a name that the source writes in another way.
func (m *markupReader) name(name string, start, end int) {
	m.parts = append(m.parts, markupPart{at: len(m.text), size: len(name), start: start, end: end})
	m.glue(name)
}

// expression adds an expression.
func (m *markupReader) expression(start, end int) {
	if len(bytes.TrimSpace(m.src[start:end])) == 0 {
		return
	}
	m.glue("(")
	m.copy(start, end)
	m.glue("\n);\n")
}

// scope opens a function that gets the names of some pieces of the source, for the innermost open
// element. from is where they begin to count.
func (m *markupReader) scope(before string, from int, params ...Span) {
	if m.depth >= maxMarkupScopes || len(m.open) == 0 {
		return
	}
	m.depth++
	m.glue(before)
	e := &m.open[len(m.open)-1]
	e.scopes = append(e.scopes, len(m.scopes))
	m.scopes = append(m.scopes, markupScope{at: len(m.text), start: from, end: len(m.src)})
	m.glue("(")
	for i, p := range params {
		if i > 0 {
			m.glue(", ")
		}
		m.copy(p.Start, p.End)
	}
	m.glue(") => {\n")
	after := "};\n"
	if before == "(" {
		after = "});\n"
	}
	e.closers = append(e.closers, after)
}

// begin opens an element or a block.
func (m *markupReader) begin(name string) {
	m.named[name] = append(m.named[name], len(m.open))
	m.open = append(m.open, markupElement{name: name})
}

// closeTo closes the open elements beyond the first n, which end at an offset.
func (m *markupReader) closeTo(n, at int) {
	for len(m.open) > n {
		e := m.open[len(m.open)-1]
		m.open = m.open[:len(m.open)-1]
		m.named[e.name] = m.named[e.name][:len(m.named[e.name])-1]
		for _, c := range slices.Backward(e.closers) {
			m.glue(c)
			m.depth--
		}
		for _, s := range e.scopes {
			m.scopes[s].end = at
		}
	}
}

// closeNamed closes the innermost open element of a name, beyond the first n, if there is one.
func (m *markupReader) closeNamed(name string, n, at int) {
	if places := m.named[name]; len(places) > 0 && places[len(places)-1] >= n {
		m.closeTo(places[len(places)-1], at)
	}
}

// nodes reads elements and text from an offset, and returns where they end: with the source, or, if
// one is set, with the first element.
func (m *markupReader) nodes(at int, one bool) int {
	base := len(m.open)
	for at < len(m.src) && !m.lost {
		n := bytes.IndexAny(m.src[at:], "<{")
		if n < 0 {
			return len(m.src)
		}
		at += n
		rest := m.src[at:]
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			at = behind(m.src, at, "-->")
			continue
		case bytes.HasPrefix(rest, []byte("</")):
			end := behind(m.src, at, ">")
			name, _, _ := strings.Cut(strings.TrimRight(string(m.src[at+2:end]), "> \t\r\n"), " ")
			m.closeNamed(name, base, end)
			at = end
		case rest[0] == '<' && len(rest) > 1 && (isLetter(rest[1]) || m.kind == markupAstro && rest[1] == '>'):
			at = m.element(at)
		case rest[0] == '<':
			at++
			continue
		case m.kind == markupVue:
			at = m.mustache(at)
			continue
		case m.kind == markupSvelte:
			at = m.block(at)
			continue
		default:
			at = m.code(at + 1)
			continue
		}
		if one && len(m.open) <= base {
			return at
		}
	}
	return len(m.src)
}

// mustache reads "{{ expression }}".
func (m *markupReader) mustache(at int) int {
	if !bytes.HasPrefix(m.src[at:], []byte("{{")) {
		return at + 1
	}
	n := bytes.Index(m.src[at:], []byte("}}"))
	if n < 0 {
		m.lost = true
		return len(m.src)
	}
	if m.inTemplate() {
		m.expression(at+2, at+n)
	}
	return at + n + 2
}

// inTemplate reports whether the text at this place is that of a Vue component, not of another block.
func (m *markupReader) inTemplate() bool { return len(m.open) > 0 }

// code reads an expression of Astro, which may have elements in it, up to the brace that closes it.
func (m *markupReader) code(at int) int {
	m.glue("(")
	from, depth := at, 0
	before := byte('{') // the last byte that is no white space
	for at < len(m.src) {
		c := m.src[at]
		switch {
		case c == '{', c == '(', c == '[':
			depth++
		case c == '}' && depth <= 0:
			m.copy(from, at)
			m.glue("\n);\n")
			return at + 1
		case c == '}', c == ')', c == ']':
			depth--
		case c == '<' && at+1 < len(m.src) && (isLetter(m.src[at+1]) || m.src[at+1] == '>' || m.src[at+1] == '!') && (bytes.IndexByte([]byte("({[,=>&|?:;"), before) >= 0 || returns(m.src[from:at])):
			m.copy(from, at)
			if m.src[at+1] == '!' {
				at = behind(m.src, at, "-->")
				from = at
				continue
			}
			if m.nest++; m.nest > maxMarkupScopes {
				m.lost = true
				return len(m.src)
			}
			m.glue("(() => {\n")
			at = m.nodes(at, true)
			m.glue("})()")
			m.nest--
			from, before = at, ')'
			continue
		default:
			if next := m.skipLiteral(m.src, at, before, 0); next < 0 {
				m.lost = true
				return len(m.src)
			} else if next > at {
				at, before = next, c
				continue
			}
		}
		if !isSpace(c) {
			before = c
		}
		at++
	}
	m.lost = true
	return len(m.src)
}

// returns reports whether code ends with "return".
func returns(code []byte) bool {
	return bytes.HasSuffix(bytes.TrimRight(code, " \t\r\n"), []byte("return"))
}

// braces returns the end of the code behind an opening brace: the place of the one that closes it, -1
// without one.
func (m *markupReader) braces(at int) int {
	end := m.closingBrace(m.src, at, 0)
	if end < 0 {
		m.lost = true
	}
	return end
}

// literals finds the ends of code in a source. It notes where none of some kind ends, from one that does not to the end of its
// line: that would be looked through for each.
type literals struct{ noQuote, noApostrophe, noRegexp Span }

// closingBrace returns the place of the bracket that closes one before an offset, -1 without one.
func (l *literals) closingBrace(src []byte, at, nest int) int {
	depth, before := 0, byte('{')
	for at < len(src) {
		c := src[at]
		switch c {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth == 0 {
				return at
			}
			depth--
		default:
			next := l.skipLiteral(src, at, before, nest)
			if next < 0 {
				return -1
			}
			if next > at {
				at, before = next, c
				continue
			}
		}
		if !isSpace(c) {
			before = c
		}
		at++
	}
	return -1
}

// skipLiteral returns the end of a string, comment or regular expression of JavaScript that begins at
// an offset: the offset itself if none does, -1 if it has no end. before is the last byte before it
// that is no white space.
func (l *literals) skipLiteral(src []byte, at int, before byte, nest int) int {
	switch c := src[at]; c {
	case '"', '\'':
		return l.quotedEnd(src, at)
	case '`':
		return l.templateEnd(src, at, nest)
	case '/':
		switch {
		case bytes.HasPrefix(src[at:], []byte("//")):
			return nextLine(src, at)
		case bytes.HasPrefix(src[at:], []byte("/*")):
			return behind(src, at, "*/")
		case bytes.IndexByte([]byte("({[,=:!&|?;+"), before) >= 0:
			return l.regexpEnd(src, at)
		}
	}
	return at
}

// quotedEnd returns the end of a string, or of what begins it if its line does not end it: an apostrophe.
func (l *literals) quotedEnd(src []byte, at int) int {
	none := &l.noQuote
	if src[at] == '\'' {
		none = &l.noApostrophe
	}
	if none.Start <= at && at < none.End {
		return at + 1
	}
	i := at + 1
	for ; i < len(src) && src[i] != '\n'; i++ {
		switch src[i] {
		case '\\':
			i++
		case src[at]:
			return i + 1
		}
	}
	*none = Span{Start: at, End: i}
	return at + 1
}

// regexpEnd returns the end of a regular expression, its beginning if its line does not end it.
func (l *literals) regexpEnd(src []byte, at int) int {
	if l.noRegexp.Start <= at && at < l.noRegexp.End {
		return at
	}
	class, i := false, at+1
	for ; i < len(src) && src[i] != '\n'; i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			return i + 1
		}
	}
	l.noRegexp = Span{Start: at, End: i}
	return at
}

// templateEnd returns the end of a template string, -1 if it has none.
func (l *literals) templateEnd(src []byte, at, nest int) int {
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '`':
			return i + 1
		case '$':
			if i+1 < len(src) && src[i+1] == '{' {
				if nest >= maxMarkupScopes {
					return -1
				}
				if i = l.closingBrace(src, i+2, nest+1); i < 0 {
					return -1
				}
			}
		}
	}
	return -1
}

// isLetter reports whether a byte may begin the name of an element.
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// locate returns the place in the source of a place in the text. ok is false for what the source does
// not have.
func (m *markupCode) locate(at int) (p markupPart, ok bool) {
	i, found := slices.BinarySearchFunc(m.parts, at, func(p markupPart, at int) int { return cmp.Compare(p.at, at) })
	if !found {
		i--
	}
	if i < 0 || at >= m.parts[i].at+m.parts[i].size {
		return markupPart{}, false
	}
	return m.parts[i], true
}

// span returns the place in the source of a name in the text.
func (m *markupCode) span(start, end int) (Span, bool) {
	p, ok := m.locate(start)
	if !ok || end > p.at+p.size {
		return Span{}, false
	}
	if p.size != p.end-p.start {
		return Span{Start: p.start, End: p.end}, true
	}
	return Span{Start: p.start + start - p.at, End: p.start + end - p.at}, true
}

// scopeSpan returns the place in the source where the names of a function of the text count.
func (m *markupCode) scopeSpan(s Span) (Span, bool) {
	if i, found := slices.BinarySearchFunc(m.scopes, s.Start, func(s markupScope, at int) int { return cmp.Compare(s.at, at) }); found {
		return Span{Start: m.scopes[i].start, End: m.scopes[i].end}, true
	}
	first, ok := m.locate(s.Start)
	if !ok {
		return Span{}, false
	}
	i, found := slices.BinarySearchFunc(m.parts, s.End-1, func(p markupPart, at int) int { return cmp.Compare(p.at, at) })
	if !found {
		i--
	}
	last := m.parts[i]
	start := first.start + s.Start - first.at
	return Span{Start: start, End: max(start, last.start+min(s.End-last.at, last.end-last.start))}, true
}
