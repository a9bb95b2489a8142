package syntax

import (
	"fmt"
	"regexp"
	"strings"
)

// Query is a compiled query in the language that tree-sitter's documentation describes
// under "Query Syntax". It supports nodes, literals, wildcards, fields, negated
// fields, alternations, anchors, the quantifier "?", captures and the predicates #eq?,
// #match? and their negations. Anything else is an error, never ignored. A query is
// immutable and may be used by any number of goroutines.
type Query struct {
	Captures []string // names, by number
	Patterns int      // number of top-level patterns
	patterns []*pattern
	byRoot   [][]*pattern // by symbol of the root node
	byChild  [][]*pattern // by symbol of a child, for patterns whose root is a wildcard
	anyRoot  []*pattern   // patterns with a wildcard root that need no specific child
}

// pattern is one top-level pattern, or one branch of it.
type pattern struct {
	index      int
	root       *step
	predicates []predicate
}

// step is one node of a pattern.
type step struct {
	any      bool   // every node matches
	named    bool   // with any: literals don't match
	symbol   uint16 // unless any
	field    uint16 // 0 for any field
	negated  []uint16
	captures []int
	children []item
}

// item is one expected child of a node.
type item struct {
	branches  []*step
	optional  bool
	immediate bool // no named node may precede it
	last      bool // no named node may follow
}

// predicate is a condition on the text of captures.
type predicate struct {
	capture int
	other   int // the capture to compare with, -1 for text or pattern
	text    string
	match   *regexp.Regexp
	want    bool
}

// CompileError says where a query is invalid.
type CompileError struct {
	Line   int // from 1
	Reason string
}

func (e *CompileError) Error() string { return fmt.Sprintf("query line %d: %s", e.Line, e.Reason) }

// Compile compiles a query for a language. Its error is a *CompileError.
func Compile(text string, l *Language) (*Query, error) {
	c := &compiler{text: text, language: l, query: &Query{}, captures: make(map[string]int)}
	for c.space(); c.at < len(c.text); c.space() {
		if err := c.top(); err != nil {
			return nil, err
		}
	}
	c.query.Patterns = c.count
	c.query.index(len(l.names))
	return c.query, nil
}

// compiler is a recursive descent parser for queries.
type compiler struct {
	text       string
	at         int
	language   *Language
	query      *Query
	captures   map[string]int
	predicates []predicate // of the current pattern
	count      int         // number of patterns so far
}

func (c *compiler) fail(format string, args ...any) error {
	return &CompileError{Line: 1 + strings.Count(c.text[:min(c.at, len(c.text))], "\n"), Reason: fmt.Sprintf(format, args...)}
}

// space skips white space and comments.
func (c *compiler) space() {
	for c.at < len(c.text) {
		switch c.text[c.at] {
		case ' ', '\t', '\n', '\r':
			c.at++
		case ';':
			for c.at < len(c.text) && c.text[c.at] != '\n' {
				c.at++
			}
		default:
			return
		}
	}
}

// next returns the next character, 0 at the end.
func (c *compiler) next() byte {
	if c.at < len(c.text) {
		return c.text[c.at]
	}
	return 0
}

// take consumes a character if it comes next, and the space behind it.
func (c *compiler) take(want byte) bool {
	if c.next() != want {
		return false
	}
	c.at++
	c.space()
	return true
}

func (c *compiler) top() error {
	c.predicates = nil
	it, err := c.item()
	if err != nil {
		return err
	}
	if it.optional {
		return c.fail("a pattern as a whole can't be optional")
	}
	for _, root := range it.branches {
		c.query.patterns = append(c.query.patterns, &pattern{index: c.count, root: root, predicates: c.predicates})
	}
	c.count++
	return nil
}

// item parses a node, a literal, an alternation or a group of one of these, with its
// suffixes.
func (c *compiler) item() (item, error) {
	var it item
	var err error
	switch ch := c.next(); {
	case ch == '[':
		it, err = c.alternation()
	case ch == '(':
		it, err = c.parenthesis()
	case ch == '"':
		it, err = c.literal()
	case ch == '_' && !wordAt(c.text, c.at+1):
		c.at++
		it = item{branches: []*step{{any: true}}}
	case wordAt(c.text, c.at):
		return c.fielded()
	case ch == 0:
		return item{}, c.fail("the query ends in the middle of a pattern")
	default:
		return item{}, c.fail("unexpected %q", ch)
	}
	if err != nil {
		return item{}, err
	}
	return c.suffixes(it)
}

func (c *compiler) suffixes(it item) (item, error) {
	for {
		c.space()
		switch c.next() {
		case '?':
			c.at++
			it.optional = true
		case '*', '+':
			return item{}, c.fail("the quantifier %q is not supported: each child is a match of its own", c.next())
		case '@':
			c.at++
			id := c.capture(c.word())
			for _, s := range it.branches {
				s.captures = append(s.captures, id)
			}
		default:
			return it, nil
		}
	}
}

func (c *compiler) alternation() (item, error) {
	c.at++
	var it item
	for c.space(); c.next() != ']'; c.space() {
		branch, err := c.item()
		if err != nil {
			return item{}, err
		}
		if branch.optional {
			return item{}, c.fail("a branch of an alternation can't be optional")
		}
		it.branches = append(it.branches, branch.branches...)
	}
	c.at++
	if len(it.branches) == 0 {
		return item{}, c.fail("an alternation without branches")
	}
	return it, nil
}

// parenthesis parses a node, or a group: a pattern and its predicates.
func (c *compiler) parenthesis() (item, error) {
	c.at++
	c.space()
	if ch := c.next(); ch == '(' || ch == '[' || ch == '"' {
		it, err := c.item()
		if err != nil {
			return item{}, err
		}
		for c.space(); c.next() == '(' && c.predicateAt(); c.space() {
			if err := c.predicate(); err != nil {
				return item{}, err
			}
		}
		if c.next() != ')' {
			return item{}, c.fail("a group of more than one node is not supported: write what is around them")
		}
		c.at++
		return it, nil
	}
	s, err := c.node()
	if err != nil {
		return item{}, err
	}
	return item{branches: []*step{s}}, nil
}

func (c *compiler) literal() (item, error) {
	text, err := c.quoted()
	if err != nil {
		return item{}, err
	}
	symbol, ok := c.language.Symbol(text, false)
	if !ok {
		return item{}, c.fail("the grammar has no literal %q", text)
	}
	return item{branches: []*step{{symbol: symbol}}}, nil
}

func (c *compiler) fielded() (item, error) {
	name := c.word()
	c.space()
	if !c.take(':') {
		return item{}, c.fail("%q has no brackets and is followed by no colon", name)
	}
	field := c.language.Field(name)
	if field == 0 {
		return item{}, c.fail("the grammar has no field %q", name)
	}
	it, err := c.item()
	for _, s := range it.branches {
		s.field = field
	}
	return it, err
}

// node parses a node behind its opening parenthesis.
func (c *compiler) node() (*step, error) {
	name := c.word()
	s := &step{}
	switch name {
	case "":
		return nil, c.fail("a node without a name")
	case "_":
		s.any, s.named = true, true
	case "ERROR":
		s.symbol = symbolError
	default:
		var ok bool
		if s.symbol, ok = c.language.Symbol(name, true); !ok {
			return nil, c.fail("the grammar has no visible node %q", name)
		}
	}
	anchored := false
	for {
		c.space()
		switch {
		case c.next() == ')':
			c.at++
			if anchored {
				if len(s.children) == 0 {
					return nil, c.fail("an anchor without a child before it")
				}
				s.children[len(s.children)-1].last = true
			}
			return s, nil
		case c.take('!'):
			field := c.language.Field(c.word())
			if field == 0 {
				return nil, c.fail("the grammar has no such field to be absent")
			}
			s.negated = append(s.negated, field)
		case c.take('.'):
			anchored = true
		case c.next() == '(' && c.predicateAt():
			if err := c.predicate(); err != nil {
				return nil, err
			}
		default:
			it, err := c.item()
			if err != nil {
				return nil, err
			}
			it.immediate, anchored = anchored, false
			s.children = append(s.children, it)
		}
	}
}

// predicateAt reports whether the next parenthesis begins a predicate.
func (c *compiler) predicateAt() bool {
	return strings.HasPrefix(strings.TrimLeft(c.text[c.at+1:], " \t\r\n"), "#")
}

func (c *compiler) predicate() error {
	c.at++
	c.space()
	c.at++ // the #
	name := c.word()
	negated := strings.HasPrefix(name, "not-")
	if c.next() != '?' {
		return c.fail("the directive #%s%c is not supported", name, c.next())
	}
	c.at++
	p := predicate{want: !negated, other: -1}
	c.space()
	if !c.take('@') {
		return c.fail("#%s? begins with a capture", name)
	}
	p.capture = c.capture(c.word())
	c.space()
	var err error
	switch kind := strings.TrimPrefix(name, "not-"); {
	case kind == "eq" && c.take('@'):
		p.other = c.capture(c.word())
	case kind == "eq":
		p.text, err = c.quoted()
	case kind == "match":
		if p.text, err = c.quoted(); err == nil {
			p.match, err = regexp.Compile(p.text)
			if err != nil {
				err = c.fail("%v", err)
			}
		}
	default:
		err = c.fail("the predicate #%s? is not supported", name)
	}
	if err != nil {
		return err
	}
	c.predicates = append(c.predicates, p)
	c.space()
	if !c.take(')') {
		return c.fail("#%s? has more than two arguments", name)
	}
	return nil
}

// capture returns the number of a capture's name.
func (c *compiler) capture(name string) int {
	id, ok := c.captures[name]
	if !ok {
		id = len(c.query.Captures)
		c.captures[name] = id
		c.query.Captures = append(c.query.Captures, name)
	}
	return id
}

// word parses a name, "" if none comes next.
func (c *compiler) word() string {
	start := c.at
	for wordAt(c.text, c.at) {
		c.at++
	}
	return c.text[start:c.at]
}

// wordAt reports whether a character of a name is at an offset. A dot belongs to a
// name only in its middle: before and behind it is an anchor.
func wordAt(text string, at int) bool {
	if at >= len(text) {
		return false
	}
	ch := text[at]
	if ch == '.' {
		return at > 0 && letter(text[at-1]) && at+1 < len(text) && letter(text[at+1])
	}
	return letter(ch) || ch == '-'
}

func letter(ch byte) bool {
	return 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || '0' <= ch && ch <= '9' || ch == '_'
}

// quoted parses a text in double quotes.
func (c *compiler) quoted() (string, error) {
	if c.next() != '"' {
		return "", c.fail("a text in quotes is expected")
	}
	var b strings.Builder
	for i := c.at + 1; i < len(c.text); i++ {
		switch ch := c.text[i]; ch {
		case '"':
			c.at = i + 1
			return b.String(), nil
		case '\n':
			return "", c.fail("a text in quotes does not end on its line")
		case '\\':
			if i++; i < len(c.text) {
				b.WriteByte(unescaped(c.text[i]))
			}
		default:
			b.WriteByte(ch)
		}
	}
	return "", c.fail("a text in quotes does not end")
}

func unescaped(ch byte) byte {
	switch ch {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '0':
		return 0
	}
	return ch
}

// index groups the patterns by their lookup key.
func (q *Query) index(symbols int) {
	q.byRoot, q.byChild = make([][]*pattern, symbols+1), make([][]*pattern, symbols+1)
	for _, p := range q.patterns {
		if !p.root.any {
			at := symbolSlot(p.root.symbol, symbols)
			q.byRoot[at] = append(q.byRoot[at], p)
			continue
		}
		leads := p.root.leadSymbols()
		if leads == nil {
			q.anyRoot = append(q.anyRoot, p)
		}
		for _, symbol := range leads {
			at := symbolSlot(symbol, symbols)
			q.byChild[at] = append(q.byChild[at], p)
		}
	}
}

// symbolSlot returns the place of a symbol in a table: ERROR comes last.
func symbolSlot(symbol uint16, symbols int) int { return min(int(symbol), symbols) }

// leadSymbols lists the symbols of which a child must have one, nil if any will do.
func (s *step) leadSymbols() []uint16 {
	for _, it := range s.children {
		var symbols []uint16
		for _, b := range it.branches {
			if b.any {
				symbols = nil
				break
			}
			symbols = append(symbols, b.symbol)
		}
		if !it.optional && symbols != nil {
			return symbols
		}
	}
	return nil
}
