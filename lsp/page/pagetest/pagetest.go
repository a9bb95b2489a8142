// Package pagetest makes pages for tests: an open document in a folder with memories.
// It needs no server and no files, and must not be imported by anything but tests.
package pagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/store"
)

// Memory is a memory that a person taught.
type Memory struct {
	Type file.Type
	What string
	At   string // FILE#Symbol that it is anchored to, "" for none
	In   string // the scope, "" for the whole project
	// Details are those of its type.
	Details file.Details
}

// UUID returns the uuid of the memory with an index, from 0.
func UUID(i int) string { return fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-%012d", i+1) }

// Open returns a page of a document, whose path is relative to the root of a folder
// with these memories.
func Open(t testing.TB, rel, text string, memories ...Memory) *page.Page {
	t.Helper()
	root := t.TempDir()
	view := memory.NewView(filepath.Join(root, ".manicule", "memories"), scope.Platform(), rows(t, memories), nil, 1)
	state := store.OpenState(t.TempDir(), "", time.Now)
	folders := folder.NewSet(folder.Options{
		Open: func(context.Context, string) (folder.Memories, error) {
			return opened{root: root, view: view, state: state}, nil
		},
		Watch: func(ctx context.Context, _ string, _ func()) error { <-ctx.Done(); return nil },
	})
	folders.Add(root)
	t.Cleanup(folders.Stop)

	docs, path := session.New(), filepath.Join(root, filepath.FromSlash(rel))
	u := convert.URIFrom(path)
	docs.Open(protocol.TextDocumentItem{URI: u, Version: 1, Text: text})
	pages := page.New(page.Options{Folders: folders, IsOpen: func(uri.URI) bool { return true }})
	p, ok := pages.Open(t.Context(), docs.Snapshot(), u)
	if !ok {
		t.Fatalf("%s has no page", rel)
	}
	return p
}

func rows(t testing.TB, memories []Memory) []store.Row {
	t.Helper()
	var out []store.Row
	for i, m := range memories {
		fields := map[string]any{
			"uuid": UUID(i), "type": m.Type, "what": m.What, "created_at": "2026-05-04T11:00:00.000Z",
			"trust": map[string]any{"origin": file.UserTaught},
		}
		if path, symbol, ok := strings.Cut(m.At, "#"); ok {
			fields["anchors"] = []map[string]string{{"kind": "symbol", "path": path, "symbol": symbol}}
		}
		if m.In != "" {
			fields["scope"] = []string{m.In}
		}
		var with file.Memory
		with.Type = m.Type
		if err := with.SetDetails(m.Details); err != nil {
			t.Fatal(err)
		}
		if with.Details != nil {
			fields["details"] = json.RawMessage(with.Details)
		}
		b, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, store.Row{Path: UUID(i) + ".json", JSON: b})
	}
	return out
}

// opened are read-only memories.
type opened struct {
	folder.Memories
	root  string
	view  *memory.View
	state *store.State
}

// Root returns the folder's root.
func (o opened) Root() string { return o.root }

// View returns the memories.
func (o opened) View() *memory.View { return o.view }

// Sync never finds a change.
func (opened) Sync(context.Context) (bool, error) { return false, nil }

// Dismissals has none.
func (o opened) Dismissals() store.Dismissals { return o.state.Dismissals() }

// Views has the memories alone.
func (o opened) Views() *memory.Views { return memory.FixedViews(o.view) }

// Git is none: nothing is watched.
func (opened) Git() *memory.Git { return memory.NoGit() }

// Close does nothing.
func (opened) Close() error { return nil }
