package lsptest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// Notebook is a notebook that the editor has open, with its cells as a person sees them.
type Notebook struct {
	e       *Editor
	rel     string
	version int32
	made    int // cells so far
	cells   []cell
}

type cell struct {
	kind    protocol.NotebookCellKind
	uri     uri.URI
	version int32
	text    string
}

// NotebookText returns the file of a notebook as editors write it. Texts that begin with "#!" are of Markdown cells.
func NotebookText(cells ...string) string {
	type object struct {
		Type     string         `json:"cell_type"`
		ID       string         `json:"id,omitempty"`
		Metadata map[string]any `json:"metadata"`
		Outputs  []any          `json:"outputs,omitempty"`
		Source   []string       `json:"source"`
	}
	nb := struct {
		Cells    []object       `json:"cells"`
		Metadata map[string]any `json:"metadata"`
		Format   int            `json:"nbformat"`
	}{Cells: []object{}, Metadata: map[string]any{}, Format: 4}
	for _, text := range cells {
		c := object{Type: "code", Metadata: map[string]any{}, Source: []string{}}
		if markdown, ok := strings.CutPrefix(text, "#!"); ok {
			c.Type, text = "markdown", markdown
		}
		c.Source = append(c.Source, slices.Collect(strings.Lines(text))...)
		nb.Cells = append(nb.Cells, c)
	}
	b, err := json.MarshalIndent(nb, "", " ")
	if err != nil {
		panic(err) // strings alone
	}
	return string(b) + "\n"
}

// OpenNotebook opens a notebook of the workspace as it is on disk.
func (e *Editor) OpenNotebook(rel string) *Notebook {
	e.t.Helper()
	text, err := os.ReadFile(filepath.Join(e.root, filepath.FromSlash(rel)))
	if err != nil {
		e.t.Fatal(err)
	}
	var nb struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	if err := json.Unmarshal(text, &nb); err != nil {
		e.t.Fatal(err)
	}
	texts := make([]string, len(nb.Cells))
	for i, c := range nb.Cells {
		texts[i] = strings.Join(c.Source, "")
		if c.Type == "markdown" {
			texts[i] = "#!" + texts[i]
		}
	}
	return e.OpenNotebookWith(rel, texts...)
}

// OpenNotebookWith opens a notebook whose cells differ from those on disk.
func (e *Editor) OpenNotebookWith(rel string, texts ...string) *Notebook {
	e.t.Helper()
	n := &Notebook{e: e, rel: rel, version: 1}
	p := &protocol.DidOpenNotebookDocumentParams{NotebookDocument: protocol.NotebookDocument{URI: e.URI(rel), NotebookType: "jupyter-notebook", Version: 1}}
	for _, text := range texts {
		n.cells = append(n.cells, n.cell(text))
	}
	p.NotebookDocument.Cells, p.CellTextDocuments = listed(n.cells), items(n.cells)
	e.Notify(protocol.MethodNotebookDocumentDidOpen, p)
	return n
}

func (n *Notebook) cell(text string) cell {
	n.made++
	u := uri.URI(fmt.Sprintf("vscode-notebook-cell:%s#C%d", strings.TrimPrefix(string(n.e.URI(n.rel)), "file://"), n.made))
	c := cell{kind: protocol.NotebookCellKindCode, uri: u, version: 1, text: text}
	if markdown, ok := strings.CutPrefix(text, "#!"); ok {
		c.kind, c.text = protocol.NotebookCellKindMarkup, markdown
	}
	return c
}

func listed(cells []cell) []protocol.NotebookCell {
	out := make([]protocol.NotebookCell, len(cells))
	for i, c := range cells {
		out[i] = protocol.NotebookCell{Kind: c.kind, Document: c.uri}
	}
	return out
}

func items(cells []cell) []protocol.TextDocumentItem {
	out := make([]protocol.TextDocumentItem, len(cells))
	for i, c := range cells {
		out[i] = protocol.TextDocumentItem{URI: c.uri, LanguageID: "python", Version: c.version, Text: c.text}
	}
	return out
}

// URI returns the URI of a cell.
func (n *Notebook) URI(cell int) uri.URI { return n.cells[cell].uri }

// At returns the position parameters of a request in a cell.
func (n *Notebook) At(cell int, line, character uint32) protocol.TextDocumentPositionParams {
	return protocol.TextDocumentPositionParams{
		TextDocument: protocol.TextDocumentIdentifier{URI: n.URI(cell)}, Position: protocol.Position{Line: line, Character: character},
	}
}

func (n *Notebook) change(cells *protocol.NotebookDocumentCellChanges) {
	n.e.t.Helper()
	n.version++
	p := &protocol.DidChangeNotebookDocumentParams{Change: protocol.NotebookDocumentChangeEvent{Cells: cells}}
	p.NotebookDocument.URI, p.NotebookDocument.Version = n.e.URI(n.rel), n.version
	n.e.Notify(protocol.MethodNotebookDocumentDidChange, p)
}

// Edit replaces the only occurrence of a text in a cell of ASCII.
func (n *Notebook) Edit(cell int, old, now string) {
	n.e.t.Helper()
	c := &n.cells[cell]
	if strings.Count(c.text, old) != 1 {
		n.e.t.Fatalf("%q is not once in cell %d: %q", old, cell, c.text)
	}
	at := strings.Index(c.text, old)
	position := func(offset int) protocol.Position {
		before := c.text[:offset]
		return protocol.Position{Line: uint32(strings.Count(before, "\n")), Character: uint32(offset - strings.LastIndex(before, "\n") - 1)}
	}
	r := protocol.Range{Start: position(at), End: position(at + len(old))}
	c.text = c.text[:at] + now + c.text[at+len(old):]
	c.version++
	content := protocol.NotebookDocumentCellContentChanges{Changes: []protocol.TextDocumentContentChangeEvent{
		&protocol.TextDocumentContentChangePartial{Range: r, Text: now},
	}}
	content.Document.URI, content.Document.Version = c.uri, c.version
	n.change(&protocol.NotebookDocumentCellChanges{TextContent: []protocol.NotebookDocumentCellContentChanges{content}})
}

// Insert adds a cell.
func (n *Notebook) Insert(at int, text string) {
	n.e.t.Helper()
	n.splice(at, 0, n.cell(text))
}

// Delete removes a cell.
func (n *Notebook) Delete(at int) {
	n.e.t.Helper()
	n.splice(at, 1)
}

// Move moves a cell, as an editor says it: all cells between the two places are replaced.
func (n *Notebook) Move(from, to int) {
	n.e.t.Helper()
	order := slices.Clone(n.cells)
	moved := order[from]
	order = slices.Insert(slices.Delete(order, from, from+1), to, moved)
	low, high := min(from, to), max(from, to)+1
	n.splice(low, high-low, order[low:high]...)
}

func (n *Notebook) splice(start, count int, cells ...cell) {
	n.e.t.Helper()
	gone := slices.Clone(n.cells[start : start+count])
	has := func(list []cell, c cell) bool {
		return slices.ContainsFunc(list, func(o cell) bool { return o.uri == c.uri })
	}
	opened := slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return has(gone, c) })
	st := &protocol.NotebookDocumentCellChangeStructure{
		Array:   protocol.NotebookCellArrayChange{Start: uint32(start), DeleteCount: uint32(count), Cells: listed(cells)},
		DidOpen: items(opened),
	}
	for _, c := range gone {
		if !has(cells, c) {
			st.DidClose = append(st.DidClose, protocol.TextDocumentIdentifier{URI: c.uri})
		}
	}
	n.cells = slices.Concat(n.cells[:start], cells, n.cells[start+count:])
	n.change(&protocol.NotebookDocumentCellChanges{Structure: st})
}

// SetKind makes a cell one of code or of Markdown.
func (n *Notebook) SetKind(cell int, kind protocol.NotebookCellKind) {
	n.e.t.Helper()
	n.cells[cell].kind = kind
	n.change(&protocol.NotebookDocumentCellChanges{Data: listed(n.cells[cell : cell+1])})
}

// Text returns the file that the editor would write.
func (n *Notebook) Text() string {
	texts := make([]string, len(n.cells))
	for i, c := range n.cells {
		texts[i] = c.text
		if c.kind == protocol.NotebookCellKindMarkup {
			texts[i] = "#!" + texts[i]
		}
	}
	return NotebookText(texts...)
}

// Save writes the file, and reports that the notebook was saved.
func (n *Notebook) Save() {
	n.e.t.Helper()
	n.SaveAs(n.Text())
}

// SaveAs is Save with another text of the file.
func (n *Notebook) SaveAs(text string) {
	n.e.t.Helper()
	n.e.Write(n.rel, text)
	n.e.Notify(protocol.MethodNotebookDocumentDidSave, &protocol.DidSaveNotebookDocumentParams{NotebookDocument: n.id()})
}

// Close closes the notebook with its cells.
func (n *Notebook) Close() {
	n.e.t.Helper()
	p := &protocol.DidCloseNotebookDocumentParams{NotebookDocument: n.id(), CellTextDocuments: []protocol.TextDocumentIdentifier{}}
	for _, c := range n.cells {
		p.CellTextDocuments = append(p.CellTextDocuments, protocol.TextDocumentIdentifier{URI: c.uri})
	}
	n.e.Notify(protocol.MethodNotebookDocumentDidClose, p)
}

func (n *Notebook) id() protocol.NotebookDocumentIdentifier {
	return protocol.NotebookDocumentIdentifier{URI: n.e.URI(n.rel)}
}

// Cell returns the text of a cell.
func (n *Notebook) Cell(cell int) string { return n.cells[cell].text }
