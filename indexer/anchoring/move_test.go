package anchoring_test

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/indexer/must"
)

func TestMove(t *testing.T) {
	tests := map[string]struct {
		edits []anchoring.Edit
		want  extract.Span // of 10 to 20
		gone  bool
	}{
		"before":             {[]anchoring.Edit{{Start: 0, OldEnd: 2, NewLen: 5}}, extract.Span{Start: 13, End: 23}, false},
		"behind":             {[]anchoring.Edit{{Start: 25, OldEnd: 26, NewLen: 9}}, extract.Span{Start: 10, End: 20}, false},
		"typed at the start": {[]anchoring.Edit{{Start: 10, OldEnd: 10, NewLen: 3}}, extract.Span{Start: 13, End: 23}, false},
		"typed at the end":   {[]anchoring.Edit{{Start: 20, OldEnd: 20, NewLen: 3}}, extract.Span{Start: 10, End: 20}, false},
		"inside":             {[]anchoring.Edit{{Start: 12, OldEnd: 14, NewLen: 5}}, extract.Span{Start: 10, End: 23}, false},
		"beginning cut":      {[]anchoring.Edit{{Start: 8, OldEnd: 12, NewLen: 0}}, extract.Span{Start: 8, End: 16}, false},
		"a new beginning":    {[]anchoring.Edit{{Start: 10, OldEnd: 12, NewLen: 3}}, extract.Span{Start: 10, End: 21}, false},
		"end cut":            {[]anchoring.Edit{{Start: 18, OldEnd: 22, NewLen: 1}}, extract.Span{Start: 10, End: 18}, false},
		"all of it":          {[]anchoring.Edit{{Start: 9, OldEnd: 21, NewLen: 4}}, extract.Span{}, true},
		"two in a row":       {[]anchoring.Edit{{Start: 0, OldEnd: 0, NewLen: 1}, {Start: 11, OldEnd: 11, NewLen: 1}}, extract.Span{Start: 12, End: 22}, false},
		"there and back":     {[]anchoring.Edit{{Start: 12, OldEnd: 14, NewLen: 5}, {Start: 12, OldEnd: 17, NewLen: 2}}, extract.Span{Start: 10, End: 20}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, ok := anchoring.Move(test.edits, extract.Span{Start: 10, End: 20})
			if got != test.want || ok == test.gone {
				t.Errorf("%v, %v; want %v", got, ok, test.want)
			}
		})
	}
}

// TestLiveIsResolved holds that what a person types moves an anchor to where it
// is found from nothing: random edits of real files, on lines outside of the
// anchored declaration, in comments in it, and of its body.
func TestLiveIsResolved(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	r := rand.New(rand.NewPCG(4, 17))
	checked := 0
	for round := range 150 {
		path := files[r.IntN(len(files))]
		src := must.Read(t, path)
		o := anchoring.TextSource(path, "go", "old", src)
		symbols := o.Symbols()
		if len(symbols) == 0 {
			continue
		}
		i := r.IntN(len(symbols))
		s := symbols[i]
		text, edits := typed(r, src, symbols, i)
		moved, ok := anchoring.Move(edits, extract.Span{Start: s.Start, End: s.End})
		if !ok {
			t.Fatalf("round %d: %s of %s is gone after %v", round, s.Path, path, edits)
		}
		n := anchoring.TextSource(path, "go", "new", text)
		w := &anchoring.World{New: one(n), Old: one(o)}
		a := anchor.Anchor{Kind: anchor.KindSymbol, Path: path, Language: "go", Symbol: s.Path, Ordinal: s.Ordinal, Blob: "old"}
		if res := w.Resolve(a); res.Start != moved.Start || res.End != moved.End {
			t.Errorf("round %d: %s of %s was moved to %v, and is found at %d to %d (%s, %s) after %v",
				round, s.Path, path, moved, res.Start, res.End, res.State, res.Reason, edits)
		}
		checked++
	}
	if checked < 100 {
		t.Errorf("only %d edits were checked", checked)
	}
}

func one(s *anchoring.Source) func(string) *anchoring.Source {
	return func(path string) *anchoring.Source {
		if path != s.Path {
			return nil
		}
		return s
	}
}

// typed makes a few edits that leave the file's syntax whole: declarations and
// comments between declarations, and comments on lines of their own at the ends
// of lines in the body of symbol i.
func typed(r *rand.Rand, src []byte, symbols []extract.Symbol, i int) ([]byte, []anchoring.Edit) {
	text := slices.Clone(src)
	var edits []anchoring.Edit
	insert := func(at int, what string) {
		text = slices.Insert(text, at, []byte(what)...)
		edits = append(edits, anchoring.Edit{Start: at, OldEnd: at, NewLen: len(what)})
	}
	for range 1 + r.IntN(4) {
		s := symbols[i]
		switch r.IntN(3) {
		case 0: // before everything that is declared
			insert(0, "// A line.\n")
		case 1: // behind everything
			insert(len(text), "\nfunc added"+string(rune('A'+r.IntN(26)))+"(a, b int) int { return a*b + 7 }\n")
		case 2: // in the declaration, at the end of one of its lines
			span, ok := anchoring.Move(edits, extract.Span{Start: s.Start, End: s.End})
			if !ok || bytes.ContainsRune(text[span.Start:span.End], '`') {
				continue
			}
			if n := bytes.IndexByte(text[span.Start:span.End], '\n'); n >= 0 {
				insert(span.Start+n, " // a word")
			}
		}
	}
	return text, edits
}

func BenchmarkMove(b *testing.B) {
	spans := make([]extract.Span, 10_000)
	for i := range spans {
		spans[i] = extract.Span{Start: 10 * i, End: 10*i + 8}
	}
	edit := []anchoring.Edit{{Start: 50_003, OldEnd: 50_003, NewLen: 1}}
	for b.Loop() {
		for i, s := range spans {
			spans[i], _ = anchoring.Move(edit, s)
		}
	}
}

// BenchmarkSave resolves 50 anchors after a change of the file they are all in,
// with the parse of its new state and without.
func BenchmarkSave(b *testing.B) {
	src := must.Read(b, "../graph/graph.go")
	changed := bytes.Replace(src, []byte("return"), []byte("/* changed */ return"), 3)
	anchors := anchorsOf("graph.go", src, 50)
	o := anchoring.TextSource("graph.go", "go", "old", src)
	o.Symbols() // the state before was parsed when the file was opened
	resolve := func(n *anchoring.Source) {
		w := &anchoring.World{Old: one(o), New: one(n)}
		for _, a := range anchors {
			w.Resolve(a)
		}
	}
	b.Run("with the parse", func(b *testing.B) {
		for b.Loop() {
			resolve(anchoring.TextSource("graph.go", "go", "new", changed))
		}
	})
	b.Run("parsed", func(b *testing.B) {
		f, t, err := extract.ParseTree(b.Context(), "go", changed)
		must.OK(b, err)
		for b.Loop() {
			resolve(anchoring.ParsedSource("graph.go", "go", "new", changed, func() (*extract.File, *extract.Tree) { return f, t }))
		}
	})
}

func anchorsOf(path string, src []byte, most int) []anchor.Anchor {
	s := anchoring.TextSource(path, "go", "old", src)
	var all []anchor.Anchor
	for k := 0; len(all) < most; k++ {
		added := false
		for _, sym := range s.Symbols() {
			if len(all) == most {
				break
			}
			a := anchor.Anchor{Kind: anchor.KindSymbol, Path: path, Language: "go", Symbol: sym.Path, Ordinal: sym.Ordinal, Blob: "old"}
			if line := s.Line(sym.Start) + k; k > 0 {
				if line > s.Line(sym.End-1) {
					continue
				}
				a.Kind, a.Lines = anchor.KindLines, &anchor.LineRange{Start: line, End: line}
			}
			added = true
			all = append(all, a)
		}
		if !added {
			break
		}
	}
	return all
}

// BenchmarkSwitch resolves 10,000 anchors after a change of 200 files: those of
// this repository, under other names. The files as they were are parsed or not,
// as in an editor that was at work and one that was just started.
func BenchmarkSwitch(b *testing.B) {
	const files, wanted = 200, 10_000
	texts := ownFiles(b, files)
	changed := make(map[string][]byte)
	olds := func() map[string]*anchoring.Source {
		all := make(map[string]*anchoring.Source)
		for i, src := range texts {
			path := fmt.Sprintf("f%03d.go", i)
			all[path] = anchoring.TextSource(path, "go", "old", src)
		}
		return all
	}
	var anchors []anchor.Anchor
	bytesIn := 0
	for i, src := range texts {
		path := fmt.Sprintf("f%03d.go", i)
		changed[path] = bytes.Replace(src, []byte("return"), []byte("println(); return"), 2)
		left := files - i
		anchors = append(anchors, anchorsOf(path, src, (wanted-len(anchors)+left-1)/left)...)
		bytesIn += len(src)
	}
	resolve := func(olds map[string]*anchoring.Source) {
		news := make(map[string]*anchoring.Source)
		for path, text := range changed {
			news[path] = anchoring.TextSource(path, "go", "new", text)
		}
		w := &anchoring.World{Old: func(p string) *anchoring.Source { return olds[p] }, New: func(p string) *anchoring.Source { return news[p] }}
		for _, a := range anchors {
			w.Resolve(a)
		}
	}
	report := func(b *testing.B) {
		b.ReportMetric(float64(len(anchors)), "anchors")
		b.ReportMetric(float64(len(texts)), "files")
		b.ReportMetric(float64(bytesIn), "bytes")
	}
	b.Run("old parsed", func(b *testing.B) {
		parsed := olds()
		for _, s := range parsed {
			s.Symbols()
		}
		for b.Loop() {
			resolve(parsed)
		}
		report(b)
	})
	b.Run("nothing parsed", func(b *testing.B) {
		for b.Loop() {
			resolve(olds())
		}
		report(b)
	})
}

// ownFiles reads files of this repository, the largest first, so that few of
// them have fewer lines than anchors are wanted for.
func ownFiles(b *testing.B, most int) [][]byte {
	b.Helper()
	var texts [][]byte
	for _, pattern := range []string{"../*/*.go", "../../*/*.go", "../../*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		must.OK(b, err)
		for _, f := range files {
			src := must.Read(b, f)
			texts = append(texts, src)
		}
	}
	slices.SortStableFunc(texts, func(x, y []byte) int { return cmp.Compare(len(y), len(x)) })
	return texts[:min(len(texts), most)]
}

// FuzzLadder holds that no pair of texts makes the ladder panic or point outside
// of the file.
func FuzzLadder(f *testing.F) {
	f.Add(source, source, "go", 4, 6)
	f.Add("def f():\n    return 1\n", "def g():\n    return 1\n\n\ndef h(:\n", "python", 1, 1)
	f.Add("# a\n## b\ntext\n", "# a\n", "markdown", 2, 3)
	f.Add("a:\n  b: 1\n", "a:\n  c: 1\n", "yaml", 2, 2)
	f.Add("class A { m() { if (x) { y() } } }", "class B { n() { try { if (x) { y() } } finally {} } }", "typescript", 1, 1)
	f.Fuzz(func(t *testing.T, before, after, lang string, from, to int) {
		if _, ok := grammars.ByID(lang); !ok {
			lang = "go"
		}
		if len(before)+len(after) > 4096 {
			return
		}
		o, n := anchoring.TextSource("a", lang, "old", []byte(before)), anchoring.TextSource("a", lang, "new", []byte(after))
		far := anchoring.TextSource("b", lang, "far", []byte(after))
		away := func() []anchoring.Change { return []anchoring.Change{{Old: o}, {New: far}} }
		anchors := []anchor.Anchor{
			{Kind: anchor.KindLines, Path: "a", Language: lang, Lines: &anchor.LineRange{Start: from, End: to}},
			{Kind: anchor.KindFile, Path: "a"},
			{Kind: anchor.KindDependency, Path: "a", Symbol: lang},
		}
		for i, s := range o.Symbols() {
			if i == 4 {
				break
			}
			anchors = append(anchors, anchor.Anchor{Kind: anchor.KindSymbol, Path: "a", Language: lang, Symbol: s.Path, Ordinal: s.Ordinal})
			if i > 0 {
				continue // a record takes a parse of its own
			}
			if a, err := anchoring.Make(t.Context(), anchor.Place{Path: "a", Symbol: s.Path}, lang, []byte(before)); err == nil {
				anchors = append(anchors, a)
			}
		}
		for _, w := range []*anchoring.World{
			{Old: one(o), New: one(n)},
			{New: one(n)},
			{Old: one(o), New: one(far), Changed: away},
			{New: one(far), Changed: away},
		} {
			for _, a := range anchors {
				r := w.Resolve(a)
				if r.Start < 0 || r.End < r.Start || r.End > max(len(after), len(before)) || r.Confidence < 0 || r.Confidence > 1 || r.Line < 1 || r.EndLine < r.Line {
					t.Errorf("%+v is at %+v", a, r)
				}
			}
		}
	})
}
