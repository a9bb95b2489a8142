package graph

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestGrowth holds that small trees are measured, and that the picture is
// well-formed and has all panels.
func TestGrowth(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the binary")
	}
	t.Chdir(filepath.Join("..", "..", "..")) // where the binary is built from
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a/go.mod": "module a\n", "a/a.go": "package a\n\nfunc A() { B() }\n", "a/b.go": "package a\n\nfunc B() {}\n",
		"b/go.mod": "module b\n", "b/c.go": "package b\n\nfunc C() {}\n", "b/vendor/x/x.go": "package x\n\nfunc X() {}\n",
	} {
		p := filepath.Join(dir, filepath.FromSlash(name))
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)))
	}
	svg := filepath.Join(dir, "growth.svg")
	var out strings.Builder
	o := options{edits: 4, impacts: 5, scale: []int{3, 9}, plot: svg}
	must.OK(t, run(t.Context(), o, []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}, &out))
	if got := out.String(); !strings.Contains(got, "| a + b | 3 | 1 |") || !strings.Contains(got, "| a + b | 9 | 3 |") {
		t.Errorf("%s", got)
	}
	data := must.Read(t, svg)
	for d := xml.NewDecoder(strings.NewReader(string(data))); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range panels() {
		if !strings.Contains(string(data), p.title) {
			t.Errorf("no panel %q", p.title)
		}
	}
	o.scale = []int{100}
	if err := run(t.Context(), o, []string{filepath.Join(dir, "a")}, io.Discard); err == nil || !strings.Contains(err.Error(), "fewer than 100") {
		t.Errorf("too few lines: %v", err)
	}
}
