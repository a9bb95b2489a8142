package resolve

import (
	"sort"
	"strconv"
	"strings"

	"manicule/indexer/extract"
)

// flow follows the values of a Python file: functions and classes that are
// assigned, passed, kept in containers and given back, so that a call of a name
// leads to what the name may hold. It ignores the order of statements, and
// knows of other files what they declare and what their functions give. What
// other files pass into this one it does not know: an edge would have to change
// when a file changes that this one has nothing to do with.
type flow struct {
	r      *resolver
	f      *File
	sets   map[flowKey]*flowSet
	boxes  map[flowKey]*flowBox
	nodes  map[string]*pyNode
	params map[*Symbol][]string
	grown  bool
	depth  int
}

// flowKey is a place that holds values: a name in a function or file, an
// attribute of a class, or what a function gives.
type flowKey struct {
	in   *Symbol
	name string
}

type flowSet struct {
	list []flowValue
	has  map[flowValue]bool
}

// flowValue is one value.
type flowValue struct {
	kind flowKind
	sym  *Symbol // the function or class
	self *Symbol // of a function: the class of the object it is bound to
	unit *Unit
	box  *flowBox
	text string // of a constant; of a method of a container its name
}

type flowKind uint8

const (
	flowFunction flowKind = iota + 1
	flowClass
	flowInstance
	flowSuper // the bases of sym, for an object of self
	flowModule
	flowContainer
	flowMethod // of a container
	flowConst
)

// flowBox is a container that an expression makes.
type flowBox struct{ items map[string]*flowSet } // by literal key; "" where it isn't known

const (
	maxFlowRounds = 6
	maxFlowValues = 24 // of one place: more say nothing
)

// The places of a function's results.
const (
	flowGives  = "(return)"
	flowYields = "(yield)"
)

// newFlow follows the values of a file to where nothing new comes up.
func newFlow(r *resolver, f *File, facts *extract.Facts) *flow {
	w := &flow{r: r, f: f, sets: map[flowKey]*flowSet{}, boxes: map[flowKey]*flowBox{}, nodes: map[string]*pyNode{}, params: map[*Symbol][]string{}}
	in := functionsAt(f)
	for _, s := range f.Symbols {
		if c := enclosingType(s); c != nil && s.Kind == "method" {
			if p := w.paramsOf(s); len(p) > 0 {
				kind := flowInstance
				if p[0] == "cls" {
					kind = flowClass
				}
				w.set(flowKey{s, p[0]}).add(w, flowValue{kind: kind, sym: c})
			}
		}
	}
	for range maxFlowRounds {
		w.grown = false
		for _, s := range f.Symbols {
			if s.Value == "" || s.Kind == "function" || s.Kind == "method" {
				continue
			}
			at := in(s.Start)
			key := flowKey{f.Self, s.Name}
			if c := s.Parent; c != nil && c.IsType() {
				key = flowKey{c, "." + s.Name}
			} else if at != nil {
				key = flowKey{at, s.Name}
			}
			w.addAll(key, w.eval(w.node(s.Value), at))
		}
		for i := range facts.Binds {
			w.statement(&facts.Binds[i], in(facts.Binds[i].Start))
		}
		if !w.grown {
			break
		}
	}
	return w
}

// functionsAt finds the innermost function around an offset.
func functionsAt(f *File) func(int) *Symbol {
	return func(offset int) *Symbol {
		var best *Symbol
		n := sort.Search(len(f.Symbols), func(i int) bool { return f.Symbols[i].Start > offset })
		for i := n - 1; i >= 0 && best == nil; i-- {
			if s := f.Symbols[i]; offset < s.End && (s.Kind == "function" || s.Kind == "method") {
				best = s
			}
		}
		return best
	}
}

func (w *flow) statement(b *extract.Bind, at *Symbol) {
	scope := at
	if scope == nil {
		scope = w.f.Self
	}
	switch b.Name {
	case extract.NoteReturn:
		w.addAll(flowKey{scope, flowGives}, w.eval(w.node(b.Value), at))
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
		// The decorator stands outside of what it decorates.
		outer := w.f.Self
		var outside *Symbol
		if at != nil {
			if outside = functionsAround(at); outside != nil {
				outer = outside
			}
		}
		for _, s := range w.f.unit.byPath[pathIn(outer, name)] {
			if s.File != w.f || s.Kind != "function" {
				continue
			}
			values := w.values(flowKey{outer, name})
			if len(values) == 0 {
				values = []flowValue{{kind: flowFunction, sym: s}}
			}
			var got []flowValue
			for _, d := range w.eval(w.node(b.Value[:i]), outside) {
				got = append(got, w.apply(d, [][]flowValue{values}, []string{""})...)
			}
			w.addAll(flowKey{outer, name}, got)
		}
	default:
		if b.Type != "" {
			if t := w.r.written(b.Type, w.f, at); t.kind == instance {
				w.addAll(flowKey{scope, b.Name}, []flowValue{{kind: flowInstance, sym: t.sym}})
			}
			return
		}
		if b.Value == "" {
			return
		}
		values := w.eval(w.node(b.Value), at)
		if b.Each {
			values = w.elements(values)
			if b.Result >= 0 {
				values = w.items(values, strconv.Itoa(b.Result))
			}
		}
		w.addAll(flowKey{scope, b.Name}, values)
	}
}

func functionsAround(s *Symbol) *Symbol {
	for p := s.Parent; p != nil; p = p.Parent {
		if p.Kind == "function" || p.Kind == "method" {
			return p
		}
	}
	return nil
}

func pathIn(s *Symbol, name string) string {
	if s.Path == "" {
		return name
	}
	return s.Path + "." + name
}

// assign gives a value to what stands left of "=".
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
		keys := w.keysOf(x.index, at)
		for _, v := range w.eval(x.x, at) {
			if v.kind != flowContainer {
				continue
			}
			for _, k := range keys {
				v.box.set(k).addAll(w, values)
			}
		}
	}
}

// unpack gives the parts of a value to several names.
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
			w.store(t, w.items(values, strconv.Itoa(i)), at, scope)
		}
	}
}

func (w *flow) node(s string) *pyNode {
	x, ok := w.nodes[s]
	if !ok {
		x = parsePython(s, 0)
		w.nodes[s] = x
	}
	return x
}

func (w *flow) set(k flowKey) *flowSet {
	s := w.sets[k]
	if s == nil {
		s = &flowSet{has: map[flowValue]bool{}}
		w.sets[k] = s
	}
	return s
}

func (w *flow) values(k flowKey) []flowValue {
	if s := w.sets[k]; s != nil {
		return s.list
	}
	return nil
}

func (w *flow) addAll(k flowKey, values []flowValue) {
	if len(values) > 0 {
		w.set(k).addAll(w, values)
	}
}

func (s *flowSet) addAll(w *flow, values []flowValue) {
	for _, v := range values {
		s.add(w, v)
	}
}

func (s *flowSet) add(w *flow, v flowValue) {
	if !s.has[v] && len(s.list) < maxFlowValues {
		s.has[v] = true
		s.list = append(s.list, v)
		w.grown = true
	}
}

func (b *flowBox) set(key string) *flowSet {
	s := b.items[key]
	if s == nil {
		s = &flowSet{has: map[flowValue]bool{}}
		b.items[key] = s
	}
	return s
}

// all are the values of a container, whatever their key.
func (b *flowBox) all() []flowValue {
	var out []flowValue
	for _, k := range sortedKeys(b.items) {
		out = append(out, b.items[k].list...)
	}
	return out
}

// keysOf are the literal keys that an expression may be; "" where it isn't known.
func (w *flow) keysOf(x *pyNode, at *Symbol) []string {
	var keys []string
	for _, v := range w.eval(x, at) {
		if v.kind == flowConst {
			keys = append(keys, v.text)
		}
	}
	if keys == nil {
		keys = []string{""}
	}
	return keys
}

// items are the values of containers under a key.
func (w *flow) items(values []flowValue, keys ...string) []flowValue {
	var out []flowValue
	for _, v := range values {
		if v.kind != flowContainer {
			continue
		}
		for _, k := range keys {
			if k == "" {
				out = append(out, v.box.all()...)
				continue
			}
			if s := v.box.items[k]; s != nil {
				out = append(out, s.list...)
			}
			if s := v.box.items[""]; s != nil {
				out = append(out, s.list...)
			}
		}
	}
	return out
}

// elements are what a loop over values gets.
func (w *flow) elements(values []flowValue) []flowValue {
	out := w.items(values, "")
	for _, v := range values {
		for _, m := range w.iterators(v) {
			if m.Name == "__next__" {
				out = append(out, w.given(m)...)
			}
		}
	}
	return out
}

// iterators are the methods that a loop over an object runs.
func (w *flow) iterators(v flowValue) []*Symbol {
	if v.kind != flowInstance {
		return nil
	}
	iter := w.r.memberOf(v.sym, "__iter__", map[*Symbol]bool{})
	if len(iter) == 0 {
		return nil
	}
	out := iter[:1:1]
	own := false
	for _, g := range w.given(iter[0]) {
		if g.kind == flowInstance {
			own = true
			if next := w.r.memberOf(g.sym, "__next__", map[*Symbol]bool{}); len(next) > 0 {
				out = append(out, next[0])
			}
		}
	}
	if !own {
		if next := w.r.memberOf(v.sym, "__next__", map[*Symbol]bool{}); len(next) > 0 {
			out = append(out, next[0])
		}
	}
	return out
}

// given is what a function gives: as this file's returns say, its written type,
// or the expression that is kept of another file's.
func (w *flow) given(s *Symbol) []flowValue {
	if s.File == w.f {
		out := w.values(flowKey{s, flowGives})
		if y := w.values(flowKey{s, flowYields}); len(y) > 0 {
			box := w.box(flowKey{s, flowYields})
			box.set("").addAll(w, y)
			out = append(out[:len(out):len(out)], flowValue{kind: flowContainer, box: box})
		}
		if len(out) > 0 {
			return out
		}
	}
	if s.Type != "" {
		if t := w.r.gives(s); t.kind == instance {
			return []flowValue{{kind: flowInstance, sym: t.sym}}
		}
		return nil
	}
	if s.File != w.f && s.Value != "" {
		return w.elsewhere(s)
	}
	return nil
}

// elsewhere evaluates what a symbol of another file holds or gives.
func (w *flow) elsewhere(s *Symbol) []flowValue {
	if w.depth++; w.depth > maxFlowRounds {
		w.depth--
		return nil
	}
	defer func() { w.depth-- }()
	other := &flow{r: w.r, f: s.File, sets: map[flowKey]*flowSet{}, boxes: w.boxes, nodes: w.nodes, params: w.params, depth: w.depth}
	at := s
	if s.Kind != "function" && s.Kind != "method" {
		at = functionsAround(s)
	} else if c := enclosingType(s); c != nil {
		if p := w.paramsOf(s); len(p) > 0 {
			other.set(flowKey{s, p[0]}).add(other, flowValue{kind: flowInstance, sym: c})
		}
	}
	return other.eval(w.node(s.Value), at)
}

func (w *flow) box(k flowKey) *flowBox {
	b := w.boxes[k]
	if b == nil {
		b = &flowBox{items: map[string]*flowSet{}}
		w.boxes[k] = b
	}
	return b
}

// eval is what an expression may be in a function, or in the file where at is nil.
func (w *flow) eval(x *pyNode, at *Symbol) []flowValue {
	if x == nil {
		return nil
	}
	switch x.op {
	case pyName:
		return w.named(x.text, at)
	case pyConst:
		return []flowValue{{kind: flowConst, text: x.text}}
	case pyMember:
		var out []flowValue
		for _, v := range w.eval(x.x, at) {
			out = append(out, w.member(v, x.text)...)
		}
		return out
	case pyCall:
		return w.call(x, at)
	case pyIndex:
		return w.items(w.eval(x.x, at), w.keysOf(x.index, at)...)
	case pyOr:
		var out []flowValue
		for _, i := range x.items {
			out = append(out, w.eval(i, at)...)
		}
		return out
	case pyList, pyDict, pyEach:
		key := flowKey{at, strconv.Itoa(int(x.op)) + x.source()}
		if at == nil {
			key.in = w.f.Self
		}
		box := w.box(key)
		for n, i := range x.items {
			name := strconv.Itoa(n)
			switch x.op {
			case pyDict:
				name = x.keys[n]
			case pyEach:
				name = ""
			}
			box.set(name).addAll(w, w.eval(i, at))
		}
		return []flowValue{{kind: flowContainer, box: box}}
	}
	return nil
}

// source writes an expression again: two that look the same in one place are
// taken for the same container.
func (x *pyNode) source() string {
	if x == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(x.op)) + x.text + "(" + x.x.source())
	for i, item := range x.items {
		if i < len(x.keys) {
			b.WriteString(x.keys[i] + ":")
		}
		b.WriteString(item.source() + ",")
	}
	b.WriteString(x.index.source() + ")")
	return b.String()
}

// named is what a name may hold.
func (w *flow) named(name string, at *Symbol) []flowValue {
	for s := at; s != nil; s = s.Parent {
		if s.Kind != "function" && s.Kind != "method" {
			continue
		}
		if v := w.values(flowKey{s, name}); len(v) > 0 {
			return v
		}
		if found := w.declared(nearest(w.f.unit.byPath[s.Path+"."+name], w.f)); len(found) > 0 {
			return found
		}
		for _, p := range w.paramsOf(s) {
			if p == name {
				return nil
			}
		}
	}
	if v := w.values(flowKey{w.f.Self, name}); len(v) > 0 {
		return v
	}
	if found := w.declared(nearest(w.f.unit.byPath[name], w.f)); len(found) > 0 {
		return found
	}
	if t, ok := w.r.imported(name, w.f); ok {
		if t.unit != nil {
			return []flowValue{{kind: flowModule, unit: t.unit}}
		}
		return w.declared(t.symbols)
	}
	return nil
}

// declared are the values of symbols.
func (w *flow) declared(all []*Symbol) []flowValue {
	var out []flowValue
	for _, s := range all {
		switch {
		case s.Kind == "function" || s.Kind == "method":
			out = append(out, flowValue{kind: flowFunction, sym: s})
		case s.IsType():
			out = append(out, flowValue{kind: flowClass, sym: s})
		case s.File != w.f && s.Value != "":
			out = append(out, w.elsewhere(s)...)
		}
	}
	return out
}

// member is an attribute of a value.
func (w *flow) member(v flowValue, name string) []flowValue {
	switch v.kind {
	case flowInstance, flowClass:
		return w.memberOf(v, v.sym, name, map[*Symbol]bool{})
	case flowSuper:
		for _, base := range w.r.supers(v.sym) {
			if found := w.memberOf(flowValue{kind: flowInstance, sym: v.self}, base, name, map[*Symbol]bool{}); len(found) > 0 {
				return found
			}
		}
	case flowModule:
		for _, f := range v.unit.Files {
			if f == w.f {
				if found := w.values(flowKey{f.Self, name}); len(found) > 0 {
					return found
				}
			}
		}
		return w.declared(w.r.member(typ{kind: module, unit: v.unit}, name))
	case flowContainer:
		return []flowValue{{kind: flowMethod, box: v.box, text: name}}
	}
	return nil
}

func (w *flow) memberOf(v flowValue, s *Symbol, name string, seen map[*Symbol]bool) []flowValue {
	if seen[s] || len(seen) > 64 {
		return nil
	}
	seen[s] = true
	out := w.values(flowKey{s, "." + name})
	out = out[:len(out):len(out)]
	for _, m := range s.File.unit.byPath[s.Path+"."+name] {
		switch {
		case m.Kind == "method" || m.Kind == "function":
			f := flowValue{kind: flowFunction, sym: m}
			if v.kind == flowInstance {
				f.self = v.sym
			}
			out = append(out, f)
		case m.IsType():
			out = append(out, flowValue{kind: flowClass, sym: m})
		case m.File != w.f && m.Value != "":
			out = append(out, w.elsewhere(m)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	for _, base := range w.r.supers(s) {
		if found := w.memberOf(v, base, name, seen); len(found) > 0 {
			return found
		}
	}
	return nil
}

// call follows the arguments of a call into what is called, and gives the result.
func (w *flow) call(x *pyNode, at *Symbol) []flowValue {
	if w.depth++; w.depth > maxDepth {
		w.depth--
		return nil
	}
	defer func() { w.depth-- }()
	if x.x.op == pyName && x.x.text == "super" {
		if c := enclosingType(at); c != nil {
			return []flowValue{{kind: flowSuper, sym: c, self: c}}
		}
		return nil
	}
	args := make([][]flowValue, len(x.items))
	for i, a := range x.items {
		args[i] = w.eval(a, at)
	}
	var out []flowValue
	for _, callee := range w.eval(x.x, at) {
		out = append(out, w.apply(callee, args, x.keys)...)
	}
	return out
}

// apply calls one value.
func (w *flow) apply(callee flowValue, args [][]flowValue, keys []string) []flowValue {
	switch callee.kind {
	case flowFunction:
		w.pass(callee.sym, callee.self, args, keys)
		return w.given(callee.sym)
	case flowClass:
		if init := w.r.memberOf(callee.sym, "__init__", map[*Symbol]bool{}); len(init) > 0 {
			w.pass(init[0], callee.sym, args, keys)
		}
		return []flowValue{{kind: flowInstance, sym: callee.sym}}
	case flowInstance:
		if m := w.r.memberOf(callee.sym, "__call__", map[*Symbol]bool{}); len(m) > 0 {
			w.pass(m[0], callee.sym, args, keys)
			return w.given(m[0])
		}
	case flowMethod:
		return w.containerMethod(callee, args)
	}
	return nil
}

// containerMethod is what the methods of lists and dicts do.
func (w *flow) containerMethod(m flowValue, args [][]flowValue) []flowValue {
	self := []flowValue{{kind: flowContainer, box: m.box}}
	switch m.text {
	case "append", "add", "insert", "appendleft":
		if len(args) > 0 {
			m.box.set("").addAll(w, args[len(args)-1])
		}
	case "update", "extend":
		for _, a := range args {
			for _, v := range a {
				if v.kind != flowContainer || v.box == m.box {
					continue
				}
				for _, k := range sortedKeys(v.box.items) {
					m.box.set(k).addAll(w, v.box.items[k].list)
				}
			}
		}
	case "get", "pop", "setdefault":
		keys := []string{""}
		if len(args) > 0 {
			keys = nil
			for _, v := range args[0] {
				if v.kind == flowConst {
					keys = append(keys, v.text)
				}
			}
			if keys == nil {
				keys = []string{""}
			}
		}
		out := w.items(self, keys...)
		if len(args) > 1 {
			out = append(out, args[1]...)
		}
		return out
	case "values", "copy":
		return self
	}
	return nil
}

// pass gives arguments to the parameters of a function of this file.
func (w *flow) pass(s, self *Symbol, args [][]flowValue, keys []string) {
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

// paramsOf are the names of a function's parameters.
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

// How sure an edge is that values lead to: there may be others that this file
// does not see.
const sureFlow = 0.8

// edges adds what a call may run by the values that flow there. From before on
// are the edges that were found by name.
func (w *flow) edges(out []Edge, before int, ref *extract.Ref) []Edge {
	from := w.f.Self
	if ref.In >= 0 {
		from = w.f.Symbols[ref.In]
	}
	direct, guessed := false, false
	for _, e := range out[before:] {
		if e.May {
			guessed = true
		} else if e.To != nil && (e.To.Kind == "function" || e.To.Kind == "method" || e.To.IsType()) {
			direct = true
		}
	}
	if strings.HasPrefix(ref.Recv, "…") {
		return out
	}
	text := ref.Name
	switch {
	case ref.Name == extract.RefCallValue:
		text = ref.Recv
	case ref.Recv != "":
		text = ref.Recv + "." + ref.Name
	}
	at := from
	for at != nil && at.Kind != "function" && at.Kind != "method" {
		at = at.Parent
	}
	var found []*Symbol
	values := w.eval(w.node(text), at)
	for _, v := range values {
		switch v.kind {
		case flowFunction, flowClass:
			found = append(found, v.sym)
		case flowInstance:
			found = append(found, w.r.memberOf(v.sym, "__call__", map[*Symbol]bool{})...)
		}
	}
	if len(found) > 0 && guessed && !direct { // better known now
		kept := out[:before]
		for _, e := range out[before:] {
			if !e.May {
				kept = append(kept, e)
			}
		}
		out = kept
	}
	sure, may := sureExact, false
	if !direct {
		sure, may = sureFlow, len(found) > 1
	}
	add := func(to *Symbol) {
		for _, e := range out[before:] {
			if e.To == to {
				return
			}
		}
		out = append(out, Edge{From: from, To: to, Kind: extract.RefCall, Line: ref.Line, Sure: sure, May: may})
	}
	for _, s := range found {
		add(s)
	}
	// A class that is called runs its constructor.
	for _, e := range out[before:] {
		if e.To != nil && e.To.Kind == "class" {
			for _, init := range w.r.memberOf(e.To, "__init__", map[*Symbol]bool{}) {
				add(init)
			}
		}
	}
	return out
}

// loops adds the methods that loops over objects run.
func (w *flow) loops(out []Edge, f *extract.Facts) []Edge {
	in := functionsAt(w.f)
	for i := range f.Binds {
		b := &f.Binds[i]
		if !b.Each || b.Value == "" {
			continue
		}
		at := in(b.Start)
		from := at
		if from == nil {
			from = w.f.Self
		}
		// What it loops over stands behind the name, mostly in its line.
		n := sort.Search(len(f.Refs), func(i int) bool { return f.Refs[i].Start >= b.Start })
		if n == len(f.Refs) {
			continue
		}
		for _, v := range w.eval(w.node(b.Value), at) {
			for _, m := range w.iterators(v) {
				out = append(out, Edge{From: from, To: m, Kind: extract.RefCall, Line: f.Refs[n].Line, Sure: sureFlow})
			}
		}
	}
	return out
}
