package lsp_test

import (
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
	"manicule/memory/file"
)

// TestCutAndPasted: a memory moves with code that is cut from one buffer and pasted
// into another, before and while both are saved, but not if it was pasted twice.
func TestCutAndPasted(t *testing.T) {
	const head = "package a\n\n"
	const moved = "// Check says whether the token holds.\nfunc Check(token string) bool {\n\tif token == \"\" {\n\t\treturn false\n\t}\n\treturn valid(token)\n}\n"
	const rest = "\nfunc valid(token string) bool {\n\treturn len(token) > 8\n}\n"
	const own = "var own = 1\n"
	x := newTracking(t, map[string]string{"a.go": head + moved + rest, "b.go": head + own, "c.go": head})
	x.remember(t, "a.go#Check", file.Decision, "empty tokens are refused without a look at the database")
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	x.refresh(t, e)
	for _, f := range []string{"a.go", "b.go", "c.go"} {
		e.Open(f)
	}
	const what = "empty tokens are refused"
	at := strings.Count(head+own, "\n") + 1 // of the function's name, behind the comment
	says := func(step string, want bool, parts ...string) {
		t.Helper()
		text := hoverText(t, e, "b.go", uint32(at), 6)
		for _, part := range parts {
			if strings.Contains(text, part) != want {
				t.Errorf("%s: hover says %q", step, text)
			}
		}
	}
	says("before", false, what)
	cut := protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 9}}
	e.Edit("a.go", cut, "")
	end := protocol.Range{Start: protocol.Position{Line: 3}, End: protocol.Position{Line: 3}}
	e.Edit("b.go", end, moved)
	says("pasted", true, what, "cut from a.go")
	begin := protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2}}
	e.Edit("c.go", begin, moved)
	says("pasted twice", false, what)
	e.Edit("c.go", protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 9}}, "")
	e.Write("b.go", head+own+moved)
	e.Save("b.go", "")
	says("one is saved", true, what, "cut from a.go")
	e.Edit("a.go", begin, moved)
	says("undone", false, what)
	e.Edit("a.go", cut, "")
	e.Write("a.go", head+rest)
	e.Save("a.go", "")
	x.refresh(t, e)
	says("both are saved", true, what)
	says("both are saved", false, "cut from a.go")
}

// TestPartOfTheCodeCutAndUndone: what is deleted together with code beside it comes back to its
// memory by an undo, whichever end of the code was deleted.
func TestPartOfTheCodeCutAndUndone(t *testing.T) {
	lines := []string{
		"package a", "", "var before = 1", "",
		"func Check(token string) bool {", "\tif token == \"\" {", "\t\treturn false", "\t}", "\treturn true", "}", "",
		"var after = 2", "", "func Other() bool { return before == after }", "",
	}
	text := strings.Join(lines, "\n")
	for _, cut := range []struct {
		name        string
		first, last uint32 // lines
	}{{"the beginning", 2, 7}, {"the end", 7, 12}, {"the first line", 4, 5}, {"the middle", 5, 8}, {"all", 3, 11}} {
		t.Run(cut.name, func(t *testing.T) {
			x := newTracking(t, map[string]string{"a.go": text})
			x.remember(t, "a.go#Check", file.Gotcha, "empty tokens are refused without a look at the database")
			e := x.edit(t, x.options(t))
			e.Initialize(lsptest.Full())
			x.refresh(t, e)
			e.Open("a.go")
			at := func(line uint32) bool {
				return strings.Contains(hoverText(t, e, "a.go", line, 6), "empty tokens are refused")
			}
			if !at(4) {
				t.Fatal("no memory at the function before the edit")
			}
			first, last := protocol.Position{Line: cut.first}, protocol.Position{Line: cut.last}
			e.Edit("a.go", protocol.Range{End: protocol.Position{}}, "// Package a.\n") // stays unsaved
			first.Line, last.Line = first.Line+1, last.Line+1
			e.Edit("a.go", protocol.Range{Start: first, End: last}, "")
			e.Edit("a.go", protocol.Range{Start: first, End: first}, strings.Join(lines[cut.first:cut.last], "\n")+"\n")
			for line := uint32(1); line < uint32(len(lines)); line++ { // the first line lists the file's
				if want := line == 5; at(line) != want {
					t.Errorf("the memory is at line %d: %v, want %v", line+1, !want, want)
				}
			}
		})
	}
}
