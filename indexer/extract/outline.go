package extract

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"manicule/grammars"
)

// outlined is a language without a grammar, whose declarations are found by their
// first lines.
type outlined struct {
	rules        lexRules
	skip         *regexp.Regexp // nil for none
	declarations []declaration
}

// declaration is a compiled grammars.Declaration.
type declaration struct {
	grammars.Declaration
	pattern *regexp.Regexp
	name    int   // the group with the name
	of      []int // the groups with what it is a part of
}

// outlines are the languages without a grammar. Each is compiled on first use.
var outlines = sync.OnceValue(func() map[string]func() (*language, error) {
	out := map[string]func() (*language, error){}
	for _, l := range grammars.All() {
		if l.Outline != nil {
			out[l.ID] = sync.OnceValues(func() (*language, error) { return compileOutline(l) })
		}
	}
	return out
})

func compileOutline(l grammars.Language) (*language, error) {
	o := &outlined{rules: lexRulesOf(l)}
	if l.Outline.Skip != "" {
		skip, err := regexp.Compile(`\A(?m:` + l.Outline.Skip + `)`)
		if err != nil {
			return nil, fmt.Errorf("compile what %s skips: %w", l.ID, err)
		}
		o.skip = skip
	}
	for _, d := range l.Outline.Declarations {
		pattern, err := regexp.Compile(`\A(?m:` + d.Pattern + `)`)
		if err != nil {
			return nil, fmt.Errorf("compile the declarations of %s: %w", l.ID, err)
		}
		c := declaration{Declaration: d, pattern: pattern, name: pattern.SubexpIndex("name")}
		for i, name := range pattern.SubexpNames() {
			if strings.HasPrefix(name, "of") {
				c.of = append(c.of, i)
			}
		}
		o.declarations = append(o.declarations, c)
	}
	return &language{outlined: o}, nil
}

// readOutline is readFlat for a language without a grammar.
func (l *language) readOutline(ctx context.Context, lang string, src []byte) (*File, *Tree, error) {
	x := lex(&l.outlined.rules, src)
	found, err := l.outlined.find(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	f, err := l.finish(ctx, lang, src, found)
	if err != nil {
		return nil, nil, err
	}
	return f, x.tree, nil
}

// maxHeader is how much of a source a pattern sees.
const maxHeader = 2 << 10

// find finds the declarations of a source.
func (o *outlined) find(ctx context.Context, x *lexed) (*facts, error) {
	found := newFacts()
	found.docs, found.errors = x.comments, x.errors
	ends := &endFinder{lexed: x, endless: map[endlessKey]endless{}, missing: map[string]bool{}}
	var open []definition // the declarations around the current line
	for _, at := range x.lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for len(open) > 0 && open[len(open)-1].span.End <= at {
			open = open[:len(open)-1]
		}
		around := ""
		if len(open) > 0 {
			around = open[len(open)-1].kind
		}
		text := x.src[at:min(at+maxHeader, len(x.src))]
		if len(bytes.TrimSpace(text[:nextLine(text, 0)])) == 0 || o.skip != nil && o.skip.Match(text) {
			continue
		}
		d, ok := o.declarationAt(x, at, text, around, ends)
		if !ok {
			continue
		}
		found.definitions = append(found.definitions, d)
		if d.role != roleHeading {
			open = append(open, d)
		}
	}
	return found, nil
}

// declarationAt returns the declaration that begins with a line.
func (o *outlined) declarationAt(x *lexed, at int, text []byte, around string, ends *endFinder) (definition, bool) {
	for i := range o.declarations {
		d := &o.declarations[i]
		if d.Within != nil && !slices.Contains(d.Within, around) {
			continue
		}
		m := d.pattern.FindSubmatchIndex(text)
		if m == nil || m[2*d.name] < 0 {
			continue
		}
		start := at + len(text) - len(bytes.TrimLeft(text, " \t"))
		def := definition{
			kind: d.Kind, name: Span{Start: at + m[2*d.name], End: at + m[2*d.name+1]}, arity: -1, body: -1, container: d.container(text, m),
		}
		if d.Kind == "section" {
			def.role, def.kind = roleHeading, "1"
			def.span = Span{Start: start, End: lineEnd(x.src, def.name.End)}
			return def, true
		}
		def.span = Span{Start: start}
		def.span.End, def.body = ends.find(d.Declaration, start, def.name.End)
		if d.Body && def.body < 0 {
			continue
		}
		def.span.End = max(def.span.End, def.name.End)
		return def, true
	}
	return definition{}, false
}

// container returns what a declaration is a part of by its own first line.
func (d *declaration) container(text []byte, m []int) string {
	var parts []string
	if d.Of != "" {
		parts = append(parts, d.Of)
	}
	for _, i := range d.of {
		if m[2*i] >= 0 {
			parts = append(parts, string(text[m[2*i]:m[2*i+1]]))
		}
	}
	return strings.Join(parts, ".")
}

// endFinder finds where declarations end. It remembers where it found nothing: a source
// of many declarations without their ends would be read to its end for each of them.
type endFinder struct {
	*lexed
	endless map[endlessKey]endless
	missing map[string]bool // words that no line begins with
}

// endlessKey says of what no end was found: the brackets around, by their node, and what
// was looked for.
type endlessKey struct {
	ends   grammars.Ends
	around int32
}

// endless is a search without a result: the tokens that it saw, and the end of the last.
type endless struct{ from, to, last int }

// find returns the end of a declaration, and where its body begins, -1 without one.
func (e *endFinder) find(d grammars.Declaration, start, from int) (end, body int) {
	switch d.Ends {
	case grammars.EndBrace:
		if bytes.IndexByte(e.src[start:from], '{') >= 0 { // in the name: .#{$prefix}card
			start = from
		}
		return e.brackets(start, '{')
	case grammars.EndParen:
		return e.brackets(start, '(')
	case grammars.EndIndent:
		return e.indented(start)
	case grammars.EndWord:
		return e.word(start, d.Word), lineEnd(e.src, start)
	case grammars.EndStatement:
		return e.mark(d.Ends, from, func(c byte, _ bool) bool { return c == ';' }), lineEnd(e.src, from)
	case grammars.EndItem:
		return e.mark(d.Ends, from, func(c byte, _ bool) bool { return c == ',' || c == ';' }), -1
	default:
		end, _, _ := e.until(from, func(_ byte, begins bool) bool { return begins }, false)
		return end, -1
	}
}

// mark is until for the end of a statement or an item.
func (e *endFinder) mark(kind grammars.Ends, from int, ends func(c byte, begins bool) bool) int {
	first := e.tokenAt(from)
	key := endlessKey{kind, e.around(first, from)}
	if known, ok := e.endless[key]; ok && known.from <= first && first < known.to {
		return known.last
	}
	end, to, found := e.until(from, ends, kind == grammars.EndStatement)
	if !found {
		e.endless[key] = endless{first, to, end}
	}
	return end
}

// around returns the node of the brackets around a token that open before an offset, -1
// without any.
func (e *endFinder) around(token, from int) int32 {
	if token >= len(e.tree.Tokens) {
		return -1
	}
	n := e.tree.Tokens[token].Node
	for n >= 0 && (e.tree.Nodes[n].Kind != lexBrackets || int(e.tree.Nodes[n].Start) >= from) {
		n = e.tree.Nodes[n].Parent
	}
	return n
}

// until returns the end of the tokens up to one that ends a declaration, or to what
// closes the brackets around it. The function gets the first byte of a token and
// whether it begins a line. Brackets that open on the way are passed over. found is false
// if no token ends it; to is the token where that was clear.
func (e *endFinder) until(from int, ends func(c byte, begins bool) bool, with bool) (end, to int, found bool) {
	tokens, nodes := e.upTo(from), e.tree.Nodes
	last := from
	for i := e.tokenAt(from); i < len(tokens); i++ {
		t := &tokens[i]
		if n := &nodes[t.Node]; int(n.Start) < from && int(t.End) == int(n.End) && n.Kind == lexBrackets && e.src[n.Start] != e.src[t.Start] {
			return last, i, false // closes what is around
		}
		if ends(e.src[t.Start], e.begins(i, last)) {
			if with {
				return int(t.End), i, true
			}
			return last, i, true
		}
		if n := e.whole(i); n.Kind != lexLine && int(n.First) == i && int(n.Start) >= from {
			i = int(n.Last) - 1
			last = int(n.End)
			continue
		}
		last = int(t.End)
	}
	return last, len(tokens), false
}

// whole returns the node of a token, or the text that begins with it.
func (e *endFinder) whole(token int) *Node {
	n := &e.tree.Nodes[e.tree.Tokens[token].Node]
	if n.Kind == lexLine && n.Parent >= 0 {
		if around := &e.tree.Nodes[n.Parent]; around.Kind == lexText && int(around.First) == token {
			return around
		}
	}
	return n
}

// upTo returns the tokens up to the first cut behind an offset.
func (e *endFinder) upTo(from int) []Token {
	if i, _ := slices.BinarySearch(e.cuts, from+1); i < len(e.cuts) {
		return e.tree.Tokens[:e.tokenAt(e.cuts[i])]
	}
	return e.tree.Tokens
}

// begins reports whether a token begins a line, and is not on a line that a backslash
// continues.
func (e *endFinder) begins(token, last int) bool {
	start := int(e.tree.Tokens[token].Start)
	i, _ := slices.BinarySearch(e.lines, last+1)
	return i < len(e.lines) && e.lines[i] <= start
}

// brackets returns the end of the first brackets of a kind, and where they begin. If a
// semicolon comes first, or a line without them that is not indented deeper, the
// declaration ends there.
func (e *endFinder) brackets(from int, opener byte) (end, body int) {
	tokens, nodes := e.upTo(from), e.tree.Nodes
	own := indentation(e.src, from)
	last := from
	for i := e.tokenAt(from); i < len(tokens); i++ {
		t := &tokens[i]
		n := &nodes[t.Node]
		opens := n.Kind == lexBrackets && int(n.First) == i
		switch c := e.src[t.Start]; {
		case opens && c == opener:
			return int(n.End), int(n.Start)
		case c == ';':
			return int(t.End), -1
		case e.begins(i, last) && !(opens && c == opener) && indentation(e.src, int(t.Start)) <= own, n.Kind == lexBrackets && int(n.Start) < from:
			return last, -1
		case opens:
			i = int(n.Last) - 1
			last = int(n.End)
			continue
		}
		last = int(t.End)
	}
	return last, -1
}

// indented returns the end of the line of an offset and of the deeper ones behind it.
func (e *endFinder) indented(start int) (end, body int) {
	own := indentation(e.src, start)
	at, _, _ := e.until(start, func(_ byte, begins bool) bool { return begins }, false)
	body = lineEnd(e.src, at)
	end = body
	for at = nextLine(e.src, at); at < len(e.src); at = nextLine(e.src, at) {
		first := skipBlanks(e.src, at)
		if first >= len(e.src) || e.src[first] == '\n' || e.src[first] == '\r' {
			continue // a blank line is in it if a deeper one follows
		}
		if first-at <= own {
			break
		}
		end = lineEnd(e.src, first)
	}
	return end, body
}

// indentation returns how many bytes of white space begin the line of an offset.
func indentation(src []byte, at int) int {
	line := bytes.LastIndexByte(src[:at], '\n') + 1
	return skipBlanks(src, line) - line
}

func skipBlanks(src []byte, at int) int {
	for at < len(src) && (src[at] == ' ' || src[at] == '\t') {
		at++
	}
	return at
}

// word returns the end of the first line behind an offset that begins with a word.
func (e *endFinder) word(start int, word string) int {
	for at := nextLine(e.src, start); at < len(e.src) && !e.missing[word]; at = nextLine(e.src, at) {
		if rest, ok := bytes.CutPrefix(bytes.TrimSpace(e.src[at:nextLine(e.src, at)]), []byte(word)); ok && (len(rest) == 0 || !markupByte(rest[0])) {
			return lineEnd(e.src, at)
		}
	}
	e.missing[word] = true // also behind this line
	return len(e.src)
}
