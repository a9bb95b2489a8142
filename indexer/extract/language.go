package extract

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"manicule/grammars"
	"manicule/indexer/extract/syntax"
	"manicule/indexer/extract/treesitter"
)

// language is a grammar with its compiled queries. Both are immutable, so any number
// of goroutines may use them.
type language struct {
	grammar      *treesitter.Language
	names        *syntax.Language
	symbolFinder func(src []byte) *facts // replaces the queries, if set
	nodes        sync.Pool               // of *[]syntax.Node, reused between files
	uses         sync.Pool               // of *uses, likewise
	outline      func() (*query, error)  // definitions and imports in one
	definitions  int                     // number of patterns for declarations, which come first
	imports      int                     // number of patterns for imports, which follow
	whole        func() (*query, error)  // definitions, imports and references in one
	parseMutex   *sync.Mutex             // held during each parse if the grammar is not safe for concurrent use, else nil
	precheck     func(text []byte) error // rejects text that the grammar can't take, else nil
	opener       string
	flat         bool
	starts       []string
	closers      []string
	braced       bool // all closers but the simplest close several brackets
	kinds        func() []traits
	headers      []header
	blanks       *patterns
	embeds       string                  // the language of the code in markup, whose language this is, else ""
	code         func(src []byte) []byte // that code alone, at its place, else nil
	markup       markupKind              // what the markup around it may use, 0 for nothing
	outlined     *outlined               // set instead of the grammar for a language without one
	keys         *regexp.Regexp          // nil unless indentation shows the nesting
}

// compiled holds a lazily compiled entry for each language with a grammar: compiling its queries costs more than parsing a
// small file. The table itself is made when it is first asked, as a hook's program starts often and mostly asks none.
var compiled = sync.OnceValue(func() map[string]func() (*language, error) {
	return map[string]func() (*language, error){
		"go":         sync.OnceValues(func() (*language, error) { return compile("go") }),
		"typescript": sync.OnceValues(func() (*language, error) { return compile("typescript") }),
		"tsx":        sync.OnceValues(func() (*language, error) { return compile("tsx") }),
		"javascript": sync.OnceValues(func() (*language, error) { return compile("javascript") }),
		"python":     sync.OnceValues(func() (*language, error) { return compile("python") }),
		"rust":       sync.OnceValues(func() (*language, error) { return compile("rust") }),
		"java":       sync.OnceValues(func() (*language, error) { return compile("java") }),
		"kotlin":     sync.OnceValues(func() (*language, error) { return compile("kotlin") }),
		"scala":      sync.OnceValues(func() (*language, error) { return compile("scala") }),
		"bash":       sync.OnceValues(func() (*language, error) { return compile("bash") }),
		"markdown":   sync.OnceValues(func() (*language, error) { return compileMarkdown() }),
		"yaml":       sync.OnceValues(func() (*language, error) { return compile("yaml") }),
		"json":       sync.OnceValues(func() (*language, error) { return compile("json") }),
		"toml":       sync.OnceValues(func() (*language, error) { return compile("toml") }),
		"lua":        sync.OnceValues(compileLua),
		"elixir":     sync.OnceValues(func() (*language, error) { return compile("elixir") }),
		"swift":      sync.OnceValues(func() (*language, error) { return compile("swift") }),
		"c":          sync.OnceValues(func() (*language, error) { return compile("c") }),
		"cpp":        sync.OnceValues(func() (*language, error) { return compile("cpp") }),
		"csharp":     sync.OnceValues(func() (*language, error) { return compile("csharp") }),
		"ruby":       sync.OnceValues(func() (*language, error) { return compile("ruby") }),
		"php":        sync.OnceValues(func() (*language, error) { return compile("php") }),
		"vue":        sync.OnceValues(func() (*language, error) { return compileEmbedding("vue", scriptsOnly, markupVue) }),
		"svelte":     sync.OnceValues(func() (*language, error) { return compileEmbedding("svelte", scriptsOnly, markupSvelte) }),
		"astro":      sync.OnceValues(func() (*language, error) { return compileEmbedding("astro", scriptsAndFrontMatterOnly, markupAstro) }),
		"jupyter":    sync.OnceValues(func() (*language, error) { return compileEmbedding("jupyter", cellsOnly, 0) }),
	}
})

// dialects holds the patterns of each language's dialects.
var dialects = sync.OnceValue(func() map[string][]dialect {
	out := map[string][]dialect{}
	for _, l := range grammars.All() {
		for _, d := range l.Dialects {
			pattern, err := compilePattern(d.Pattern)
			if err != nil {
				panic("the dialects of " + l.ID + ": " + err.Error()) // a bug in package grammars
			}
			out[l.ID] = append(out[l.ID], dialect{d.ID, pattern})
		}
	}
	return out
})

type dialect struct {
	id      string
	pattern *pattern
}

// DetectDialect returns the language of a source whose file name several languages
// share.
func DetectDialect(id string, src []byte) string {
	for _, d := range dialects()[id] {
		if d.pattern.matches(src) {
			return d.id
		}
	}
	return id
}

func languageFor(id string) (*language, error) {
	load, ok := compiled()[id]
	if !ok {
		load, ok = outlines()[id]
	}
	if !ok {
		return nil, fmt.Errorf("language %q: %w", id, ErrUnsupported)
	}
	return load()
}

func compileMarkdown() (*language, error) {
	l, err := compile("markdown")
	if err == nil {
		l.symbolFinder, l.precheck = headings, checkNesting
	}
	return l, err
}

func compileEmbedding(id string, code func([]byte) []byte, markup markupKind) (*language, error) {
	l, err := compile(id)
	if err == nil {
		l.code, l.markup = code, markup
	}
	return l, err
}

// compileLua exists because the grammar's scanner keeps the current string in global
// variables: concurrent parses corrupt each other.
func compileLua() (*language, error) {
	l, err := compile("lua")
	if err == nil {
		l.parseMutex = &sync.Mutex{}
	}
	return l, err
}

// closedString is Lua whose parse closes any string that the previous source left open
// in the scanner's variables.
const closedString = "s = ''"

func compile(id string) (*language, error) {
	data, ok := grammars.ByID(id)
	grammar := treesitter.Grammar(cmp.Or(data.Embeds, id))
	if !ok || grammar == nil {
		return nil, fmt.Errorf("language %q: %w", id, ErrUnsupported)
	}
	texts := data.Queries()
	headers, err := compileHeaders(data.Recovery.Headers)
	if err != nil {
		return nil, fmt.Errorf("compile the headers of %s: %w", id, err)
	}
	blanks, err := compilePatterns(data.Recovery.Blank)
	if err != nil {
		return nil, fmt.Errorf("compile the blanks of %s: %w", id, err)
	}
	var keys *regexp.Regexp
	if data.Recovery.Keys != "" {
		if keys, err = regexp.Compile(data.Recovery.Keys); err != nil {
			return nil, fmt.Errorf("compile the keys of %s: %w", id, err)
		}
	}
	names := syntax.NewLanguage(grammar)
	return &language{
		grammar: grammar,
		names:   names,
		kinds:   kindsOf(grammar),
		outline: sync.OnceValues(func() (*query, error) { return newQuery(texts.Definitions+"\n"+texts.Imports, names) }),
		// One walk over the tree for all queries: three took half as long again.
		whole: sync.OnceValues(func() (*query, error) {
			return newQuery(texts.Definitions+"\n"+texts.Imports+"\n"+texts.References, names)
		}),
		embeds:      data.Embeds,
		definitions: countPatterns(texts.Definitions), imports: countPatterns(texts.Imports),
		opener: data.Recovery.Opener, flat: data.Recovery.Flat, starts: data.Recovery.Starts, closers: data.Recovery.Closers, braced: slices.Contains(data.Recovery.Closers, "\n)}"), headers: headers, blanks: blanks, keys: keys,
	}, nil
}

// scan parses a source and collects the facts of its tree, with the uses of names if u
// is set. For a large broken source it only reports that it is broken: patterns with
// several children take quadratic time over an error node with very many, and find
// nothing reliable there.
func (l *language) scan(ctx context.Context, src []byte, u *uses) (*facts, error) {
	if l.outlined != nil {
		return l.outlined.find(ctx, lex(&l.outlined.rules, src))
	}
	if l.symbolFinder != nil { // a walk over its blocks takes a stack frame for each level
		if err := l.precheck(src); err != nil {
			return nil, err
		}
		return l.symbolFinder(src), nil
	}
	tree, done, err := l.parseFlat(ctx, src)
	if err != nil {
		return nil, err
	}
	defer done()
	return l.scanFlat(ctx, tree, src, u)
}

// scanTree is scan for a parsed source.
func (l *language) scanTree(ctx context.Context, parsed *treesitter.Tree, src []byte, u *uses) (*facts, error) {
	tree, done, err := l.flatten(parsed)
	if err != nil {
		return nil, err
	}
	defer done()
	return l.scanFlat(ctx, tree, src, u)
}

// scanFlat is scan for a flattened tree.
func (l *language) scanFlat(ctx context.Context, tree *syntax.Tree, src []byte, u *uses) (found *facts, err error) {
	if l.symbolFinder != nil {
		return l.symbolFinder(src), nil
	}
	found = newFacts()
	if len(src) > maxBroken && widestError(tree) > maxChildren {
		found.errors = []Span{{Start: 0, End: len(src)}}
		return found, nil
	}
	if u != nil {
		err = l.scanUses(ctx, tree, src, found, u)
	} else {
		err = l.scanOutline(ctx, tree, src, found)
	}
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	found.errors = errorSpans(tree)
	return found, nil
}

// scanOutline finds only declarations and import statements.
func (l *language) scanOutline(ctx context.Context, tree *syntax.Tree, src []byte, found *facts) error {
	outline, err := l.outline()
	if err != nil {
		return err
	}
	return outline.each(ctx, tree, src, func(m match) { outline.add(found, m, tree, src) })
}

// scanUses runs all queries of the language in one walk over the tree.
func (l *language) scanUses(ctx context.Context, tree *syntax.Tree, src []byte, found *facts, u *uses) error {
	whole, err := l.whole()
	if err != nil {
		return err
	}
	imports := l.definitions
	references := imports + l.imports
	return whole.each(ctx, tree, src, func(m match) {
		switch {
		case m.pattern < imports:
			whole.add(found, m, tree, src)
		case m.pattern < references:
			whole.add(found, m, tree, src)
			u.addImport(m)
		default:
			u.add(m)
		}
	})
}

// blankOut replaces text that confuses the grammar by spaces. Each byte and each line
// keeps its place.
func (l *language) blankOut(src []byte) []byte {
	if l.code != nil {
		src = l.code(src)
	}
	clean := src
	for m := range l.blanks.findAll(src) {
		if &clean[0] == &src[0] {
			clean = bytes.Clone(src)
		}
		for i := m[2]; i < m[3]; i++ {
			if c := clean[i]; c != '\n' && c != '\r' {
				clean[i] = ' '
			}
		}
	}
	return clean
}

// flatten copies a tree into our own form. The caller calls done afterwards.
func (l *language) flatten(parsed *treesitter.Tree) (tree *syntax.Tree, done func(), err error) {
	return l.pooled(func(buf []syntax.Node) (*syntax.Tree, error) { return l.names.Flatten(parsed, buf) })
}

// parseFlat returns the tree of src in our own form. The caller calls done afterwards.
func (l *language) parseFlat(ctx context.Context, src []byte) (tree *syntax.Tree, done func(), err error) {
	if l.parseMutex != nil { // it is parsed after another text, with the same parser
		parsed, err := l.parse(ctx, src)
		if err != nil {
			return nil, nil, err
		}
		defer parsed.Close()
		return l.flatten(parsed)
	}
	text := l.blankOut(src)
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if l.precheck != nil {
		if err := l.precheck(text); err != nil {
			return nil, nil, err
		}
	}
	return l.pooled(func(buf []syntax.Node) (*syntax.Tree, error) { return l.names.Parse(ctx, text, buf) })
}

// pooled has fill make a tree with the nodes of an earlier one, which done gives back.
func (l *language) pooled(fill func(buf []syntax.Node) (*syntax.Tree, error)) (tree *syntax.Tree, done func(), err error) {
	buf, ok := l.nodes.Get().(*[]syntax.Node)
	if !ok {
		buf = new([]syntax.Node)
	}
	if tree, err = fill(*buf); err != nil {
		return nil, nil, err
	}
	return tree, func() {
		if *buf = tree.Nodes; cap(*buf) <= maxPooled {
			l.nodes.Put(buf)
		}
	}, nil
}

// maxPooled is how many nodes are kept for reuse: 1.5 MB.
const maxPooled = 1 << 16

// parse returns the tree of src, which the caller closes. Each call uses a new parser,
// because the binding may set a parser's cancel flag after its parse has ended, which
// would stop the next one.
func (l *language) parse(ctx context.Context, src []byte) (*treesitter.Tree, error) {
	return l.parseText(ctx, nil, l.blankOut(src))
}

// parseText is parse for blanked text, with an earlier tree that was edited to fit, or
// nil.
func (l *language) parseText(ctx context.Context, old *treesitter.Tree, text []byte) (*treesitter.Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if l.precheck != nil {
		if err := l.precheck(text); err != nil {
			return nil, err
		}
	}
	parser := treesitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(l.grammar)
	if l.parseMutex != nil {
		l.parseMutex.Lock()
		defer l.parseMutex.Unlock()
		closed, err := parser.ParseCtx(context.Background(), nil, []byte(closedString))
		if err != nil {
			return nil, err
		}
		closed.Close()
	}
	tree, err := parser.ParseCtx(ctx, old, text)
	if err != nil {
		parser.Reset() // a cancelled parse would continue with the old source
		return nil, err
	}
	return tree, nil
}

// countPatterns counts the top-level patterns of a query's text.
func countPatterns(text string) int {
	n, depth := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '(', '[':
			if depth == 0 {
				n++
			}
			depth++
		case ')', ']':
			depth--
		}
	}
	return n
}
