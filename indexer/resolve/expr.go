package resolve

import "strings"

// expr is an expression, reduced to what determines the declarations it leads to.
type expr struct {
	op   op
	name string // of ident, member and the type of literal, cast and new
	args string // of new: the type arguments as written; of an arrow function: its written result
	x    *expr  // the operand; of an arrow function: its body, if that is an expression
	or   *expr  // the right operand of "a || b"
}

type op uint8

const (
	opUnknown op = iota
	opIdent
	opMember  // x.name
	opCall    // x(…)
	opIndex   // x[…]
	opLiteral // a value of the written type name
	opBasic   // a number, string, boolean: without members in the workspace
	opFunc    // a function literal; name is its result type
	opAwait   // the value of a promise, or received from a channel
	opOr      // x or the other operand
	opList    // a list display
)

// parser parses one expression.
type parser struct {
	s     string
	i     int
	depth int
}

// maxDepth limits the nesting of brackets.
const maxDepth = 40

// parseExpr parses the longest supported prefix of s. It ignores what follows an
// operator.
func parseExpr(s string) *expr {
	p := &parser{s: s}
	return p.binary()
}

func (p *parser) space() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t' || p.s[p.i] == '\n' || p.s[p.i] == '\r') {
		p.i++
	}
}

func (p *parser) rest() string { return p.s[p.i:] }

func (p *parser) has(prefix string) bool { return strings.HasPrefix(p.s[p.i:], prefix) }

func (p *parser) word() string {
	j := p.i
	for j < len(p.s) && isWord(p.s[j]) {
		j++
	}
	return p.s[p.i:j]
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '@' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// binary parses a unary expression and "or" with another one; any other operator ends
// it.
func (p *parser) binary() *expr {
	if p.depth++; p.depth > maxDepth {
		return &expr{}
	}
	defer func() { p.depth-- }()
	x := p.unary()
	p.space()
	switch {
	case p.has("||"), p.has("??"), p.has("?:"):
		p.i += 2
		if p.has("=") {
			p.i++
		}
		return &expr{op: opOr, x: x, or: p.binary()}
	case p.has("or ") && x.op != opUnknown:
		p.i += 3
		return &expr{op: opOr, x: x, or: p.binary()}
	case p.has("if "): // Python: x if c else y
		return x
	case p.has("as? "), p.has("as! "), p.has("as "), p.has("satisfies "):
		rest := p.rest()
		rest = strings.TrimLeft(rest[strings.IndexByte(rest, ' '):], " ")
		if strings.HasPrefix(rest, "const") {
			return x
		}
		for _, through := range []string{"unknown as ", "any as ", "never as "} {
			rest = strings.TrimPrefix(rest, through)
		}
		return &expr{op: opLiteral, name: rest}
	case p.has("&&"), p.has("and "):
		p.i += strings.IndexAny(p.rest(), "& d") + 2
		return p.binary()
	case p.has("?") && !p.has("?."):
		p.i++
		then := p.binary()
		return then
	case p.has("=="), p.has("!="), p.has("<"), p.has(">"), p.has("+"), p.has("-"), p.has("/"), p.has("%"), p.has("*"), p.has("|"), p.has("^"), p.has("in "), p.has("instanceof "), p.has("is "):
		return &expr{op: opBasic}
	}
	return x
}

func (p *parser) unary() *expr {
	p.space()
	switch {
	case p.has("<-"):
		p.i += 2
		return &expr{op: opAwait, x: p.unary()}
	case p.has("..."):
		p.i += 3
		return p.unary()
	case p.has("&mut "):
		p.i += 5
		return p.unary()
	case p.has("&"), p.has("*"):
		p.i++
		return p.unary()
	case p.has("!"), p.has("-"), p.has("+"), p.has("~"):
		return &expr{op: opBasic}
	}
	switch w := p.word(); w {
	case "await":
		p.i += len(w)
		return &expr{op: opAwait, x: p.unary()}
	case "yield", "typeof", "try", "mut", "move", "ref", "lazy", "checked":
		if p.i+len(w) < len(p.s) && p.s[p.i+len(w)] == ' ' {
			p.i += len(w)
			return p.unary()
		}
	case "not", "delete", "void":
		return &expr{op: opBasic}
	}
	return p.postfix(p.primary())
}

func (p *parser) primary() *expr {
	p.space()
	if p.i >= len(p.s) {
		return &expr{}
	}
	switch c := p.s[p.i]; {
	case c == '"' || c == '\'' || c == '`':
		p.quoted(c)
		return &expr{op: opBasic}
	case c >= '0' && c <= '9':
		p.i += len(p.word())
		return &expr{op: opBasic}
	case c == '(':
		return p.parens()
	case c == '[':
		return p.brackets()
	case c == '{':
		p.skip()
		return &expr{op: opBasic}
	case c == '<': // a cast of TypeScript, or JSX
		p.skipAngle()
		return p.unary()
	case !isWord(c):
		return &expr{}
	}
	return p.named()
}

// named parses what begins with a word: a keyword and what follows it, a value, or a name.
func (p *parser) named() *expr {
	w := p.word()
	p.i += len(w)
	switch w {
	case "func":
		return p.function()
	case "function", "fn", "lambda", "async":
		if w == "async" && !p.has(" (") && !p.has("(") && !p.has(" function") {
			break
		}
		if p.space(); w == "async" && p.has("(") {
			if f := p.parens(); f.op == opFunc {
				return f
			}
		}
		p.i = len(p.s)
		return &expr{op: opFunc}
	case "new":
		return p.construction()
	case "make":
		if p.has("(") && !p.has("()") { // Go's has an argument
			inner := p.skip()
			return &expr{op: opLiteral, name: firstArgument(inner)}
		}
	case "map", "chan":
		if w == "map" && p.has("[") || w == "chan" && p.has(" ") {
			return p.composite(p.i - len(w))
		}
	case "struct": // a Go literal of an unnamed type
		if p.space(); p.has("{") {
			p.skip()
			return &expr{op: opLiteral, name: "struct"}
		}
		return &expr{op: opBasic}
	case "interface":
		return &expr{op: opBasic}
	case "true", "false", "nil", "null", "None", "True", "False", "undefined", "nullptr":
		return &expr{op: opBasic}
	}
	if strings.HasSuffix(w, "f") || strings.HasSuffix(w, "b") || strings.HasSuffix(w, "r") {
		if len(w) <= 2 && p.i < len(p.s) && (p.s[p.i] == '"' || p.s[p.i] == '\'') { // f"", b'', rb""
			p.quoted(p.s[p.i])
			return &expr{op: opBasic}
		}
	}
	return &expr{op: opIdent, name: w}
}

// construction parses what follows "new": a type and its arguments.
func (p *parser) construction() *expr {
	if p.i < len(p.s) && p.s[p.i] == '(' { // Go's new(T)
		inner := p.skip()
		return &expr{op: opLiteral, name: inner}
	}
	p.space()
	start := p.i
	for p.i < len(p.s) && (isWord(p.s[p.i]) || p.s[p.i] == '.' || p.s[p.i] == ':' || p.s[p.i] == '\\') {
		p.i++
	}
	name, typeArgs := p.s[start:p.i], ""
	if p.has("<") {
		from := p.i
		p.skipAngle()
		typeArgs = p.s[from:p.i]
	}
	if p.has("[") { // Scala's type arguments, unless it is the length of an array
		if args := p.skip(); p.has("(") {
			name += "[" + args + "]"
		}
	}
	if p.has("(") {
		p.skip()
	}
	return &expr{op: opLiteral, name: name, args: typeArgs}
}

// parens parses "(x)", a tuple, or the parameters of an arrow function.
func (p *parser) parens() *expr {
	inner := p.skip()
	p.space()
	if p.has("=>") || p.has(": ") && strings.Contains(p.rest(), "=>") {
		return p.arrow()
	}
	q := &parser{s: inner, depth: p.depth + 1}
	if q.depth > maxDepth {
		return &expr{}
	}
	if star := strings.TrimSpace(inner); strings.HasPrefix(star, "*") && p.has("(") { // (*T)(x)
		p.skip()
		return &expr{op: opLiteral, name: star}
	}
	return q.binary()
}

// arrow parses what follows the parameters of an arrow function: a written result, or a
// body that is an expression.
func (p *parser) arrow() *expr {
	written, body, _ := strings.Cut(p.rest(), "=>")
	p.i = len(p.s)
	f := &expr{op: opFunc}
	written = strings.TrimSpace(written)
	if strings.HasPrefix(written, ":") && !strings.ContainsAny(written, "(") {
		f.args = strings.TrimSpace(written[1:])
		return f
	}
	if body = strings.TrimSpace(body); written == "" && body != "" && body[0] != '{' {
		q := &parser{s: body, depth: p.depth + 1}
		f.x = q.binary()
	}
	return f
}

// brackets parses a list display, or a Go composite literal of a slice.
func (p *parser) brackets() *expr {
	start := p.i
	inner := p.skip()
	if p.i < len(p.s) && (isWord(p.s[p.i]) || p.s[p.i] == '*' || p.s[p.i] == '[') {
		return p.composite(start)
	}
	return &expr{op: opList, name: firstArgument(inner)}
}

// composite parses a Go type that begins at start, and what follows it.
func (p *parser) composite(start int) *expr {
	p.i = start
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '[':
			p.skip()
		case c == '{' || c == '(':
			name := p.s[start:p.i]
			p.skip()
			return &expr{op: opLiteral, name: name}
		case isWord(c) || c == '.' || c == '*' || c == ' ':
			p.i++
		default:
			return &expr{op: opLiteral, name: p.s[start:p.i]}
		}
	}
	return &expr{op: opLiteral, name: p.s[start:p.i]}
}

// function parses a Go function literal; its result type is the text between the
// parameters and the body.
func (p *parser) function() *expr {
	if !p.has("(") {
		return &expr{op: opFunc}
	}
	p.skip()
	start := p.i
	for p.i < len(p.s) && p.s[p.i] != '{' {
		if p.s[p.i] == '(' || p.s[p.i] == '[' {
			p.skip()
			continue
		}
		p.i++
	}
	f := &expr{op: opFunc, name: strings.TrimSpace(p.s[start:p.i])}
	if p.has("{") {
		p.skip()
	}
	return f
}

func (p *parser) postfix(x *expr) *expr {
	for n := 0; n < 4*maxDepth; n++ {
		before := p.i
		p.space()
		switch {
		case p.has("?."), p.has("!."), p.has("->"), p.has("::"):
			p.i += 2
			x = p.member(x)
		case p.has("!!."):
			p.i += 3
			x = p.member(x)
		case p.has(".") && !p.has(".."):
			p.i++
			x = p.member(x)
		case p.has("("):
			if p.i > before && x.op == opBasic {
				p.i = before
				return x
			}
			p.skip()
			x = &expr{op: opCall, x: x}
		case p.has("["):
			inner := p.skip()
			x = &expr{op: opIndex, x: x, name: inner}
		case p.has("{") && (x.op == opIdent || x.op == opMember || x.op == opIndex) && typeLike(x):
			p.skip()
			x = &expr{op: opLiteral, name: x.text()}
		case p.has("!") && !p.has("!="), p.has("?") && p.i+1 < len(p.s) && (p.s[p.i+1] == '.' || p.s[p.i+1] == ';'):
			p.i++
		case p.has("?") && p.i == len(p.s)-1:
			p.i++
			x = &expr{op: opAwait, x: x}
		case p.has("<") && x.op != opBasic && p.generic():
			p.skipAngle()
		case p.has("`"):
			p.quoted('`')
			return &expr{op: opBasic}
		default:
			p.i = before
			return x
		}
	}
	return &expr{}
}

// typeLike reports whether a brace behind x begins a literal of Go or Rust.
func typeLike(x *expr) bool {
	name := x.name
	if x.op == opIndex {
		return x.x != nil && typeLike(x.x)
	}
	return name != "" && name != "else"
}

// text returns the path of a type as text.
func (x *expr) text() string {
	switch x.op {
	case opIdent:
		return x.name
	case opMember:
		return x.x.text() + "." + x.name
	case opIndex:
		return x.x.text() + "[" + x.name + "]"
	}
	return ""
}

// generic reports whether "<" opens the type arguments of a call.
func (p *parser) generic() bool {
	end := angleEnd(p.s, p.i)
	return end > 0 && end < len(p.s) && (p.s[end] == '(' || p.s[end] == ':' || p.s[end] == '.')
}

func (p *parser) member(x *expr) *expr {
	p.space()
	if p.has("(") { // Go's x.(T)
		inner := p.skip()
		return &expr{op: opLiteral, name: inner}
	}
	if p.has("<") { // Rust's ::<T>
		p.skipAngle()
		return x
	}
	private := ""
	if p.has("#") { // part of the name
		private = "#"
		p.i++
	}
	w := p.word()
	p.i += len(w)
	switch w {
	case "":
		return &expr{}
	case "await":
		return &expr{op: opAwait, x: x}
	}
	return &expr{op: opMember, x: x, name: private + w}
}

// skip consumes a bracket and returns its content.
func (p *parser) skip() string {
	start, depth := p.i+1, 0
	for p.i < len(p.s) {
		switch c := p.s[p.i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				p.i++
				return p.s[start : p.i-1]
			}
		case '"', '\'', '`':
			p.quoted(c)
			continue
		}
		p.i++
	}
	return p.s[min(start, len(p.s)):]
}

func (p *parser) quoted(q byte) {
	defer func() { p.i = min(p.i, len(p.s)) }() // the text may be cut behind a backslash
	for p.i++; p.i < len(p.s); p.i++ {
		switch p.s[p.i] {
		case '\\':
			p.i++
		case q:
			p.i++
			return
		}
	}
}

func (p *parser) skipAngle() {
	if end := angleEnd(p.s, p.i); end > 0 {
		p.i = end
		return
	}
	p.i = len(p.s)
}

// angleEnd returns the offset behind the ">" that closes the "<" at i, or 0.
func angleEnd(s string, i int) int {
	depth := 0
	for ; i < len(s); i++ {
		switch s[i] {
		case '<':
			depth++
		case '>':
			if i > 0 && (s[i-1] == '-' || s[i-1] == '=') {
				continue
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case '"': // a type of TypeScript: Omit<T, "a">
			end := strings.IndexByte(s[i+1:], '"')
			if end < 0 {
				return 0
			}
			i += end + 1
		case ';':
			return 0
		}
	}
	return 0
}

// firstArgument returns a list up to its first comma.
func firstArgument(list string) string {
	if parts := splitTop(list, ','); len(parts) > 0 {
		return parts[0]
	}
	return ""
}

// splitTop splits at a separator outside of brackets and quotes.
func splitTop(s string, sep byte) []string {
	var parts []string
	depth, start, quote := 0, 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == quote && s[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{' || c == '<':
			depth++
		case c == ')' || c == ']' || c == '}' || c == '>' && (i == 0 || s[i-1] != '=' && s[i-1] != '-'):
			depth--
		case c == sep && depth == 0:
			parts = append(parts, strings.TrimSpace(s[start:i]))
			start = i + 1
		}
	}
	if last := strings.TrimSpace(s[start:]); last != "" {
		parts = append(parts, last)
	}
	return parts
}
