package anchoring_test

import (
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/must"
)

// TestVisibility moves declarations to files of their own, where they become visible: they still do the same. One that stays has
// another visibility, of which a memory may say why it is so.
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
		if r := resolve(tt.rest+visible, ""); r.State != anchor.Drifted || r.Reason != "the visibility of retry changed" {
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
		strings.Replace(was, "private (int", "public (int", 1):  "the visibility of A.Retry changed",
	} {
		o, n := anchoring.TextSource("A.cs", "csharp", "was", []byte(was)), anchoring.TextSource("A.cs", "csharp", text, []byte(text))
		w := &anchoring.World{
			Old:     func(string) *anchoring.Source { return o },
			New:     func(string) *anchoring.Source { return n },
			Changed: func() []anchoring.Change { return []anchoring.Change{{Old: o, New: n}} },
		}
		if r := w.Resolve(a); r.State != anchor.Drifted || r.Reason != reason {
			t.Errorf("%s: %+v", text, r)
		}
	}
}
