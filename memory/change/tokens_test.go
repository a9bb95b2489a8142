package change

import (
	"testing"
)

// TestSameTokens holds what counts as a change: what a language means by the text, and
// not how it is laid out or commented.
func TestSameTokens(t *testing.T) {
	const python = "import os\n\n@cached\ndef f(x):\n    if x:\n        g()\n        h()\n\ndef g():\n    pass\n"
	for _, c := range []struct {
		name, file, was, is string
		same, changed       []string // paths, "" for the file's own code
		cosmetic            bool
	}{
		{"comments and white space", "a.go", "package a\n\nfunc F() { g() }\n", "// Package a.\npackage a\n\n// F does it.\nfunc F() {\n\tg() // now\n}\n", []string{"F", ""}, nil, true},
		{"a body", "a.go", "package a\n\nfunc F() { g() }\n\nfunc G() {}\n", "package a\n\nfunc F() { h() }\n\n// G\nfunc G() {}\n", []string{"G", ""}, []string{"F"}, false},
		{"code outside", "a.go", "package a\n\nfunc F() {}\n", "package b\n\nfunc F() {}\n", []string{"F"}, []string{""}, false},
		{"a block comment around code", "a.go", "package a\n\nfunc F() { g(); h() }\n", "package a\n\nfunc F() { g() /*; h()*/ }\n", []string{""}, []string{"F"}, false},
		{"a decorator", "a.py", python, "import os\n\n@forever\n" + python[len("import os\n\n@cached\n"):], []string{"f", "g"}, []string{""}, false},
		{"indentation that means something", "a.py", python, "import os\n\n@cached\ndef f(x):\n    if x:\n        g()\n    h()\n\ndef g():\n    pass\n", []string{"g", ""}, []string{"f"}, false},
		{"one of two of a name", "a.py", "def f():\n    pass\n\ndef f():\n    g()\n", "def f():\n    pass\n\ndef f():\n    h()\n", nil, []string{"f"}, false},
		{"a line's end that ends a statement", "a.js", "function f() { return x }\n", "function f() { return\nx }\n", nil, []string{"f"}, false},
		{"a space in a shell", "a.sh", "f() {\n  a $b$c\n}\n", "f() {\n  a $b $c\n}\n", nil, []string{"f"}, false},
		{"a space in Ruby", "a.rb", "def f\n  g -1\nend\n", "def f\n  g - 1\nend\n", nil, []string{"f"}, false},
		{"a space in JSX", "a.tsx", "function F() { return <p><b>a</b> <i>b</i></p> }\n", "function F() { return <p><b>a</b><i>b</i></p> }\n", nil, []string{"F"}, false},
		{"a line's end in JSX", "a.tsx", "function F() { return <p><b>a</b><i>b</i></p> }\n", "function F() { return <p><b>a</b>\n<i>b</i></p> }\n", []string{"F"}, nil, true},
		{"a space before an expression in JSX", "a.jsx", "function F({y}) { return <p>x {y}</p> }\n", "function F({y}) { return <p>x{y}</p> }\n", nil, []string{"F"}, false},
		{"a heredoc", "a.sh", "f() {\ncat <<E\n$x\n c\nE\n}\n", "f() {\ncat <<E\n$x\nc\nE\n}\n", nil, []string{"f"}, false},
		{"a heredoc of Ruby", "a.rb", "def f\n<<E\n a\nE\nend\n", "def f\n<<E\na\nE\nend\n", nil, []string{"f"}, false},
		{"a space in a string with parts", "a.scala", "def f = s\"$a $b\"\n", "def f = s\"$a$b\"\n", nil, []string{"f"}, false},
		{"a comment beside a string", "a.go", "package a\n\nfunc F() { g(\"a\") }\n", "package a\n\n// F\nfunc F() { g(\"a\") }\n", []string{"F", ""}, nil, true},
		{"a directive for the compiler", "a.go", "package a\n\nfunc F() {}\n", "package a\n\n//go:noinline\nfunc F() {}\n", nil, []string{"F", ""}, false},
		{"a build constraint", "a.go", "package a\n\nfunc F() {}\n", "//go:build linux\n\npackage a\n\nfunc F() {}\n", []string{"F"}, []string{""}, false},
		{"the output of an example", "a_test.go", "package a\n\nfunc ExampleF() {\n\tF()\n\t// Output: 1\n}\n", "package a\n\nfunc ExampleF() {\n\tF()\n\t// Output: 2\n}\n", []string{""}, []string{"ExampleF"}, false},
		{"C before an import", "a.go", "package a\n\n// int f(void);\nimport \"C\"\n", "package a\n\n// int f(int);\nimport \"C\"\n", nil, []string{""}, false},
		{"a type's escape", "a.ts", "function f() {\n  g()\n}\n", "function f() {\n  // @ts-ignore\n  g()\n}\n", nil, []string{"f"}, false},
		{"a documentation test", "a.rs", "/// ```\n/// f(1)\n/// ```\nfn f() {}\n", "/// ```\n/// f(2)\n/// ```\nfn f() {}\n", nil, []string{"f"}, false},
		{"text beside a documentation test", "a.rs", "/// Does f.\n///\n/// ```\n/// f(1)\n/// ```\nfn f() {}\n", "// new\n/// Does it.\n///\n/// ```\n/// f(1)\n/// ```\n/// More.\nfn f() {}\n", []string{"f", ""}, nil, true},
		{"documentation without one", "a.rs", "//! A.\n\n/// Does f.\nfn f() {}\n", "// new\n//! A module.\n\n/// Does it.\nfn f() {}\n", []string{"f", ""}, nil, true},
		{"a reference", "a.ts", "/// <reference path=\"a.d.ts\" />\nfunction f() {}\n", "/// <reference path=\"b.d.ts\" />\nfunction f() {}\n", nil, []string{"f"}, false},
		{"a type in a comment", "a.js", "/** @param {string} x */\nfunction f(x) {}\n", "/** @param {number} x */\nfunction f(x) {}\n", nil, []string{"f"}, false},
		{"a parameter that is described", "A.java", "class A {\n  /** @param x a number */\n  void f(int x) {}\n}\n", "class A {\n  /** @param x the number */\n  void f(int x) {}\n}\n", []string{"A.f"}, nil, true},
		{"a summary", "A.cs", "class A {\n  /// <summary>Does f.</summary>\n  void F() {}\n}\n", "class A {\n  /// <summary>Does it.</summary>\n  void F() {}\n}\n", []string{"A.F"}, nil, true},
		{"a new declaration", "a.go", "package a\n", "package a\n\nfunc F() {}\n", []string{""}, []string{"F"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			was, ok := parse(t.Context(), c.file, []byte(c.was))
			is, ok2 := parse(t.Context(), c.file, []byte(c.is))
			if !ok || !ok2 {
				t.Fatal("the source does not parse")
			}
			v := &versions{was, is}
			for _, p := range c.same {
				if !v.same(p) {
					t.Errorf("%q counts as changed", p)
				}
			}
			for _, p := range c.changed {
				if v.same(p) {
					t.Errorf("%q counts as unchanged", p)
				}
			}
			if v.equal() != c.cosmetic {
				t.Errorf("equal: %t, want %t", v.equal(), c.cosmetic)
			}
		})
	}
	if _, ok := parse(t.Context(), "a.go", []byte("package a\n\nfunc F( {\n")); ok {
		t.Error("half-written code is compared")
	}
}
