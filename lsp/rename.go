package lsp

import (
	"context"
	"strings"
	"sync"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/treefile"
	"manicule/lsp/convert"
	"manicule/memory/follow"
)

// renames asks for the renames of all files and folders.
func renames() *protocol.FileOperationOptions {
	all := protocol.FileOperationRegistrationOptions{Filters: []protocol.FileOperationFilter{{
		Scheme: new("file"), Pattern: protocol.FileOperationPattern{Glob: "**/*"},
	}}}
	return &protocol.FileOperationOptions{WillRename: all, DidRename: all}
}

// renaming keeps where anchors are in files that a client is about to rename:
// once they have another name, whoever looks at the files may be quicker than
// the client's word.
type renaming struct {
	mu     sync.Mutex
	places map[string][]follow.Place // by the old path, absolute; guarded by mu
}

// WillRenameFiles notes where the anchors of the files are. It changes nothing.
func (s *server) WillRenameFiles(ctx context.Context, p *protocol.RenameFilesParams) (*protocol.WorkspaceEdit, error) {
	r := s.begin(ctx)
	for _, file := range p.Files {
		from, ok := convert.PathFrom(uri.URI(file.OldURI))
		if !ok {
			continue
		}
		if places := r.placesUnder(ctx, from); len(places) > 0 {
			s.renaming.mu.Lock()
			if s.renaming.places == nil {
				s.renaming.places = make(map[string][]follow.Place)
			}
			s.renaming.places[from] = places
			s.renaming.mu.Unlock()
		}
	}
	return nil, nil
}

// DidRenameFiles tells the tracker where the anchors of renamed files went.
func (s *server) DidRenameFiles(_ context.Context, p *protocol.RenameFilesParams) error {
	r := &request{server: s, snap: s.session.Snapshot(), settings: s.settings.Load()}
	s.spawn(func(ctx context.Context) {
		for _, file := range p.Files {
			from, ok := convert.PathFrom(uri.URI(file.OldURI))
			if to, also := convert.PathFrom(uri.URI(file.NewURI)); ok && also {
				r.renamed(ctx, from, to)
			}
		}
	})
	return nil
}

// placesUnder returns the anchors in a file, or in the files of a folder.
func (r *request) placesUnder(ctx context.Context, path string) []follow.Place {
	f, rel, ok := r.folders.owner(ctx, path)
	if !ok || f.tracker == nil {
		return nil
	}
	if places := f.tracker.In(rel); len(places) > 0 {
		return places
	}
	var out []follow.Place
	for _, h := range f.mem.View().All() {
		if len(h.Memory.Anchors) == 0 {
			continue
		}
		for _, at := range f.tracker.Of(h.Memory.UUID) {
			if strings.HasPrefix(at.Path, rel+"/") {
				out = append(out, at)
			}
		}
	}
	return out
}

// maxRenamed is the size in bytes above which a renamed file is not read.
const maxRenamed = 16 << 20

// renamed has the anchors follow a file or folder to its new name. One that went
// to another workspace is not followed.
func (r *request) renamed(ctx context.Context, from, to string) {
	r.renaming.mu.Lock()
	places, noted := r.renaming.places[from]
	delete(r.renaming.places, from)
	r.renaming.mu.Unlock()
	if !noted {
		places = r.placesUnder(ctx, from)
	}
	f, rel, ok := r.folders.owner(ctx, from)
	if !ok || f.tracker == nil {
		return
	}
	other, now, ok := r.folders.owner(ctx, to)
	if !ok || other != f {
		return
	}
	texts := make(map[string][]byte)
	var moves []follow.Move
	for _, at := range places {
		path := now + strings.TrimPrefix(at.Path, rel)
		text, read := texts[path]
		if !read {
			var err error
			if text, err = treefile.Within(f.root, path, maxRenamed); err != nil {
				r.opts.Log.Debug("read a renamed file", "err", err)
			}
			texts[path] = text
		}
		if text != nil {
			moves = append(moves, follow.Move{
				Memory: at.Memory, Index: at.Index, Path: path, Text: text,
				Lines: anchor.LineRange{Start: at.Line, End: at.EndLine}, Symbol: at.Symbol,
			})
		}
	}
	r.moved(ctx, f, moves)
}
