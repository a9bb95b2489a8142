package extract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/sorting"
)

// RefKind says how a use uses a name.
type RefKind string

// The kinds of uses.
const (
	RefCall    RefKind = "call"
	RefNew     RefKind = "new"     // instantiation
	RefType    RefKind = "type"    // in the position of a type
	RefInherit RefKind = "inherit" // a class, interface or embedded field takes over its members
	RefRead    RefKind = "read"    // anything else
	RefKey     RefKind = "key"     // the key of a literal: a field, or a constant
	RefImport  RefKind = "import"  // in an import statement: the name is looked up in the imported module

	refSkip RefKind = "skip" // looks like a use and is none
)

// Ref is one use of a name that may be declared elsewhere. Names that are local and
// not called are omitted.
type Ref struct {
	Kind  RefKind
	Name  string
	Recv  string // the receiver expression, white space folded; "" for a bare name
	Start int    // of the name
	End   int
	Line  int // of the name, from 1
	In    int // index into File.Symbols of the innermost enclosing symbol, -1 outside of all
	Args  int // one more than the number of arguments of a call; 0 if it is not known
}

// Names of binds that are notes about the flow of values, for languages without
// written types. Their Value is the source text.
const (
	NoteCall      = "(call)"     // a call with arguments
	NoteReturn    = "(return)"   // the result of a function
	NoteYield     = "(yield)"    // the values of a generator
	NoteAssign    = "(set)"      // an assignment to something other than a plain name
	NoteDecorator = "(decorate)" // a decorator, a space and the decorated name
)

// RefCallValue is the name in a call of an unnamed value, as in "f()()".
const RefCallValue = "("

const decoratorMark = "@"

// Bind describes a parameter or local variable. It has a Type or a Value, or neither
// if the source does not say.
type Bind struct {
	Name   string
	Type   string // the written type
	Value  string // the assigned expression
	Each   bool   // it takes the elements of Type or Value, as in a loop
	Result int    // index among several results, from 0
	Start  int    // of the name
	Scope  Span   // where the name is bound; in a comprehension it begins before Start
}

// Facts is what one file declares and uses.
type Facts struct {
	*File
	Uses    []Import
	Refs    []Ref  // by Start
	Binds   []Bind // by Start
	Package string // the package, namespace or module that the file declares
	Lines   []int  // offset of each line
}

// Line returns the line of an offset, from 1.
func (f *Facts) Line(offset int) int {
	i, found := slices.BinarySearch(f.Lines, offset)
	if found {
		return i + 1
	}
	return i
}

// ParseFacts extracts what Parse does and the uses of names. For a language without
// references it returns the symbols alone.
func ParseFacts(ctx context.Context, lang string, src []byte) (*Facts, error) {
	lang = DetectDialect(lang, src)
	l, err := languageFor(lang)
	if err != nil {
		return nil, err
	}
	if err := check(src); err != nil {
		return nil, fmt.Errorf("index %s: %w", lang, err)
	}
	u, ok := l.uses.Get().(*uses)
	if !ok {
		u = &uses{}
	}
	u.src, u.ecma = l.text(src), ecmaScript(lang)
	if cap(u.refs) == 0 {
		u.refs = make([]refMatch, 0, len(src)/bytesPerRef)
	}
	defer func() {
		u.reset()
		l.uses.Put(u)
	}()
	facts, err := guard(ctx, src, func(ctx context.Context) (*Facts, error) {
		f, err := l.file(ctx, lang, src, u)
		if err != nil {
			return nil, err
		}
		facts := u.facts(f)
		return facts, l.addMarkup(ctx, src, facts)
	})
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", lang, err)
	}
	return facts, nil
}

// bytesPerRef is about how much code has one use of a name.
const bytesPerRef = 32

// uses collects the matches of a references query and the structured imports.
type uses struct {
	src     []byte
	ecma    bool // JavaScript or TypeScript
	refs    []refMatch
	binds   []bindMatch
	blocks  []Span
	imports []importMatch
	groups  []importGroup
	notes   []Bind
	pkg     string
	marked  offsetSets
}

// offsets is a set of offsets in a source, a bit for each.
type offsets []uint64

func (o offsets) add(at int) {
	if i := uint(at) / 64; i < uint(len(o)) {
		o[i] |= 1 << (uint(at) % 64)
	}
}

func (o offsets) has(at int) bool {
	i := uint(at) / 64
	return i < uint(len(o)) && o[i]>>(uint(at)%64)&1 == 1
}

// offsetSets are those that one file needs, and the next one too.
type offsetSets [2]offsets

// reset returns an empty set for a source of n bytes.
func (o *offsetSets) reset(i, n int) offsets {
	words := n/64 + 1
	if cap(o[i]) < words {
		o[i] = make(offsets, words)
	}
	o[i] = o[i][:words]
	clear(o[i])
	return o[i]
}

// pooled returns what is kept for the next file: sets of usual size.
func (o offsetSets) pooled() offsetSets {
	for i := range o {
		if cap(o[i]) > maxPooled/8 {
			o[i] = nil
		}
	}
	return o
}

// reset prepares it for the next file. It keeps its memory unless that is of unusual
// size: growing it again for each file was a third of all memory that an index took.
func (u *uses) reset() {
	clear(u.refs)
	if u.refs = u.refs[:0]; cap(u.refs) > maxPooled/2 {
		u.refs = nil
	}
	*u = uses{refs: u.refs, binds: truncated(u.binds), blocks: truncated(u.blocks), imports: truncated(u.imports), groups: truncated(u.groups), notes: truncated(u.notes), marked: u.marked.pooled()}
}

// truncated empties a slice and clears its elements, whose texts would retain a
// source. None are behind its end: what shortens it clears those.
func truncated[T any](s []T) []T {
	if cap(s) > maxPooled/8 {
		return nil
	}
	clear(s)
	return s[:0]
}

type refMatch struct {
	Ref
	pattern   int
	container string // the symbol that uses the name, if not the surrounding one
}

// order is that of its span, then that of its pattern. A query has fewer than 1<<16 patterns.
func (r *refMatch) order() uint64 {
	return Span{r.Start, r.End}.order()<<16 | uint64(r.pattern+1)
}

type bindMatch struct {
	Bind
	pattern int
	into    Span // explicit scope, empty for the innermost block
	self    bool // the object of a method: it is local, and nothing more is known
}

// useCaptures are the captures of one match of a references query, by their roles. Empty
// spans are roles that the match does not have.
type useCaptures struct {
	kind        RefKind // what the use is, "" if the match is none
	name, recv  Span
	container   string
	binds, into Span // the names that are bound, and where they hold
	self        bool
	as, from    Span   // the type and the value of what is bound
	each, elems Span   // the value that is ranged over; the type of its elements
	prop        string // the path to what is bound in the value: .a.b
	note        string
	noted       Span
	pattern     int
}

// add adds the captures of one match.
func (u *uses) add(m match) {
	c := u.read(m)
	if c.note != "" {
		u.addNote(&c)
		return
	}
	if c.kind != "" {
		u.addRef(&c)
	}
	if c.binds.End > c.binds.Start {
		u.addBinds(&c)
	}
}

// read sorts the captures of a match by their roles. Blocks and the package, which mean the
// same in every match, are kept at once.
func (u *uses) read(m match) useCaptures {
	out := useCaptures{pattern: m.pattern}
	for _, c := range m.captures {
		switch c.role {
		case roleRef:
			out.kind, out.name = RefKind(c.kind), c.span
		case roleToken:
			out.name = c.span
			out.kind, out.recv = u.macroToken(c.span)
		case roleRecv:
			out.recv = union(out.recv, c.span)
		case roleChain:
			out.recv = u.receiverChain(c.span.Start)
		case roleBind, roleBinds:
			out.binds = c.span
		case roleSelf:
			out.binds, out.self = c.span, true
		case roleAs:
			out.as = c.span
		case roleFrom, roleFroms:
			out.from = union(out.from, c.span)
		case roleProp:
			out.prop += "." + cleanName(u.src[c.span.Start:c.span.End])
		case roleEach:
			out.each = c.span
		case roleElems:
			out.elems = c.span
		case roleInto:
			out.into = c.span
		case roleContainer:
			out.container = string(u.src[c.span.Start:c.span.End])
		case roleBlock:
			u.blocks = append(u.blocks, c.span)
		case rolePackage:
			u.pkg = fold(u.src[c.span.Start:c.span.End])
		case roleNote:
			out.note, out.noted = c.kind, c.span
		}
	}
	return out
}

// addNote adds a fact that a grammar notes for the resolution of its language.
func (u *uses) addNote(c *useCaptures) {
	b := Bind{Name: "(" + c.note + ")", Start: c.noted.Start}
	if u.ecma {
		b.Value = u.shortened(c.noted)
	} else {
		b.Value = u.expression(c.noted)
	}
	if c.from.End > c.from.Start {
		b.Value = u.expression(c.from) + " " + b.Value
	}
	u.notes = append(u.notes, b)
}

// addRef adds the use of a name.
func (u *uses) addRef(c *useCaptures) {
	name := u.src[c.name.Start:c.name.End]
	ref := Ref{Kind: c.kind, Recv: u.receiver(c.recv), Start: c.name.Start, End: c.name.End}
	if c.recv.End > c.recv.Start && string(name) == decoratorMark { // it is also called
		ref.Name = RefCallValue
	} else {
		ref.Name = cleanName(name)
	}
	u.refs = append(u.refs, refMatch{ref, c.pattern, c.container})
}

// addBinds adds the names that a match binds: each gets its part of the value where that
// has as many parts as there are names.
func (u *uses) addBinds(c *useCaptures) {
	b := Bind{Type: u.expression(c.as), Value: u.value(c.from)}
	switch {
	case c.elems.End > c.elems.Start:
		b.Type, b.Each = "[]"+u.expression(c.elems), false
	case c.each.End > c.each.Start:
		b.Value, b.Each = u.value(c.each), true
	case c.prop != "":
		b = destructured(b, c.prop)
	}
	binds := u.unwrap(c.binds)
	names := splitTop(u.src[binds.Start:binds.End])
	values := splitTop([]byte(b.Value))
	if list := parenthesized(b.Value); len(names) > 1 && list != "" && len(splitTop([]byte(list))) == len(names) { // (a, b) = (1, 2)
		b.Value, values = list, splitTop([]byte(list))
	}
	for i, n := range names {
		one := b
		text := u.src[binds.Start+n.Start : binds.Start+n.End]
		one.Name = strings.Trim(string(text), bindTrim)
		one.Start = binds.Start + n.Start + len(text) - len(bytes.TrimLeft(text, bindTrim))
		if one.Name == "" || one.Name == "_" || !identifier(one.Name) {
			continue
		}
		switch {
		case b.Each:
			one.Result = i
			if len(names) == 1 {
				one.Result = -1
			}
		case len(values) == len(names) && len(names) > 1:
			one.Value = strings.TrimSpace(b.Value[values[i].Start:values[i].End])
		default:
			one.Result = i
		}
		u.binds = append(u.binds, bindMatch{one, c.pattern, c.into, c.self})
	}
}

// unwrap strips the brackets of a list of names.
func (u *uses) unwrap(s Span) Span {
	if first, last := u.src[s.Start], u.src[s.End-1]; first == '(' && last == ')' || first == '[' && last == ']' {
		return Span{Start: s.Start + 1, End: s.End - 1}
	}
	return s
}

// bindTrim lists what may surround a name in a list of binds.
const bindTrim = " \t\r\n(){}[]*&:"

// facts sorts the collected uses and drops those that are plainly local.
func (u *uses) facts(f *File) *Facts {
	out := &Facts{File: f, Lines: lineStarts(u.src)}
	out.Uses = u.collectImports(out.Line)
	sorting.StableByKey(u.refs, (*refMatch).order)
	u.distinctRefs()
	declared := u.marked.reset(0, len(u.src))
	for _, s := range f.Symbols {
		declared.add(s.NameStart)
	}
	out.Package = u.pkg
	var local map[string][]Span
	out.Binds, local = u.localNames(declared, bareMembers(f))
	if u.ecma {
		u.addResults(out)
	} else {
		u.addFlowNotes(out)
	}
	if typed(f.Language) {
		u.addGiven(out.Binds)
	}
	bound := u.marked.reset(1, len(u.src))
	for _, b := range u.binds {
		bound.add(b.Start)
	}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.Line, s.EndLine = out.Line(s.Start), out.Line(max(s.End-1, s.Start))
	}
	in := newSymbolCursor(f.Symbols)
	out.Refs = make([]Ref, 0, len(u.refs))
	skipped, counted := 0, countsArguments(f.Language)
	for _, r := range u.refs {
		bare := r.Recv == "" // else it is a property as well, as in "const {a} = x"
		if r.Kind == refSkip {
			skipped = max(skipped, r.End)
		}
		if r.End <= skipped && r.Kind != RefImport || declared.has(r.Start) || bare && bound.has(r.Start) || !declarable(r.Name) ||
			bare && r.Kind == RefRead && isLocal(local[r.Name], r.Start) {
			continue
		}
		r.In = in.at(r.Start)
		if r.In >= 0 && r.Kind == RefCall && r.Start < f.Symbols[r.In].Start { // the surrounding code calls a decorator
			r.In = f.Symbols[r.In].Parent
		}
		if r.container != "" {
			r.In = enclosingTypeNamed(f.Symbols, r.container, r.In)
		}
		r.Line = out.Line(r.Start)
		if counted && r.Kind == RefCall && !bare {
			r.Args = arguments(u.src, r.End)
		}
		out.Refs = append(out.Refs, r.Ref)
	}
	return out
}

// addFlowNotes adds notes about the flow of values, and the results of functions
// without a written type: other files know nothing else of them.
func (u *uses) addFlowNotes(f *Facts) {
	if len(u.notes) == 0 {
		return
	}
	// At the same offset, the inner one comes first; a function's decorators stay in order.
	sorting.StableFunc(u.notes, func(a, b Bind) int {
		if a.Start == b.Start && a.Name == NoteDecorator && b.Name == NoteDecorator {
			return 0
		}
		return cmp.Or(a.Start-b.Start, len(a.Value)-len(b.Value))
	})
	f.Binds = append(f.Binds, u.notes...)
	sorting.StableByKey(f.Binds, func(b *Bind) uint64 { return uint64(b.Start) })
	in := newSymbolCursor(f.Symbols)
	for _, n := range u.notes {
		i := in.at(n.Start)
		if n.Name != NoteReturn || i < 0 {
			continue
		}
		s := &f.Symbols[i]
		if s.Arity < 0 || s.Type != "" || len(s.Value)+len(n.Value) > maxExpression {
			continue
		}
		if s.Value != "" {
			s.Value += " or "
		}
		s.Value += n.Value
	}
}

func lineStarts(src []byte) []int {
	lines := make([]int, 1, 1+bytes.Count(src, []byte{'\n'}))
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			return lines
		}
		at += n + 1
		lines = append(lines, at)
	}
}

// declarable reports whether a name can be declared: "_" and a shell's "1" can't.
func declarable(name string) bool {
	return name != "" && name != "_" && (name[0] < '0' || name[0] > '9')
}

// distinctRefs removes duplicates from the sorted uses of a name: it keeps the first,
// and the module path of an imported name if another pattern saw it.
func (u *uses) distinctRefs() {
	kept := u.refs[:0]
	for _, r := range u.refs {
		if n := len(kept); n > 0 && kept[n-1].Start == r.Start && kept[n-1].End == r.End {
			if last := &kept[n-1]; last.Kind == RefImport && last.Recv == "" && r.Kind != refSkip {
				last.Recv, last.container = r.Recv, r.container
			}
			continue
		}
		kept = append(kept, r)
	}
	clear(u.refs[len(kept):])
	u.refs = kept
}
