package extract

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"manicule/indexer/sorting"
)

const (
	// maxKeyDepth and maxKeys bound the symbols of data files.
	maxKeyDepth = 4
	maxKeys     = 2000
)

// maxNesting limits the nesting of symbols: a path contains the names of all enclosing
// ones, and no person nests deeper.
const maxNesting = 64

// buildSymbols turns the facts of a file into its symbols.
func buildSymbols(found *facts, src []byte) []Symbol {
	sorting.Func(found.docs, compareSpans)
	found.docs = slices.Compact(found.docs) // recovery finds some twice
	defs := uniqueDefinitions(found.definitions)
	b := &builder{src: src, facts: found, objects: make(map[Span]bool), ordinals: make(map[string]int), items: make(map[int]int)}
	for i := range defs {
		b.mergeParts(&defs[i])
	}
	defs = uniqueItems(defs)
	extendSections(defs, len(src))
	b.sweep(marks(defs, found))
	b.addOwnFields()
	return b.symbols
}

// uniqueDefinitions keeps one definition for each name in the file: that of the
// earliest pattern, and of its matches the most informative one.
func uniqueDefinitions(defs []definition) []definition {
	sorting.StableFunc(defs, func(a, b definition) int {
		if c := compareSpans(a.name, b.name); c != 0 {
			return c
		}
		if a.pattern != b.pattern {
			return a.pattern - b.pattern
		}
		return b.captures - a.captures
	})
	return slices.CompactFunc(defs, func(a, b definition) bool { return a.name == b.name })
}

// uniqueItems keeps one definition for each element of a list: the first one with a
// name, if any.
func uniqueItems(defs []definition) []definition {
	best := make(map[Span]int)
	for i, d := range defs {
		if d.role != roleItem {
			continue
		}
		if at, ok := best[d.span]; !ok || defs[at].unnamed && !d.unnamed {
			best[d.span] = i
		}
	}
	if len(best) == 0 {
		return defs
	}
	kept := defs[:0]
	for i, d := range defs {
		if d.role != roleItem || best[d.span] == i {
			kept = append(kept, d)
		}
	}
	return kept
}

// extendSections extends each heading to the next of its level or a higher one. The
// definitions are in the order of their names.
func extendSections(defs []definition, size int) {
	for i := range defs {
		d := &defs[i]
		if d.role != roleHeading {
			continue
		}
		level := d.kind
		d.body, d.span.End = d.span.End, size
		for _, next := range defs[i+1:] {
			if next.role == roleHeading && next.kind <= level {
				d.span.End = next.span.Start
				break
			}
		}
	}
	for i := range defs {
		if defs[i].role == roleHeading {
			defs[i].kind = "section"
		}
	}
}

// mark is a span that the sweep visits: a definition, a scope, an object or the body
// of an extension.
type mark struct {
	span      Span
	role      role
	def       *definition
	at        int    // index of the symbol once it is added, else -1
	container string // of an extension body
}

func marks(defs []definition, found *facts) []mark {
	all := make([]mark, 0, len(defs)+len(found.scopes)+len(found.objects))
	for i := range defs {
		all = append(all, mark{span: defs[i].span, role: defs[i].role, def: &defs[i], at: -1})
	}
	for _, s := range found.scopes {
		all = append(all, mark{span: s, role: roleScope, at: -1})
	}
	for _, s := range found.objects {
		all = append(all, mark{span: s, role: roleObject, at: -1})
	}
	for _, i := range found.inside {
		all = append(all, mark{span: i.span, role: roleInside, at: -1, container: i.container})
	}
	sorting.StableByKey(all, func(m *mark) uint64 { return m.span.order() })
	return all
}

// builder collects the symbols of one file.
type builder struct {
	src      []byte
	facts    *facts
	symbols  []Symbol
	depths   []int         // number of enclosing symbols, by symbol
	objects  map[Span]bool // objects whose members are symbols
	ordinals map[string]int
	items    map[int]int // number of elements so far, by symbol
	own      []ownField
}

// ownField is a member that a method assigns to its object.
type ownField struct {
	def   *definition
	class int // index of the symbol that it becomes a member of
}

// sweep visits the marks from the outside to the inside and adds the definitions that
// count.
func (b *builder) sweep(all []mark) {
	var stack []mark
	scopes := 0
	for _, m := range all {
		for len(stack) > 0 && !holds(stack[len(stack)-1].span, m.span) {
			if stack[len(stack)-1].role == roleScope {
				scopes--
			}
			stack = stack[:len(stack)-1]
		}
		switch {
		case m.role == roleScope:
			scopes++
		case m.role == roleTop && scopes > 0:
			continue
		case m.role == roleMember && !b.inObject(stack):
			continue
		case m.role == roleOwn:
			if class := b.class(stack); class >= 0 {
				b.own = append(b.own, ownField{m.def, class})
			}
			continue
		case m.def != nil:
			setContainer(m.def, stack)
			in := parent(stack, m.span)
			if m.def.outer && in >= 0 {
				in = b.symbols[in].Parent
			}
			m.at = b.addSymbol(m.def, in)
			if m.at < 0 {
				continue
			}
		}
		stack = append(stack, m)
	}
}

// setContainer sets the container of a definition inside of an extension.
func setContainer(def *definition, stack []mark) {
	for i := len(stack) - 1; i >= 0 && stack[i].at < 0; i-- {
		if stack[i].role == roleInside && def.container == "" {
			def.container, def.inside = stack[i].container, true
			return
		}
	}
}

// class returns the innermost enclosing class, -1 if there is none.
func (b *builder) class(stack []mark) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if at := stack[i].at; at >= 0 && slices.Contains([]string{"class", "struct", "enum", "module"}, b.symbols[at].Kind) {
			return at
		}
	}
	return -1
}

// addOwnFields adds the members that methods assign to their objects, unless the class
// declares them. The first assignment counts; a later one supplies a missing type.
func (b *builder) addOwnFields() {
	if len(b.own) == 0 {
		return
	}
	first := make(map[string]int)
	for _, o := range b.own {
		path := b.symbols[o.class].Path + "." + cleanName(b.src[o.def.name.Start:o.def.name.End])
		at, ok := first[path]
		switch {
		case ok && b.symbols[at].Type == "":
			b.refineField(&b.symbols[at], o.def)
		case !ok && b.ordinals[path] == 0:
			if at := b.addSymbol(o.def, o.class); at >= 0 {
				first[path] = at
			}
		}
	}
	b.sortBySource()
}

// refineField adds type information to a member whose first value has none.
func (b *builder) refineField(s *Symbol, def *definition) {
	s.Type = b.oneLine(def.result)
	if s.Type != "" {
		s.Value = ""
	} else if slices.Contains([]string{"", "None", "null", "undefined", "nil"}, s.Value) && def.value.End > def.value.Start {
		s.Value = b.oneLine(def.value)
	}
}

// sortBySource restores the order of the source.
func (b *builder) sortBySource() {
	order := make([]int, len(b.symbols))
	for i := range order {
		order[i] = i
	}
	sorting.StableFunc(order, func(i, j int) int {
		return compareSpans(Span{b.symbols[i].Start, b.symbols[i].End}, Span{b.symbols[j].Start, b.symbols[j].End})
	})
	moved, sorted := make([]int, len(order)), make([]Symbol, 0, len(order))
	for to, from := range order {
		moved[from] = to
		sorted = append(sorted, b.symbols[from])
	}
	for i := range sorted {
		if sorted[i].Parent >= 0 {
			sorted[i].Parent = moved[sorted[i].Parent]
		}
	}
	b.symbols = sorted
}

func holds(outer, inner Span) bool {
	return outer.Start <= inner.Start && inner.End <= outer.End
}

// inObject reports whether the innermost mark is an object whose members count.
func (b *builder) inObject(stack []mark) bool {
	if len(stack) == 0 {
		return false
	}
	top := stack[len(stack)-1]
	return top.role == roleObject && b.objects[top.span]
}

// parent returns the innermost symbol around a span. Symbols with equal spans are
// siblings, as in "var a, b int".
func parent(stack []mark, span Span) int {
	for i := len(stack) - 1; i >= 0; i-- {
		if stack[i].at >= 0 && stack[i].span != span {
			return stack[i].at
		}
	}
	return -1
}

// addSymbol appends a definition as a symbol and returns its index, or -1 for the blank name.
func (b *builder) addSymbol(def *definition, parent int) int {
	name := b.name(def, parent)
	if name == "" || name == "_" || def.kind == "key" && b.tooDeep(parent) {
		return -1
	}
	depth := 0
	if parent >= 0 {
		depth = b.depths[parent] + 1
	}
	if depth > maxNesting {
		return -1
	}
	path := name
	if def.kind == "module" {
		path = dotted(name)
	}
	if def.container != "" {
		path = def.container + "." + path
	}
	if parent >= 0 {
		path = b.symbols[parent].Path + "." + path
	}
	s := Symbol{
		Name: name, Path: path, Kind: b.kind(def, parent), Arity: def.arity,
		Start: def.span.Start, End: def.span.End,
		NameStart: def.name.Start, NameEnd: def.name.End,
		Parent: parent, Ordinal: b.ordinals[path],
	}
	s.Start = min(b.skipDocs(s.Start), s.NameStart)
	s.End = max(s.NameEnd, s.Start+len(bytes.TrimRight(b.src[s.Start:s.End], " \t\r\n")))
	s.DocStart = b.docStart(def.span.Start)
	s.Signature = signature(b.src, def, s)
	s.Type = b.oneLine(def.result)
	switch {
	case s.Type != "" || s.Arity >= 0:
	case def.prop.End > def.prop.Start:
		s.Value = property(b.oneLine(def.from), "."+cleanName(b.src[def.prop.Start:def.prop.End]))
	case def.from.End > def.from.Start:
		s.Value = b.oneLine(def.from)
	default:
		s.Value = b.oneLine(def.value)
	}
	b.ordinals[path]++
	b.objects[def.members], b.objects[def.value] = true, true
	b.symbols, b.depths = append(b.symbols, s), append(b.depths, depth)
	return len(b.symbols) - 1
}

// name returns the name of a definition: an unnamed element of a list is named by its
// index, and a heading loses its closing marks.
func (b *builder) name(def *definition, parent int) string {
	name := cleanName(b.src[def.name.Start:def.name.End])
	switch def.role {
	case roleItem:
		b.items[parent]++
		if def.unnamed {
			return strconv.Itoa(b.items[parent] - 1)
		}
	case roleHeading:
		if bare := strings.TrimRight(name, "#"); strings.HasSuffix(bare, " ") {
			return strings.TrimSpace(bare)
		}
	}
	return name
}

// tooDeep reports whether a key in a symbol exceeds the limits of number or depth.
func (b *builder) tooDeep(parent int) bool {
	depth := 0
	for ; parent >= 0; parent = b.symbols[parent].Parent {
		depth++
	}
	return depth >= maxKeyDepth || len(b.symbols) >= maxKeys
}

// mergeParts adds what other patterns found about the declaration and its value.
func (b *builder) mergeParts(def *definition) {
	known, ok := b.facts.parts[def.value]
	if !ok {
		known, ok = b.facts.parts[def.span]
	}
	if ok {
		own := functionParts{kind: "", arity: def.arity, body: def.body, members: def.members, result: def.result}
		if known.kind == "function" {
			own.result = known.result // not the type of the variable
		}
		all := known.merge(own)
		def.arity, def.body, def.members, def.result = all.arity, all.body, all.members, all.result
	}
	if known.kind != "" {
		def.kind = valueKind(def.kind, known.kind)
		if def.role == roleTop {
			def.role = roleDef
		}
	}
	def.span = b.outermost(def.span)
}

// valueKind returns the kind of a declaration whose value is a function or a class.
func valueKind(declared, value string) string {
	if value == "function" && (declared == "field" || declared == "method") {
		return "method"
	}
	return value
}

// kind returns the kind according to the query, except directly inside a type, where a
// function is a method and a variable is a field.
func (b *builder) kind(def *definition, parent int) string {
	if parent < 0 && !def.inside {
		return def.kind
	}
	of := "class"
	if !def.inside {
		of = b.symbols[parent].Kind
	}
	switch of {
	case "class", "struct", "interface", "enum":
		switch def.kind {
		case "function":
			return "method"
		case "var":
			return "field"
		}
	}
	return def.kind
}
