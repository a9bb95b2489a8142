package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/notebook"
)

const notebookFile = "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"metadata\": {},\n   \"outputs\": [],\n   \"source\": [\n    \"def f(x):\\n\",\n    \"    return \\\"é😀\\\"\"\n   ]\n  },\n" +
	"  {\n   \"cell_type\": \"raw\",\n   \"metadata\": {},\n   \"source\": \"one\\nstring\"\n  }\n ],\n \"metadata\": {}\n}\n"

// notebookRun edits a notebook as a client does, and knows the texts of its cells.
type notebookRun struct {
	*testing.T
	s      *Session
	random *rand.Rand
	uri    uri.URI
	path   string
	made   int
	list   []protocol.NotebookCell
	docs   map[uri.URI]*Document
	eol    string
}

// TestNotebookAnyEdits: after any edits, in each encoding and with any line ends, the file has the texts of the cells, and
// positions lead there and back.
func TestNotebookAnyEdits(t *testing.T) {
	t.Parallel()
	for seed := range uint64(24) {
		r := &notebookRun{T: t, s: New(), random: rand.New(rand.NewPCG(seed, 3)), docs: make(map[uri.URI]*Document), eol: []string{"\n", "\r\n"}[seed%2]}
		r.s.SetEncoding([]convert.Encoding{convert.UTF8, convert.UTF16, convert.UTF32}[seed%3])
		r.path = filepath.Join(t.TempDir(), "a (1).ipynb")
		r.write(notebookFile)
		r.uri = uri.URI("file://" + r.path) // with a space and parentheses, as some clients send it
		first := r.cell(protocol.NotebookCellKindCode, "def f(x):"+r.eol+"    return \"é😀\"")
		second := r.cell(protocol.NotebookCellKindCode, "one"+r.eol+"string")
		r.list = []protocol.NotebookCell{first, second}
		r.must(r.s.OpenNotebook(&protocol.DidOpenNotebookDocumentParams{
			NotebookDocument: protocol.NotebookDocument{URI: r.uri, Cells: r.list}, CellTextDocuments: r.items(r.list),
		}))
		n, _ := r.s.Snapshot().Notebook(r.uri)
		if n.File.Base() != n.File {
			t.Error("what is as on disk counts as unsaved")
		}
		r.check()
		for range 60 {
			switch r.random.IntN(8) {
			case 0:
				r.splice()
			case 1:
				r.save()
			default:
				r.edit()
			}
			r.check()
		}
	}
}

func (r *notebookRun) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *notebookRun) write(text string) {
	r.Helper()
	r.must(os.WriteFile(r.path, []byte(text), 0o644))
}

func (r *notebookRun) cell(kind protocol.NotebookCellKind, text string) protocol.NotebookCell {
	r.made++
	u := uri.URI(fmt.Sprintf("vscode-notebook-cell:/a.ipynb#%d", r.made))
	r.docs[u] = &Document{URI: u, Lines: convert.NewLines([]byte(text)), buffer: r.s.buffers.Open(""), tree: new(parseResult)}
	return protocol.NotebookCell{Kind: kind, Document: u}
}

func (r *notebookRun) items(list []protocol.NotebookCell) []protocol.TextDocumentItem {
	var out []protocol.TextDocumentItem
	for _, c := range list {
		out = append(out, protocol.TextDocumentItem{URI: c.Document, Text: string(r.docs[c.Document].Text())})
	}
	return out
}

func (r *notebookRun) change(cells *protocol.NotebookDocumentCellChanges) {
	r.Helper()
	p := &protocol.DidChangeNotebookDocumentParams{Change: protocol.NotebookDocumentChangeEvent{Cells: cells}}
	p.NotebookDocument.URI = r.uri
	r.must(r.s.ChangeNotebook(p))
}

// edit makes up to three edits of a cell in one message.
func (r *notebookRun) edit() {
	if len(r.list) == 0 {
		return
	}
	u := r.list[r.random.IntN(len(r.list))].Document
	content := protocol.NotebookDocumentCellContentChanges{}
	content.Document.URI = u
	for range 1 + r.random.IntN(3) {
		doc := r.docs[u]
		text := string(doc.Text())
		at := []int{len(text)}
		for i := range text {
			if i == 0 || text[i] != '\n' || text[i-1] != '\r' { // an editor has no place between them
				at = append(at, i)
			}
		}
		slices.Sort(at)
		from := r.random.IntN(len(at))
		to := min(len(at)-1, from+r.random.IntN(5))
		change := &protocol.TextDocumentContentChangePartial{
			Range: doc.Lines.Range(at[from], at[to], r.s.Snapshot().Encoding),
			Text:  []string{"", "x", "\\n\"", "😀é", r.eol, "a" + r.eol + r.eol + "b", r.eol + "c"}[r.random.IntN(7)],
		}
		r.docs[u] = doc.changed(doc.Version+1, []protocol.TextDocumentContentChangeEvent{change}, r.s.Snapshot().Encoding)
		content.Changes = append(content.Changes, change)
	}
	r.change(&protocol.NotebookDocumentCellChanges{TextContent: []protocol.NotebookDocumentCellContentChanges{content}})
}

// splice replaces a part of the list by cells that it had, in another order, and a new one.
func (r *notebookRun) splice() {
	from := r.random.IntN(len(r.list) + 1)
	to := from + r.random.IntN(len(r.list)-from+1)
	now := slices.Clone(r.list[from:to])
	r.random.Shuffle(len(now), func(i, j int) { now[i], now[j] = now[j], now[i] })
	now = now[:r.random.IntN(len(now)+1)]
	st := &protocol.NotebookDocumentCellChangeStructure{Array: protocol.NotebookCellArrayChange{Start: uint32(from), DeleteCount: uint32(to - from)}}
	if len(r.list) < 5 {
		kind := []protocol.NotebookCellKind{protocol.NotebookCellKindCode, protocol.NotebookCellKindMarkup}[r.random.IntN(2)]
		fresh := r.cell(kind, []string{"", "new" + r.eol, "é"}[r.random.IntN(3)])
		st.DidOpen = r.items([]protocol.NotebookCell{fresh})
		now = append(now, fresh)
	}
	st.Array.Cells = now
	r.list = slices.Concat(r.list[:from], now, r.list[to:])
	r.change(&protocol.NotebookDocumentCellChanges{Structure: st})
}

// save writes the file as it is, as an editor writes it, or as somebody else did meanwhile.
func (r *notebookRun) save() {
	n, _ := r.s.Snapshot().Notebook(r.uri)
	text := string(n.File.Text())
	switch r.random.IntN(3) {
	case 0:
		text = strings.ReplaceAll(text, `"metadata": {}`, `"metadata": {"k": "v"}`)
	case 1:
		text = notebookFile
	}
	r.write(text)
	r.s.SaveNotebook(r.uri, func(before *Document) {
		if got := string(before.Text()); got != text {
			r.Errorf("before the save was %q, on disk is %q", got, text)
		}
	})
	n, _ = r.s.Snapshot().Notebook(r.uri)
	if got := string(n.File.Base().Text()); got != text {
		r.Errorf("after the save the base is %q, on disk is %q", got, text)
	}
}

func (r *notebookRun) check() {
	r.Helper()
	snap := r.s.Snapshot()
	n, ok := snap.Notebook(r.uri)
	if !ok {
		r.Fatal("it is not open")
	}
	layout, err := notebook.Parse(n.File.Text())
	if err != nil || fmt.Sprint(layout) != fmt.Sprint(n.layout) {
		r.Fatalf("followed %v, is %v, %v:\n%s", n.layout, layout, err, n.File.Text())
	}
	if len(n.cells) != len(r.list) {
		r.Fatalf("%d cells, want %d", len(n.cells), len(r.list))
	}
	for i, listed := range r.list {
		c, ok := snap.Cell(listed.Document)
		if !ok || c.Index != i {
			r.Fatalf("cell %d is %v, %v", i, c.Index, ok)
		}
		want := r.docs[listed.Document]
		if string(c.Doc.Text()) != string(want.Text()) || !notebook.SameText(c.source().Text(), want.Text()) {
			r.Fatalf("cell %d is %q, in the file %q, want %q", i, c.Doc.Text(), c.source().Text(), want.Text())
		}
		for offset := range string(want.Text()) + " " {
			at := want.Lines.Position(offset, snap.Encoding)
			in := c.Offset(at, snap.Encoding)
			if back := c.Position(in, snap.Encoding); back != at || !c.Holds(in) {
				r.Fatalf("%v of %q is at %d, which is %v", at, want.Text(), in, back)
			}
			if found, ok := snap.CellIn(n.File, in); !ok || found.Index != i {
				r.Fatalf("%d is in cell %d, %v, not in %d", in, found.Index, ok, i)
			}
		}
	}
	if d, err := snap.Read(r.Context(), convert.URIFrom(r.path)); err != nil || d != n.File {
		r.Fatalf("the file is %v, %v", d, err)
	}
}
