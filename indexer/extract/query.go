package extract

import (
	"bytes"
	"context"
	"iter"
	"strings"

	"manicule/indexer/extract/syntax"
)

// role is the meaning of a capture name; grammars/README.md lists them.
type role int

const (
	roleNone role = iota
	roleDef
	roleTop
	roleMember
	roleOwn
	roleInside
	roleHeading
	roleItem
	roleParts
	roleValue
	roleName
	roleContainer
	roleParams
	roleBody
	roleMembers
	roleObject
	roleScope
	roleWrap
	roleWrapped
	roleDoc
	roleImport
	roleResult
	roleModule
	roleImported
	roleStar
	roleAlias
	roleDefault
	roleReexport
	rolePackage
	roleRef
	roleRecv
	roleChain
	roleBind
	roleSelf
	roleBinds
	roleAs
	roleFrom
	roleFroms
	roleProp
	roleEach
	roleElems
	roleInto
	roleBlock
	rolePrefix
	rolePath
	roleOuter
	roleToken
	roleGroup
	roleNote
)

// capture is the parsed form of a capture name.
type capture struct {
	role role
	kind string // of a def, top, member or parts
}

// query is a compiled query with the meaning of its captures.
type query struct {
	compiled *syntax.Query
	captures []capture
}

// definition is a declaration as a query found it.
type definition struct {
	role      role
	kind      string
	span      Span
	name      Span
	container string
	unnamed   bool // an unnamed element of a list
	inside    bool // in a body that adds members to the container
	arity     int
	body      int // where the signature ends, -1 without a body
	value     Span
	members   Span
	outer     bool // belongs to what surrounds the innermost symbol
	result    Span // the written type of its result or value
	from      Span // the source of its value, if not the value itself
	prop      Span // the destructured property of that source
	pattern   int
	captures  int
}

// functionParts describes a function or class independently of its place.
type functionParts struct {
	kind    string
	arity   int // -1 if unknown, like body
	body    int
	members Span
	result  Span
}

// merge combines what two patterns say about the same thing.
func (p functionParts) merge(q functionParts) functionParts {
	if p.kind == "" {
		p.kind = q.kind
	}
	if p.members.End == p.members.Start {
		p.members = q.members
	}
	if p.result.End == p.result.Start {
		p.result = q.result
	}
	p.arity, p.body = max(p.arity, q.arity), max(p.body, q.body)
	return p
}

// extensionBody is a body that adds members to a type without declaring it.
type extensionBody struct {
	span      Span
	container string
}

// facts is everything that a query found in one file, unordered.
type facts struct {
	definitions []definition
	scopes      []Span
	inside      []extensionBody
	objects     []Span
	docs        []Span
	wraps       map[Span]Span
	parts       map[Span]functionParts
	imports     []Span
	errors      []Span
}

func newFacts() *facts {
	return &facts{wraps: make(map[Span]Span), parts: make(map[Span]functionParts)}
}

func newQuery(text string, names *syntax.Language) (*query, error) {
	compiled, err := syntax.Compile(text, names)
	if err != nil {
		return nil, err
	}
	q := &query{compiled: compiled}
	for _, name := range compiled.Captures {
		q.captures = append(q.captures, parseCapture(name))
	}
	return q, nil
}

func parseCapture(name string) capture {
	name, kind, _ := strings.Cut(name, ".")
	roles := map[string]role{
		"def": roleDef, "top": roleTop, "member": roleMember, "own": roleOwn, "inside": roleInside, "heading": roleHeading, "item": roleItem, "parts": roleParts, "value": roleValue,
		"name": roleName, "container": roleContainer, "params": roleParams, "body": roleBody,
		"members": roleMembers, "object": roleObject, "scope": roleScope,
		"wrap": roleWrap, "wrapped": roleWrapped, "doc": roleDoc, "import": roleImport, "result": roleResult,
		"module": roleModule, "imported": roleImported, "star": roleStar, "alias": roleAlias, "default": roleDefault, "reexport": roleReexport,
		"package": rolePackage, "recv": roleRecv, "chain": roleChain, "self": roleSelf, "prop": roleProp, "bind": roleBind, "binds": roleBinds, "as": roleAs, "from": roleFrom,
		"froms": roleFroms, "each": roleEach, "elems": roleElems, "into": roleInto, "block": roleBlock,
		"prefix": rolePrefix, "path": rolePath, "outer": roleOuter, "token": roleToken, "group": roleGroup, "note": roleNote,
	}
	switch RefKind(name) {
	case RefCall, RefNew, RefType, RefInherit, RefRead, RefKey, refSkip:
		return capture{role: roleRef, kind: name}
	}
	return capture{role: roles[name], kind: kind}
}

// match holds the captures of one match of a query.
type match struct {
	pattern  int
	captures []captured
}

type captured struct {
	capture
	span Span
	node int32 // index in the tree
}

// each calls f with every match in a tree; the match is only valid during the call.
func (q *query) each(ctx context.Context, tree *syntax.Tree, src []byte, f func(match)) error {
	var m match
	return q.compiled.Each(ctx, tree, src, func(found syntax.Match) {
		m.pattern, m.captures = found.Pattern, m.captures[:0]
		for _, c := range found.Captures {
			m.captures = append(m.captures, captured{q.captures[c.ID], trimmed(src, spanOf(tree, c.Node)), c.Node})
		}
		f(m)
	})
}

// add adds the captures of one match to facts.
func (q *query) add(found *facts, m match, tree *syntax.Tree, src []byte) {
	def := definition{arity: -1, body: -1, pattern: m.pattern, captures: len(m.captures)}
	var wrap, wrapped, part, added Span
	kind := ""
	for _, c := range m.captures {
		span := c.span
		switch c.role {
		case roleDef, roleTop, roleMember, roleOwn, roleHeading, roleItem:
			def.role, def.kind, def.span = c.role, c.kind, span
		case roleParts:
			part, kind = span, c.kind
		case roleValue:
			def.value = span
		case roleName:
			if def.name = span; span.Start < span.End && src[span.Start] == ':' {
				def.name.Start++ // a Ruby symbol
			}
		case roleContainer:
			def.container = join(def.container, dotted(string(src[span.Start:span.End])), ".")
		case roleParams:
			def.arity = arity(tree, c.node, src)
		case roleBody:
			def.body = span.Start
		case roleOuter:
			def.outer = true
		case roleResult:
			def.result = span
		case roleFrom:
			def.from = union(def.from, span)
		case roleProp:
			def.prop = span
		case roleMembers:
			def.members = span
		case roleInside:
			added = span
		case roleObject:
			found.objects = append(found.objects, span)
		case roleScope:
			found.scopes = append(found.scopes, span)
		case roleWrap:
			wrap = span
		case roleWrapped:
			wrapped = span
		case roleDoc:
			span.End = span.Start + len(bytes.TrimRight(src[span.Start:span.End], " \t\r\n")) // some grammars include the line end
			found.docs = append(found.docs, span)
		case roleImport:
			found.imports = append(found.imports, span)
		}
	}
	if added.End > added.Start {
		found.inside = append(found.inside, extensionBody{added, def.container})
	}
	if part.End > part.Start {
		one := functionParts{kind: kind, arity: def.arity, body: def.body, members: def.members, result: def.result}
		if other, ok := found.parts[part]; ok {
			one = one.merge(other)
		}
		found.parts[part] = one
	}
	if def.role == roleItem && def.name.End == def.name.Start {
		def.name = Span{Start: def.span.Start, End: def.span.Start + 1} // its index becomes its name
		def.unnamed = true
	}
	if def.role != roleNone && def.name.End > def.name.Start {
		found.definitions = append(found.definitions, def)
	}
	if wrapped.End > wrapped.Start && wrap != wrapped && wraps(src, wrap, wrapped) {
		found.wraps[wrapped] = wrap
	}
}

// wraps reports whether an outer node wraps only the inner one: nothing but a
// semicolon follows, and no comma or opening bracket of a group directly precedes it.
func wraps(src []byte, outer, inner Span) bool {
	after := bytes.TrimSpace(src[inner.End:outer.End])
	before := bytes.TrimSpace(src[outer.Start:inner.Start])
	return (len(after) == 0 || len(after) == 1 && after[0] == ';') &&
		!bytes.HasSuffix(before, []byte(",")) && !bytes.HasSuffix(before, []byte("("))
}

func spanOf(tree *syntax.Tree, at int32) Span {
	n := &tree.Nodes[at]
	return Span{Start: int(n.Start), End: int(n.End)}
}

// union spans from the start of the first to the end of the last of two spans.
func union(a, b Span) Span {
	if a.End == a.Start {
		return b
	}
	return Span{Start: min(a.Start, b.Start), End: max(a.End, b.End)}
}

// trimmed returns a span without leading white space, which the nodes of some grammars
// include.
func trimmed(src []byte, s Span) Span {
	for s.Start < s.End && (src[s.Start] == ' ' || src[s.Start] == '\n' || src[s.Start] == '\t' || src[s.Start] == '\r') {
		s.Start++
	}
	return s
}

// arity counts the parameters below a node: Go's "a, b int" is two, C's "void" none. A
// leaf is the one parameter of an arrow function without parentheses. A whole
// declaration has its parameters among its parts.
func arity(tree *syntax.Tree, params int32, src []byte) int {
	if tree.Leaf(params) {
		return 1
	}
	declaration := strings.HasSuffix(tree.Type(params), "_declaration")
	typed := tree.Language.Field("type")
	count, before := 0, ""
	for at := range tree.Children(params) {
		child, kind, previous := &tree.Nodes[at], tree.Type(at), before
		before = kind
		if !child.Named() || child.Extra() || child.Error() || declaration && kind != "parameter" || typed != 0 && child.Field == typed {
			continue // the type of C#'s last parameter is a sibling of its name
		}
		if previous == "=" {
			continue // so is the default value of Kotlin's parameters
		}
		switch kind {
		case "keyword_separator", "positional_separator": // Python's * and /
		case "self_parameter", "receiver_parameter", "attribute_item", "attribute_list", "parameter_modifiers":
		case "variadic_parameter": // a bare "..." in C and Rust
			for part := range tree.Children(at) {
				if tree.Nodes[part].Named() {
					count++
					break
				}
			}
		case "parameter_declaration":
			if span := spanOf(tree, at); child.Next == at+2 && string(src[span.Start:span.End]) == "void" {
				continue
			}
			count += max(1, countField(tree, at, "name"))
		default:
			count++
		}
	}
	return count
}

// dotted converts the path separators of other languages to dots.
func dotted(path string) string {
	return strings.Trim(separators.Replace(path), ".")
}

var separators = strings.NewReplacer("::", ".", `\`, ".")

// join joins two texts by a separator, if neither is empty.
func join(a, b, separator string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + separator + b
}

// countField counts the children of a node that are in a field.
func countField(tree *syntax.Tree, at int32, field string) int {
	want, count := tree.Language.Field(field), 0
	for child := range tree.Children(at) {
		if want != 0 && tree.Nodes[child].Field == want {
			count++
		}
	}
	return count
}

// errorSpans lists the outermost ERROR and MISSING nodes of a tree.
func errorSpans(tree *syntax.Tree) []Span {
	var spans []Span
	for at := range brokenNodes(tree) {
		spans = append(spans, spanOf(tree, at))
	}
	return spans
}

// widestError returns the largest number of children of an ERROR node.
func widestError(tree *syntax.Tree) int {
	widest := 0
	for at := range brokenNodes(tree) {
		count := 0
		for range tree.Children(at) {
			count++
		}
		widest = max(widest, count)
	}
	return widest
}

// brokenNodes yields the outermost ERROR and MISSING nodes.
func brokenNodes(tree *syntax.Tree) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for at := int32(0); int(at) < len(tree.Nodes); {
			n := &tree.Nodes[at]
			if !n.Error() && !n.Missing() {
				at++
				continue
			}
			if !yield(at) {
				return
			}
			at = n.Next
		}
	}
}
