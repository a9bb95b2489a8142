package extract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
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
	In    int // index into File.Symbols of the innermost symbol around it, -1 outside of all
}

// Bind says what a parameter or local variable stands for. One of Type and
// Value is given, or none where the source does not say it.
type Bind struct {
	Name   string
	Type   string // the written type
	Value  string // the expression that it gets
	Each   bool   // it gets the elements of Type or Value, as in a loop
	Result int    // which of several results, from 0
	Start  int    // of the name
	Scope  Span   // where the name means this

	pattern int
}

// Import is one name, or all of them, that a file takes from another.
type Import struct {
	Module   string // as written, without quotes
	Name     string // the name in the module; "" for the module itself, "*" for all its names
	Alias    string // the name here; "" where it is that of the thing
	Reexport bool   // other files may import it from here
	Start    int    // of the module
}

// Facts is what one file declares and uses.
type Facts struct {
	*File
	Uses    []Import
	Refs    []Ref  // by Start
	Binds   []Bind // by Start
	Package string // the package, namespace or module that the file says it belongs to
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
	refs, err := l.references()
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", lang, err)
	}
	u := &uses{src: src}
	f, err := l.file(ctx, lang, src, func(ctx context.Context, root *sitter.Node) error {
		if refs != nil {
			if err := refs.each(ctx, root, src, u.add); err != nil {
				return fmt.Errorf("query references: %w", err)
			}
		}
		if err := l.imports.each(ctx, root, src, u.addImport); err != nil {
			return fmt.Errorf("query imports: %w", err)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("index %s: %w", lang, err)
	}
	return u.facts(f), nil
}

// uses collects the matches of a references query and the structured imports.
type uses struct {
	src     []byte
	refs    []refMatch
	binds   []Bind
	into    []Span // by bind: the given scope, empty where it is the innermost block
	blocks  []Span
	imports []Import
	groups  []importGroup
	pkg     string
}

type refMatch struct {
	Ref
	pattern   int
	container string // the symbol that uses the name, where the place does not say it
}

// importGroup is a list of imports with what holds for each of them.
type importGroup struct {
	span     Span
	prefix   string // of their modules, with the separator behind it
	reexport bool
}

// add sorts the captures of one match.
func (u *uses) add(_ *query, m match) {
	var name, recv, binds, as, from, each, elems, into Span
	kind, container := RefKind(""), ""
	for _, c := range m.captures {
		switch c.role {
		case roleRef:
			kind, name = RefKind(c.kind), c.span
		case roleToken:
			name = c.span
			kind, recv = u.token(c.span)
		case roleRecv:
			if recv.End == recv.Start {
				recv = c.span
			}
			recv = Span{Start: min(recv.Start, c.span.Start), End: max(recv.End, c.span.End)}
		case roleBind, roleBinds:
			binds = c.span
		case roleAs:
			as = c.span
		case roleFrom, roleFroms:
			from = c.span
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
		}
	}
	if kind != "" {
		u.refs = append(u.refs, refMatch{Ref{Kind: kind, Name: cleanName(u.src[name.Start:name.End]), Recv: u.receiver(recv), Start: name.Start, End: name.End}, m.pattern, container})
	}
	if binds.End == binds.Start {
		return
	}
	b := Bind{Type: u.expression(as), Value: u.expression(from), pattern: m.pattern}
	switch {
	case elems.End > elems.Start:
		b.Type, b.Each = "[]"+u.expression(elems), false
	case each.End > each.Start:
		b.Value, b.Each = u.expression(each), true
	}
	names := splitTop(u.src[binds.Start:binds.End])
	values := splitTop([]byte(b.Value))
	for i, n := range names {
		one := b
		const around = " \t\r\n(){}[]*&:"
		text := string(u.src[binds.Start+n.Start : binds.Start+n.End])
		one.Name = strings.Trim(text, around)
		one.Start = binds.Start + n.End - len(strings.TrimLeft(text, around))
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
		u.binds = append(u.binds, one)
		u.into = append(u.into, into)
	}
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
func (u *uses) addImport(_ *query, m match) {
	i := Import{Start: -1}
	var statement, group, prefix Span
	first := len(u.src)
	for _, c := range m.captures {
		text := func() string { return cleanName(u.src[c.span.Start:c.span.End]) }
		switch c.role {
		case roleModule:
			i.Module, i.Start = text(), c.span.Start
		case roleImported:
			i.Name = strings.TrimPrefix(text(), ":")
			first = min(first, c.span.Start)
		case roleStar:
			i.Name = "*"
			first = min(first, c.span.Start)
		case roleAlias:
			i.Alias = text()
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
		u.imports = append(u.imports, i)
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
		i := &u.imports[n]
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

// facts orders what was collected and drops what is plainly local.
func (u *uses) facts(f *File) *Facts {
	slices.SortStableFunc(u.refs, func(a, b refMatch) int {
		return cmp.Or(a.Start-b.Start, b.End-a.End, a.pattern-b.pattern)
	})
	u.refs = slices.CompactFunc(u.refs, func(a, b refMatch) bool { return a.Start == b.Start && a.End == b.End })
	declared := make(map[int]bool, len(f.Symbols))
	fields := make(map[int]bool)
	for _, s := range f.Symbols {
		declared[s.NameStart] = true
		if s.Kind == "field" || s.Kind == "const" {
			fields[s.NameStart] = true
		}
	}
	u.scopes()
	u.regroup()
	u.binds = slices.DeleteFunc(u.binds, func(b Bind) bool { // the symbol itself says it
		return fields[b.Start] || declared[b.Start] && b.Scope == Span{End: len(u.src)}
	})
	slices.SortStableFunc(u.binds, func(a, b Bind) int {
		return cmp.Or(a.Start-b.Start, a.Scope.Start-b.Scope.Start, a.Scope.End-b.Scope.End, a.pattern-b.pattern)
	})
	u.binds = slices.CompactFunc(u.binds, func(a, b Bind) bool { return a.Start == b.Start && a.Scope == b.Scope })
	local := make(map[string][]Span, len(u.binds))
	for _, b := range u.binds {
		declared[b.Start] = true
		if (b.Scope == Span{End: len(u.src)}) {
			continue // of the whole file: not local
		}
		local[b.Name] = append(local[b.Name], Span{Start: b.Start, End: b.Scope.End})
	}
	out := &Facts{File: f, Uses: u.imports, Binds: u.binds, Package: u.pkg}
	in := newEnclosing(f.Symbols)
	skipped := 0
	for _, r := range u.refs {
		if r.Kind == refSkip {
			skipped = max(skipped, r.End)
		}
		if r.End <= skipped || declared[r.Start] || r.Name == "" || r.Name == "_" || r.Recv == "" && r.Kind == RefRead && isLocal(local[r.Name], r.Start) {
			continue
		}
		if r.In = in.at(r.Start); r.container != "" {
			r.In = holder(f.Symbols, r.container, r.In)
		}
		out.Refs = append(out.Refs, r.Ref)
	}
	return out
}

// scopes gives each bind the innermost block around it, or the one it names.
func (u *uses) scopes() {
	slices.SortFunc(u.blocks, compareSpans)
	order := make([]int, len(u.binds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return u.binds[a].Start - u.binds[b].Start })
	var stack []Span
	next := 0
	for _, i := range order {
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
		if u.into[i].End > u.into[i].Start {
			b.Scope = u.into[i]
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
