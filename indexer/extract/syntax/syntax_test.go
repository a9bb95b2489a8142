package syntax_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"

	"manicule/indexer/extract/syntax"
	"manicule/indexer/extract/treesitter/parsers/golang"
	"manicule/indexer/must"
)

// parse gives the flat tree of a Go source.
func parse(t testing.TB, src string) *syntax.Tree {
	t.Helper()
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(sitter.NewLanguage(golang.Language()))
	tree, err := parser.ParseCtx(context.Background(), nil, []byte(src))
	must.OK(t, err)
	defer tree.Close()
	flat, err := syntax.NewLanguage(sitter.NewLanguage(golang.Language())).Flatten(tree, nil)
	must.OK(t, err)
	return flat
}

// TestFlatten holds the flat tree to what the binding's own nodes say.
func TestFlatten(t *testing.T) {
	src := []byte("package p\n\n// F adds.\nfunc (s *S) F(a, b int) int { return a + }\n\ntype T = struct{ x map[string]int }\n")
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(sitter.NewLanguage(golang.Language()))
	tree, err := parser.ParseCtx(context.Background(), nil, src)
	must.OK(t, err)
	defer tree.Close()
	flat, err := syntax.NewLanguage(sitter.NewLanguage(golang.Language())).Flatten(tree, nil)
	must.OK(t, err)
	next := int32(0)
	var walk func(n *sitter.Node, parent int32, field string)
	walk = func(n *sitter.Node, parent int32, field string) {
		at := next
		next++
		got := flat.Nodes[at]
		if got.Start != n.StartByte() || got.End != n.EndByte() || flat.Type(at) != n.Type() || got.Parent != parent ||
			got.Named() != n.IsNamed() || got.Missing() != n.IsMissing() || got.Extra() != n.IsExtra() || got.Error() != n.IsError() ||
			got.Field != flat.Language.Field(field) || flat.Leaf(at) != (n.ChildCount() == 0) {
			t.Errorf("node %d is %s %+v, want %s %d-%d in %q", at, flat.Type(at), got, n.Type(), n.StartByte(), n.EndByte(), field)
		}
		for i := range int(n.ChildCount()) {
			walk(n.Child(i), at, n.FieldNameForChild(i))
		}
		if flat.Nodes[at].Next != next {
			t.Errorf("%s ends before node %d, want %d", flat.Type(at), flat.Nodes[at].Next, next)
		}
	}
	walk(tree.RootNode(), -1, "")
	if int(next) != len(flat.Nodes) {
		t.Errorf("%d nodes, want %d", len(flat.Nodes), next)
	}
}

// TestParse holds a tree from an arena to the binding's, and an arena to be as good for the
// next tree.
func TestParse(t *testing.T) {
	l := syntax.NewLanguage(sitter.NewLanguage(golang.Language()))
	t.Cleanup(syntax.Trim)
	var buf []syntax.Node
	for _, src := range []string{
		"", "package p\n", "package p\nfunc (", "\xff{",
		"package p\n\nfunc f() { g(1, " + strings.Repeat("x, ", 1<<17) + "y) }\n", // blocks of all sizes, several chunks
		"package p\n\nvar x = " + strings.Repeat("(", 500) + "1" + strings.Repeat(")", 500) + "\n",
		"package p\n",
	} {
		got, err := l.Parse(t.Context(), []byte(src), buf)
		must.OK(t, err)
		if want := parse(t, src); !slices.Equal(got.Nodes, want.Nodes) {
			t.Errorf("%.30q: %d nodes, not the %d of the binding", src, len(got.Nodes), len(want.Nodes))
		}
		buf = got.Nodes
	}
}

// TestParseMuch holds the trees that a grammar gives after much text to its first ones, also while the copy of the
// grammar is freed.
func TestParseMuch(t *testing.T) {
	syntax.Trim() // what other tests parsed does not count
	t.Cleanup(syntax.Trim)
	t.Cleanup(syntax.WidenAfter(10_000))
	l := syntax.NewLanguage(sitter.NewLanguage(golang.Language()))
	src := "package p\n\nfunc f(a, b int) (x int) { for i := range a { x += g(i, func() {}) } return x[ }\n"
	want := parse(t, src)
	same := func(n int) {
		for range n {
			got, err := l.Parse(t.Context(), []byte(src), nil)
			if err != nil || !slices.Equal(got.Nodes, want.Nodes) {
				t.Fatalf("other nodes, or %v", err)
			}
		}
	}
	if same(100); syntax.WideGrammars() != 0 {
		t.Error("a copy after little text")
	}
	if same(100); syntax.WideGrammars() != 1 {
		t.Error("no copy after much text")
	}
	if syntax.Trim(); syntax.WideGrammars() != 0 {
		t.Error("the copy stays")
	}
	var parsers sync.WaitGroup
	for range 4 {
		parsers.Go(func() {
			for range 300 {
				got, err := l.Parse(t.Context(), []byte(src), nil)
				if err != nil || !slices.Equal(got.Nodes, want.Nodes) {
					t.Errorf("other nodes, or %v", err)
					return
				}
			}
			syntax.Trim()
		})
	}
	parsers.Wait()
}

// TestParseStops: a cancelled parse has an error, and leaves nothing to the next.
func TestParseStops(t *testing.T) {
	l := syntax.NewLanguage(sitter.NewLanguage(golang.Language()))
	t.Cleanup(syntax.Trim)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	src := []byte("package p\n" + strings.Repeat("func f(a, b int) int { return f(a+1, b*(a-b)) }\n", 40_000))
	stopped := false
	for range 20 { // the parser is told from a goroutine, which a busy machine may start too late
		_, err := l.Parse(ctx, src, nil)
		if stopped = errors.Is(err, context.Canceled); stopped {
			break
		}
		must.OK(t, err)
	}
	if !stopped {
		t.Error("a parse of 2 MB goes on to its end after it was cancelled")
	}
	got, err := l.Parse(t.Context(), []byte("package p\n"), nil)
	must.OK(t, err)
	if want := parse(t, "package p\n"); !slices.Equal(got.Nodes, want.Nodes) {
		t.Error("the tree after a stopped one is not that of the binding")
	}
}

func TestMatches(t *testing.T) {
	const src = "package p\n\nfunc f(a, b int) {\n\tg(a, 1)\n\tg(\"s\")\n\th()\n}\n\nvar x, y = 1, 2\n"
	for name, c := range map[string]struct{ query, want string }{
		"one node":              {`(int_literal) @n`, "0 n=1; 0 n=1; 0 n=2"},
		"a field":               {`(call_expression function: (identifier) @f)`, "0 f=g; 0 f=g; 0 f=h"},
		"each child":            {`(argument_list (_) @a)`, `0 a=a; 0 a=1; 0 a="s"`},
		"first and last":        {`(argument_list . (_) @first) (argument_list (_) @last .)`, `0 first=a; 1 last=1; 0 first="s"; 1 last="s"`},
		"beside each other":     {`(argument_list (_) @a . (_) @b)`, "0 a=a b=1"},
		"only child":            {`(argument_list . (_) @a .)`, `0 a="s"`},
		"optional":              {`(call_expression function: (_) @f arguments: (argument_list (int_literal)? @n))`, "0 f=g n=1; 0 f=g; 0 f=h"},
		"either":                {`(argument_list [(identifier) (interpreted_string_literal)] @a)`, `0 a=a; 0 a="s"`},
		"either, at the top":    {`[(package_identifier) (interpreted_string_literal)] @a`, `0 a=p; 0 a="s"`},
		"absent field":          {`(function_declaration !result name: (_) @f) (function_declaration !parameters name: (_) @f)`, "0 f=f"},
		"literal":               {`(function_declaration "func" @k)`, "0 k=func"},
		"any node":              {`(argument_list . _ @open)`, `0 open=(; 0 open=a; 0 open=(; 0 open="s"; 0 open=(; 0 open=)`},
		"any root":              {`(_ function: (identifier) @f)`, "0 f=g; 0 f=g; 0 f=h"},
		"any root, once":        {`(_ (identifier) @i (int_literal) @n)`, "0 i=a n=1"},
		"any root of any child": {`(_ arguments: (_) @f)`, `0 f=(a, 1); 0 f=("s"); 0 f=()`},
		"both of two":           {`(argument_list (identifier) @a (int_literal) @b)`, "0 a=a b=1"},
		"text is":               {`((identifier) @i (#eq? @i "h"))`, "0 i=h"},
		"text is not":           {`(call_expression function: (identifier) @i (#not-eq? @i "h"))`, "0 i=g; 0 i=g"},
		"text like":             {`((identifier) @i (#match? @i "^[gh]$"))`, "0 i=g; 0 i=g; 0 i=h"},
		"text not like":         {`(call_expression function: (identifier) @i (#not-match? @i "g"))`, "0 i=h"},
		"same text":             {`(var_spec name: (identifier) @i value: (expression_list (int_literal) @v) (#eq? @i @v))`, ""},
		"unnamed parts":         {`(block (expression_statement) (expression_statement (call_expression function: (identifier) @f)))`, "0 f=g; 0 f=h"},
		"nested, then more":     {`(parameter_declaration name: (identifier) @n type: (type_identifier) @t)`, "0 n=a t=int; 0 n=b t=int"},
		"captured twice":        {`(call_expression function: (identifier) @f @g arguments: (argument_list . ")"))`, "0 f=h g=h"},
		"comments":              {"; (int_literal) @no\n(package_clause) @p ; @q", "0 p=package p"},
	} {
		t.Run(name, func(t *testing.T) {
			tree := parse(t, src)
			q, err := syntax.Compile(c.query, tree.Language)
			must.OK(t, err)
			if got := strings.Join(matches(t, q, tree, src), "; "); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func matches(t *testing.T, q *syntax.Query, tree *syntax.Tree, src string) []string {
	t.Helper()
	var out []string
	err := q.Each(context.Background(), tree, []byte(src), func(m syntax.Match) {
		line := fmt.Sprint(m.Pattern)
		for _, c := range m.Captures {
			n := tree.Nodes[c.Node]
			line += " " + q.Captures[c.ID] + "=" + src[n.Start:n.End]
		}
		out = append(out, line)
	})
	must.OK(t, err)
	return out
}

// TestAnyRootOnce holds that a node is tried once however many of its children
// could lead to it, also with others between them.
func TestAnyRootOnce(t *testing.T) {
	const src = "package p\n\nvar _ = g(a, h(b), c)\n"
	tree := parse(t, src)
	q, err := syntax.Compile(`(_ (identifier) @i)`, tree.Language)
	must.OK(t, err)
	seen := map[string]int{}
	for _, m := range matches(t, q, tree, src) {
		seen[m]++
	}
	for m, n := range seen {
		if n != 1 {
			t.Errorf("%s: %d times", m, n)
		}
	}
	if len(seen) != 6 { // _ g a h b c
		t.Errorf("%v", seen)
	}
}

func TestCompileSaysWhatIsWrong(t *testing.T) {
	tree := parse(t, "package p")
	for query, want := range map[string]string{
		"(identifier":                         "query line 1: the query ends in the middle of a pattern",
		"\n(nonsense)":                        `query line 2: the grammar has no visible node "nonsense"`,
		`"nonsense"`:                          `query line 1: the grammar has no literal "nonsense"`,
		"(call_expression nonsense: (_))":     `query line 1: the grammar has no field "nonsense"`,
		"(call_expression !nonsense)":         "query line 1: the grammar has no such field to be absent",
		"(block (_)* @x)":                     `query line 1: the quantifier '*' is not supported: each child is a match of its own`,
		"((identifier) . (identifier))":       "query line 1: a group of more than one node is not supported: write what is around them",
		`((identifier) @x (#any-of? @x "a"))`: "query line 1: the predicate #any-of? is not supported",
		`((identifier) @x (#set! @x "a"))`:    "query line 1: the directive #set! is not supported",
		`((identifier) @x (#match? @x "("))`:  "query line 1: error parsing regexp: missing closing ): `(`",
		`((identifier) @x (#eq? @x "a" "b"))`: "query line 1: #eq? has more than two arguments",
		`((identifier) @x (#eq? "a" @x))`:     "query line 1: #eq? begins with a capture",
		`("func)`:                             "query line 1: a text in quotes does not end",
		"(identifier) @x)":                    "query line 1: unexpected ')'",
		"(identifier)?":                       "query line 1: a pattern as a whole can't be optional",
		"[]":                                  "query line 1: an alternation without branches",
		"[(identifier)? (block)]":             "query line 1: a branch of an alternation can't be optional",
		"(block . )":                          "query line 1: an anchor without a child before it",
		"identifier":                          `query line 1: "identifier" has no brackets and is followed by no colon`,
		"()":                                  "query line 1: a node without a name",
	} {
		_, err := syntax.Compile(query, tree.Language)
		var wrong *syntax.CompileError
		if !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("%s: %v, want %s", query, err, want)
		}
	}
}

func TestEachStops(t *testing.T) {
	src := "package p\n\nvar x = []int{" + strings.Repeat("1,", 20_000) + "}\n"
	tree := parse(t, src)
	// Every pair of elements is a way to match: far too many to wait for.
	q, err := syntax.Compile(`(literal_value (_) @a (_) @b (_) @c)`, tree.Language)
	must.OK(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := q.Each(ctx, tree, []byte(src), func(syntax.Match) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

func FuzzCompile(f *testing.F) {
	for _, query := range []string{`(a b: [(c) "d"] . (_)? @e !f .)`, `((identifier) @x (#match? @x "^a\"$")) ; c`, "(_", "[[[", `"\`, "_ @"} {
		f.Add(query)
	}
	tree := parse(f, "package p\n\nfunc f(a int) { g(a) }\n")
	f.Fuzz(func(t *testing.T, query string) {
		q, err := syntax.Compile(query, tree.Language)
		if err != nil {
			return
		}
		src := "package p\n\nfunc f(a int) { g(a) }\n"
		err = q.Each(context.Background(), tree, []byte(src), func(m syntax.Match) {
			if m.Pattern < 0 || m.Pattern >= q.Patterns || slices.ContainsFunc(m.Captures, func(c syntax.Capture) bool { return c.ID >= len(q.Captures) }) {
				t.Errorf("%q: match %+v", query, m)
			}
		})
		must.OK(t, err)
	})
}
