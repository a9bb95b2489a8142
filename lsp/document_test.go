package lsp_test

import (
	"fmt"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/lsp"
	"manicule/lsp/convert"
	"manicule/lsp/lsptest"
)

// TestLensStaysWhileTyping: breaking the code above and inside a declaration moves its
// lens and never removes it.
func TestLensStaysWhileTyping(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	for i, step := range []struct {
		text       string
		line, char uint32
		want       string
	}{
		{"\n", 1, 0, "3:0-3:18"},
		{"func (", 1, 0, "3:0-3:18"},         // half a declaration above
		{"\n\tif x := {", 3, 17, "3:0-3:17"}, // half a statement inside
		{"// ", 3, 0, "3:0-3:20"},            // commented out: still the same place
		{"}}}}", 4, 0, "3:0-3:20"},
	} {
		at := protocol.Position{Line: step.line, Character: step.char}
		e.Edit("a.go", protocol.Range{Start: at, End: at}, step.text)
		if got := lensText(t, e, "a.go"); !strings.HasPrefix(got, step.want+" ☞ 1 memory here") {
			t.Errorf("step %d: %q, want %s", i, got, step.want)
		}
	}
}

// TestLensHasItsTitleAtOnce in Neovim, which leaves an empty line where it asked for one and other lenses came meanwhile.
func TestLensHasItsTitleAtOnce(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Name = "Neovim"
	e.Initialize(c)
	e.Open("a.go")
	p := &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}}
	lenses := lsptest.Do[[]protocol.CodeLens](e, protocol.MethodTextDocumentCodeLens, p)
	if len(lenses) != 1 || lenses[0].Command.Title != "☞ 1 memory here" {
		t.Errorf("lenses: %+v", lenses)
	}
}

func TestDeletedDeclarationLosesItsLens(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	e.Edit("a.go", protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 3}}, "")
	if got := lensText(t, e, "a.go"); !strings.HasPrefix(got, "0:0-0:9 ☞ 1 memory here") {
		t.Errorf("lenses: %q, want the file's", got)
	}
	e.Replace("a.go", "package a\n\n\n\nfunc Validate() {}\n") // undone, elsewhere
	if got := lensText(t, e, "a.go"); !strings.HasPrefix(got, "4:0-4:18 ☞ 1 memory here") {
		t.Errorf("lenses: %q", got)
	}
}

func TestMemoriesChangeOutside(t *testing.T) {
	for _, watch := range []bool{true, false} {
		t.Run(fmt.Sprintf("client watches %v", watch), func(t *testing.T) {
			s := newSandbox(t, small())
			e := s.edit(t, s.options(t))
			c := lsptest.Full()
			c.Watch = watch
			e.Initialize(c)
			e.Open("a.go")
			u := e.URI("a.go")
			st := e.Await(lsptest.When("the first diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 1 }))
			if watch {
				st = e.Await(lsptest.When("a registration", func(s lsptest.State) bool { return len(s.Registered) == 2 }))
			}
			before := st.Seen[protocol.MethodWorkspaceCodeLensRefresh]
			e.Write(where+uuid2+".json", gotcha(uuid2, "second", "Validate"))
			if watch {
				e.Watched(where+uuid2+".json", protocol.FileChangeTypeCreated)
			}
			e.Await(lsptest.When("both", func(s lsptest.State) bool {
				return len(s.Diagnostics[u].Diagnostics) == 2 && s.Seen[protocol.MethodWorkspaceCodeLensRefresh] > before
			}))
			if got := lensText(t, e, "a.go"); !strings.Contains(got, "☞ 2 memories here") {
				t.Errorf("lens: %s", got)
			}
		})
	}
}

func TestBrokenMemoryFileInEditor(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	name := where + uuid1 + ".json"
	e.Open(name)
	u := e.URI(name)
	count := func(n int) lsptest.Condition {
		return lsptest.When(fmt.Sprintf("%d diagnostics", n), func(s lsptest.State) bool {
			p, ok := s.Diagnostics[u]
			return ok && len(p.Diagnostics) == n
		})
	}
	e.Await(count(0))
	e.Replace(name, `{"uuid": `) // not saved: the file on disk is fine
	e.Await(count(1))
	e.Save(name, `{"uuid": `)
	e.Await(count(1))
	good := gotcha(uuid1, "mended", "Validate")
	e.Replace(name, good)
	e.Save(name, good)
	e.Await(count(0))
	e.Open("a.go")
	code := e.URI("a.go")
	e.Await(lsptest.When("the mended memory", func(s lsptest.State) bool {
		d := s.Diagnostics[code].Diagnostics
		return len(d) == 1 && d[0].Message == protocol.String("gotcha: mended")
	}))
}

func TestClosedDocumentHasNoDiagnostics(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	u := e.URI("a.go")
	e.Await(lsptest.When("a diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 1 }))
	e.CloseDocument("a.go")
	e.Await(lsptest.When("none", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 0 }))
}

func TestHoverIsCapped(t *testing.T) {
	files := small()
	for i := range 30 {
		uuid := fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-0000000001%02d", i)
		files[where+uuid+".json"] = gotcha(uuid, fmt.Sprintf("number %d", i), "Validate")
	}
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	got := hoverText(t, e, "a.go", 2, 5)
	if n := strings.Count(got, "**gotcha**"); n != lsp.DefaultSettings().MaxItems {
		t.Errorf("%d memories shown", n)
	}
	for _, want := range []string{"and 26 more", "… and 14 that are not listed here"} {
		if !strings.Contains(got, want) {
			t.Errorf("what is left out is not said: no %q in %s", want, got)
		}
	}
}

func TestWindowsAndOddURIs(t *testing.T) {
	s := newSandbox(t, map[string]string{"[id] é/a b.go": "package a\n\nfunc Validate() {}\n"})
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Write(where+uuid1+".json", strings.ReplaceAll(gotcha(uuid1, "odd", "Validate"), "a.go", "[id] é/a b.go"))
	e.Watched(where+uuid1+".json", protocol.FileChangeTypeCreated)
	e.Open("[id] é/a b.go")
	u := convert.URIFrom(s.root + "/[id] é/a b.go")
	e.Await(lsptest.When("a diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 1 }))
}

// TestLinesAreThoseOfTheFile asks for actions in a buffer that has a line more
// than its file.
func TestLinesAreThoseOfTheFile(t *testing.T) {
	s := newSandbox(t, small())
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	at := protocol.Position{Line: 1}
	e.Edit("a.go", protocol.Range{Start: at, End: at}, "// more\n")
	p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}}
	p.Range.Start = protocol.Position{Line: 3}
	p.Range.End = p.Range.Start
	p.Context.Diagnostics = []protocol.Diagnostic{}
	raw, err := e.Call(protocol.MethodTextDocumentCodeAction, p)
	if err != nil || !strings.Contains(string(raw), `"a.go:3"`) {
		t.Errorf("got %s %v", raw, err)
	}
}

// TestLargeDocument: a document too large to parse has its file's memories, and no error.
func TestLargeDocument(t *testing.T) {
	files := small()
	files["big.go"] = "package a\n" + strings.Repeat("// "+strings.Repeat("x", 97)+"\n", 25_000)
	s := newSandbox(t, files)
	e := s.edit(t, s.options(t))
	c := lsptest.Full()
	c.Options = `{"documentSymbols": true}`
	e.Initialize(c)
	e.Open("big.go")
	raw, err := e.Call(protocol.MethodTextDocumentDocumentSymbol, &protocol.DocumentSymbolParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("big.go")}})
	if err != nil {
		t.Errorf("symbols: %s, %v", raw, err)
	}
	if got := hoverText(t, e, "big.go", 3, 5); got != "null" {
		t.Errorf("hover: %s", got)
	}
}
