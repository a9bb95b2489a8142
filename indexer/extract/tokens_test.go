package extract_test

import (
	"testing"

	"manicule/indexer/extract"
	"manicule/indexer/must"
)

func TestTokens(t *testing.T) {
	tests := map[string]struct {
		lang string
		a, b string
		same bool
	}{
		"white space":              {"go", "package a\nfunc f() { return 1 }", "package a\n\n\tfunc  f()  {\n\t\treturn 1\n}\n", true},
		"line ends":                {"go", "package a\nfunc f() {\n}\n", "package a\r\nfunc f() {\r\n}\r\n", true},
		"comments":                 {"go", "package a\nfunc f() {}", "package a\n// doc\nfunc /* x */ f() { // y\n}", true},
		"a literal":                {"go", "package a\nvar x = \"a b\"", "package a\nvar x = \"a  b\"", false},
		"a blank literal":          {"go", "package a\nvar x = \" \"", "package a\nvar x = \"  \"", false},
		"a rune":                   {"go", "package a\nvar x = 'a'", "package a\nvar x = 'b'", false},
		"a comment in a literal":   {"go", "package a\nvar x = \"// a\"", "package a\nvar x = \"// b\"", false},
		"a raw literal":            {"go", "package a\nvar x = `a\nb`", "package a\nvar x = `a\n b`", false},
		"raw literal, line ends":   {"go", "package a\nvar x = `a\nb`", "package a\nvar x = `a\r\nb`", true},
		"an operator":              {"go", "package a\nvar x = 1 + 2", "package a\nvar x = 1 - 2", false},
		"token borders":            {"go", "package a\nvar ab c", "package a\nvar a bc", false},
		"python comments":          {"python", "def f():\n    # x\n    return 1\n", "def f():\n  return 1 # y\n", true},
		"python nesting":           {"python", "if a:\n    b()\n    c()\n", "if a:\n    b()\nc()\n", false},
		"python docstring":         {"python", "def f():\n    \"a\"\n", "def f():\n    \"b\"\n", false},
		"template":                 {"typescript", "const a = `x ${b} y`", "const a = `x ${c} y`", false},
		"regular expression":       {"javascript", "const a = /x \\/\\/ y/", "const a = /x \\/\\/ z/", false},
		"typescript white space":   {"typescript", "class A{m(a:string){return a}}", "class A {\n  m(a: string) {\n    return a // x\n  }\n}\n", true},
		"jsx":                      {"tsx", "const a = <div>don't // x</div>", "const a = <div>don't // y</div>", false},
		"broken, but white space":  {"go", "package a\nfunc f( {", "package a\nfunc  f(  {", true},
		"broken, with other words": {"go", "package a\nfunc f( {", "package a\nfunc g( {", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if same := hash(t, test.lang, test.a) == hash(t, test.lang, test.b); same != test.same {
				t.Errorf("same is %v, want %v", same, test.same)
			}
		})
	}
}

func hash(t *testing.T, lang, src string) string {
	t.Helper()
	h, err := extract.HashTokens(t.Context(), lang, []byte(src), extract.Span{Start: 0, End: len(src)})
	must.OK(t, err)
	return h
}

func TestTokensOfASymbolOnly(t *testing.T) {
	one := "package a\nfunc f() { g(1) }\n"
	two := "package a\n\nvar x = 1\n\n// Doc.\nfunc f() {\n\tg(1)\n}\n\nfunc h() {}\n"
	if a, b := symbolHash(t, one), symbolHash(t, two); a != b || a == "" {
		t.Errorf("%q and %q differ", a, b)
	}
	if symbolHash(t, one) == symbolHash(t, "package a\nfunc f() { g(2) }\n") {
		t.Error("a changed body has the same hash")
	}
}

func symbolHash(t *testing.T, src string) string {
	t.Helper()
	f := parse(t, "go", []byte(src))
	s, ok := f.Find("f", 0)
	if !ok {
		t.Fatal("f is not there")
	}
	h, err := f.TokenHash(t.Context(), []byte(src), extract.Span{Start: s.Start, End: s.End})
	must.OK(t, err)
	again, err := f.TokenHash(t.Context(), []byte(src), extract.Span{Start: s.Start, End: s.End})
	if err != nil || again != h {
		t.Errorf("the second answer is %q, %v", again, err)
	}
	return h
}

func TestTokensOutsideOfTheSource(t *testing.T) {
	for _, span := range []extract.Span{{Start: -5, End: 3}, {Start: 90, End: 95}, {Start: 5, End: 2}} {
		if _, err := extract.HashTokens(t.Context(), "go", []byte("package a\n"), span); err != nil {
			t.Errorf("%v: %v", span, err)
		}
	}
}
