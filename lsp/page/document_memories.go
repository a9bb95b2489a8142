package page

import (
	"iter"
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/memory"
	"manicule/memory/follow"
)

// DocumentMemories are the memories that apply to a document as a whole.
type DocumentMemories struct {
	Project int // how many more memories apply to the whole project

	key key    // its base is nil
	all []Mark // one for each memory, without a place, by relevance
}

// Len returns how many memories may apply to the document as a whole.
func (w *DocumentMemories) Len() int { return len(w.all) }

// DocumentMemories returns the memories that apply to the document as a whole. Those of
// an open document are cached until memories change: choosing among hundreds and
// sorting them is most of the cost of a hover or the lenses.
func (p *Page) DocumentMemories() *DocumentMemories {
	if p.Rev != "" || !p.Doc.Open {
		return p.resolver().documentMemories()
	}
	e, now := p.cache.entry(p.Doc.URI), p.key()
	now.base = nil
	if w := e.documentMemories.Load(); w != nil && w.key == now {
		return w
	}
	w := p.resolver().documentMemories()
	w.key = now
	e.documentMemories.Store(w)
	return w
}

func (r resolver) documentMemories() *DocumentMemories {
	w := new(DocumentMemories)
	for _, h := range r.view.ForPath(r.rel, false) {
		if h.Match >= memory.MatchScope {
			w.all = append(w.all, Mark{Hit: h, Resolution: anchoring.Resolution{State: anchor.Fresh}})
		} else if h.Match == memory.MatchProject {
			w.Project++
		}
	}
	return w
}

// Marks returns the marks of the memories that still apply to the page, and leaves out
// those whose code moved to other files. Requests share them: don't modify them.
func (w *DocumentMemories) Marks(p *Page) iter.Seq[*Mark] {
	r := p.resolver()
	return func(yield func(*Mark) bool) {
		for i := range w.all {
			m := &w.all[i]
			if m.Hit.Match == memory.MatchAnchor && r.movedAway(m.Hit) {
				continue
			}
			if !yield(m) {
				return
			}
		}
	}
}

// movedAway reports whether all anchors that a memory has in the document are now in
// other files. A memory with a scope applies by its scope, too.
func (r resolver) movedAway(h memory.Hit) bool {
	if r.folder.Tracker == nil || h.Memory.Scope != nil {
		return false
	}
	places := r.folder.Tracker.Of(h.Memory.UUID)
	return len(places) > 0 && !slices.ContainsFunc(places, func(at follow.Place) bool { return at.Path == r.rel })
}
