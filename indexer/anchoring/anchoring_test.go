package anchoring_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
)

const source = `package auth

// Refresh renews a token.
func (s *Store) Refresh(id string) error {
	if id == "" {
		return nil
	}
	return s.dial(id)
}

func init() { register("a") }

func init() { register("b") }

func (s *Store) Validate(id string) error {
	if id == "" {
		return nil
	}
	return s.check(id)
}

func (c *Cache) Validate() {}
`

func parse(t testing.TB, lang string, src string) *extract.File {
	t.Helper()
	f, err := extract.Parse(t.Context(), lang, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func makeAnchor(t testing.TB, place, src string) anchor.Anchor {
	t.Helper()
	p, err := anchor.ParsePlace(place)
	if err != nil {
		t.Fatal(err)
	}
	a, err := anchoring.Make(t.Context(), p, "go", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestResolve(t *testing.T) {
	replace := func(old, new string) func(string) string {
		return func(s string) string { return strings.Replace(s, old, new, 1) }
	}
	same := func(s string) string { return s }
	tests := map[string]struct {
		place  string
		change func(string) string
		state  anchor.State
		line   int
		text   string // what the range begins with
		reason string // a part of it
	}{
		"symbol, same":             {"a.go#Store.Refresh", same, anchor.Fresh, 4, "func (s *Store) Refresh", ""},
		"symbol, by its end":       {"a.go#Refresh", same, anchor.Fresh, 4, "func (s *Store) Refresh", ""},
		"symbol, moved down":       {"a.go#Refresh", replace("package auth\n", "package auth\n\nvar x = 1\n"), anchor.Fresh, 6, "func (s *Store) Refresh", ""},
		"symbol, other comment":    {"a.go#Refresh", replace("renews a", "makes a new"), anchor.Fresh, 4, "func (s *Store) Refresh", ""},
		"symbol, other body":       {"a.go#Refresh", replace("s.dial(id)", "s.dial(id, 1)"), anchor.Drifted, 4, "func (s *Store) Refresh", "the code of Store.Refresh changed"},
		"symbol, other arity":      {"a.go#Refresh", replace("Refresh(id string)", "Refresh(id, x string)"), anchor.Drifted, 4, "func (s *Store) Refresh", "took 1 parameters and now takes 2"},
		"symbol, gone":             {"a.go#Refresh", replace("Refresh(", "Renew("), anchor.Orphaned, 1, "package", "no method Store.Refresh in a.go"},
		"symbol, file empty":       {"a.go#Refresh", func(string) string { return "" }, anchor.Orphaned, 1, "", "Store.Refresh"},
		"symbol, CRLF":             {"a.go#Refresh", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, anchor.Fresh, 4, "func (s *Store) Refresh", ""},
		"symbol, broken elsewhere": {"a.go#Refresh", replace("register(\"a\")", "register("), anchor.Fresh, 4, "func (s *Store) Refresh", ""},
		"ordinal, shifted":         {"a.go#init", replace("func init", "func init() { earlier() }\n\nfunc init"), anchor.Fresh, 13, "func init() { register(\"a\")", "same name"},
		"lines, same":              {"a.go:8", same, anchor.Fresh, 8, "\treturn s.dial", ""},
		"lines, moved":             {"a.go:8", replace("package auth\n", "package auth\n\n\n"), anchor.Fresh, 10, "\treturn s.dial", "moved from line 8 to line 10"},
		"lines, CRLF":              {"a.go:5-7", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }, anchor.Fresh, 5, "\tif id", ""},
		"lines, trailing blanks":   {"a.go:8", replace("s.dial(id)", "s.dial(id)  "), anchor.Fresh, 8, "\treturn s.dial", ""},
		"lines, inside the symbol": {"a.go:5-7", replace("\tif id", "\tlog()\n\tif id"), anchor.Fresh, 6, "\tif id", "moved from line 5 to line 6"},
		"lines, only in the file":  {"a.go:8", func(s string) string { return "package auth\n\nfunc x() {\n\treturn s.dial(id)\n}\n" }, anchor.Fresh, 4, "\treturn s.dial", "moved"},
		"lines, gone":              {"a.go:8", replace("s.dial(id)", "nil"), anchor.Stale, 4, "func (s *Store) Refresh", "not in the file any more"},
		"lines, symbol gone too":   {"a.go:5-7", func(string) string { return "package auth\n" }, anchor.Stale, 1, "package", "not in the file any more"},
		"lines, at several places": {"a.go:5-7", func(s string) string { return strings.Replace(s, "Refresh(", "Renew(", 1)[:20] + "\n\n" + s[13:] }, anchor.Fresh, 0, "\tif id", ""},
		"lines, ambiguous": {"a.go:5-7", func(s string) string {
			return "package auth\n\nfunc a() {\n" + strings.Repeat("\tif id == \"\" {\n\t\treturn nil\n\t}\n", 2) + "}\n\n// end\n"
		}, anchor.Stale, 5, "\t\treturn nil", "at 2 places"},
		"file":                      {"a.go", replace("auth", "other"), anchor.Fresh, 1, "package", ""},
		"file, empty":               {"a.go", func(string) string { return "" }, anchor.Fresh, 1, "", ""},
		"lines outside of a symbol": {"a.go:1", replace("package auth", "// x\npackage auth"), anchor.Fresh, 2, "package", "moved"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := makeAnchor(t, test.place, source)
			src := test.change(source)
			got := anchoring.Resolve(a, parse(t, "go", src), []byte(src))
			if got.State != test.state || !strings.Contains(got.Reason, test.reason) || (test.reason == "") != (got.Reason == "") && test.line > 0 {
				t.Errorf("got %s (%s), want %s (%s)", got.State, got.Reason, test.state, test.reason)
			}
			if test.line > 0 && got.Line != test.line {
				t.Errorf("line %d, want %d", got.Line, test.line)
			}
			if !strings.HasPrefix(src[got.Start:], test.text) {
				t.Errorf("points at %.30q, want %q", src[got.Start:], test.text)
			}
			checkInside(t, got, src)
		})
	}
}

func TestResolveWithoutHashOrGrammar(t *testing.T) {
	written := anchor.Anchor{Kind: anchor.KindSymbol, Path: "a.go", Symbol: "Store.Refresh"}
	if r := anchoring.Resolve(written, parse(t, "go", source), []byte(source)); r.State != anchor.Fresh || r.Line != 4 || r.EndLine != 9 {
		t.Errorf("without a hash: %+v", r)
	}
	made := makeAnchor(t, "a.go#Refresh", source)
	if r := anchoring.Resolve(made, nil, []byte(source)); r.State != anchor.Stale || r.Line != 4 || r.Reason == "" {
		t.Errorf("without a grammar: %+v", r)
	}
	lines := makeAnchor(t, "a.go:8", source)
	if r := anchoring.Resolve(lines, nil, []byte("\n"+source)); r.State != anchor.Fresh || r.Line != 9 {
		t.Errorf("lines without a grammar: %+v", r)
	}
	far := anchor.Anchor{Kind: anchor.KindLines, Path: "a.txt", Lines: &anchor.LineRange{Start: 90, End: 99}}
	if r := anchoring.Resolve(far, nil, []byte("a\nb\n")); r.State != anchor.Stale || r.Line != 2 || r.EndLine != 2 {
		t.Errorf("lines behind the end: %+v", r)
	}
}

func checkInside(t *testing.T, r anchoring.Resolution, src string) {
	t.Helper()
	lines := max(1, strings.Count(strings.TrimSuffix(src, "\n"), "\n")+1)
	if r.Start < 0 || r.Start > r.End || r.End > len(src) || r.Line < 1 || r.Line > r.EndLine || r.EndLine > lines {
		t.Errorf("outside of %d bytes, %d lines: %+v", len(src), lines, r)
	}
	if r.Confidence < 0 || r.Confidence > 1 || r.State == "" || r.State != anchor.Fresh && r.Reason == "" {
		t.Errorf("bad resolution %+v", r)
	}
}

// TestResolveStaysInside mixes random records with random sources, and checks
// that what is inserted far above never makes an anchor anything but fresh.
func TestResolveStaysInside(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	lines := strings.SplitAfter(source, "\n")
	for range 300 {
		var b strings.Builder
		for range random.IntN(25) {
			b.WriteString(lines[random.IntN(len(lines))])
		}
		src := b.String()
		start := random.IntN(40) - 5
		a := anchor.Anchor{
			Kind: []anchor.Kind{anchor.KindFile, anchor.KindSymbol, anchor.KindLines, "unknown"}[random.IntN(4)],
			Path: "a.go", Ordinal: random.IntN(3) - 1,
			Symbol: []string{"", "Store.Refresh", "init", "none"}[random.IntN(4)],
			Quote:  strings.Join(lines[random.IntN(10):10+random.IntN(5)], ""),
			Lines:  &anchor.LineRange{Start: start, End: start + random.IntN(6) - 1},
		}
		if random.IntN(4) == 0 {
			a.Lines = nil
		}
		checkInside(t, anchoring.Resolve(a, parse(t, "go", src), []byte(src)), src)
	}
	for _, place := range []string{"a.go#Store.Refresh", "a.go#Cache.Validate", "a.go:8", "a.go:11", "a.go:4-9"} {
		a := makeAnchor(t, place, source)
		n := random.IntN(50)
		src := strings.Replace(source, "package auth\n", "package auth\n"+strings.Repeat("\nvar _ = 1\n", n), 1)
		r := anchoring.Resolve(a, parse(t, "go", src), []byte(src))
		if r.State != anchor.Fresh || r.Line != a.Lines.Start+2*n {
			t.Errorf("%s with %d lines above: %+v", place, 2*n, r)
		}
	}
}

func TestMake(t *testing.T) {
	a := makeAnchor(t, "src/a.go:8", source)
	if a.Kind != anchor.KindLines || a.Symbol != "Store.Refresh" || a.Quote != "\treturn s.dial(id)" || a.TokenHash == "" || *a.Lines != (anchor.LineRange{Start: 8, End: 8}) {
		t.Errorf("lines: %+v", a)
	}
	a = makeAnchor(t, "a.go#Refresh", source)
	if a.Kind != anchor.KindSymbol || a.Symbol != "Store.Refresh" || a.SymbolKind != "method" || *a.Arity != 1 || a.Language != "go" || *a.Lines != (anchor.LineRange{Start: 4, End: 9}) {
		t.Errorf("symbol: %+v", a)
	}
	a = makeAnchor(t, "a.go", source)
	if a.Kind != anchor.KindFile || a.Lines != nil || a.Symbol != "" {
		t.Errorf("file: %+v", a)
	}
	plain, err := anchoring.Make(t.Context(), anchor.Place{Path: "a.txt", Lines: &anchor.LineRange{Start: 2, End: 2}}, "", []byte("a\r\nb\r\n"))
	if err != nil || plain.Quote != "b" || plain.Symbol != "" {
		t.Errorf("plain text: %+v, %v", plain, err)
	}
}

func TestMakeSaysWhatIsWrong(t *testing.T) {
	tests := map[string]struct {
		place, lang string
		want        string
	}{
		"misspelt":       {"a.go#Refesh", "go", "near: Store.Refresh"},
		"nothing near":   {"a.go#Zzzzzz", "go", "a.go has no symbol Zzzzzz"},
		"ambiguous":      {"a.go#Validate", "go", "more than one Validate: Store.Validate, Cache.Validate"},
		"behind the end": {"a.go:99", "go", "has only 22 lines"},
		"no grammar":     {"a.txt#x", "", "unsupported language"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := anchor.ParsePlace(test.place)
			if err != nil {
				t.Fatal(err)
			}
			_, err = anchoring.Make(t.Context(), p, test.lang, []byte(source))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	p := anchor.Place{Path: "a.go", Symbol: "Refesh"}
	_, err := anchoring.Make(t.Context(), p, "go", []byte(source))
	var unknown *anchor.SymbolError
	if !errors.As(err, &unknown) || len(unknown.Near) == 0 || unknown.Near[0] != "Store.Refresh" {
		t.Errorf("got %#v", err)
	}
}

func FuzzResolve(f *testing.F) {
	f.Add("symbol", "Store.Refresh", 0, 4, 9, "", "x", source)
	f.Add("lines", "Store.Refresh", 0, 8, 8, "\treturn s.dial(id)", "", source)
	f.Add("lines", "", 0, -1, 99, "\n\n", "", "\r\n\r\n")
	f.Fuzz(func(t *testing.T, kind, symbol string, ordinal, start, end int, quote, hash, src string) {
		a := anchor.Anchor{
			Kind: anchor.Kind(kind), Path: "a.go", Symbol: symbol, Ordinal: ordinal, Quote: quote, TokenHash: hash,
			Lines: &anchor.LineRange{Start: start, End: end},
		}
		file, err := extract.Parse(t.Context(), "go", []byte(src))
		if err != nil {
			file = nil
		}
		checkInside(t, anchoring.Resolve(a, file, []byte(src)), src)
	})
}

// TestSeveral has two definitions of one name: neither is taken silently.
func TestSeveral(t *testing.T) {
	src := []byte("#[cfg(unix)]\nfn open(p: &str) -> File {\n    unix(p)\n}\n\n#[cfg(windows)]\nfn open(p: &str) -> File {\n    windows(p)\n}\n")
	_, err := anchoring.Make(t.Context(), anchor.Place{Path: "a.rs", Symbol: "open", Ask: true}, "rust", src)
	var several *anchor.SymbolError
	if !errors.As(err, &several) || !several.Ambiguous || !slices.Equal(several.Near, []string{"open:2", "open:7"}) {
		t.Fatalf("%v", err)
	}
	for name, want := range map[string]int{"open:2": 0, "open:8": 1} {
		a, err := anchoring.Make(t.Context(), anchor.Place{Path: "a.rs", Symbol: name, Ask: true}, "rust", src)
		if err != nil || a.Symbol != "open" || a.Ordinal != want {
			t.Errorf("%s: %+v %v", name, a, err)
		}
	}
}

// TestOverloads has functions that are declared more than once and defined once: their name means
// the definition. Getters and setters are two things, and so are methods of two classes.
func TestOverloads(t *testing.T) {
	for _, c := range []struct {
		lang, src, symbol string
		line              int // 0: it must be asked which
	}{
		{"typescript", "export function f(a: { v: 2 }): string;\nexport function f(\n  a: B & C,\n): number;\nexport function f(a: any) {\n  return a;\n}\n", "f", 5},
		{"tsx", "class A {\n  m(a: string): void\n  m(a: number): void;\n  m(a: any): void {}\n}\n", "A.m", 4},
		{"typescript", "declare function f(a: string): void;\ndeclare function f(a: number): void;\n", "f", 2},
		{"typescript", "class A {\n  get m() { return 1; }\n  set m(v) { this.v = v; }\n}\n", "A.m", 0},
		{"python", "@overload\ndef f(a: int) -> int: ...\n@typing.overload\ndef f(a: str) -> str: ...\ndef f(a):\n    return a\n", "f", 5},
		{"python", "class A:\n    @property\n    def m(self): return 1\n    @m.setter\n    def m(self, v): self.v = v\n", "A.m", 0},
		{"java", "class A {\n  abstract void m(int a);\n  void m(String a) {}\n}\n", "A.m", 0},
	} {
		a, err := anchoring.Make(t.Context(), anchor.Place{Path: "x", Symbol: c.symbol, Ask: true}, c.lang, []byte(c.src))
		var several *anchor.SymbolError
		if c.line == 0 {
			if !errors.As(err, &several) || !several.Ambiguous {
				t.Errorf("%s %q: %+v %v", c.lang, c.src, a, err)
			}
			continue
		}
		if err != nil || a.Lines.Start != c.line {
			t.Errorf("%s %q: %+v %v, want line %d", c.lang, c.src, a.Lines, err, c.line)
		}
	}
}

// TestConstructors has types whose constructors are called like them: the name means the type, and Type.Type a constructor.
func TestConstructors(t *testing.T) {
	for _, c := range []struct{ lang, src, symbol, want string }{
		{"cpp", "namespace kv {\nclass Slice {\n public:\n  Slice() {}\n};\n}\n", "Slice", "kv.Slice"},
		{"cpp", "namespace kv {\nclass Slice {\n public:\n  Slice() {}\n};\n}\n", "kv::Slice", "kv.Slice"},
		{"cpp", "namespace kv {\nclass Slice {\n public:\n  Slice() {}\n};\n}\n", "Slice::Slice", "kv.Slice.Slice"},
		{"java", "class A {\n  static class B {\n    B() {}\n  }\n}\n", "B", "A.B"},
		{"cpp", "namespace a { int f() { return 1; } }\nnamespace b { int f() { return 2; } }\n", "f", ""},
	} {
		a, err := anchoring.Make(t.Context(), anchor.Place{Path: "x", Symbol: c.symbol, Ask: true}, c.lang, []byte(c.src))
		if c.want == "" {
			var several *anchor.SymbolError
			if !errors.As(err, &several) || !several.Ambiguous {
				t.Errorf("%s in %q: %+v %v", c.symbol, c.src, a, err)
			}
		} else if err != nil || a.Symbol != c.want {
			t.Errorf("%s in %q is %q, %v, want %q", c.symbol, c.src, a.Symbol, err, c.want)
		}
	}
}
