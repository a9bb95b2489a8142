package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
)

// TestVisibility moves declarations to files of their own, where they become visible: they still do the same, as one does that
// becomes visible in its place.
func TestVisibility(t *testing.T) {
	for _, tt := range []struct{ lang, file, rest, before, after string }{
		{"typescript", "a.ts", "const other = 1;\n", "function retry(n: number) {\n  for (let i = 0; i < n; i++) attempt(i);\n  return n;\n}\n", "export function retry"},
		{"rust", "a.rs", "const OTHER: u8 = 1;\n", "fn retry(n: u32) -> u32 {\n    for i in 0..n { attempt(i); }\n    n\n}\n", "pub(crate) fn retry"},
		{"rust", "a.rs", "const OTHER: u8 = 1;\n", "fn retry(n: u32) -> u32 {\n    for i in 0..n { attempt(i); }\n    n\n}\n", "pub fn retry"},
		{"java", "A.java", "class Other {}\n", "class retry {\n  int times(int n) {\n    for (int i = 0; i < n; i++) attempt(i);\n    return n;\n  }\n}\n", "public class retry"},
	} {
		keyword, _, _ := strings.Cut(tt.after, " retry")
		plain := strings.Fields(keyword)[len(strings.Fields(keyword))-1]
		visible := strings.Replace(tt.before, plain+" retry", tt.after, 1)
		source := func(path, text string) *anchoring.Source {
			return anchoring.TextSource(path, tt.lang, path+text, []byte(text))
		}
		a, err := anchoring.Make(t.Context(), anchor.Place{Path: tt.file, Symbol: "retry"}, tt.lang, []byte(tt.rest+tt.before))
		if err != nil {
			t.Fatal(err)
		}
		resolve := func(old, moved string) anchoring.Resolution {
			o, n, added := source(tt.file, tt.rest+tt.before), source(tt.file, old), source("new/"+tt.file, moved)
			w := &anchoring.World{
				Old: func(path string) *anchoring.Source { return map[string]*anchoring.Source{tt.file: o}[path] },
				New: func(path string) *anchoring.Source {
					return map[string]*anchoring.Source{tt.file: n, "new/" + tt.file: added}[path]
				},
				Changed: func() []anchoring.Change { return []anchoring.Change{{Old: o, New: n}, {New: added}} },
			}
			return w.Resolve(a)
		}
		if r := resolve(tt.rest, visible); r.State != anchor.Followed || r.Rung != anchor.RungTree || !strings.HasSuffix(r.Reason, ", and its visibility changed") {
			t.Errorf("%s, moved: %+v", tt.after, r)
		}
		if r := resolve(tt.rest, strings.Replace(visible, "< n", "<= n", 1)); tt.lang != "rust" && (r.State != anchor.Followed || !strings.HasSuffix(r.Reason, ", and its code changed")) {
			t.Errorf("%s, moved and changed: %+v", tt.after, r)
		}
		if r := resolve(tt.rest+visible, ""); r.State != anchor.Fresh || r.Reason != "" {
			t.Errorf("%s, in place: %+v", tt.after, r)
		}
		if r := resolve(tt.rest+strings.Replace(visible, "attempt", "skip", 1), ""); r.State != anchor.Drifted || r.Reason != "the code of retry changed" {
			t.Errorf("%s, in place and changed: %+v", tt.after, r)
		}
	}
}

// TestTypeBehindVisibility: in C# a type in brackets may follow the word that says who may use a method. Another type is no other
// visibility.
func TestTypeBehindVisibility(t *testing.T) {
	const was = "class A {\n  private (int, string) Retry(int n) {\n    for (int i = 0; i < n; i++) Attempt(i);\n    return (n, null);\n  }\n}\n"
	a, err := anchoring.Make(t.Context(), anchor.Place{Path: "A.cs", Symbol: "A.Retry"}, "csharp", []byte(was))
	must.OK(t, err)
	for text, reason := range map[string]string{
		strings.Replace(was, "private (int", "public (long", 1): "the code of A.Retry changed",
		strings.Replace(was, "private (int", "public (int", 1):  "",
	} {
		o, n := anchoring.TextSource("A.cs", "csharp", "was", []byte(was)), anchoring.TextSource("A.cs", "csharp", text, []byte(text))
		w := &anchoring.World{
			Old:     func(string) *anchoring.Source { return o },
			New:     func(string) *anchoring.Source { return n },
			Changed: func() []anchoring.Change { return []anchoring.Change{{Old: o, New: n}} },
		}
		if r := w.Resolve(a); (r.State == anchor.Fresh) != (reason == "") || r.Reason != reason {
			t.Errorf("%s: %+v", text, r)
		}
	}
}

// TestAnnotationOfVisibility: an annotation that is called as a visibility is none, with an argument or without.
func TestAnnotationOfVisibility(t *testing.T) {
	for _, tt := range []struct{ lang, was, is string }{
		{"kotlin", "public @internal(\"x\") fun retry", "public @protected(\"x\") fun retry"},
		{"kotlin", "public @Since(private) fun retry", "public @Since(protected) fun retry"},
		{"swift", "public @internal(x) func retry", "public @fileprivate(x) func retry"},
		{"java", "class A { public @internal(\"x\") int retry", "class A { public @export(\"x\") int retry"},
		{"java", "class A { public @internal int retry", "class A { public @export int retry"},
	} {
		body := map[string]string{
			"kotlin": "(n: Int): Int {\n    for (i in 0 until n) attempt(i)\n    return n\n}\n",
			"java":   "(int n) {\n    for (int i = 0; i < n; i++) attempt(i);\n    return n;\n  }\n}\n",
			"swift":  "(n: Int) -> Int {\n    for i in 0..<n { attempt(i) }\n    return n\n}\n",
		}[tt.lang]
		symbol := "retry"
		if strings.HasPrefix(tt.was, "class A") {
			symbol = "A.retry"
		}
		if r := inPlace(t, tt.lang, symbol, tt.was+body, tt.is+body); r.State != anchor.Drifted {
			t.Errorf("%s: %s to %s: %+v", tt.lang, tt.was, tt.is, r)
		}
		if r := inPlace(t, tt.lang, symbol, tt.was+body, strings.Replace(tt.was, "public", "private", 1)+body); r.State != anchor.Fresh {
			t.Errorf("%s: %s with another visibility: %+v", tt.lang, tt.was, r)
		}
	}
}

// TestExportOfShell: what programs find in their environment is no visibility.
func TestExportOfShell(t *testing.T) {
	for was, is := range map[string]string{"LIMIT=3\n": "export LIMIT=3\n", "export LIMIT=3\n": "LIMIT=3\n"} {
		if r := inPlace(t, "bash", "LIMIT", was, is); r.State != anchor.Drifted {
			t.Errorf("%q to %q: %+v", was, is, r)
		}
	}
}

// inPlace resolves an anchor in a file that changes.
func inPlace(t *testing.T, lang, symbol, was, is string) anchoring.Resolution {
	t.Helper()
	a, err := anchoring.Make(t.Context(), anchor.Place{Path: "a", Symbol: symbol}, lang, []byte(was))
	must.OK(t, err)
	o, n := anchoring.TextSource("a", lang, "was", []byte(was)), anchoring.TextSource("a", lang, "is", []byte(is))
	w := &anchoring.World{
		Old:     func(string) *anchoring.Source { return o },
		New:     func(string) *anchoring.Source { return n },
		Changed: func() []anchoring.Change { return []anchoring.Change{{Old: o, New: n}} },
	}
	return w.Resolve(a)
}
