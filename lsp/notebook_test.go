package lsp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/file"
)

// The cells of the notebooks in these tests. The second of code is in both notebooks.
const (
	loadCell = "import csv\n\ndef load(path):\n    # é\"\\n\" 😀\n    return open(path).read()\n"
	meanCell = "def mean(rows):\n    total = sum(rows)\n    return total / len(rows)\n"
)

// notebookWorkspace has two notebooks with like cells, and memories about their functions and one whole notebook.
func notebookWorkspace(t *testing.T) (x *tracking, mean, load string) {
	t.Helper()
	x = newTracking(t, map[string]string{
		"nb/a.ipynb": lsptest.NotebookText("#!# Report", loadCell, "", meanCell),
		"nb/b.ipynb": lsptest.NotebookText(meanCell),
	})
	mean = x.remember(t, "nb/a.ipynb#mean", file.Gotcha, "An empty month divides by zero")
	load = x.remember(t, "nb/a.ipynb#load", file.Gotcha, "The export has no header")
	x.remember(t, "nb/a.ipynb", file.Decision, "The report is made on the first of a month")
	return x, mean, load
}

func notebookHover(t *testing.T, e *lsptest.Editor, at protocol.TextDocumentPositionParams) string {
	t.Helper()
	raw, err := e.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: at})
	must.OK(t, err)
	return string(raw)
}

func wantIn(t *testing.T, got, want string) {
	t.Helper()
	if !strings.Contains(got, want) {
		t.Errorf("%q is not in %s", want, got)
	}
}

func cellLenses(t *testing.T, e *lsptest.Editor, u uri.URI) string {
	t.Helper()
	var b strings.Builder
	p := &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}}
	for _, l := range lsptest.Do[[]protocol.CodeLens](e, protocol.MethodTextDocumentCodeLens, p) {
		l = lsptest.Do[protocol.CodeLens](e, protocol.MethodCodeLensResolve, &l)
		fmt.Fprintf(&b, "%s %s\n", rangeText(l.Range), l.Command.Title)
	}
	return b.String()
}

func cellDiagnostics(e *lsptest.Editor, u uri.URI, want string) lsptest.Condition {
	return lsptest.When("diagnostics of "+string(u)+": "+want, func(s lsptest.State) bool {
		p, ok := s.Diagnostics[u]
		return ok && diagLines(p.Diagnostics) == want
	})
}

func diagLines(all []protocol.Diagnostic) string {
	var b strings.Builder
	for _, d := range all {
		text, _, _ := strings.Cut(fmt.Sprint(d.Message), "\n")
		fmt.Fprintf(&b, "%s %s;", rangeText(d.Range), text)
	}
	return b.String()
}

// TestNotebookViolations: what goes against a memory is shown in the cell that has it, and what the file lacks in the first one
// with code.
func TestNotebookViolations(t *testing.T) {
	t.Parallel()
	x := newTracking(t, map[string]string{"nb/a.ipynb": lsptest.NotebookText("#!# Report", loadCell, "", meanCell)})
	for what, d := range map[string]file.Details{"Sums are made by the database": {Forbids: `sum\(`}, "Each report has a licence": {Requires: "SPDX"}} {
		res, err := x.mem.Remember(t.Context(), memory.Draft{Type: file.Convention, What: what, Scope: []string{"nb/*.ipynb"}, Details: d, Origin: file.UserTaught})
		if err != nil || !res.Accepted {
			t.Fatalf("%+v %v", res, err)
		}
	}
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	n := e.OpenNotebook("nb/a.ipynb")
	e.Await(cellDiagnostics(e, n.URI(1), "0:0-0:10 the file lacks what it must have, by the convention: Each report has a licence;"))
	e.Await(cellDiagnostics(e, n.URI(3), "1:12-1:16 goes against the convention: Sums are made by the database;"))
	n.Edit(2, "", "y = sum([])")
	e.Await(cellDiagnostics(e, n.URI(2), "0:4-0:8 goes against the convention: Sums are made by the database;"))
	e.Await(cellDiagnostics(e, n.URI(3), "1:12-1:16 goes against the convention: Sums are made by the database;"))
}

func TestNotebookSync(t *testing.T) {
	t.Parallel()
	for _, supports := range []bool{true, false} {
		s := newSandbox(t, small())
		e := s.edit(t, s.options(t))
		client := lsptest.Full()
		client.Notebooks = supports
		if got := e.Initialize(client).Capabilities.NotebookDocumentSync != nil; got != supports {
			t.Errorf("announced %v to a client with %v", got, supports)
		}
	}
}

// TestNotebook: a cell has the memories of its functions, the first one with code those of the whole file.
func TestNotebook(t *testing.T) {
	t.Parallel()
	x, _, _ := notebookWorkspace(t)
	e := x.edit(t, x.options(t))
	client := lsptest.Full()
	client.Extensions = true
	e.Initialize(client)
	a, b := e.OpenNotebook("nb/a.ipynb"), e.OpenNotebook("nb/b.ipynb")

	mean := notebookHover(t, e, a.At(3, 0, 6))
	wantIn(t, mean, "An empty month divides by zero")
	wantIn(t, mean, `"range":{"start":{"line":0,"character":4},"end":{"line":0,"character":8}}`)
	wantIn(t, notebookHover(t, e, a.At(1, 2, 6)), "The export has no header")
	wantIn(t, notebookHover(t, e, a.At(1, 0, 0)), "first of a month")
	for what, at := range map[string]protocol.TextDocumentPositionParams{
		"Markdown": a.At(0, 0, 0), "a body": a.At(3, 1, 6), "no text": a.At(2, 0, 0), "the other notebook": b.At(0, 0, 6),
	} {
		if got := notebookHover(t, e, at); got != "null" {
			t.Errorf("hover on %s: %s", what, got)
		}
	}
	if got, want := cellLenses(t, e, a.URI(1)), "0:0-0:10 ☞ 1 memory here\n2:0-2:15 ☞ 1 memory here\n"; got != want {
		t.Errorf("lenses of the first cell with code:\n%s", got)
	}
	if got, want := cellLenses(t, e, a.URI(3)), "0:0-0:15 ☞ 1 memory here\n"; got != want {
		t.Errorf("lenses of the last cell:\n%s", got)
	}
	for cell, want := range map[int]string{0: "", 2: ""} {
		if got := cellLenses(t, e, a.URI(cell)); got != want {
			t.Errorf("lenses of cell %d:\n%s", cell, got)
		}
	}
	e.Await(cellDiagnostics(e, a.URI(1), "2:4-2:8 gotcha: The export has no header;"))
	e.Await(cellDiagnostics(e, a.URI(3), "0:4-0:8 gotcha: An empty month divides by zero;"))

	place := func() string {
		tree, err := e.Call("manicule/tree", json.RawMessage(`{"by":"file"}`))
		must.OK(t, err)
		return string(tree)
	}
	wantIn(t, place(), string(a.URI(3)))
	before := e.State().Seen["manicule/changed"]
	a.Close()
	e.Await(cellDiagnostics(e, a.URI(3), ""))
	e.Await(lsptest.When("the lists changed", func(s lsptest.State) bool { return s.Seen["manicule/changed"] > before }))
	if got := place(); strings.Contains(got, "vscode-notebook-cell") {
		t.Errorf("a list names a cell of a closed notebook: %s", got)
	}
	if got := notebookHover(t, e, a.At(3, 0, 6)); got != "null" {
		t.Errorf("hover in a closed notebook: %s", got)
	}
}

// TestNotebookEdits: memories stay with their functions while cells are edited, added, moved and deleted, and are
// where they are in the file after it was saved.
func TestNotebookEdits(t *testing.T) {
	t.Parallel()
	x, _, _ := notebookWorkspace(t)
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	n := e.OpenNotebook("nb/a.ipynb")
	x.refresh(t, e)

	n.Edit(3, "def mean", "# \"one\"\n# two\n\ndef mean") // above it
	wantIn(t, notebookHover(t, e, n.At(3, 3, 6)), "divides by zero")
	e.Await(cellDiagnostics(e, n.URI(3), "3:4-3:8 gotcha: An empty month divides by zero;"))
	n.Edit(1, "\n    return", "\n    path = path.strip()\n    return") // in another cell
	wantIn(t, notebookHover(t, e, n.At(3, 3, 6)), "divides by zero")
	n.Edit(2, "", "x = 1") // in a cell without text
	n.Insert(0, "y = 2\n")
	wantIn(t, notebookHover(t, e, n.At(4, 3, 6)), "divides by zero")
	wantIn(t, cellLenses(t, e, n.URI(0)), "0:0-0:5 ☞ 1 memory here") // of the file: it is the first with code now
	n.Move(4, 0)
	wantIn(t, notebookHover(t, e, n.At(0, 3, 6)), "divides by zero")
	e.Await(cellDiagnostics(e, n.URI(0), "3:4-3:8 gotcha: An empty month divides by zero;"))
	n.SetKind(1, protocol.NotebookCellKindMarkup)
	n.Delete(1)
	wantIn(t, notebookHover(t, e, n.At(0, 3, 6)), "divides by zero")
	n.SaveAs(strings.ReplaceAll(n.Text(), `"metadata": {}`, `"execution_count": 7,
   "metadata": {}`)) // an editor writes more than the text of the cells
	wantIn(t, notebookHover(t, e, n.At(0, 3, 6)), "divides by zero")
	n.Edit(0, "# two\n", "")
	n.Edit(0, "def mean", "def average")
	wantIn(t, notebookHover(t, e, n.At(0, 2, 6)), "divides by zero")
	n.Save()
	wantIn(t, notebookHover(t, e, n.At(0, 2, 6)), "divides by zero")
	n.Delete(0)
	if got := notebookHover(t, e, n.At(0, 0, 6)); strings.Contains(got, "divides by zero") {
		t.Errorf("its cell was deleted, but: %s", got)
	}
	n.Insert(1, "def average(rows):\n    total = sum(rows)\n    return total / len(rows)\n")
	wantIn(t, notebookHover(t, e, n.At(1, 0, 6)), "divides by zero")
}

// TestNotebookRenamed: the memories of a notebook that is renamed in the editor are at its cells at once.
func TestNotebookRenamed(t *testing.T) {
	t.Parallel()
	x, _, _ := notebookWorkspace(t)
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	n := e.OpenNotebook("nb/a.ipynb")
	x.refresh(t, e)
	n.Edit(3, "def mean", "# one\ndef mean")
	n.Save()
	files := &protocol.RenameFilesParams{Files: []protocol.FileRename{{OldURI: string(e.URI("nb/a.ipynb")), NewURI: string(e.URI("nb/new.ipynb"))}}}
	if _, err := e.Call(protocol.MethodWorkspaceWillRenameFiles, files); err != nil {
		t.Fatal(err)
	}
	must.OK(t, os.Rename(filepath.Join(x.root, "nb/a.ipynb"), filepath.Join(x.root, "nb/new.ipynb")))
	n.Close()
	e.Notify(protocol.MethodWorkspaceDidRenameFiles, files)
	renamed := e.OpenNotebook("nb/new.ipynb")
	<-x.told
	wantIn(t, notebookHover(t, e, renamed.At(3, 1, 6)), "divides by zero")
}

// TestNotebookOutput: a memory of what a cell printed, which is in no cell, is shown with those of the whole file.
func TestNotebookOutput(t *testing.T) {
	t.Parallel()
	text := strings.Replace(lsptest.NotebookText("x = 1\n", meanCell), `"metadata": {},`, "\"metadata\": {},\n   \"outputs\": [\n    \"a result\"\n   ],", 2)
	x := newTracking(t, map[string]string{"a.ipynb": text})
	x.remember(t, fmt.Sprintf("a.ipynb:%d", 1+strings.Count(text[:strings.LastIndex(text, "a result")], "\n")), file.Gotcha, "It depends on the machine")
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	n := e.OpenNotebook("a.ipynb")
	if got, want := cellLenses(t, e, n.URI(0)), "0:0-0:5 ☞ 1 memory here\n"; got != want {
		t.Errorf("lenses of the first cell:\n%s", got)
	}
	if got := cellLenses(t, e, n.URI(1)); got != "" {
		t.Errorf("lenses of the other cell:\n%s", got)
	}
	wantIn(t, notebookHover(t, e, n.At(0, 0, 0)), "depends on the machine")
	e.Await(cellDiagnostics(e, n.URI(0), "0:0-0:5 gotcha: It depends on the machine;"))
}

// TestNotebookUnsavedAtOpen: cells that differ from the file are unsaved edits of it.
func TestNotebookUnsavedAtOpen(t *testing.T) {
	t.Parallel()
	x, _, _ := notebookWorkspace(t)
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	n := e.OpenNotebookWith("nb/a.ipynb", "print(1)\n", "#!# Report", "import os\n\n"+loadCell, "", "\n\n"+meanCell)
	wantIn(t, notebookHover(t, e, n.At(4, 2, 6)), "divides by zero")
	wantIn(t, notebookHover(t, e, n.At(2, 4, 6)), "no header")
	wantIn(t, notebookHover(t, e, n.At(0, 0, 0)), "first of a month")
	n.Save()
	wantIn(t, notebookHover(t, e, n.At(4, 2, 6)), "divides by zero")
	wantIn(t, notebookHover(t, e, n.At(2, 4, 6)), "no header")
}

// TestNotebookRemember: a memory that is written in a cell is about the place in the file.
func TestNotebookRemember(t *testing.T) {
	t.Parallel()
	x, mean, _ := notebookWorkspace(t)
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	n := e.OpenNotebook("nb/a.ipynb")
	n.Edit(1, "import csv\n", "import csv\nimport os\nimport re\n") // lines are those on disk
	at := n.At(3, 1, 6)
	p := &protocol.CodeActionParams{TextDocument: at.TextDocument, Range: protocol.Range{Start: at.Position, End: protocol.Position{Line: 2}}}
	p.Context.Diagnostics = []protocol.Diagnostic{}
	var titles []string
	var line protocol.Command
	for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
		a := a.(*protocol.CodeAction)
		titles = append(titles, a.Title)
		if strings.Contains(a.Title, "this line") {
			line = a.Command
		}
	}
	wantIn(t, strings.Join(titles, "\n"), "remember something about this function mean")
	want := fmt.Sprintf("nb/a.ipynb:%d", 1+strings.Count(before(t, x.read(t, "nb/a.ipynb"), "total = sum"), "\n"))
	if got := string(line.Arguments[1]); got != `"`+want+`"` {
		t.Errorf("the line is %s, want %s", got, want)
	}
	args := append(line.Arguments, protocol.LSPAny(`"A sum of floats"`))
	if _, err := e.Call(protocol.MethodWorkspaceExecuteCommand, &protocol.ExecuteCommandParams{Command: line.Command, Arguments: args}); err != nil {
		t.Fatal(err)
	}
	wantIn(t, notebookHover(t, e, n.At(3, 1, 6)), "A sum of floats")

	shown, err := e.Call(protocol.MethodWorkspaceExecuteCommand, &protocol.ExecuteCommandParams{
		Command: "manicule.showMemories", Arguments: []protocol.LSPAny{protocol.LSPAny(`"` + string(n.URI(3)) + `"`), protocol.LSPAny(`{"line":0,"character":5}`)},
	})
	must.OK(t, err)
	wantIn(t, string(shown), mean)

	tree, err := e.Call("manicule/tree", json.RawMessage(`{"by":"file"}`))
	must.OK(t, err)
	wantIn(t, string(tree), `"location":{"uri":"`+string(n.URI(3))+`","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":8}}}`)
}

func before(t *testing.T, text, part string) string {
	t.Helper()
	head, _, ok := strings.Cut(text, part)
	if !ok {
		t.Fatalf("%q is not in %s", part, text)
	}
	return head
}

// TestNotebookAnyEdits: whatever is done with the cells, a hover is at the function.
func TestNotebookAnyEdits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		x, _, _ := notebookWorkspace(t)
		e := x.edit(t, x.options(t))
		e.Initialize(lsptest.Full())
		n := e.OpenNotebook("nb/a.ipynb")
		random := rand.New(rand.NewPCG(seed, 7))
		at := 3 // the cell of mean
		for step := range 25 {
			switch random.IntN(5) {
			case 0:
				k := random.IntN(5)
				n.Insert(min(k, at), fmt.Sprintf("z%d = %d\n", step, step))
				at++
			case 1:
				to := random.IntN(at + 1)
				n.Move(at, to)
				at = to
			case 2:
				n.Edit(at, "def mean(", "# note\ndef mean(")
			case 3:
				n.Edit(at, "/ len(rows)", "/ 1 / len(rows)")
			case 4:
				n.Save()
			}
			line := uint32(strings.Count(before(t, n.Cell(at), "def mean("), "\n"))
			if got := notebookHover(t, e, n.At(at, line, 6)); !strings.Contains(got, "divides by zero") {
				t.Fatalf("seed %d, step %d: %s\n%s", seed, step, got, n.Text())
			}
		}
	}
}

func (x *tracking) read(t testing.TB, rel string) string {
	t.Helper()
	text := must.Read(t, filepath.Join(x.root, rel))
	return string(text)
}
