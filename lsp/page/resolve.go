package page

import (
	"context"
	"log/slog"
	"path"
	"slices"
	"time"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// resolver finds the anchors of a file's memories in a version of its text. It knows
// nothing of caches, the cells of notebooks and old versions.
type resolver struct {
	folder *folder.Folder
	view   *memory.View
	rel    string       // of the file, relative to the folder's root
	log    *slog.Logger // also sent to the client
	local  *slog.Logger
}

// resolveAll resolves the anchors in a version of the document.
func (r resolver) resolveAll(ctx context.Context, doc *session.Document) []Mark {
	if r.folder.Tracker != nil {
		return r.resolveTracked(ctx, doc)
	}
	return r.resolveRecords(ctx, doc)
}

// resolveTracked has the tracker resolve the anchors in the document.
func (r resolver) resolveTracked(ctx context.Context, doc *session.Document) []Mark {
	untracked := r.untracked() // first, because the tracker may resolve one meanwhile
	live, err := r.folder.Tracker.ResolveText(ctx, r.source(ctx, doc))
	if err != nil {
		if ctx.Err() == nil {
			r.log.Warn("resolve anchors", "file", r.rel, "err", err)
		}
		return r.resolveRecords(ctx, doc)
	}
	known := func(h memory.Hit) bool {
		return slices.ContainsFunc(live, func(l follow.LiveAnchor) bool { return l.Memory == h.Memory.UUID })
	}
	marks := r.resolveHits(ctx, doc, slices.DeleteFunc(untracked, known))
	if len(live) == 0 {
		return marks
	}
	f := r.parsed(ctx, doc)
	for _, l := range live {
		h, ok := r.view.GetLive(l.Memory)
		if !ok {
			continue // it was forgotten or superseded meanwhile: the tracker follows the code of all memories
		}
		h.Match = memory.MatchAnchor
		l.Resolution = r.movedBySave(r.keepState(l, doc), l, f)
		if gone := l.Path != "" && l.Path != r.rel; gone {
			continue
		}
		marks = append(marks, markAt(Mark{Hit: h, Index: l.Index, Anchor: l.Anchor, Resolution: l.Resolution}, f, doc))
	}
	return marks
}

// source returns a document for the tracker, which shares its parse.
func (r resolver) source(ctx context.Context, doc *session.Document) *anchoring.Source {
	if doc.Lang == "" {
		return follow.Text(r.rel, doc.Text(), nil)
	}
	return follow.Text(r.rel, doc.Text(), func() (*extract.File, *extract.Tree) {
		f, t, err := doc.Read(ctx)
		if err != nil {
			r.local.Warn("parse", "err", err) // file and line anchors still resolve
		}
		return f, t
	})
}

// untracked returns new memories that the tracker has not resolved yet. Their anchors
// are where their records say.
func (r resolver) untracked() []memory.Hit {
	known := func(h memory.Hit) bool { return len(r.folder.Tracker.Of(h.Memory.UUID)) > 0 }
	return slices.DeleteFunc(r.view.Anchored(r.rel), known)
}

// keepState returns a resolution with the previous state, while the code does not parse
// or a git operation is in progress. Neither is a reason to trust a memory less.
func (r resolver) keepState(l follow.LiveAnchor, doc *session.Document) anchoring.Resolution {
	res := l.Resolution
	was, ok := r.folder.Anchors.LastPlace(l.Memory, l.Index)
	if !ok || was.State == res.State {
		if ok && res.Suggestion == nil { // one in another file, which is not in this text
			res.Suggestion = ResolutionOf(was).Suggestion
		}
		return res
	}
	if !res.Unsettled && !r.folder.Anchors.GitBusy() {
		return res
	}
	if res.State == anchor.Orphaned && was.State != anchor.Orphaned { // the last place is the best guess
		res.Path, res.Symbol, res.Ordinal = was.Path, was.Symbol, was.Ordinal
		last := doc.Lines.Count() - 1
		first := min(max(was.Line-1, 0), last)
		res.Start, res.End = doc.Lines.Start(first), doc.Lines.End(min(max(was.EndLine-1, first), last))
	}
	res.State, res.Reason, res.Confidence = was.State, was.Reason, was.Confidence
	return res
}

// movedBySave returns the resolution of an anchor. If the text alone says that it is
// lost, but a person's edits had moved it when the file was saved, it returns that
// place.
func (r resolver) movedBySave(res anchoring.Resolution, l follow.LiveAnchor, f *extract.File) anchoring.Resolution {
	was, ok := r.folder.Anchors.LastPlace(l.Memory, l.Index)
	if res.State != anchor.Orphaned || !ok || was.State != anchor.Followed || was.Path != r.rel || f == nil {
		return res
	}
	if sym, there := f.Find(was.Symbol, was.Ordinal); there {
		res = ResolutionOf(was)
		res.Start, res.End = sym.Start, sym.End
	}
	return res
}

// parsed returns the symbols of a version of the document, nil for none.
func (r resolver) parsed(ctx context.Context, doc *session.Document) *extract.File {
	f, err := doc.Parsed(ctx)
	if err != nil {
		r.local.Warn("parse", "err", err) // file and line anchors still resolve
	}
	return f
}

// resolveRecords resolves every anchor whose record names the document.
func (r resolver) resolveRecords(ctx context.Context, doc *session.Document) []Mark {
	return r.resolveHits(ctx, doc, r.view.Anchored(r.rel))
}

// resolveHits resolves the anchors of some memories whose records name the document.
func (r resolver) resolveHits(ctx context.Context, doc *session.Document, hits []memory.Hit) []Mark {
	if len(hits) == 0 {
		return nil
	}
	f := r.parsed(ctx, doc)
	var marks []Mark
	for _, h := range hits {
		for i, a := range h.Memory.Anchors {
			if path.Clean(a.Path) == r.rel {
				marks = append(marks, resolve(Mark{Hit: h, Index: i, Anchor: a}, f, doc))
			}
		}
	}
	return marks
}

// catchUp waits, but not long, until the tracker knows which memories have moved into the file
// while nobody looked at it.
func (r resolver) catchUp(ctx context.Context, wait time.Duration) {
	if r.asRecorded() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	r.folder.Anchors.CatchUp(ctx, r.rel)
}

// asRecorded reports whether all memories with code in the file have it where they record it, as
// far as an earlier look at all anchors tells, and the file was not written since.
func (r resolver) asRecorded() bool {
	for _, h := range r.view.Anchored(r.rel) {
		if h.Places != nil {
			return false
		}
	}
	return r.folder.Memories.Views().Followed(r.rel)
}
