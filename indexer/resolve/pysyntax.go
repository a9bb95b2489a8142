package resolve

import "strings"

// pySyntax is what the expressions and signatures of a file say, each parsed once.
type pySyntax struct {
	parser pyParser
	nodes  map[string]*pyNode
	params map[*Symbol][]string
}

// reset makes all of it empty.
func (y *pySyntax) reset() {
	y.parser.nodes.reset()
	y.nodes, y.params = emptied(y.nodes, manyFlowed), emptied(y.params, manyFlowed)
}

// node returns an expression.
func (y *pySyntax) node(s string) *pyNode {
	x, ok := y.nodes[s]
	if !ok {
		x = y.parser.parse(s, 0)
		y.nodes[s] = x
	}
	return x
}

// paramsOf returns the names of a function's parameters.
func (y *pySyntax) paramsOf(s *Symbol) []string {
	if p, ok := y.params[s]; ok {
		return p
	}
	var out []string
	if i := strings.IndexByte(s.Sig, '('); i >= 0 {
		p := &parser{s: s.Sig, i: i}
		for _, part := range splitPython(p.skip(), ",") {
			name := strings.TrimSpace(part)
			if j := strings.IndexAny(name, ":="); j >= 0 {
				name = strings.TrimSpace(name[:j])
			}
			if name = strings.TrimLeft(name, "*"); name != "" && name != "/" {
				out = append(out, name)
			}
		}
	}
	y.params[s] = out
	return out
}
