package resolve

import "strings"

// pyNode is a Python expression, reduced to what values flow through.
type pyNode struct {
	op    pyOp
	text  string // name of pyName, name of pyMember behind a dot, literal of pyConst
	x     *pyNode
	items []*pyNode // arguments, elements, alternatives
	keys  []string  // parallel to items: keywords of arguments, literal keys of a dict; "" if there is none, nil if no argument has one
	index *pyNode

	rendered string        // by render, "" before
	constant *[1]flowValue // of pyConst, nil before it is asked
}

type pyOp uint8

const (
	pyUnknown pyOp = iota
	pyName
	pyConst
	pyMember // of x
	pyCall   // x(items)
	pyIndex  // x[index]
	pySlice  // x[text:keys[0]], both whole numbers, the second one possibly missing
	pyList   // a list, tuple or set
	pyDict
	pyOr // one of items
	pyEach
)

// pyParser parses expressions. Their nodes live as long as it does.
type pyParser struct {
	nodes slab[pyNode]
	none  pyNode // all that is unsupported
}

func (t *pyParser) unknown() *pyNode { return &t.none }

// parse parses an expression; anything unsupported is pyUnknown.
func (t *pyParser) parse(s string, depth int) *pyNode {
	s = strings.TrimSpace(s)
	if s == "" || depth > maxDepth {
		return t.unknown()
	}
	if isOneWord(s) { // most are one name or number
		if s[0] >= '0' && s[0] <= '9' {
			return t.nodes.add(pyNode{op: pyConst, text: s})
		}
		return t.nodes.add(pyNode{op: pyName, text: s})
	}
	if indexPython(s, ",") >= 0 {
		return t.sequence(s, depth)
	}
	if strings.HasPrefix(s, "lambda ") || strings.HasPrefix(s, "lambda:") || strings.HasPrefix(s, "not ") {
		return t.unknown()
	}
	if then, rest, ok := cutPython(s, " if "); ok {
		_, other, _ := cutPython(rest, " else ")
		return t.nodes.add(pyNode{op: pyOr, items: []*pyNode{t.parse(then, depth+1), t.parse(other, depth+1)}})
	}
	for _, word := range []string{" or ", " and "} {
		if a, b, ok := cutPython(s, word); ok {
			return t.nodes.add(pyNode{op: pyOr, items: []*pyNode{t.parse(a, depth+1), t.parse(b, depth+1)}})
		}
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "await "), "*")
	if i := strings.Index(s, ":="); i > 0 && identifier(strings.TrimSpace(s[:i])) {
		return t.parse(s[i+2:], depth+1)
	}
	p := &parser{s: s}
	x := t.primary(p, depth)
	for x.op != pyUnknown {
		p.space()
		switch {
		case p.has("."):
			dot := p.i
			p.i++
			p.space()
			w := p.word()
			if w == "" {
				return t.unknown()
			}
			p.i += len(w)
			text := p.s[dot:p.i]
			if len(text) > 1+len(w) { // white space
				text = "." + w
			}
			x = t.nodes.add(pyNode{op: pyMember, text: text, x: x})
		case p.has("("):
			x = t.arguments(t.nodes.add(pyNode{op: pyCall, x: x}), p.skip(), depth)
		case p.has("["):
			inner := p.skip()
			if indexPython(inner, ":") >= 0 {
				x = t.sliced(x, splitPython(inner, ":"))
				continue
			}
			x = t.nodes.add(pyNode{op: pyIndex, x: x, index: t.parse(inner, depth+1)})
		case p.i >= len(p.s):
			return x
		default:
			return t.unknown() // an operator
		}
	}
	return x
}

// isOneWord reports whether a text is one word.
func isOneWord(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) {
			return false
		}
	}
	return true
}

// sliced returns a slice. One whose bounds are not written as numbers has the
// elements of the whole.
func (t *pyParser) sliced(x *pyNode, bounds []string) *pyNode {
	number := func(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
	from, to := strings.TrimSpace(bounds[0]), strings.TrimSpace(bounds[1])
	if len(bounds) > 2 || !number(from) || to != "" && !number(to) {
		return x
	}
	return t.nodes.add(pyNode{op: pySlice, text: from, keys: []string{to}, x: x})
}

func (t *pyParser) primary(p *parser, depth int) *pyNode {
	if p.i >= len(p.s) {
		return t.unknown()
	}
	switch c := p.s[p.i]; {
	case c == '(':
		inner := p.skip()
		if x, target, ok := cutPython(inner, " for "); ok {
			return t.comprehension(x, target, depth)
		}
		if strings.HasSuffix(strings.TrimSpace(inner), ",") {
			return t.sequence(inner, depth)
		}
		return t.parse(inner, depth+1)
	case c == '[':
		inner := p.skip()
		if x, target, ok := cutPython(inner, " for "); ok {
			return t.comprehension(x, target, depth)
		}
		return t.sequence(inner, depth)
	case c == '{':
		inner := p.skip()
		if x, target, ok := cutPython(inner, " for "); ok {
			return t.comprehension(x, target, depth)
		}
		d := t.nodes.add(pyNode{op: pyDict})
		for _, item := range splitPython(inner, ",") {
			key, value, ok := cutPython(item, ":")
			if !ok {
				return t.sequence(inner, depth)
			}
			name := ""
			if k := t.parse(key, depth+1); k.op == pyConst {
				name = k.text
			}
			d.items, d.keys = append(d.items, t.parse(value, depth+1)), append(d.keys, name)
		}
		return d
	case c == '"' || c == '\'':
		start := p.i
		p.quoted(c)
		return t.nodes.add(pyNode{op: pyConst, text: `"` + strings.Trim(p.s[start:p.i], `"'`)})
	case c >= '0' && c <= '9':
		w := p.word()
		p.i += len(w)
		return t.nodes.add(pyNode{op: pyConst, text: w})
	case isWord(c):
		w := p.word()
		p.i += len(w)
		if p.i < len(p.s) && (p.s[p.i] == '"' || p.s[p.i] == '\'') {
			return t.unknown()
		}
		return t.nodes.add(pyNode{op: pyName, text: w})
	}
	return t.unknown()
}

func (t *pyParser) sequence(s string, depth int) *pyNode {
	var few [8]string
	parts := appendSplit(few[:0], s, ",")
	x := t.nodes.add(pyNode{op: pyList, items: make([]*pyNode, 0, len(parts))})
	for _, part := range parts {
		if part = strings.TrimSpace(part); part != "" {
			x.items = append(x.items, t.parse(part, depth+1))
		}
	}
	return x
}

// comprehension returns a list of unknown length with one element expression.
func (t *pyParser) comprehension(x, _ string, depth int) *pyNode {
	if _, value, ok := cutPython(x, ":"); ok {
		x = value
	}
	return t.nodes.add(pyNode{op: pyEach, items: []*pyNode{t.parse(x, depth+1)}})
}

func (t *pyParser) arguments(call *pyNode, inner string, depth int) *pyNode {
	if x, target, ok := cutPython(inner, " for "); ok {
		call.items = []*pyNode{t.comprehension(x, target, depth)}
		return call
	}
	var few [8]string
	args := appendSplit(few[:0], inner, ",")
	call.items = make([]*pyNode, 0, len(args))
	for _, arg := range args {
		key := ""
		if i := strings.IndexByte(arg, '='); i > 0 && identifier(strings.TrimSpace(arg[:i])) && !strings.HasPrefix(arg[i:], "==") {
			key, arg = strings.TrimSpace(arg[:i]), arg[i+1:]
		}
		if arg = strings.TrimSpace(arg); arg != "" {
			call.items = append(call.items, t.parse(arg, depth+1))
			if key != "" && call.keys == nil {
				call.keys = make([]string, len(args))
			}
			if key != "" {
				call.keys[len(call.items)-1] = key
			}
		}
	}
	return call
}

// cutPython cuts at the first separator outside of brackets and quotes.
func cutPython(s, sep string) (before, after string, found bool) {
	if i := indexPython(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// splitPython splits at all separators outside of brackets and quotes.
func splitPython(s, sep string) []string {
	return appendSplit(make([]string, 0, 1+strings.Count(s, sep)), s, sep)
}

// appendSplit appends what splitPython returns.
func appendSplit(parts []string, s, sep string) []string {
	for {
		i := indexPython(s, sep)
		if i < 0 {
			return append(parts, s)
		}
		parts = append(parts, s[:i])
		s = s[i+len(sep):]
	}
}

// indexPython returns the first separator outside of brackets and quotes, -1 if there is none.
func indexPython(s, sep string) int {
	if !strings.Contains(s, sep) { // most texts have none, and this is far quicker
		return -1
	}
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
			continue
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
		if depth == 0 && c == sep[0] && strings.HasPrefix(s[i:], sep) {
			if sep == "=" && i+1 < len(s) && s[i+1] == '=' {
				return -1
			}
			return i
		}
	}
	return -1
}
