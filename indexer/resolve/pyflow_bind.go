package resolve

import (
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/extract"
)

// statement is one of a function, or of the file if at is nil.
type statement struct {
	*flow
	*extract.Bind
	at    *Symbol
	scope *Symbol // of the variables that are assigned
}

// statement returns the statement that a note describes.
func (w *flow) statement(b *extract.Bind, at *Symbol) statement {
	scope := at
	if scope == nil {
		scope = w.f.Self
	}
	return statement{w, b, at, scope}
}

// run evaluates the statement.
func (s statement) run() {
	switch s.Name {
	case extract.NoteReturn:
		s.addAll(flowKey{s.scope, flowReturns}, s.evalText(s.Value))
	case extract.NoteYield:
		s.addAll(flowKey{s.scope, flowYields}, s.evalText(s.Value))
	case extract.NoteCall:
		s.evalText(s.Value)
	case extract.NoteAssign:
		parts := splitPython(s.Value, "=")
		value := parts[len(parts)-1]
		for _, target := range parts[:len(parts)-1] {
			s.assign(target, s.memory.syntax.node(value))
		}
	case extract.NoteDecorator:
		s.decorate()
	default:
		if s.Type != "" {
			if t := s.r.in(s.f, s.at).parseType(s.Type); t.kind == instance {
				s.addAll(flowKey{s.scope, s.Name}, []flowValue{{kind: flowInstance, sym: t.sym}})
			}
			return
		}
		if s.Value == "" {
			return
		}
		values := s.evalText(s.Value)
		if s.Each {
			values = s.iterated(values)
			if s.Result >= 0 {
				values = s.elementsAt(values, strconv.Itoa(s.Result))
			}
		}
		s.addAll(flowKey{s.scope, s.Name}, values)
	}
}

// evalText returns the possible values of an expression of the statement.
func (s statement) evalText(text string) []flowValue {
	return s.eval(s.memory.syntax.node(text), s.at)
}

// decorate applies one decorator of a function. The lowest takes the function, the one
// above it takes what that returned, and the name means what the highest returned.
func (s statement) decorate() {
	i := strings.LastIndexByte(s.Value, ' ')
	if s.at == nil || s.at.Kind != "function" || s.at.Name != s.Value[i+1:] {
		return
	}
	// A decorator is evaluated outside of what it decorates.
	outer, outside := s.f.Self, outerFunction(s.at)
	if outside != nil {
		outer = outside
	}
	all := s.memory.decoratorsOf[s.at]
	n := slices.Index(all, s.Bind)
	values := []flowValue{{kind: flowFunction, sym: s.at}}
	if n+1 < len(all) {
		values = s.values(decorated(s.at, n+1))
	}
	var got []flowValue
	for _, d := range s.eval(s.memory.syntax.node(s.Value[:max(i, 0)]), outside) {
		got = append(got, s.applyValue(d, [][]flowValue{values}, nil)...)
	}
	to := flowKey{outer, s.at.Name}
	if n > 0 {
		to = decorated(s.at, n)
		if len(got) == 0 { // nothing is known of this decorator
			got = values
		}
	}
	s.addAll(to, got)
}

// decorated is what the nth decorator of a function from above returned.
func decorated(s *Symbol, n int) flowKey { return flowKey{s, "@" + strconv.Itoa(n)} }

func outerFunction(s *Symbol) *Symbol {
	for p := s.Parent; p != nil; p = p.Parent {
		if p.Kind == "function" || p.Kind == "method" {
			return p
		}
	}
	return nil
}

// assign assigns a value to the target left of "=".
func (s statement) assign(target string, value *pyNode) {
	target = strings.TrimSpace(target)
	if parts := splitPython(target, ","); len(parts) > 1 {
		s.unpack(parts, value)
		return
	}
	if len(target) > 2 && (target[0] == '(' || target[0] == '[') {
		s.unpack(splitPython(target[1:len(target)-1], ","), value)
		return
	}
	s.store(target, s.eval(value, s.at))
}

func (s statement) store(target string, values []flowValue) {
	x := s.memory.syntax.node(strings.TrimSpace(target))
	switch x.op {
	case pyName:
		s.addAll(flowKey{s.scope, x.text}, values)
	case pyMember:
		for _, v := range s.eval(x.x, s.at) {
			switch v.kind {
			case flowInstance, flowClass:
				s.addAll(flowKey{v.sym, x.text}, values)
			case flowModule:
				for _, f := range v.unit.Files {
					if f == s.f {
						s.addAll(flowKey{f.Self, x.text[1:]}, values)
					}
				}
			}
		}
	case pyIndex:
		keys := s.constantKeys(x.index, s.at)
		for _, v := range s.eval(x.x, s.at) {
			if v.kind != flowContainer {
				continue
			}
			for _, k := range keys {
				v.alloc.set(k).addAll(&s.heap, values)
			}
		}
	}
}

// unpack assigns the elements of a value to several targets.
func (s statement) unpack(targets []string, value *pyNode) {
	if value.op == pyList && len(value.items) >= len(targets)-1 {
		n := 0
		for i, t := range targets {
			t = strings.TrimSpace(t)
			if rest, ok := strings.CutPrefix(t, "*"); ok {
				many := len(value.items) - len(targets) + 1
				if many < 0 || n+many > len(value.items) {
					return
				}
				s.store(rest, s.eval(&pyNode{op: pyList, items: value.items[n : n+many], text: strconv.Itoa(i)}, s.at))
				n += many
				continue
			}
			if t != "" && n < len(value.items) {
				s.assign(t, value.items[n])
				n++
			}
		}
		return
	}
	values := s.eval(value, s.at)
	for i, t := range targets {
		t = strings.TrimSpace(t)
		if len(t) > 0 && t[0] != '(' && t[0] != '*' && t[0] != '[' {
			s.store(t, s.elementsAt(values, strconv.Itoa(i)))
		}
	}
}

// bindArguments assigns arguments to the parameters of a function of this file.
func (w *flow) bindArguments(s, self *Symbol, args [][]flowValue, keys []string) {
	if s.File != w.f {
		return
	}
	params := w.memory.syntax.paramsOf(s)
	shift := 0
	if self != nil && s.Kind == "method" && len(params) > 0 && (params[0] == "self" || params[0] == "cls") {
		shift = 1
	}
	for i, a := range args {
		name := ""
		if i < len(keys) {
			name = keys[i]
		}
		if name == "" && i+shift < len(params) {
			name = params[i+shift]
		}
		if name != "" {
			w.addAll(flowKey{s, name}, a)
		}
	}
}
