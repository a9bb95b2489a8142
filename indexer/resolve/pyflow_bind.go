package resolve

import (
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/extract"
)

func (w *flow) statement(b *extract.Bind, at *Symbol) {
	scope := at
	if scope == nil {
		scope = w.f.Self
	}
	switch b.Name {
	case extract.NoteReturn:
		w.addAll(flowKey{scope, flowReturns}, w.eval(w.node(b.Value), at))
	case extract.NoteYield:
		w.addAll(flowKey{scope, flowYields}, w.eval(w.node(b.Value), at))
	case extract.NoteCall:
		w.eval(w.node(b.Value), at)
	case extract.NoteAssign:
		parts := splitPython(b.Value, "=")
		value := parts[len(parts)-1]
		for _, target := range parts[:len(parts)-1] {
			w.assign(target, w.node(value), at, scope)
		}
	case extract.NoteDecorator:
		w.decorate(b, at)
	default:
		if b.Type != "" {
			if t := w.r.in(w.f, at).parseType(b.Type); t.kind == instance {
				w.addAll(flowKey{scope, b.Name}, []flowValue{{kind: flowInstance, sym: t.sym}})
			}
			return
		}
		if b.Value == "" {
			return
		}
		values := w.eval(w.node(b.Value), at)
		if b.Each {
			values = w.iterated(values)
			if b.Result >= 0 {
				values = w.elementsAt(values, strconv.Itoa(b.Result))
			}
		}
		w.addAll(flowKey{scope, b.Name}, values)
	}
}

// decorate applies one decorator of a function. The lowest takes the function, the one
// above it takes what that returned, and the name means what the highest returned.
func (w *flow) decorate(b *extract.Bind, at *Symbol) {
	i := strings.LastIndexByte(b.Value, ' ')
	if at == nil || at.Kind != "function" || at.Name != b.Value[i+1:] {
		return
	}
	// A decorator is evaluated outside of what it decorates.
	outer, outside := w.f.Self, outerFunction(at)
	if outside != nil {
		outer = outside
	}
	all := w.decorators[at]
	n := slices.Index(all, b)
	values := []flowValue{{kind: flowFunction, sym: at}}
	if n+1 < len(all) {
		values = w.values(decorated(at, n+1))
	}
	var got []flowValue
	for _, d := range w.eval(w.node(b.Value[:max(i, 0)]), outside) {
		got = append(got, w.applyValue(d, [][]flowValue{values}, nil)...)
	}
	to := flowKey{outer, at.Name}
	if n > 0 {
		to = decorated(at, n)
		if len(got) == 0 { // nothing is known of this decorator
			got = values
		}
	}
	w.addAll(to, got)
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
func (w *flow) assign(target string, value *pyNode, at, scope *Symbol) {
	target = strings.TrimSpace(target)
	if parts := splitPython(target, ","); len(parts) > 1 {
		w.unpack(parts, value, at, scope)
		return
	}
	if len(target) > 2 && (target[0] == '(' || target[0] == '[') {
		w.unpack(splitPython(target[1:len(target)-1], ","), value, at, scope)
		return
	}
	w.store(target, w.eval(value, at), at, scope)
}

func (w *flow) store(target string, values []flowValue, at, scope *Symbol) {
	x := w.node(strings.TrimSpace(target))
	switch x.op {
	case pyName:
		w.addAll(flowKey{scope, x.text}, values)
	case pyMember:
		for _, v := range w.eval(x.x, at) {
			switch v.kind {
			case flowInstance, flowClass:
				w.addAll(flowKey{v.sym, x.text}, values)
			case flowModule:
				for _, f := range v.unit.Files {
					if f == w.f {
						w.addAll(flowKey{f.Self, x.text[1:]}, values)
					}
				}
			}
		}
	case pyIndex:
		keys := w.constantKeys(x.index, at)
		for _, v := range w.eval(x.x, at) {
			if v.kind != flowContainer {
				continue
			}
			for _, k := range keys {
				v.alloc.set(k).addAll(w, values)
			}
		}
	}
}

// unpack assigns the elements of a value to several targets.
func (w *flow) unpack(targets []string, value *pyNode, at, scope *Symbol) {
	if value.op == pyList && len(value.items) >= len(targets)-1 {
		n := 0
		for i, t := range targets {
			t = strings.TrimSpace(t)
			if rest, ok := strings.CutPrefix(t, "*"); ok {
				many := len(value.items) - len(targets) + 1
				if many < 0 || n+many > len(value.items) {
					return
				}
				w.store(rest, w.eval(&pyNode{op: pyList, items: value.items[n : n+many], text: strconv.Itoa(i)}, at), at, scope)
				n += many
				continue
			}
			if t != "" && n < len(value.items) {
				w.assign(t, value.items[n], at, scope)
				n++
			}
		}
		return
	}
	values := w.eval(value, at)
	for i, t := range targets {
		t = strings.TrimSpace(t)
		if len(t) > 0 && t[0] != '(' && t[0] != '*' && t[0] != '[' {
			w.store(t, w.elementsAt(values, strconv.Itoa(i)), at, scope)
		}
	}
}

// bindArguments assigns arguments to the parameters of a function of this file.
func (w *flow) bindArguments(s, self *Symbol, args [][]flowValue, keys []string) {
	if s.File != w.f {
		return
	}
	params := w.paramsOf(s)
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

// paramsOf returns the names of a function's parameters.
func (w *flow) paramsOf(s *Symbol) []string {
	if p, ok := w.params[s]; ok {
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
	w.params[s] = out
	return out
}
