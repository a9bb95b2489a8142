package resolve

import (
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
		i := strings.LastIndexByte(b.Value, ' ')
		name := b.Value[i+1:]
		// A decorator is evaluated outside of what it decorates.
		outer := w.f.Self
		var outside *Symbol
		if at != nil {
			if outside = outerFunction(at); outside != nil {
				outer = outside
			}
		}
		for _, s := range w.f.unit.byPath[nestedPath(outer, name)] {
			if s.File != w.f || s.Kind != "function" {
				continue
			}
			values := w.values(flowKey{outer, name})
			if len(values) == 0 {
				values = []flowValue{{kind: flowFunction, sym: s}}
			}
			var got []flowValue
			for _, d := range w.eval(w.node(b.Value[:i]), outside) {
				got = append(got, w.applyValue(d, [][]flowValue{values}, []string{""})...)
			}
			w.addAll(flowKey{outer, name}, got)
		}
	default:
		if b.Type != "" {
			if t := w.r.parseType(b.Type, w.f, at); t.kind == instance {
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

func outerFunction(s *Symbol) *Symbol {
	for p := s.Parent; p != nil; p = p.Parent {
		if p.Kind == "function" || p.Kind == "method" {
			return p
		}
	}
	return nil
}

func nestedPath(s *Symbol, name string) string {
	if s.Path == "" {
		return name
	}
	return s.Path + "." + name
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
				w.addAll(flowKey{v.sym, "." + x.text}, values)
			case flowModule:
				for _, f := range v.unit.Files {
					if f == w.f {
						w.addAll(flowKey{f.Self, x.text}, values)
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
		name := keys[i]
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
