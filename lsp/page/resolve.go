package page

import (
	"context"
	"path"
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// resolveAll resolves the anchors in a version of the document.
func (p *Page) resolveAll(ctx context.Context, doc *session.Document) []Mark {
	if p.Folder.Tracker != nil {
		return p.resolveTracked(ctx, doc)
	}
	return p.resolveRecords(ctx, doc)
}

// resolveTracked has the tracker resolve the anchors in the document.
func (p *Page) resolveTracked(ctx context.Context, doc *session.Document) []Mark {
	untracked := p.untracked() // first, because the tracker may resolve one meanwhile
	live, err := p.Folder.Tracker.ResolveText(ctx, p.source(ctx, doc))
	if err != nil {
		if ctx.Err() == nil {
			p.cache.opts.Log.Warn("resolve anchors", "file", p.Rel, "err", err)
		}
		return p.resolveRecords(ctx, doc)
	}
	known := func(h memory.Hit) bool {
		return slices.ContainsFunc(live, func(l follow.LiveAnchor) bool { return l.Memory == h.Memory.UUID })
	}
	marks := p.resolveHits(ctx, doc, slices.DeleteFunc(untracked, known))
	if len(live) == 0 {
		return marks
	}
	f := p.parsed(ctx, doc)
	for _, l := range live {
		h, ok := p.View.GetLive(l.Memory)
		if !ok {
			continue // it was forgotten or superseded meanwhile: the tracker follows the code of all memories
		}
		h.Match = memory.MatchAnchor
		l.Resolution = p.movedBySave(p.keepState(l, doc), l, f)
		if gone := l.Path != "" && l.Path != p.Rel; gone {
			continue
		}
		marks = append(marks, markAt(Mark{Hit: h, Index: l.Index, Anchor: l.Anchor, Resolution: l.Resolution}, f, doc))
	}
	return marks
}

// source returns a document for the tracker, which shares its parse.
func (p *Page) source(ctx context.Context, doc *session.Document) *anchoring.Source {
	if doc.Lang == "" {
		return follow.Text(p.Rel, doc.Text(), nil)
	}
	return follow.Text(p.Rel, doc.Text(), func() (*extract.File, *extract.Tree) {
		f, t, err := doc.Read(ctx)
		if err != nil {
			p.cache.opts.LocalLog.Warn("parse", "err", err) // file and line anchors still resolve
		}
		return f, t
	})
}

// untracked returns new memories that the tracker has not resolved yet. Their anchors
// are where their records say.
func (p *Page) untracked() []memory.Hit {
	known := func(h memory.Hit) bool { return len(p.Folder.Tracker.Of(h.Memory.UUID)) > 0 }
	return slices.DeleteFunc(p.View.Anchored(p.Rel), known)
}

// keepState returns a resolution with the previous state, while the code does not parse
// or a git operation is in progress. Neither is a reason to trust a memory less.
func (p *Page) keepState(l follow.LiveAnchor, doc *session.Document) anchoring.Resolution {
	res := l.Resolution
	was, ok := p.Folder.Anchors.LastPlace(l.Memory, l.Index)
	if !ok || was.State == res.State {
		if ok && res.Suggestion == nil { // one in another file, which is not in this text
			res.Suggestion = ResolutionOf(was).Suggestion
		}
		return res
	}
	if !res.Unsettled && !p.Folder.Anchors.GitBusy() {
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
func (p *Page) movedBySave(res anchoring.Resolution, l follow.LiveAnchor, f *extract.File) anchoring.Resolution {
	was, ok := p.Folder.Anchors.LastPlace(l.Memory, l.Index)
	if res.State != anchor.Orphaned || !ok || was.State != anchor.Followed || was.Path != p.Rel || f == nil {
		return res
	}
	if sym, there := f.Find(was.Symbol, was.Ordinal); there {
		res = ResolutionOf(was)
		res.Start, res.End = sym.Start, sym.End
	}
	return res
}

// Parsed returns the document's symbols, nil for none.
func (p *Page) Parsed(ctx context.Context) *extract.File { return p.parsed(ctx, p.Doc) }

func (p *Page) parsed(ctx context.Context, doc *session.Document) *extract.File {
	f, err := doc.Parsed(ctx)
	if err != nil {
		p.cache.opts.LocalLog.Warn("parse", "err", err) // file and line anchors still resolve
	}
	return f
}

// resolveRecords resolves every anchor whose record names the document.
func (p *Page) resolveRecords(ctx context.Context, doc *session.Document) []Mark {
	return p.resolveHits(ctx, doc, p.View.Anchored(p.Rel))
}

// resolveHits resolves the anchors of some memories whose records name the document.
func (p *Page) resolveHits(ctx context.Context, doc *session.Document, hits []memory.Hit) []Mark {
	if len(hits) == 0 {
		return nil
	}
	f := p.parsed(ctx, doc)
	var marks []Mark
	for _, h := range hits {
		for i, a := range h.Memory.Anchors {
			if path.Clean(a.Path) == p.Rel {
				marks = append(marks, resolve(Mark{Hit: h, Index: i, Anchor: a}, f, doc))
			}
		}
	}
	return marks
}
