package extract

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"manicule/grammars"
	"manicule/indexer/must"
)

// TestLexer splits texts in which a naive reader would lose its way.
func TestLexer(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lang, text string
		tokens     string // with a space between them
		errors     int
	}{
		"comment":        {lang: "hcl", text: "a = 1 # b { c\n/* { */ d", tokens: "a = 1 d"},
		"url":            {lang: "css", text: "a { b: url(http://c) }", tokens: "a { b : url ( http : / / c ) }"},
		"colour":         {lang: "ini", text: "A=#fff ; no\nB=1", tokens: "A = # fff B = 1"},
		"string":         {lang: "hcl", text: `a = "b # { \" c"`, tokens: `a = "b # { \" c"`},
		"word":           {lang: "hcl", text: `a "b-c" "" {`, tokens: `a " b-c " "" {`, errors: 1},
		"apostrophe":     {lang: "dockerfile", text: "RUN it's\nRUN b", tokens: "RUN it ' s RUN b"},
		"long string":    {lang: "sql", text: "SELECT 'a\n; b';", tokens: "SELECT 'a\n; b' ;"},
		"plain slash":    {lang: "sql", text: `SELECT 'C:\', '\' || "b\" ; c`, tokens: `SELECT 'C:\' , '\' | | "b\" ; c`},
		"escape by E":    {lang: "sql", text: `SELECT E'it is \' ; ', 'C:\' ; c`, tokens: `SELECT E 'it is \' ; ' , 'C:\' ; c`},
		"escape in word": {lang: "sql", text: `SELECT 'it\'s ; \'' ; c`, tokens: `SELECT 'it\'s ; \'' ; c`},
		"MySQL escape":   {lang: "sql", text: "INSERT INTO `a` VALUES ('b \\' ; ') ; c", tokens: "INSERT INTO ` a ` VALUES ( 'b \\' ; ' ) ; c"},
		"heredoc":        {lang: "hcl", text: "a = <<-E\n  { \"b\n  E\nc = 1", tokens: `a = <<-E { " b E c = 1`},
		"quoted heredoc": {lang: "perl", text: "print <<\"E F\";\n  it's {\nE F\nmy $b = \"c\";", tokens: "print <<\"E F\" ; it ' s { E F my $ b = \" c \" ;"},
		"no heredoc":     {lang: "perl", text: "$a << \"b\n;", tokens: "$ a < < \" b ;"},
		"other escape":   {lang: "powershell", text: "$a = \"\\b\\\"\nc \"`\" d\"", tokens: "$ a = \"\\b\\\" c \"`\" d\""},
		"here string":    {lang: "powershell", text: "$a = @\"\nit's {\n\"@\n$b", tokens: "$ a = @ \" it ' s { \" @ $ b"},
		"no here string": {lang: "powershell", text: "@'\na\n@\"\n", tokens: "@ ' a @ \""},
		"nested quotes":  {lang: "hcl", text: `a = "x ${b("{", "c")} }" d`, tokens: `a = "x ${b("{", "c")} }" d`},
		"torn code":      {lang: "hcl", text: "a = \"${b(\"\nc = 1", tokens: `a = "${b(" c = 1`},
		"comment in SQL": {lang: "sql", text: "AS $$\n  a; -- it's\n  b\n$$;", tokens: "AS $ $ a ; b $ $ ;"},
		"quoted regexp":  {lang: "perl", text: "$a =~ /\"{/ and split m!'! ,$b; s{\"}{'}g; $c / 2 / $d", tokens: "$ a = ~ /\"{/ and split m!'! , $ b ; s{\"}{'}g ; $ c / 2 / $ d"},
		"quoted words":   {lang: "perl", text: "qw(a (b) {\n c) q", tokens: "qw ( a ( b ) { c ) q"},
		"names of quote": {lang: "perl", text: "$s{y} = $x->s(1); q => 1, isn't(1); $\" = '{'", tokens: "$ s { y } = $ x- > s ( 1 ) ; q = > 1 , isn ' t ( 1 ) ; $ \" = '{'"},
		"documentation":  {lang: "perl", text: "a;\n=head1 B\n\nit's {\n\n=cut\nb;\n__END__\n} c\n", tokens: "a ; = head1 B it ' s { = cut b ; __END__ } c"},
		"dollar quotes":  {lang: "sql", text: "AS $x$ ( ; $$ $x$ ;", tokens: "AS $ x $ ( ; $ $ $ x $ ;"},
		"a price":        {lang: "sql", text: "a $1 ;", tokens: "a $ 1 ;"},
		"closer alone":   {lang: "hcl", text: "a } ) b", tokens: "a } ) b"},
		"wrong closer":   {lang: "hcl", text: "a { ( } b", tokens: "a { ( } b"},
		"not closed":     {lang: "hcl", text: "a {\n  b = 1\nc {\n}\n", tokens: "a { b = 1 c { }", errors: 1},
		"make":           {lang: "make", text: "a:\n\tif (x; \\\n  y\nb: (\n", tokens: "a : if ( x ; y b : ("},
		"empty":          {lang: "hcl"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, ok := grammars.ByID(test.lang)
			if !ok {
				t.Fatal("no such language")
			}
			rules := lexRulesOf(data)
			x := lex(&rules, []byte(test.text))
			var got []string
			for _, k := range x.tree.Tokens {
				got = append(got, test.text[k.Start:k.End])
			}
			if text := strings.Join(got, " "); text != test.tokens {
				t.Errorf("got  %s\nwant %s", text, test.tokens)
			}
			if len(x.errors) != test.errors {
				t.Errorf("%d errors, want %d", len(x.errors), test.errors)
			}
			checkTree(t, x.tree)
		})
	}
}

// checkTree holds a tree to the form that the readers of trees rely on: nodes and
// tokens lie in their parents.
func checkTree(t *testing.T, tree *Tree) {
	t.Helper()
	for i, n := range tree.Nodes {
		if int(n.Next) <= i || int(n.Next) > len(tree.Nodes) || n.First > n.Last || int(n.Last) > len(tree.Tokens) {
			t.Fatalf("node %d: %+v", i, n)
		}
		if p := n.Parent; p >= 0 && (tree.Nodes[p].First > n.First || tree.Nodes[p].Last < n.Last || tree.Nodes[p].Next < n.Next) {
			t.Fatalf("node %d is not in its parent: %+v, %+v", i, n, tree.Nodes[p])
		}
	}
	for i, k := range tree.Tokens {
		if n := tree.Nodes[k.Node]; int(n.First) > i || int(n.Last) <= i || k.Start >= k.End || i > 0 && k.Start < tree.Tokens[i-1].End {
			t.Fatalf("token %d: %+v in %+v", i, k, n)
		}
	}
}

// FuzzLex holds every language without a grammar to well-formed trees and to symbols
// within their file.
func FuzzLex(f *testing.F) {
	for _, l := range grammars.All() {
		if l.Outline != nil {
			f.Add(l.ID, "a {\n b = (\"x\n<<E\n$$ [ } \\\n\tc: d;\n")
		}
	}
	f.Fuzz(func(t *testing.T, lang, text string) {
		data, ok := grammars.ByID(lang)
		if !ok || data.Outline == nil || len(text) > 1<<12 {
			return
		}
		file, tree, err := ParseTree(t.Context(), lang, []byte(text))
		if err != nil {
			return // binary
		}
		checkTree(t, tree)
		for i, s := range file.Symbols {
			if s.Start > s.NameStart || s.NameEnd > s.End || s.End > len(text) || s.Parent >= i {
				t.Fatalf("%+v in %q", s, text)
			}
		}
	})
}

// TestOutlineEnds holds a declaration to its own lines: what stands beside it is not
// of it.
func TestOutlineEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ lang, text, path, want string }{
		"brace on the next line": {"css", ".a\n{\n x: y;\n}\n.b { }\n", ".b", ".b { }"},
		"no brace":               {"proto", "message A\nmessage B { }\n", "A", "message A"},
		"column without comma":   {"sql", "CREATE TABLE t (\n a int,\n b int DEFAULT f(1, 2)\n);\n", "t.b", "b int DEFAULT f(1, 2)"},
		"continued":              {"make", "A = b \\\n  c\nD = e\n", "A", "A = b \\\n  c"},
		"blank lines":            {"make", "a:\n\tb\n\n\tc\n\nd:\n", "a", "a:\n\tb\n\n\tc"},
		"word":                   {"make", "define a\nb = c\nendef\n", "a", "define a\nb = c\nendef"},
		"brackets over lines":    {"hcl", "a = [\n  1,\n]\nb = 2\n", "a", "a = [\n  1,\n]"},
		"inside of brackets":     {"nix", "{\n  a = { b = 1; };\n  c = 2;\n}\n", "a", "a = { b = 1; };"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := Parse(t.Context(), test.lang, []byte(test.text))
			must.OK(t, err)
			s, ok := f.Find(test.path, 0)
			if !ok {
				t.Fatalf("no %s in %+v", test.path, f.Symbols)
			}
			if got := test.text[s.Start:s.End]; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if slices.Contains([]string{"key", "field"}, s.Kind) && strings.Contains(s.Signature, "\n") {
				t.Errorf("signature %q", s.Signature)
			}
		})
	}
}

// TestBeginningsWithoutEnds: many beginnings without an end take no time that grows with their square.
func TestBeginningsWithoutEnds(t *testing.T) {
	var marks strings.Builder
	for i := 0; marks.Len() < 1<<18; i++ {
		fmt.Fprintf(&marks, "$a%d$ ", i)
	}
	for name, c := range map[string]struct{ lang, begin, piece, end string }{
		"strings of several lines": {"sql", "'", `\'`, ""},
		"strings of a line":        {"dart", "", `"\`, ""},
		"long strings":             {"graphql", "", `"""\`, ""},
		"dollar quotes":            {"sql", "", marks.String(), ""},
		"statements":               {"sql", "", "CREATE TABLE a (b int)\nGO\n", ""},
		"statements in brackets":   {"nix", "a = {\n", "b = 1\n", "};"},
		"words":                    {"make", "", "define x\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			linear(t, 1<<18, func(bytes int) error {
				text := c.begin + strings.Repeat(c.piece, 1+bytes/len(c.piece))[:bytes] + c.end
				_, _, err := ParseTree(t.Context(), c.lang, []byte(text))
				return err
			})
		})
	}
}
