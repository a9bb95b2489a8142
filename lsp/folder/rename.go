package folder

import (
	"context"
	"strings"
	"sync"

	"manicule/indexer/anchor"
	"manicule/indexer/treefile"
	"manicule/memory/follow"
)

// Renames follows the anchors in files that a client renames. It holds their places before that: the
// tracker may see the new names before the client reports the rename.
type Renames struct {
	folders *Set

	mu     sync.Mutex
	places map[string][]follow.Place // by the old path, absolute; guarded by mu
}

// Will stores the places of the anchors of a file or folder before it is renamed.
func (r *Renames) Will(ctx context.Context, from string) {
	places := r.placesUnder(ctx, from)
	if len(places) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.places == nil {
		r.places = make(map[string][]follow.Place)
	}
	r.places[from] = places
}

// placesUnder returns the anchors in a file, or in the files of a folder.
func (r *Renames) placesUnder(ctx context.Context, path string) []follow.Place {
	f, rel, ok := r.folders.Owner(ctx, path)
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

// Done moves the anchors of a file or folder to its new name, unless it went to
// another workspace.
func (r *Renames) Done(ctx context.Context, from, to string) {
	r.mu.Lock()
	places, noted := r.places[from]
	delete(r.places, from)
	r.mu.Unlock()
	if !noted {
		places = r.placesUnder(ctx, from)
	}
	f, rel, ok := r.folders.Owner(ctx, from)
	if !ok || f.Tracker == nil {
		return
	}
	other, now, ok := r.folders.Owner(ctx, to)
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
				r.folders.opts.LocalLog.Debug("read a renamed file", "err", err)
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
