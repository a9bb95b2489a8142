package anchors

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittest"
	"manicule/indexer/must"
)

// TestParseBlame holds that a line of a commit between the two states is new: its number is that commit's.
func TestParseBlame(t *testing.T) {
	parent, middle := strings.Repeat("a", 40), strings.Repeat("b", 40)
	out := parent + " 7 1 1\nauthor A B\nboundary\nfilename old name.go\n\tfunc f() {\n" +
		middle + " 90 2 1\nauthor A B\nfilename a.go\n\tchanged()\n" +
		parent + " 8 3 1\nauthor A B\nboundary\nfilename a.go\n\t\n"
	want := []traced{{path: "old name.go", line: 7}, {path: "a.go"}, {line: -1}}
	if got := parseBlame(out, parent); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestObject asks for a folder before a file: the answer about the folder must not be taken for that about the file.
func TestObject(t *testing.T) {
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "-q")
	must.Write(t, filepath.Join(dir, "a.go"), "package a\n")
	gittest.Git(t, dir, "add", ".")
	gittest.Git(t, dir, "commit", "-qm", "a")
	r, err := openRepository("a", dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.close(); err != nil {
			t.Error(err)
		}
	}()
	if s := r.source("HEAD", ""); s != nil {
		t.Errorf("a folder is the file %q", s.Text())
	}
	if s := r.source("HEAD", "a.go"); s == nil || string(s.Text()) != "package a\n" {
		t.Errorf("the file after the folder is %v", s)
	}
}

// TestLeftTogether finds the lines of a function that a new one has, with those that changed on the way.
func TestLeftTogether(t *testing.T) {
	file := func(text string) *anchoring.Source { return anchoring.TextSource("a.go", "go", "", []byte(text)) }
	o := file("package a\n\nfunc f() {\n\tone()\n\ttwo()\n\tthree()\n\tfour()\n\tfive()\n}\n")
	n := file("package a\n\nfunc g() {\n\tone()\n\tTwo()\n\tthree()\n\tfour()\n}\n")
	from := func(lines ...int) (all []traced) {
		for _, l := range lines {
			at := traced{line: l}
			if l > 0 {
				at.path = "a.go"
			}
			all = append(all, at)
		}
		return all
	}
	tests := map[string]struct {
		lines     []traced // of g
		cited, is anchor.LineRange
		ok        bool
	}{
		"with a changed line": {from(0, 4, 0, 6, 7, 0), anchor.LineRange{Start: 4, End: 7}, anchor.LineRange{Start: 4, End: 7}, true},
		"too few":             {from(0, 4, 0, 6, 0, 0), anchor.LineRange{}, anchor.LineRange{}, false},
		"in another order":    {from(0, 7, 6, 5, 4, 0), anchor.LineRange{}, anchor.LineRange{}, false},
		"the whole function":  {from(3, 4, 0, 6, 7, 9), anchor.LineRange{Start: 4, End: 7}, anchor.LineRange{Start: 4, End: 7}, true},
	}
	for name, test := range tests {
		a := arrival{file: n, symbol: n.Symbols()[named(n, "g")], first: 3, lines: test.lines}
		cited, is, ok := leftTogether(a, o, o.Symbols()[named(o, "f")])
		if ok != test.ok || ok && (cited != test.cited || is != test.is) {
			t.Errorf("%s: %v is at %v, %t", name, cited, is, ok)
		}
	}
}

// TestCalls tells a call from a mention.
func TestCalls(t *testing.T) {
	for text, want := range map[string]bool{"x := g(1)": true, "self.g (": true, "g::<T>(": true, "ng(1)": false, "// g": false, "g<string>(a)": true} {
		if got := calls(text, "g"); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
