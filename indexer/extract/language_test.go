package extract

import (
	"testing"

	"manicule/grammars"
	"manicule/indexer/must"
)

// TestPatterns holds the count of patterns, by which matches are told apart,
// to what the grammar's own parser of queries finds.
func TestPatterns(t *testing.T) {
	for _, data := range grammars.All() {
		l, err := languageFor(data.ID)
		must.OK(t, err)
		if l.grammar == nil { // a language with a parser of its own
			continue
		}
		whole, err := l.whole()
		if err != nil {
			t.Fatalf("%s: %v", data.ID, err)
		}
		if want := l.definitions + l.imports + countPatterns(data.Queries().References); whole.compiled.Patterns != want {
			t.Errorf("%s: %d patterns, counted %d", data.ID, whole.compiled.Patterns, want)
		}
		outline, err := l.outline()
		if err != nil {
			t.Fatalf("%s: %v", data.ID, err)
		}
		if want := l.definitions + l.imports; outline.compiled.Patterns != want {
			t.Errorf("%s: %d patterns in the outline, counted %d", data.ID, outline.compiled.Patterns, want)
		}
	}
}

// TestSpoken holds headers to the language that is in them.
func TestSpoken(t *testing.T) {
	tests := map[string]string{
		"int f(void);\n": "c",
		"#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n": "c",
		"struct s { int class; };\n/* class of service */\n":         "c",
		"#include <stdio.h>\n#include \"a.h\"\n":                     "c",
		"#include <string>\n":                                        "cpp",
		"namespace a {\n":                                            "cpp",
		"class A;\n":                                                 "cpp",
		"class EXPORT A : public B {\n":                              "cpp",
		"  template <class T>\n":                                     "cpp",
	}
	for src, want := range tests {
		f, err := Parse(t.Context(), "c", []byte(src))
		if err != nil {
			t.Fatalf("%q: %v", src, err)
		}
		if f.Language != want {
			t.Errorf("%q is %s, want %s", src, f.Language, want)
		}
	}
	if f, err := Parse(t.Context(), "cpp", []byte("int f();\n")); err != nil || f.Language != "cpp" {
		t.Errorf("a C++ file is %v, %v", f, err)
	}
}

// TestTornName holds that a name which is missing at the very end is no panic.
func TestTornName(t *testing.T) {
	for lang, src := range map[string]string{"lua": "function M.", "go": "func ", "python": "def ", "ruby": "def ", "java": "class ", "kotlin": "fun ", "c": "struct ", "typescript": "function "} {
		if _, err := Parse(t.Context(), lang, []byte(src)); err != nil {
			t.Errorf("%s %q: %v", lang, src, err)
		}
	}
}
