package scope

import (
	"errors"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"

	"manicule/indexer/must"
)

func TestMatch(t *testing.T) {
	tests := []struct {
		patterns string // separated by spaces
		path     string
		want     Match
	}{
		// The cases of the rules in the package comment; the null scope is the caller's.
		{"src/auth/**", "src/auth/middleware.ts", In},
		{"src/auth/**", "src/auth/", In},
		{"src/components/**", "src/", Parent},
		{"src/auth/**", "src/db/store.ts", None},

		{"src/auth/**", "src/auth", In},
		{"src/auth/**", "src/authority/x.ts", None},
		{"src/auth/**", "src/auth/deep/er/x.ts", In},
		{"src/auth/**", "src/auth/not-there-yet.ts", In},
		{"src/auth/**", `src\auth\x.ts`, In},
		{`src\auth\**`, "src/auth/x.ts", In},
		{"src/auth", "src/auth/x.ts", In},
		{"src/auth", "src/", Parent},
		{"src/auth/", "src/auth/x.ts", In},
		{"src/a.go", "src/a.go", In},
		{"src/a.go", "src/a.go.bak", None},
		{"./src/**", "src/x", In},
		{"/src/**", "src/x", In},
		{"*.go", "cmd/x/main.go", In},
		{"/*.go", "cmd/x/main.go", None},
		{"/*.go", "main.go", In},
		{"src/*.go", "src/x/main.go", None},
		{"**/*.{ts,tsx}", "web/a.tsx", In},
		{"**/*.{ts,tsx}", "web/a.css", None},
		{"**/*.ts", "web/", Parent},
		{"src/*/api/**", "src/v1/", Parent},
		{"src/*/api/**", "lib/", None},
		{"{src,lib}/**", "lib/x", In},
		{"{src/a,lib}/**", "src/a/x", In},
		{"{src/a,lib}/**", "src/", Parent},
		{"src/[a-c]*.go", "src/bob.go", In},
		{"src/[!a-c]*.go", "src/bob.go", None},
		{`src/\[id\].tsx`, "src/[id].tsx", In},
		{"src/** !src/gen/**", "src/gen/x.go", None},
		{"src/** !src/gen/**", "src/gen/", None},
		{"src/** !src/gen/**", "src/x.go", In},
		{"src/** !src/gen/** src/gen/keep.go", "src/gen/keep.go", In},
		{"!vendor/**", "src/x.go", In},
		{"!vendor/**", "vendor/x.go", None},
		{"**", "", In},
		{"**", "a", In},
		{"src/**", "", Parent},
		{"src/**", ".", Parent},
		{"**", "../x", None},
		{"**", "/etc/passwd", None},
		{"**", `C:\x`, None},
		{"src/**", "src/../../x", None},
		{"src/**", "lib/../src/x", In},
		{"Makefile", "Makefile", In},
	}
	for _, tt := range tests {
		s, err := Compile(strings.Fields(tt.patterns), Options{})
		if err != nil {
			t.Errorf("Compile(%q): %v", tt.patterns, err)
			continue
		}
		if got := s.Match(tt.path, false); got != tt.want {
			t.Errorf("%q on %q = %d, want %d", tt.patterns, tt.path, got, tt.want)
		}
	}
}

func TestMatchFoldsCase(t *testing.T) {
	for _, fold := range []bool{false, true} {
		s, err := Compile([]string{"Src/Auth/**"}, Options{FoldCase: fold})
		must.OK(t, err)
		if got := s.Match("src/auth/X.ts", false) == In; got != fold {
			t.Errorf("fold %v: matched %v", fold, got)
		}
	}
}

func TestCompileRejects(t *testing.T) {
	for _, p := range []string{"", " ", "!", "../x", "a/../../b", "a[", "a{b", "a//b"} {
		if _, err := Compile([]string{p}, Options{}); !errors.Is(err, errPattern) {
			t.Errorf("Compile(%q) = %v, want errPattern", p, err)
		}
	}
	if _, err := Compile(nil, Options{}); !errors.Is(err, errPattern) {
		t.Errorf("Compile(nil) = %v", err)
	}
}

func TestSpecificity(t *testing.T) {
	order := []string{"**", "src/**", "src/*.go", "src/auth/**", "src/auth/*.go", "src/auth/x.go"}
	last := -1
	for _, p := range order {
		s, err := Compile([]string{p}, Options{})
		must.OK(t, err)
		if got := s.Specificity(); got <= last {
			t.Errorf("specificity of %q is %d, not above %d", p, got, last)
		} else {
			last = got
		}
	}
}

// FuzzMatch checks what must hold for every pattern and path: no panic, a
// match implies that an index prefix covers the path, and nothing outside the
// workspace ever matches.
func FuzzMatch(f *testing.F) {
	f.Add("src/**", "src/a.go", false)
	f.Add("{a,b/c}/[x-z]?.ts", "b/c/xy.ts", false)
	f.Add(`a\b\**`, `a\b`, true)
	f.Add("!x", "../x", true)
	f.Fuzz(func(t *testing.T, pattern, path string, isDir bool) {
		if len(pattern) > 200 || len(path) > 200 {
			return
		}
		s, err := Compile([]string{pattern}, Options{})
		if err != nil {
			return
		}
		got := s.Match(path, isDir)
		clean, ok := Clean(path)
		if !ok && got != None {
			t.Fatalf("%q matches %q, which is outside", pattern, path)
		}
		if got != In {
			return
		}
		for _, p := range s.Prefixes() {
			if strings.HasPrefix(clean+"/", p) {
				return
			}
		}
		t.Fatalf("%q matches %q but no prefix of %q covers it", pattern, path, s.Prefixes())
	})
}

func BenchmarkMatch(b *testing.B) {
	s, err := Compile([]string{"src/**/*.{ts,tsx}", "!src/gen/**"}, Options{})
	must.OK(b, err)
	for b.Loop() {
		s.Match("src/auth/middleware.ts", false)
	}
}

// TestSimplePatterns: the patterns that need no matcher answer as the matcher does.
func TestSimplePatterns(t *testing.T) {
	paths := []string{"", "a", "a/b", "a/b.go", "a/b/c.go", "b.go", ".go", "a/.go", "a/c/x_test.go", "x_test.go", "ab/c.go", "a.b/c", "go", "ä/b.go", "a/b/", "b.go/x", "a/b.go/c"}
	simple := 0
	for _, dir := range []string{"", "a/", "a/b/", "a.b/", "ä/", "a/?/"} {
		for _, rest := range []string{"**", "*", "*.go", "**/*", "**/*.go", "**/*_test.go", "*b", "**/b*", "*.*", "**/**/*.go", "*.{go,md}", "**/*.[g]o", "**/x/*.go"} {
			r, err := compile("/"+dir+rest, Options{})
			must.OK(t, err)
			if r.below || r.ending != "" {
				simple++
			}
			for _, p := range paths {
				inPrefix := r.prefix == "" || strings.HasPrefix(p+"/", r.prefix)
				if got, want := r.covers(p), inPrefix && doublestar.MatchUnvalidated(r.glob, p); got != want {
					t.Errorf("%q covers %q: %t, want %t", r.glob, p, got, want)
				}
			}
		}
	}
	if simple < 20 {
		t.Errorf("only %d are simple", simple)
	}
}
