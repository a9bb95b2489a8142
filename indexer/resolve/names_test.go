package resolve_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"manicule/indexer/extract"
	"manicule/indexer/must"
	"manicule/indexer/resolve"
)

// calls resolves a workspace of files and returns its calls as
// "caller → callee", methods through an interface not counted.
func calls(t *testing.T, lang string, files map[string]string) []string {
	t.Helper()
	names := slices.Sorted(maps.Keys(files))
	table := resolve.NewTable(resolve.NewProject(names, func(name string) ([]byte, error) { return []byte(files[name]), nil }))
	facts := map[string]*extract.Facts{}
	for i, name := range names {
		if strings.HasSuffix(name, ".mod") {
			continue
		}
		f, err := extract.ParseFacts(context.Background(), lang, []byte(files[name]))
		must.OK(t, err)
		locals := make([]int32, len(f.Symbols))
		for j := range locals {
			locals[j] = int32(j + 1)
		}
		facts[name] = f
		table.Add(name, int32(i+1), f, locals)
	}
	var out []string
	r := resolve.NewResolver(table)
	for _, name := range names {
		if facts[name] == nil {
			continue
		}
		edges, err := r.Edges(t.Context(), table.File(name), facts[name])
		must.OK(t, err)
		for _, e := range edges {
			if e.Kind == extract.RefCall && e.To != nil && (e.To.Kind == "function" || e.To.Kind == "method") {
				out = append(out, fmt.Sprintf("%s → %s", e.From.Path, e.To.Path))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func TestGoCalls(t *testing.T) {
	const head = "package a\n\ntype Thing interface{ Do() string }\ntype Things []Thing\n"
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"a type parameter has its constraint's methods": {
			"func use[T Thing](t T) { t.Do() }", []string{"use → Thing.Do"},
		},
		"a receiver names the parameters of its type anew": {
			"type pair[A, B Thing] struct{ a A }\nfunc (p *pair[X, Y]) run() { var y Y; y.Do(); p.a.Do() }", []string{"pair.run → Thing.Do"},
		},
		"an embedded type is a field": {
			"type w struct{ Things }\nfunc (x w) run() { x.Things[0].Do() }", []string{"w.run → Thing.Do"},
		},
		"a struct without a name has fields": {
			"func run() { for _, c := range []struct{ in Thing }{{nil}} { c.in.Do() } }", []string{"run → Thing.Do"},
		},
		"a generic function that is given its types is called": {
			"func get[T any]() T { panic(0) }\nfunc run() { get[Thing]().Do() }", []string{"run → Thing.Do", "run → get"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := calls(t, "go", map[string]string{"go.mod": "module m\n", "a/a.go": head + c.src})
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestModuleThatIsGivenAway(t *testing.T) {
	got := calls(t, "typescript", map[string]string{
		"a.ts":    "export function f() {}\n",
		"b.ts":    "import * as Again from './a';\nexport * as All from './a';\nexport { Again };\n",
		"main.ts": "import { All, Again } from './b';\nimport * as b from './b';\nfunction one() { All.f(); }\nfunction two() { Again.f(); }\nfunction three() { b.All.f(); }\n",
	})
	if want := []string{"one → f", "three → f", "two → f"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrivateMembers(t *testing.T) {
	got := calls(t, "typescript", map[string]string{
		"a.ts": "class R { close() {} }\nclass V {\n  readonly #r: R;\n  go() { this.#r.close(); }\n}\n",
	})
	if want := []string{"V.go → R.close"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPythonValuesFlow(t *testing.T) {
	const head = "def f(): pass\ndef g(): pass\n"
	for name, c := range map[string]struct {
		src  string
		want []string
	}{
		"through an assignment": {"a = f\na()", []string{" → f"}},
		"through an argument": {
			"def run(x): x()\nrun(f)", []string{" → run", "run → f"},
		},
		"through a keyword": {
			"def run(x, y=None): y()\nrun(g, y=f)", []string{" → run", "run → f"},
		},
		"through a result":    {"def make(): return f\nmake()()", []string{" → f", " → make"}},
		"through a container": {"d = {'a': f, 'b': g}\nd['b']()", []string{" → g"}},
		"through an attribute": {
			"class C:\n  def __init__(self, x): self.x = x\n  def run(self): self.x()\nC(f).run()",
			[]string{" → C.__init__", " → C.run", "C.run → f"},
		},
		"through a decorator": {
			"def dec(x): return x\n@dec\ndef run(): pass\nrun()", []string{" → dec", " → run"},
		},
		"into a loop": {
			"class C:\n  def __iter__(self): return self\n  def __next__(self): return f\nfor x in C(): x()",
			[]string{" → C.__iter__", " → C.__next__", " → f"},
		},
		"a text that is cut": {"x = ['\\\\", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := calls(t, "python", map[string]string{"a.py": head + c.src}); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// Modules that take everything of each other must not be asked along every way.
func TestStarImportsInCircles(t *testing.T) {
	files := map[string]string{"main.py": "from m0 import *\nmissing()\nf()\n"}
	const n = 40
	for i := range n {
		var b strings.Builder
		for j := range n {
			fmt.Fprintf(&b, "from m%d import *\n", j)
		}
		files[fmt.Sprintf("m%d.py", i)] = b.String()
	}
	files["m39.py"] += "def f(): pass\n"
	if got, want := calls(t, "python", files), []string{" → f"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
