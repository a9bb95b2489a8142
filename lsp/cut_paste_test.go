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
