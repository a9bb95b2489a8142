package folder

import (
	"context"
	"strings"
	"sync"

	"manicule/indexer/anchor"
	"manicule/indexer/treefile"
	"manicule/memory/follow"
)

// renames holds the places of anchors in files that a client is about to rename. The
// tracker may see the new names before the client reports the rename.
type renames struct {
	mu     sync.Mutex
	places map[string][]follow.Place // by the old path, absolute; guarded by mu
}

// WillRename stores the places of the anchors of a file or folder before it is renamed.
func (fs *Set) WillRename(ctx context.Context, from string) {
	places := fs.placesUnder(ctx, from)
	if len(places) == 0 {
		return
	}
	fs.renames.mu.Lock()
	defer fs.renames.mu.Unlock()
	if fs.renames.places == nil {
		fs.renames.places = make(map[string][]follow.Place)
	}
	fs.renames.places[from] = places
}

// placesUnder returns the anchors in a file, or in the files of a folder.
func (fs *Set) placesUnder(ctx context.Context, path string) []follow.Place {
	f, rel, ok := fs.Owner(ctx, path)
	if !ok || f.Tracker == nil {
		return nil
	}
	if places := f.Tracker.In(rel); len(places) > 0 {
		return places
	}
	var out []follow.Place
	for _, h := range f.Memories.View().All() {
		if len(h.Memory.Anchors) == 0 {
			continue
		}
		for _, at := range f.Tracker.Of(h.Memory.UUID) {
			if strings.HasPrefix(at.Path, rel+"/") {
				out = append(out, at)
			}
		}
	}
	return out
}

// maxRenamed is the size in bytes up to which a renamed file is read.
const maxRenamed = 16 << 20

// Renamed moves the anchors of a file or folder to its new name, unless it went to
// another workspace.
func (fs *Set) Renamed(ctx context.Context, from, to string) {
	fs.renames.mu.Lock()
	places, noted := fs.renames.places[from]
	delete(fs.renames.places, from)
	fs.renames.mu.Unlock()
	if !noted {
		places = fs.placesUnder(ctx, from)
	}
	f, rel, ok := fs.Owner(ctx, from)
	if !ok || f.Tracker == nil {
		return
	}
	other, now, ok := fs.Owner(ctx, to)
	if !ok || other != f {
		return
	}
	texts := make(map[string][]byte)
	var moves []follow.EditorMove
	for _, at := range places {
		path := now + strings.TrimPrefix(at.Path, rel)
		text, read := texts[path]
		if !read {
			var err error
			if text, err = treefile.ReadWithin(f.Root, path, maxRenamed); err != nil {
				fs.opts.LocalLog.Debug("read a renamed file", "err", err)
			}
			texts[path] = text
		}
		if text != nil {
			moves = append(moves, follow.EditorMove{
				Memory: at.Memory, Index: at.Index, Path: path, Text: text,
				Lines: anchor.LineRange{Start: at.Line, End: at.EndLine}, Symbol: at.Symbol,
			})
		}
	}
	f.Anchors.Moved(ctx, moves)
}
