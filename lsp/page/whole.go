package page

import (
	"iter"
	"slices"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/follow"
)

// Whole is what applies to a document as a whole.
type Whole struct {
	Project int // how many more memories apply to the whole project

	key key    // without a base
	all []Mark // one for each memory, without a place, in recall's order
}

// Len is how many memories may apply to the document as a whole.
func (w *Whole) Len() int { return len(w.all) }

// Whole returns what applies to the document as a whole. An open document's is
// cached until memories change: to choose among hundreds of them and to sort them
// is most of what a hover or the lenses cost.
func (p *Page) Whole() *Whole {
	if p.Rev != "" || !p.Doc.Open {
		return p.chooseWhole()
	}
	e, now := p.cache.entry(p.Doc.URI), p.key()
	now.base = nil
	if w := e.whole.Load(); w != nil && w.key == now {
		return w
	}
	w := p.chooseWhole()
	w.key = now
	e.whole.Store(w)
	return w
}

func (p *Page) chooseWhole() *Whole {
	w := new(Whole)
	for _, h := range p.View.ForPath(p.Rel, false) {
		if h.Match >= memory.MatchScope {
			w.all = append(w.all, Mark{Hit: h, Resolution: anchor.Resolution{State: anchor.Fresh}})
		} else if h.Match == memory.MatchProject {
			w.Project++
		}
	}
	return w
}

// Marks are those of the memories that still apply to the page: the code of others
// went to other files meanwhile. Requests share them: they must not be written to.
func (w *Whole) Marks(p *Page) iter.Seq[*Mark] {
	return func(yield func(*Mark) bool) {
		for i := range w.all {
			m := &w.all[i]
			if m.Hit.Match == memory.MatchAnchor && p.left(m.Hit) {
				continue
			}
			if !yield(m) {
				return
			}
		}
	}
}

// left reports whether all anchors that a memory has in the document are now in
// other files. A memory with a scope applies by that, too.
func (p *Page) left(h memory.Hit) bool {
	if p.Folder.Tracker == nil || h.Memory.Scope != nil {
		return false
	}
	places := p.Folder.Tracker.Of(h.Memory.UUID)
	return len(places) > 0 && !slices.ContainsFunc(places, func(at follow.Place) bool { return at.Path == p.Rel })
}
