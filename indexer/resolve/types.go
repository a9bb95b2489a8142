package resolve

import (
	"strings"
	"sync"
)

// typ is the inferred type of a value.
type typ struct {
	kind  typKind
	sym   *Symbol // of instance, class and function
	unit  *Unit   // of module
	file  *File   // in which text is resolved
	text  string  // of function: its result type, if there is no symbol
	elems []typ   // of list: the element; of dict: key and value; of tuple: all. Empty if unknown: see elem
	name  string  // of external: its full name
}

// elem returns one of the element types; unknown if the written type does not say, as
// when a value is named in place of a type.
func (t typ) elem(i int) typ {
	if i < len(t.elems) {
		return t.elems[i]
	}
	return typ{}
}

type typKind uint8

const (
	unknown  typKind = iota
	external         // of the language or a library: without declarations here
	instance         // a value of the type sym
	class            // the type sym itself
	function         // a callable value
	module           // the names of a unit
	list             // many of elems[0]: also channels and other wrappers of one type
	dict
	tuple
	wrapped // a promise or result of elems[0]
	record  // an unnamed Go struct type, written in sym
)

// parseType resolves a type as a file writes it.
func (in scope) parseType(text string) typ {
	if in.r.depth++; in.r.depth > maxDepth {
		in.r.depth--
		return typ{}
	}
	defer func() { in.r.depth-- }()
	in.offset = noLocals
	return in.readType(strings.TrimSpace(text))
}

// lists, wraps and dicts are the generic types whose arguments matter. Their own
// members are external.
var (
	lists = words("Array ReadonlyArray Set ReadonlySet Iterable Iterator IterableIterator AsyncIterable Generator AsyncGenerator List list set Sequence " +
		"Iterable Iterator Collection tuple Tuple frozenset deque Deque ArrayList LinkedList Queue Vec VecDeque HashSet BTreeSet Stream IEnumerable IList " +
		"ICollection IReadOnlyList MutableList Flow vector Seq Stack MutableSet Type type ClassVar")
	wraps = words("Promise PromiseLike Awaitable Coroutine Task ValueTask Result Option Future CompletableFuture Poll Pin Try LazyLock OnceCell OnceLock")
	dicts = words("Map ReadonlyMap WeakMap Record dict Dict Mapping MutableMapping defaultdict DefaultDict OrderedDict HashMap BTreeMap TreeMap LinkedHashMap " +
		"ConcurrentHashMap Dictionary IDictionary MutableMap IndexMap map unordered_map")
	composites = words("chan func map struct interface")

	thin = words("Box Rc Arc RefCell Cell Mutex RwLock Ref RefMut MutexGuard Cow Optional Nullable Partial Readonly Required NonNullable Awaited Lazy " +
		"unique_ptr shared_ptr weak_ptr Final Annotated Self Readable Weak AtomicReference WeakReference Provider Supplier ThreadLocal Some")
)

// words returns a lazily built set of words: processes that resolve nothing, such as
// hooks, don't pay for it.
func words(s string) wordSet { return lazyWords(&s) }

func lazyWords(s *string) wordSet {
	return wordSet(sync.OnceValue(func() map[string]bool {
		out := map[string]bool{}
		for w := range strings.FieldsSeq(*s) {
			out[w] = true
		}
		return out
	}))
}

// readType accepts the spellings of all languages; no spelling has two meanings that
// matter here.
func (in scope) readType(s string) typ {
	s, inline := trimType(s, in.f.Lang == "go" && in.at != nil)
	switch {
	case inline:
		return typ{kind: record, sym: in.at}
	case s == "":
		return typ{}
	}
	if t, ok := in.typeByKeyword(s); ok {
		return t
	}
	switch s[0] {
	case '[':
		return in.typeInBrackets(s)
	case '(':
		return in.typeInParentheses(s)
	}
	if alternatives := splitTop(s, '|'); len(alternatives) > 1 {
		return in.unionOf(alternatives)
	}
	if parts := splitTop(s, '&'); len(parts) > 1 { // an intersection
		for _, a := range parts {
			if t := in.readType(a); t.kind == instance {
				return t
			}
		}
		return typ{}
	}
	return in.namedType(s)
}

// typePrefixes are what stands before a type and changes nothing here: pointers,
// references, qualifiers.
var typePrefixes = [...]string{"*", "&", "...", "mut ", "const ", "readonly ", "dyn ", "impl ", "static ", "volatile ", "struct ", "class ", "enum ", "unsigned ", "final ", "in ", "out ", "ref ", "inout ", "some ", "any ", "borrowing ", "~", ":", "?", "@"}

// trimType takes off a type what changes nothing. inline says that a struct of Go is left,
// written out where it is used; they are looked for only with goStructs.
func trimType(s string, goStructs bool) (trimmed string, inline bool) {
	for {
		before := s
		s = strings.TrimSpace(s)
		if goStructs && (s == "struct" || strings.HasPrefix(s, "struct{") || strings.HasPrefix(s, "struct {")) {
			return s, true
		}
		for _, prefix := range typePrefixes {
			s = strings.TrimPrefix(s, prefix)
		}
		if strings.HasPrefix(s, "'") && !strings.HasSuffix(s, "'") { // a lifetime
			if i := strings.IndexByte(s, ' '); i > 0 {
				s = s[i:]
			}
		}
		if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] { // a forward reference of Python
			s = s[1 : len(s)-1]
		}
		if s == before {
			return s, false
		}
	}
}

// typeByKeyword reads a type that says what it is by its first word.
func (in scope) typeByKeyword(s string) (t typ, ok bool) {
	switch {
	case strings.HasPrefix(s, "func(") || strings.HasPrefix(s, "fn(") || strings.HasPrefix(s, "func ("):
		p := &parser{s: s, i: strings.IndexByte(s, '(')}
		p.skip()
		return typ{kind: function, text: strings.TrimPrefix(strings.TrimSpace(p.rest()), "->"), file: in.f}, true
	case strings.HasPrefix(s, "map["):
		p := &parser{s: s, i: 3}
		key := p.skip()
		return typ{kind: dict, elems: []typ{in.readType(key), in.readType(p.rest())}}, true
	case strings.HasPrefix(s, "chan "):
		return typ{kind: list, elems: []typ{in.readType(s[5:])}}, true
	case strings.HasPrefix(s, "<-chan "), strings.HasPrefix(s, "chan<- "):
		return typ{kind: list, elems: []typ{in.readType(s[7:])}}, true
	case esFamily(in.f) && (strings.HasPrefix(s, "{") && mappedType(s) || strings.Contains(s, " extends ")): // computed from other types
		return typ{}, true
	case strings.HasPrefix(s, "interface{"), strings.HasPrefix(s, "struct{"), strings.HasPrefix(s, "interface {"), strings.HasPrefix(s, "struct {"), strings.HasPrefix(s, "{"):
		return typ{kind: external}, true
	case strings.HasPrefix(s, "keyof "), strings.HasPrefix(s, "infer "):
		return typ{kind: external}, true
	case strings.HasPrefix(s, "typeof "):
		return in.typeOfExpr(parseExpr(s[7:])), true
	}
	return typ{}, false
}

// typeInBrackets reads []T, [T; 4], [T] and [T, U].
func (in scope) typeInBrackets(s string) typ {
	p := &parser{s: s}
	inner := p.skip()
	if rest := strings.TrimSpace(p.rest()); rest != "" && rest[0] != '[' || in.f.Lang == "go" {
		return typ{kind: list, elems: []typ{in.readType(rest)}}
	}
	if i := strings.IndexByte(inner, ';'); i > 0 && in.f.Lang == "rust" {
		inner = inner[:i]
	}
	if parts := splitTop(inner, ','); len(parts) > 1 {
		return in.tupleOf(parts)
	}
	return typ{kind: list, elems: []typ{in.readType(inner)}}
}

// typeInParentheses reads (T), (T)[], (T, U) and the functions (x: T) => U, (T) -> U.
func (in scope) typeInParentheses(s string) typ {
	p := &parser{s: s}
	inner := p.skip()
	rest := strings.TrimSpace(p.rest())
	for _, arrow := range [...]string{"=>", "->"} {
		if after, ok := strings.CutPrefix(rest, arrow); ok {
			return typ{kind: function, text: after, file: in.f}
		}
	}
	parts := splitTop(inner, ',')
	if len(parts) == 1 && !namesResult(parts[0]) {
		t := in.readType(inner)
		if strings.HasPrefix(rest, "[]") {
			return typ{kind: list, elems: []typ{t}}
		}
		return t
	}
	return in.tupleOf(parts)
}

// unionOf is the first of some types that the workspace may know.
func (in scope) unionOf(alternatives []string) typ {
	for _, a := range alternatives {
		switch a {
		case "null", "undefined", "None", "":
			continue
		}
		if t := in.readType(a); t.kind != external && t.kind != unknown {
			return t
		}
	}
	return typ{kind: external}
}

// namesResult reports whether "a T" names a result, as Go allows.
func namesResult(part string) bool {
	i := strings.IndexByte(part, ' ')
	return i > 0 && identifier(part[:i]) && !composites.has(part[:i])
}

func (in scope) tupleOf(parts []string) typ {
	t := typ{kind: tuple}
	var waiting int
	for _, p := range parts {
		if in.f.Lang == "go" {
			if namesResult(p) {
				p = p[strings.IndexByte(p, ' ')+1:]
				e := in.readType(p)
				for ; waiting > 0; waiting-- {
					t.elems = append(t.elems, e)
				}
				t.elems = append(t.elems, e)
				continue
			}
			if identifier(p) && anyNamed(parts) {
				waiting++
				continue
			}
		}
		if i := strings.IndexByte(p, ':'); i > 0 && identifier(p[:i]) && in.f.Lang != "rust" {
			p = p[i+1:]
		}
		t.elems = append(t.elems, in.readType(p))
	}
	return t
}

func anyNamed(parts []string) bool {
	for _, p := range parts {
		if namesResult(p) {
			return true
		}
	}
	return false
}

func identifier(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) {
			return false
		}
	}
	return s != ""
}

// namedType resolves a possibly qualified name with its arguments, and the arrays of it:
// Map<K, V>[].
func (in scope) namedType(s string) typ {
	i := 0
	for i < len(s) && (isWord(s[i]) || s[i] == '.' || s[i] == ':' || s[i] == '\\' || s[i] == '/') {
		i++
	}
	name, rest := strings.Trim(s[:i], ".:"), strings.TrimSpace(s[i:])
	if strings.HasPrefix(rest, "[]") {
		return arraysOf(in.namedType(name), rest)
	}
	args, rest := typeArguments(rest, in.f)
	t, whole := in.namedTypeOf(name, args)
	if whole {
		return t
	}
	return arraysOf(t, rest)
}

// arraysOf is a type with the "[]" that a text begins with.
func arraysOf(t typ, rest string) typ {
	for strings.HasPrefix(rest, "[]") {
		t, rest = typ{kind: list, elems: []typ{t}}, rest[2:]
	}
	return t
}

// typeArguments splits off the arguments that a text begins with, in <> or [].
func typeArguments(s string, f *File) (args []string, rest string) {
	rest = s
	if s == "" {
		return nil, rest
	}
	switch s[0] {
	case '<':
		if end := angleEnd(s, 0); end > 1 {
			args, rest = splitTop(s[1:end-1], ','), s[end:]
		}
	case '[':
		p := &parser{s: s}
		args = splitTop(p.skip(), ',')
		rest = p.rest()
	}
	if f.Lang == "rust" { // lifetimes are no types
		kept := args[:0:0]
		for _, a := range args {
			if !strings.HasPrefix(a, "'") {
				kept = append(kept, a)
			}
		}
		args = kept
	}
	return args, rest
}

// namedTypeOf resolves a name with its arguments; whole says that what follows them, such
// as "[]", changes nothing.
func (in scope) namedTypeOf(name string, args []string) (t typ, whole bool) {
	last := name[strings.LastIndexAny(name, ".:\\")+1:]
	if len(args) > 0 {
		if esFamily(in.f) {
			if t, ok := in.esNamedType(name, last, args); ok {
				return t, false
			}
		}
		switch {
		case thin.has(last):
			return in.readType(args[0]), false
		case wraps.has(last):
			t = typ{kind: wrapped, elems: []typ{in.readType(args[0])}}
			if last == "Coroutine" {
				t.elems[0] = in.readType(args[len(args)-1])
			}
			return t, false
		case last == "type" || last == "Type":
			return classOfType(in.readType(args[0])), true
		case len(args) > 1 && dicts.has(last):
			return typ{kind: dict, elems: []typ{in.readType(args[0]), in.readType(args[1])}}, false
		case lists.has(last):
			return typ{kind: list, elems: []typ{in.readType(args[0])}}, false
		case last == "Union" || last == "Optional" || last == "Annotated":
			return in.readType(args[0]), false
		case last == "Callable" || last == "Func":
			return typ{kind: function, text: args[len(args)-1], file: in.f}, true
		}
	}
	if of, ok := strings.CutSuffix(name, ".Type"); ok && in.f.Lang == "swift" {
		return classOfType(in.typeNamed(of)), true
	}
	t = in.typeNamed(name)
	if t.kind == external && (in.f.Lang == "scala" || in.f.Lang == "swift") && in.anyInWorkspace(args) {
		return typ{}, true // it may return its element
	}
	return t, false
}

// classOfType is the class of which a type is an instance.
func classOfType(t typ) typ {
	if t.kind == instance {
		t.kind = class
	}
	return t
}

// anyInWorkspace reports whether one of the types is declared in the workspace.
func (in scope) anyInWorkspace(types []string) bool {
	for _, text := range types {
		if in.parseType(text).kind == instance {
			return true
		}
	}
	return false
}

// typeNamed resolves the type of a dotted name.
func (in scope) typeNamed(name string) typ {
	if name == "Self" || name == "this" || name == "self" || name == "static" {
		if s := enclosingType(in.at); s != nil {
			return typ{kind: instance, sym: s}
		}
	}
	if in.f.rules.isBuiltin(name) && in.resolveName(name) == nil {
		if t, ok := in.importedGlobal(name); !ok {
			return typ{kind: external, name: name}
		} else if len(t.symbols) == 0 {
			return typ{kind: external, name: t.external}
		}
	}
	if in.f.Lang == "go" {
		if t, ok := in.typeParameter(name); ok {
			return t
		}
	}
	if in.f.Lang == "rust" || in.f.Lang == "swift" || in.f.typeScript() {
		if t, ok := in.boundedType(name); ok {
			return t
		}
	}
	t := in.typeOfExpr(parseExpr(name))
	switch t.kind {
	case class:
		return in.r.instanceOf(t.sym)
	case instance: // a namespace object
		return t
	case module:
		return typ{kind: external}
	case unknown:
		if in.f.Lang == "go" || in.f.Lang == "rust" || in.f.Lang == "java" || in.f.Lang == "scala" || in.f.Lang == "swift" { // types of the workspace were found above
			return typ{kind: external, name: name}
		}
	}
	return typ{kind: t.kind, name: t.name, sym: t.sym, text: t.text, file: t.file}
}

// importedGlobal returns what a file of JavaScript or TypeScript imports under the name
// of a global one.
func (in scope) importedGlobal(name string) (target, bool) {
	if !esFamily(in.f) {
		return target{}, false
	}
	return in.r.lookupImport(name, in.f)
}

// instanceOf returns an instance of a type, or of the target of an alias.
func (r *resolver) instanceOf(s *Symbol) typ {
	if s.Kind == "type" && s.Type != "" {
		t := r.in(s.File, s).parseType(s.Type)
		if t.kind == unknown && esFamily(s.File) && !s.hasMembers() {
			return t // computed from other types: it may have any member
		}
		if t.kind != unknown && t.kind != external {
			if t.kind != instance || !s.hasMembers() {
				if s.File.Lang == "go" && s.hasMembers() { // its own methods come first
					return typ{kind: instance, sym: s, elems: t.elems}
				}
				return t
			}
		}
	}
	return typ{kind: instance, sym: s}
}

func (s *Symbol) hasMembers() bool { return len(s.File.unit.members[s.Path]) > 0 }

// enclosingType returns the innermost type around a symbol, the symbol included. A
// method outside of its type's body is matched by its path.
func enclosingType(s *Symbol) *Symbol {
	for at := s; at != nil; at = at.Parent {
		if at.IsType() && at.Kind != "module" {
			return at
		}
		if i := strings.LastIndexByte(at.Path, '.'); i > 0 && at.Kind == "method" && at.File.unit != nil {
			for _, o := range at.File.unit.decls(at.Path[:i]) {
				if o.IsType() {
					return o
				}
			}
		}
	}
	return nil
}

// has reports whether a word is in the set.
func (w wordSet) has(s string) bool { return w()[s] }

type wordSet func() map[string]bool
