package lsp

import (
	"context"

	"go.lsp.dev/uri"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/session"
)

// fileEvents tells folders in the background what became of their files: who owns a
// file is known when its folder is open.
type fileEvents struct {
	folders *folder.Set
	pages   *page.Cache
	spawn   func(func(context.Context))
}

// memorySaved schedules a sync of the folder that owns a memory file.
func (e fileEvents) memorySaved(path string) {
	e.spawn(func(ctx context.Context) {
		if f, _, ok := e.folders.Owner(ctx, path); ok {
			f.SyncSoon()
		}
	})
}

// codeSaved tells a folder that one of its source files was saved, and resolves the
// marks of its document, u in snap. That tells the tracker about moves that the files
// alone don't show. Not every client sends a request after a save.
func (e fileEvents) codeSaved(path string, snap *session.Snapshot, u uri.URI) {
	e.spawn(func(ctx context.Context) {
		if f, rel, ok := e.folders.Owner(ctx, path); ok {
			f.Scopes.Saved()
			f.Anchors.RefreshSoon()
			f.Index.Saved(ctx, f.RealRel(rel))
		}
	})
	e.spawn(func(ctx context.Context) {
		if p, ok := e.pages.Open(ctx, snap, u); ok {
			p.Marks(ctx)
		}
	})
}

// closed frees what is kept of an open file's anchors.
func (e fileEvents) closed(path string) {
	e.spawn(func(ctx context.Context) {
		if f, rel, ok := e.folders.Owner(ctx, path); ok && f.Tracker != nil {
			f.Tracker.Release(f.RealRel(rel))
		}
	})
}
