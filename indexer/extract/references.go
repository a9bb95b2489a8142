package extract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/grammars"
)

// RefKind says what a use of a name does with it.
type RefKind string

// The kinds of uses.
const (
	RefCall    RefKind = "call"
	RefNew     RefKind = "new"     // an instance is made
	RefType    RefKind = "type"    // it stands where a type stands
	RefInherit RefKind = "inherit" // a class, interface or embedded field takes over its members
	RefRead    RefKind = "read"    // anything else
	RefKey     RefKind = "key"     // the key of a literal: a field, or a constant
	RefImport  RefKind = "import"  // in an import statement: the name is looked up in the module of Facts.Uses

	refSkip RefKind = "skip" // looks like a use and is none
)

// Ref is one use of a name that may be declared elsewhere. Names that are
// known to be local and are not called are left out.
type Ref struct {
	Kind  RefKind
	Name  string
	Recv  string // the expression in front of the name, white space folded; "" for a bare name
	Start int    // of the name
	End   int
	Line  int // of the name, from 1
	In    int // index into File.Symbols of the innermost symbol around it, -1 outside of all
}

// The names of binds that are no names of the source: notes of how values flow,
// for languages that do not write types. Their Value is what stands in the source.
const (
	NoteCall     = "(call)"     // a call with arguments
	NoteReturn   = "(return)"   // what a function gives
	NoteYield    = "(yield)"    // what a generator gives, one after the other
	NoteSet      = "(set)"      // an assignment to something that is no plain name
	NoteDecorate = "(decorate)" // a decorator, a space and the name that it stands at
)

// RefCallValue is the name of a call of a value that has none, as in "f()()".
const RefCallValue = "("

const decoratorMark = "@"

// Bind says what a parameter or local variable stands for. One of Type and
// Value is given, or none where the source does not say it.
type Bind struct {
	Name   string
	Type   string // the written type
	Value  string // the expression that it gets
	Each   bool   // it gets the elements of Type or Value, as in a loop
	Result int    // which of several results, from 0
	Start  int    // of the name
	Scope  Span   // where the name means this; in a comprehension it begins before Start
}

// Import is one name, or all of them, that a file takes from another.
type Import struct {
	Module   string // as written, without quotes; "" for a name of this file that it gives away as Alias
	Name     string // the name in the module; "" for the module itself, "*" for all its names
	Alias    string // the name here; "" where it is that of the thing
	Reexport bool   // other files may import it from here
	Start    int    // of the module
	Line     int    // of the name, where it is written, else of the module; from 1
}

// Facts is what one file declares and uses.
type Facts struct {
	*File
	Uses    []Import
	Refs    []Ref  // by Start
	Binds   []Bind // by Start
	Package string // the package, namespace or module that the file says it belongs to
	Lines   []int  // where each line starts
}

// Line is the line of an offset, from 1.
func (f *Facts) Line(offset int) int {
	i, found := slices.BinarySearch(f.Lines, offset)
	if found {
		return i + 1
	}
	return i
}

// maxExpression is the length in bytes of an expression that is still kept;
// a longer one is cut at its end (a receiver at its start) and resolves to nothing.
const maxExpression = 300

// Index extracts what Parse does and the uses of names. A language without
// references gives the symbols alone.
func Index(ctx context.Context, lang string, src []byte) (*Facts, error) {
	l, err := languageFor(lang)
	if err != nil {
		return nil, err
	}
	if err := check(src); err != nil {
		return nil, fmt.Errorf("index %s: %w", lang, err)
	}
	u := &uses{src: src}
	f, err := l.file(ctx, lang, src, u)
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", lang, err)
	}
	return u.facts(f), nil
}

// uses collects the matches of a references query and the structured imports.
type uses struct {
	src     []byte
	refs    []refMatch
	binds   []bindMatch
	blocks  []Span
	imports []importMatch
	groups  []importGroup
	notes   []Bind
	pkg     string
}

type refMatch struct {
	Ref
	pattern   int
	container string // the symbol that uses the name, where the place does not say it
}

type importMatch struct {
	Import
	name Span // of Import.Name where it is written
	at   int  // of what stands for the import
}

// importGroup is a list of imports with what holds for each of them.
type importGroup struct {
	span     Span
	prefix   string // of their modules, with the separator behind it
	reexport bool
}

type bindMatch struct {
	Bind
	pattern int
	into    Span // the given scope, empty where it is the innermost block
	self    bool // the object that a method belongs to: known to be local, and nothing else
}

// add sorts the captures of one match.
func (u *uses) add(m match) {
	var name, recv, binds, as, from, each, elems, into Span
	kind, container, self, prop := RefKind(""), "", false, ""
	note, noted := "", Span{}
	for _, c := range m.captures {
		switch c.role {
		case roleRef:
			kind, name = RefKind(c.kind), c.span
		case roleToken:
			name = c.span
			kind, recv = u.token(c.span)
		case roleRecv:
			recv = union(recv, c.span)
		case roleChain:
			recv = u.chain(c.span.Start)
		case roleBind, roleBinds:
			binds = c.span
		case roleSelf:
			binds, self = c.span, true
		case roleAs:
			as = c.span
		case roleFrom, roleFroms:
			from = union(from, c.span)
		case roleProp:
			prop += "." + cleanName(u.src[c.span.Start:c.span.End])
		case roleEach:
			each = c.span
		case roleElems:
			elems = c.span
		case roleInto:
			into = c.span
		case roleContainer:
			container = string(u.src[c.span.Start:c.span.End])
		case roleBlock:
			u.blocks = append(u.blocks, c.span)
		case rolePackage:
			u.pkg = fold(u.src[c.span.Start:c.span.End])
		case roleNote:
			note, noted = c.kind, c.span
		}
	}
	if note != "" {
		b := Bind{Name: "(" + note + ")", Value: u.expression(noted), Start: noted.Start}
		if from.End > from.Start {
			b.Value = u.expression(from) + " " + b.Value
		}
		u.notes = append(u.notes, b)
		return
	}
	if kind != "" {
		if recv.End > recv.Start && string(u.src[name.Start:name.End]) == decoratorMark { // it is called, too
			u.refs = append(u.refs, refMatch{Ref{Kind: kind, Name: RefCallValue, Recv: u.receiver(recv), Start: name.Start, End: name.End}, m.pattern, container})
			return
		}
		u.refs = append(u.refs, refMatch{Ref{Kind: kind, Name: cleanName(u.src[name.Start:name.End]), Recv: u.receiver(recv), Start: name.Start, End: name.End}, m.pattern, container})
	}
	if binds.End == binds.Start {
		return
	}
	b := Bind{Type: u.expression(as), Value: u.expression(from)}
	switch {
	case elems.End > elems.Start:
		b.Type, b.Each = "[]"+u.expression(elems), false
	case each.End > each.Start:
		b.Value, b.Each = u.expression(each), true
	case prop != "":
		b = part(b, prop)
	}
	binds = u.unwrap(binds)
	names := splitTop(u.src[binds.Start:binds.End])
	values := splitTop([]byte(b.Value))
	if list := listed(b.Value); len(names) > 1 && list != "" && len(splitTop([]byte(list))) == len(names) { // (a, b) = (1, 2)
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
		u.binds = append(u.binds, bindMatch{one, m.pattern, into, self})
	}
}

// listed is what stands between the round brackets of a list.
func listed(value string) string {
	depth := 0
	for i, c := range []byte(value) {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 && i < len(value)-1 {
			return "" // the first bracket ends before the last: (a).b(c)
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(value, "("), ")")
}

// unwrap takes the brackets off a list of names.
func (u *uses) unwrap(s Span) Span {
	if first, last := u.src[s.Start], u.src[s.End-1]; first == '(' && last == ')' || first == '[' && last == ']' {
		return Span{Start: s.Start + 1, End: s.End - 1}
	}
	return s
}

// bindTrim is what may stand around a name in a list of binds.
const bindTrim = " \t\r\n(){}[]*&:"

// part is a bind of one property of what the others of its pattern share: of a
// value, or of a written type, whose members are found by its name.
func part(b Bind, prop string) Bind {
	if b.Type != "" {
		b.Value, _, _ = strings.Cut(b.Type, "<")
		b.Type = ""
		if strings.ContainsAny(b.Value, "{}()[]|& ") {
			b.Value = ""
		}
	}
	if b.Value != "" {
		b.Value = property(b.Value, prop)
	}
	return b
}

// property is the expression of a part of another, as in "(await a.b()).c".
func property(of, path string) string {
	if strings.Contains(of, " ") {
		of = "(" + of + ")"
	}
	return of + path
}

// token tells from the text around a name among the tokens of a macro how it is
// used, and what stands in front of it.
func (u *uses) token(s Span) (RefKind, Span) {
	kind := RefRead
	after := skipSpace(u.src, s.End)
	switch rest := u.src[after:min(after+2, len(u.src))]; {
	case bytes.HasPrefix(rest, []byte("(")), len(rest) == 2 && rest[0] == '!' && rest[1] != '=':
		kind = RefCall
	case len(rest) == 2 && rest[0] == ':' && rest[1] != ':':
		kind = RefKey
	}
	end := u.beforeSeparator(s.Start)
	if end < 0 {
		return kind, Span{}
	}
	start := end
	for start > 0 && end-start < maxExpression {
		switch c := u.src[start-1]; {
		case c == ')' || c == ']':
			start = u.opening(start - 1)
			continue
		case c == '?' || c == '$' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			start--
			continue
		}
		before := u.beforeSeparator(start)
		if before < 0 {
			break
		}
		start = before
	}
	return kind, Span{Start: start, End: end}
}

// beforeSeparator is where the separator before an offset begins, -1 when there is none.
func (u *uses) beforeSeparator(at int) int {
	text := bytes.TrimRight(u.src[:at], " \t\r\n")
	switch {
	case bytes.HasSuffix(text, []byte("::")):
		text = text[:len(text)-2]
	case bytes.HasSuffix(text, []byte(".")) && !bytes.HasSuffix(text, []byte("..")):
		text = text[:len(text)-1]
	default:
		return -1
	}
	return len(bytes.TrimRight(text, " \t\r\n"))
}

// opening is the bracket that the one at an offset closes.
func (u *uses) opening(at int) int {
	depth := 0
	for i := at; i > 0 && at-i < maxExpression; i-- {
		switch u.src[i] {
		case ')', ']', '}':
			depth++
		case '(', '[', '{':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return at
}

// addImport takes what an imports query says about one imported name, or about a list of them.
func (u *uses) addImport(m match) {
	i := Import{Start: -1}
	var statement, name, alias, group, prefix Span
	first := len(u.src)
	for _, c := range m.captures {
		text := func() string { return cleanName(u.src[c.span.Start:c.span.End]) }
		switch c.role {
		case roleModule:
			if i.Start < 0 {
				i.Start = c.span.Start
			}
			i.Module = cleanName(u.src[i.Start:c.span.End]) // a path may be many nodes
		case roleImported:
			i.Name = strings.TrimPrefix(text(), ":")
			name = c.span
			first = min(first, c.span.Start)
		case roleDefault:
			i.Name = "default"
		case roleStar:
			i.Name = "*"
			first = min(first, c.span.Start)
		case roleAlias:
			i.Alias = text()
			alias = c.span
		case roleReexport:
			i.Reexport = true
		case rolePackage:
			u.pkg = text()
		case roleImport:
			statement = c.span
		case roleGroup:
			group = c.span
		case rolePrefix:
			prefix = c.span
		case rolePath:
			i.Module, i.Start = strings.TrimPrefix(text(), `\`), c.span.Start
			if n := strings.LastIndexAny(i.Module, `.\`); n >= 0 {
				i.Module, i.Name = i.Module[:n], i.Module[n+1:]
			}
		}
	}
	if group.End > group.Start {
		u.groups = append(u.groups, importGroup{group, u.prefix(prefix), i.Reexport})
		return
	}
	switch {
	case i.Start >= 0 || i.Name == "" && i.Alias == "":
	case statement.End > statement.Start:
		i.Start = statement.Start
	default:
		i.Start = first
	}
	if i.Start >= 0 && i.Start < len(u.src) {
		at := i.Start
		switch {
		case name.End > name.Start:
			at = name.Start
		case i.Name == "default" && alias.End > alias.Start:
			at = alias.Start
		}
		u.imports = append(u.imports, importMatch{i, name, at})
	}
}

// prefix is the text of a path with the separator that stands behind it.
func (u *uses) prefix(s Span) string {
	end := s.End
	for end < len(u.src) && s.End > s.Start && bytes.IndexByte([]byte(`.:/\`), u.src[end]) >= 0 {
		end++
	}
	return fold(u.src[s.Start:end])
}

// regroup completes the imports that stand in a list with what holds for the list.
func (u *uses) regroup() {
	slices.SortFunc(u.groups, func(a, b importGroup) int { return compareSpans(b.span, a.span) }) // inner ones first
	for n := range u.imports {
		i := &u.imports[n].Import
		for _, g := range u.groups {
			if g.span.Start > i.Start || i.Start >= g.span.End {
				continue
			}
			i.Reexport = i.Reexport || g.reexport
			i.Module = g.prefix + i.Module
			if i.Module == g.prefix {
				i.Module = strings.TrimRight(i.Module, `.:/\`)
			}
		}
	}
}

// chain finds the expression before a name in the text, for grammars in which
// "a.b(c).d" is a flat list.
func (u *uses) chain(at int) Span {
	skip := func(i int) int { return len(bytes.TrimRight(u.src[:i], " \t\r\n")) }
	i := skip(at)
	if i == 0 || u.src[i-1] != '.' && u.src[i-1] != ':' || i > 1 && u.src[i-2] == u.src[i-1] {
		return Span{}
	}
	end := skip(i - 1)
	depth := 0
	for i = end; i > 0 && end-i < maxExpression; i-- {
		switch c := u.src[i-1]; {
		case c == ')' || c == ']' || c == '}':
			depth++
		case c == '(' || c == '[' || c == '{':
			depth--
		case depth == 0 && c != '.' && c != ':' && !identifier(string(rune(c))):
			depth = -1
		}
		if depth < 0 {
			break
		}
	}
	return Span{Start: i, End: end}
}

// receiver is the text of the expression in front of a name; of a long one its end.
func (u *uses) receiver(s Span) string {
	if s.End-s.Start > maxExpression {
		return "…" + fold(u.src[s.End-maxExpression:s.End])
	}
	return strings.TrimRight(fold(u.src[s.Start:s.End]), `\`) // PHP counts the separator
}

// expression is the text of a type or value; of a long one its start, which
// says most (the callee of a call, the type of a literal).
func (u *uses) expression(s Span) string {
	if s.End-s.Start > maxExpression {
		return fold(u.src[s.Start:s.Start+maxExpression]) + "…"
	}
	return fold(u.src[s.Start:s.End])
}

// fold makes one line of a text.
func fold(text []byte) string {
	if bytes.IndexByte(text, '\n') < 0 && bytes.IndexByte(text, '\t') < 0 && !bytes.Contains(text, []byte("  ")) {
		return string(text)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func identifier(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' && r < 'A' || r > 'Z' && r < 'a' && r != '_' || r > 'z' && r < 0x80 {
			return r == '$' || r == '@'
		}
	}
	return true
}

// splitTop cuts a list at the commas that stand outside of brackets and quotes.
// An outer pair of brackets around the whole is not looked into.
func splitTop(text []byte) []Span {
	var parts []Span
	depth, start, quote := 0, 0, byte(0)
	for i, c := range text {
		switch {
		case quote != 0:
			if c == quote && text[i-1] != '\\' {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, Span{Start: start, End: i})
			start = i + 1
		}
	}
	return append(parts, Span{Start: start, End: len(text)})
}

// takeImports returns the imports, and adds the names in them to the uses. An
// import of a whole module is left out where the same statement takes a name of
// it or gives it one.
func (u *uses) takeImports(lines func(int) int) []Import {
	u.regroup()
	slices.SortStableFunc(u.imports, func(a, b importMatch) int { return a.Start - b.Start })
	named := make(map[int]bool)
	for _, i := range u.imports {
		named[i.Start] = named[i.Start] || i.Name != "" || i.Alias != ""
		if i.Module != "" && i.name.End > i.name.Start {
			ref := Ref{Kind: RefImport, Name: i.Name, Start: i.name.Start, End: i.name.End}
			u.refs = append(u.refs, refMatch{Ref: ref, pattern: -1})
		}
	}
	var all []Import
	for _, i := range u.imports {
		if i.Name != "" || i.Alias != "" || !named[i.Start] {
			i.Line = lines(i.at)
			all = append(all, i.Import)
		}
	}
	return all
}

// facts orders what was collected and drops what is plainly local.
func (u *uses) facts(f *File) *Facts {
	out := &Facts{File: f, Lines: lineStarts(u.src)}
	out.Uses = u.takeImports(out.Line)
	slices.SortStableFunc(u.refs, func(a, b refMatch) int {
		return cmp.Or(a.Start-b.Start, b.End-a.End, a.pattern-b.pattern)
	})
	u.distinctRefs()
	declared := make(map[int]bool, len(f.Symbols))
	for _, s := range f.Symbols {
		declared[s.NameStart] = true
	}
	out.Package = u.pkg
	var local map[string][]Span
	out.Binds, local = u.names(declared, bareMembers(f))
	u.note(out)
	bound := make(map[int]bool, len(u.binds))
	for _, b := range u.binds {
		bound[b.Start] = true
	}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		s.Line, s.EndLine = out.Line(s.Start), out.Line(max(s.End-1, s.Start))
	}
	in := newEnclosing(f.Symbols)
	skipped := 0
	for _, r := range u.refs {
		bare := r.Recv == "" // else it is a property as well, as in "const {a} = x"
		if r.Kind == refSkip {
			skipped = max(skipped, r.End)
		}
		if r.End <= skipped && r.Kind != RefImport || declared[r.Start] || bare && bound[r.Start] || !declarable(r.Name) ||
			bare && r.Kind == RefRead && isLocal(local[r.Name], r.Start) {
			continue
		}
		r.In = in.at(r.Start)
		if r.In >= 0 && r.Kind == RefCall && r.Start < f.Symbols[r.In].Start { // a decorator is called by what stands around
			r.In = f.Symbols[r.In].Parent
		}
		if r.container != "" {
			r.In = holder(f.Symbols, r.container, r.In)
		}
		r.Line = out.Line(r.Start)
		out.Refs = append(out.Refs, r.Ref)
	}
	return out
}

// note adds how values flow, and what functions give whose type is not written:
// other files know no more of them.
func (u *uses) note(f *Facts) {
	if len(u.notes) == 0 {
		return
	}
	f.Binds = append(f.Binds, u.notes...)
	slices.SortStableFunc(f.Binds, func(a, b Bind) int { return a.Start - b.Start })
	slices.SortStableFunc(u.notes, func(a, b Bind) int { return a.Start - b.Start })
	in := newEnclosing(f.Symbols)
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

// declarable says whether a name can be declared: "_" and a shell's "1" can't.
func declarable(name string) bool {
	return name != "" && name != "_" && (name[0] < '0' || name[0] > '9')
}

// distinctRefs keeps one of the sorted uses of the same name: the first, with
// the path before an imported name if another pattern saw it.
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
	u.refs = kept
}

// names returns the binds, one for each name and scope, without those that a
// symbol says, and where in the file each name is local.
func (u *uses) names(declared, members map[int]bool) (binds []Bind, local map[string][]Span) {
	slices.SortStableFunc(u.binds, func(a, b bindMatch) int {
		return cmp.Or(a.Start-b.Start, compareSpans(a.into, b.into), a.pattern-b.pattern)
	})
	u.binds = slices.CompactFunc(u.binds, func(a, b bindMatch) bool { return a.Start == b.Start && a.into == b.into })
	u.scopes()
	local = make(map[string][]Span, len(u.binds))
	for _, b := range u.binds {
		whole := b.Scope == Span{End: len(u.src)}
		if declared[b.Start] && whole || members[b.Start] {
			continue // the symbol itself says it
		}
		if !b.self {
			binds = append(binds, b.Bind)
		}
		if whole {
			continue // not local
		}
		start := b.Start
		if b.into.End > b.into.Start {
			start = min(start, b.into.Start)
		}
		local[b.Name] = append(local[b.Name], Span{Start: start, End: b.Scope.End})
	}
	return binds, local
}

// bareMembers are where the names of members stand that code names without
// "this.", so that they are found as symbols and not as local names.
func bareMembers(f *File) map[int]bool {
	l, _ := grammars.ByID(f.Language)
	if !l.BareMembers {
		return nil
	}
	out := map[int]bool{}
	for _, s := range f.Symbols {
		if s.Kind == "field" || s.Kind == "const" {
			out[s.NameStart] = true
		}
	}
	return out
}

// scopes gives each of the sorted binds the innermost block around it, or the one it names.
func (u *uses) scopes() {
	slices.SortFunc(u.blocks, compareSpans)
	var stack []Span
	next := 0
	for i := range u.binds {
		b := &u.binds[i]
		for next < len(u.blocks) && u.blocks[next].Start <= b.Start {
			stack = append(stack, u.blocks[next])
			next++
		}
		for len(stack) > 0 && stack[len(stack)-1].End <= b.Start {
			stack = stack[:len(stack)-1]
		}
		b.Scope = Span{End: len(u.src)}
		for j := len(stack) - 1; j >= 0; j-- { // an ended block may lie below a longer one
			if stack[j].End > b.Start {
				b.Scope = stack[j]
				break
			}
		}
		if b.into.End > b.into.Start {
			b.Scope = b.into
		}
	}
}

// holder finds the type with that name beside or inside of a symbol, else that symbol.
func holder(symbols []Symbol, name string, in int) int {
	for i, s := range symbols {
		switch s.Kind {
		case "function", "method", "field", "var", "const", "module":
			continue
		}
		if s.Name == name && s.Parent == in {
			return i
		}
	}
	return in
}

func isLocal(spans []Span, at int) bool {
	for _, s := range spans {
		if s.Start <= at && at < s.End {
			return true
		}
	}
	return false
}

// enclosing finds the innermost symbol around ascending offsets.
type enclosing struct {
	symbols []Symbol
	next    int
	stack   []int
}

func newEnclosing(symbols []Symbol) *enclosing { return &enclosing{symbols: symbols} }

func (e *enclosing) at(offset int) int {
	for e.next < len(e.symbols) && min(e.symbols[e.next].Start, e.symbols[e.next].DocStart) <= offset {
		e.stack = append(e.stack, e.next)
		e.next++
	}
	for len(e.stack) > 0 && e.symbols[e.stack[len(e.stack)-1]].End <= offset {
		e.stack = e.stack[:len(e.stack)-1]
	}
	for j := len(e.stack) - 1; j >= 0; j-- {
		if s := e.symbols[e.stack[j]]; s.End > offset {
			return e.stack[j]
		}
	}
	return -1
}
