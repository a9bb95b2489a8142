package search

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/retrieve"
)

// corpus is the set of memories that one question may find.
type corpus struct {
	list     *viewIndex
	fetch    func(id string) (memory.Hit, bool) // used without a list
	hits     map[string]memory.Hit
	ids      []string
	narrowed bool // a filter excluded something
	canWait  bool // the caller can wait until new memories have vectors
	uses     map[string]int
	history  History
}

// corpus returns the memories that pass a filter. Superseded ones never do.
func (s *Searcher) corpus(ctx context.Context, f Filter) (*corpus, error) {
	w := s.o.Workspace
	l := s.currentIndex()
	c := &corpus{list: l, hits: l.hits, ids: l.ids}
	if f.any() {
		s.narrow(c, f)
	}
	var err error
	if c.uses, err = w.State().Usage().Accesses(ctx); err != nil {
		return nil, fmt.Errorf("read how often memories were used: %w", err)
	}
	c.history = s.o.History
	return c, nil
}

// any reports whether a filter may exclude something.
func (f Filter) any() bool {
	return len(f.Types)+len(f.Files)+len(f.Modules)+len(f.Tags) > 0 || f.Allow != nil || f.selects()
}

// narrow removes from a corpus what does not pass a filter.
func (s *Searcher) narrow(c *corpus, f Filter) {
	w := s.o.Workspace
	var applies map[string]bool
	if len(f.Files) > 0 {
		applies = map[string]bool{}
		for _, p := range f.Files {
			asked, ok := memory.Ask(w.Place(), p)
			if !ok {
				continue
			}
			for _, h := range c.list.view.ForPath(asked.Path, asked.IsDir) {
				if asked.About(h) {
					applies[h.Memory.UUID] = true
				}
			}
		}
	}
	c.hits, c.ids, c.narrowed = map[string]memory.Hit{}, nil, true
	now := w.Now()
	for _, h := range c.list.all {
		m := h.Memory
		if applies != nil && !applies[m.UUID] || len(f.Types) > 0 && !slices.Contains(f.Types, m.Type) || !within(filesOf(h), f.Modules) || !f.Passes(h, now) || f.Allow != nil && !f.Allow(m) {
			continue
		}
		c.hits[m.UUID] = h
		c.ids = append(c.ids, m.UUID)
	}
}

func within(files, modules []string) bool {
	if len(modules) == 0 {
		return true
	}
	for _, m := range modules {
		m = strings.Trim(m, "/")
		for _, f := range files {
			if m == "" || m == "." || f == m || strings.HasPrefix(f, m+"/") {
				return true
			}
		}
	}
	return false
}

func (c *corpus) words(ctx context.Context, w *memory.Workspace, text string, limit int) ([]retrieve.Ranked, error) {
	ask := limit
	if c.narrowed {
		ask = max(limit, len(c.list.hits)) // those that pass may rank last
	}
	found, err := w.Recaller().Ranked(ctx, text, ask)
	if err != nil {
		return nil, err
	}
	var out []retrieve.Ranked
	for _, r := range found {
		if _, ok := c.hit(r.UUID); ok && len(out) < limit {
			out = append(out, retrieve.Ranked{ID: r.UUID, Score: r.Score})
		}
	}
	return out, nil
}

// wordsInIndex is words without a list: the memories come with their ranks.
func (c *corpus) wordsInIndex(ctx context.Context, w *memory.Workspace, text string, limit int) ([]retrieve.Ranked, error) {
	hits, err := w.Recaller().Search(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	out := make([]retrieve.Ranked, 0, len(hits))
	for _, h := range hits {
		c.hits[h.Memory.UUID] = h
		out = append(out, retrieve.Ranked{ID: h.Memory.UUID, Score: h.Score})
	}
	return out, nil
}

// hit returns a memory that may be in the answer.
func (c *corpus) hit(id string) (memory.Hit, bool) {
	h, ok := c.hits[id]
	if !ok && c.fetch != nil {
		if h, ok = c.fetch(id); ok {
			c.hits[id] = h
		}
	}
	return h, ok
}

// item describes a memory to the pipeline.
func (c *corpus) item(id string) (retrieve.Item, bool) {
	h, ok := c.hit(id)
	if !ok {
		return retrieve.Item{}, false
	}
	m := h.Memory
	it := retrieve.Item{
		Type: m.Type, Text: embed.MemoryText(m), Files: filesOf(h), Origin: m.Trust.Origin,
		Created: m.UpdatedAt.Time, Anchored: len(m.Anchors) > 0, Volatility: -1,
	}
	if v := m.Trust.VerifiedAt; v != nil && v.After(it.Created) {
		it.Created = v.Time
	}
	it.Uses = c.uses[id]
	c.describe(&it, &h)
	it.Confidence, it.Doubts = h.Confidence(), h.Doubts()
	return it, true
}

// describe adds facts from the history.
func (c *corpus) describe(it *retrieve.Item, h *memory.Hit) {
	if c.history == nil || len(it.Files) == 0 {
		return
	}
	for _, f := range it.Files {
		it.Volatility = max(it.Volatility, c.history.Volatility(f))
		if t := c.history.Modified(f); !t.IsZero() {
			it.Newer = max(it.Newer, t.Sub(it.Created))
		}
	}
	h.Use.Changed = ChangedShare(c.history, *h)
}

// ChangedShare is the share of a memory's files that changed since the commit that it was written
// at.
func ChangedShare(history History, h memory.Hit) float64 {
	p, files := h.Memory.Provenance, filesOf(h)
	if p == nil || p.Commit == nil || len(files) == 0 {
		return 0
	}
	changed := 0
	for _, f := range files {
		if history.ChangedSince(*p.Commit, f) {
			changed++
		}
	}
	return float64(changed) / float64(len(files))
}

// filesOf returns the files and folders that a memory is about, at the current places of its
// anchors.
func filesOf(h memory.Hit) []string {
	var out []string
	add := func(p string) {
		if p = strings.Trim(p, "/"); p != "" && p != "." && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	for i, a := range h.Memory.Anchors {
		if i < len(h.Places) && h.Places[i].Path != "" {
			add(h.Places[i].Path)
		} else {
			add(a.Path)
		}
	}
	for _, s := range h.Memory.Scope {
		if !strings.HasPrefix(s, "!") {
			add(embed.Literal(s))
		}
	}
	return out
}
