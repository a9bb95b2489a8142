package soak

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"manicule/cmd/internal/wire"
)

// openAtOnce is the number of documents that the editor keeps open.
const openAtOnce = 6

// editor simulates a person at work, who opens files, types, asks and saves. It sends
// what an editor's plugin sends.
type editor struct {
	tree *tree
	c    *wire.Client
	open []*document // the oldest first
	next int         // of the tree's files
}

type document struct {
	path    string
	text    string
	version int
}

// change is a part of a document that is replaced.
type change struct {
	Range wire.Range `json:"range"`
	Text  string     `json:"text"`
}

// startEditor starts a language server with an editor's default capabilities.
func startEditor(ctx context.Context, t *tree, env ...string) (*editor, error) {
	cmd := t.box.Manicule(ctx, t.root, "lsp")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	c, err := wire.Start(cmd)
	if err != nil {
		return nil, err
	}
	p := map[string]any{
		"processId": os.Getpid(), "rootUri": wire.URI(t.root),
		"workspaceFolders": []map[string]string{{"uri": wire.URI(t.root), "name": filepath.Base(t.root)}},
		"capabilities": map[string]any{
			"workspace":    map[string]any{"codeLens": map[string]any{"refreshSupport": true}},
			"textDocument": map[string]any{"hover": map[string]any{"contentFormat": []string{"markdown"}}},
		},
	}
	if err := c.Call(ctx, "initialize", p, nil); err != nil {
		return nil, errors.Join(err, c.Close(ctx))
	}
	return &editor{tree: t, c: c}, c.Notify("initialized", struct{}{})
}

// step works on the next file: open, read, change, save, read again. Every fifth step
// asks the code graph and closes the oldest document.
func (e *editor) step(ctx context.Context, i int) error {
	path := e.tree.files[e.next%len(e.tree.files)]
	if i%2 == 1 && len(e.tree.about) > 0 { // every other file has memories
		path = e.tree.about[e.next%len(e.tree.about)]
	}
	e.next++
	d, err := e.openDocument(path)
	if err != nil {
		return err
	}
	if err := e.requestView(ctx, d, i); err != nil {
		return err
	}
	if err := e.typeText(d, i); err != nil {
		return err
	}
	if i%7 == 6 { // the person goes on before saving
		return e.requestView(ctx, d, i)
	}
	if err := e.save(d); err != nil {
		return err
	}
	if i%5 == 4 {
		if err := e.c.Call(ctx, "manicule/impact", map[string]any{"textDocument": map[string]string{"uri": wire.URI(e.abs(d.path))}}, nil); err != nil {
			return err
		}
	}
	return e.requestView(ctx, d, i)
}

func (e *editor) abs(rel string) string {
	return filepath.Join(e.tree.root, filepath.FromSlash(rel))
}

// openDocument opens a file and closes the oldest open one.
func (e *editor) openDocument(path string) (*document, error) {
	for i, d := range e.open {
		if d.path == path {
			e.open = append(append(e.open[:i:i], e.open[i+1:]...), d)
			return d, nil
		}
	}
	text, err := os.ReadFile(e.abs(path))
	if err != nil {
		return nil, fmt.Errorf("open a file: %w", err)
	}
	d := &document{path: path, text: string(text), version: 1}
	e.open = append(e.open, d)
	if err := e.c.Open(e.abs(path), strings.TrimPrefix(filepath.Ext(path), "."), d.text); err != nil {
		return nil, err
	}
	for len(e.open) > openAtOnce {
		first := e.open[0]
		e.open = e.open[1:]
		if err := e.c.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]string{"uri": wire.URI(e.abs(first.path))}}); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// requestView sends the requests with which an editor shows a document, and hovers.
func (e *editor) requestView(ctx context.Context, d *document, i int) error {
	lenses, err := e.c.Lenses(ctx, e.abs(d.path))
	if err != nil {
		return err
	}
	at := wire.Position{Line: i % max(1, strings.Count(d.text, "\n"))}
	if len(lenses) > 0 {
		if _, err := e.c.Resolve(ctx, lenses[0]); err != nil {
			return err
		}
		at.Line = lenses[0].Range.Start.Line
	}
	_, err = e.c.Hover(ctx, e.abs(d.path), at)
	return err
}

// typeText types a declaration or a comment at the end of a document, character by
// character, or removes what it typed before.
func (e *editor) typeText(d *document, i int) error {
	lines := strings.Split(d.text, "\n")
	last := len(lines) - 1
	mark := comment(d.path) + " soak"
	if last > 0 && strings.HasPrefix(lines[last-1], mark) {
		d.text = strings.Join(lines[:last-1], "\n") + "\n"
		return e.edit(d, change{wire.Range{Start: wire.Position{Line: last - 1}, End: wire.Position{Line: last, Character: len(lines[last])}}, ""})
	}
	line := fmt.Sprintf("%s %d\n", mark, i)
	if filepath.Ext(d.path) == ".go" && i%2 == 0 {
		line = fmt.Sprintf("var soak%d = len(\"soak\")\n%s", i, line)
	}
	if lines[last] != "" {
		line = "\n" + line
	}
	at := wire.Position{Line: last, Character: len([]rune(lines[last]))}
	for _, r := range line {
		d.text += string(r)
		if err := e.edit(d, change{wire.Range{Start: at, End: at}, string(r)}); err != nil {
			return err
		}
		if at.Character++; r == '\n' {
			at = wire.Position{Line: at.Line + 1}
		}
	}
	return nil
}

func (e *editor) edit(d *document, c change) error {
	d.version++
	return e.c.Notify("textDocument/didChange", map[string]any{
		"textDocument": map[string]any{"uri": wire.URI(e.abs(d.path)), "version": d.version}, "contentChanges": []change{c},
	})
}

// save writes a document and notifies the server.
func (e *editor) save(d *document) error {
	if err := os.WriteFile(e.abs(d.path), []byte(d.text), 0o644); err != nil {
		return fmt.Errorf("save a file: %w", err)
	}
	return e.c.Notify("textDocument/didSave", map[string]any{"textDocument": map[string]string{"uri": wire.URI(e.abs(d.path))}})
}

// indexed waits until the code is indexed.
func (e *editor) indexed(ctx context.Context) error {
	var raw json.RawMessage
	return e.c.Call(ctx, "manicule/graph", map[string]any{"textDocument": map[string]string{"uri": wire.URI(e.abs(e.tree.files[0]))}}, &raw)
}
