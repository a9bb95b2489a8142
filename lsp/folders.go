package lsp

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/folder"
	"manicule/lsp/page"
)

// folderOptions returns what the folders need from the server.
func (s *server) folderOptions() folder.Options {
	o := s.opts
	return folder.Options{
		Open: s.openMemories, Code: s.codeOf, Track: o.Track, Sessions: o.Sessions, Threads: o.Threads, Trust: o.Trust, Files: o.Files, Ledger: o.Ledger, Coverage: o.Coverage, Watch: o.Watch,
		ClientWatches: func() bool { return s.client.Capabilities.DynamicWatch }, Documents: s.session.Snapshot,
		Spawn: s.spawn, Log: s.log, LocalLog: o.Log, Now: o.Now, RefreshAfter: o.RefreshAfter, IndexAfter: o.IndexAfter, CacheTTL: o.CacheTTL,
		Events: folder.Events{
			OpenFailed: s.openFailed, Changed: s.refresh.soon, ListsChanged: s.changes.soon, FilesListed: s.diags.allDue,
			Session:  func(f *folder.Folder, e SessionEvent) { sessionEvent(s.actions, f, e) },
			Indexing: s.progress.indexing,
		},
	}
}

// openMemories opens the memories of a folder.
func (s *server) openMemories(ctx context.Context, dir string) (Memories, error) {
	m, err := s.opts.Open(ctx, dir)
	if err == nil && m != nil && s.opts.OnEmbed != nil {
		s.opts.OnEmbed(m, s.progress.embedding(ctx))
	}
	return m, err
}

// codeOf returns the code graph of a workspace, or the reason why there is none.
func (s *server) codeOf(root string) (Code, error) {
	if s.opts.Graph == nil {
		return nil, errors.New("this server has no code graph")
	}
	if !s.config.current.Load().CodeGraph {
		return nil, errors.New("the code graph is turned off; try: set index.enabled to true and restart the server")
	}
	return s.opts.Graph(root)
}

// pageOptions returns what the pages need from the server.
func (s *server) pageOptions() page.Options {
	return page.Options{
		Folders: s.folders, IsOpen: func(u uri.URI) bool { _, ok := s.session.Snapshot().Get(u); return ok },
		Commit: s.opts.Commit, ResolveWait: s.opts.ResolveWait, Spawn: s.spawn, Log: s.log, LocalLog: s.opts.Log, Changed: s.refresh.soon,
	}
}

// foldersFrom returns the folders in the initialize request.
func foldersFrom(p *protocol.InitializeParams) []string {
	var dirs []string
	add := func(u uri.URI) {
		if path, ok := convert.PathFrom(u); ok {
			dirs = append(dirs, path)
		}
	}
	if list, ok := p.WorkspaceFolders.Get(); ok && len(list) > 0 {
		for _, f := range list {
			add(f.URI)
		}
		return dirs
	}
	//lint:ignore SA1019 clients without workspace folders send nothing else
	root, path := p.RootURI, p.RootPath
	if root != nil {
		add(*root)
	} else if dir, ok := path.Get(); ok && filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Clean(dir))
	}
	return dirs
}

// DidChangeWorkspaceFolders adds and removes folders.
func (s *server) DidChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	var added, changed []string
	for _, f := range p.Event.Removed {
		if path, ok := convert.PathFrom(f.URI); ok {
			s.folders.Remove(path)
			changed = append(changed, path)
		}
	}
	for _, f := range p.Event.Added {
		if path, ok := convert.PathFrom(f.URI); ok {
			added = append(added, path)
		}
	}
	s.folders.Add(added...)
	changed = append(changed, added...)
	// A root inside a folder that is back went with it, and a folder that was removed may be a root inside another.
	for _, d := range s.session.Snapshot().Documents() {
		if slices.ContainsFunc(changed, func(dir string) bool { _, inside := convert.RelFrom(dir, d.Path); return inside }) && s.folders.Named(d.Path) {
			s.folders.AddNested(d.Path)
		}
	}
	return nil
}

// openFailed shows once that a folder's memories can't be opened. The server keeps
// running.
func (s *server) openFailed(f *folder.Folder) {
	s.log.Error("open memories", "dir", f.Dir, "err", f.Err)
	text := "Manicule can't open the memories of " + filepath.Base(f.Dir) + ": " + f.Err.Error()
	if hint := s.opts.Hint(f.Err); hint != "" {
		text += ". " + hint
	}
	s.client.Error(text)
}

// renames registers for the renames of all files and folders.
func renames() *protocol.FileOperationOptions {
	all := protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{{
		Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**/*"},
	}}}
	return &protocol.FileOperationOptions{WillRename: all, DidRename: all}
}

// DidRenameFiles moves the anchors of renamed files.
func (s *server) DidRenameFiles(_ context.Context, p *protocol.RenameFilesParams) error {
	s.spawn(func(ctx context.Context) {
		for _, file := range p.Files {
			from, ok := convert.PathFrom(uri.URI(file.OldURI))
			if to, also := convert.PathFrom(uri.URI(file.NewURI)); ok && also {
				s.folders.Renames.Done(ctx, from, to)
			}
		}
	})
	return nil
}
