package lsp

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"manicule/lsp/folder"

	"go.lsp.dev/uri"

	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// resolveWait is how long the first answer about a document waits for its
// anchors: a person who has just opened it does not see that much.
const resolveWait = 250 * time.Millisecond

// markCache keeps the marks of open documents. Finding anchors may parse, hash
// and read old states of the files; it happens once for each text and each state
// of the memories.
type markCache struct {
	mu    sync.Mutex
	byURI map[uri.URI]*markEntry // guarded by mu
	open  func(uri.URI) bool     // whether the client has a document open now
}

// markEntry holds the marks of a document's base and of its newest version.
type markEntry struct {
	mu    sync.Mutex // held while computing, so that it is done once
	known basis      // what fixed is of
	fixed []mark
	doc   *session.Document // that moved is of
	moved []mark
	finds *basis // what is being looked for beside the requests, nil for nothing

	whole    atomic.Pointer[whole] // what applies to all of it
	cuts     atomic.Pointer[[]cut] // what the edits took away from it
	arrivals map[string]bool       // what was pasted into it from other documents, by memory and anchor

	carried   []mark            // where the edits before a save left the marks
	carriedTo *session.Document // the base that was saved then

	saving sync.Mutex
	saved  *session.Document // as it was before it was saved last; guarded by saving
}

// basis is what the marks of a base depend on.
type basis struct {
	base   *session.Document
	view   *memory.View
	gen    uint64 // of the view
	placed uint64 // of the folder
}

func (c *markCache) entry(u uri.URI) *markEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byURI == nil {
		c.byURI = make(map[uri.URI]*markEntry)
	}
	e, ok := c.byURI[u]
	if !ok {
		e = new(markEntry)
		if c.open(u) { // what is at work for one that was closed meanwhile keeps nothing of it
			c.byURI[u] = e
		}
	}
	return e
}

func (c *markCache) drop(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byURI, u)
}

// save notes a document as it is before it is saved: its edits say where marks
// went. It never waits for who computes.
func (c *markCache) save(doc *session.Document) {
	e := c.entry(doc.URI)
	e.saving.Lock()
	defer e.saving.Unlock()
	e.saved = doc
}

func (e *markEntry) takeSaved() *session.Document {
	e.saving.Lock()
	defer e.saving.Unlock()
	doc := e.saved
	e.saved = nil
	return doc
}

func (p *page) basis() basis {
	return basis{p.doc.Base(), p.view, p.view.Generation(), p.folder.PlacesVersion()}
}

// marks returns where the document's anchors are, with those whose code was just
// brought here from another one.
func (p *page) marks(ctx context.Context) []mark {
	own := p.own(ctx)
	if p.rev != "" || !p.doc.Open {
		return own
	}
	return p.withArrived(ctx, own)
}

// own returns the marks that the document had when it was saved, where they are now.
func (p *page) own(ctx context.Context) []mark {
	if p.rev != "" {
		return p.marksAt(ctx)
	}
	if !p.doc.Open {
		return p.find(ctx, p.doc)
	}
	e := p.server.marks.entry(p.doc.URI)
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := p.basis(); e.known != now {
		p.lookUp(ctx, e, now)
	}
	if e.doc != p.doc {
		e.moved = e.fixed
		if p.doc.Base() != p.doc {
			e.moved = p.carryAll(ctx, e.fixed, p.doc)
		}
		cuts := cutsOf(p.doc.Base(), e.fixed, e.moved)
		e.cuts.Store(&cuts)
		e.doc = p.doc
	}
	return e.moved
}

// lookUp finds the marks of a base, and gives up waiting for that after a
// moment: who comes then gets what was known before, or what the records say,
// and the client is told when there is more. e.mu is held.
func (p *page) lookUp(ctx context.Context, e *markEntry, now basis) {
	fresh := p.carryOver(ctx, e, now)
	if p.folder.Tracker == nil {
		p.keep(ctx, e, now, p.find(ctx, now.base), fresh)
		return
	}
	if e.finds != nil && *e.finds == now {
		p.makeDo(ctx, e, now)
		return
	}
	e.finds = &now
	found, done := []mark(nil), make(chan struct{})
	p.spawn(func(ctx context.Context) {
		defer close(done)
		found = p.find(ctx, now.base)
	})
	wait := time.NewTimer(p.opts.ResolveWait)
	defer wait.Stop()
	select {
	case <-done:
		p.keep(ctx, e, now, found, fresh)
		return
	case <-wait.C:
	case <-ctx.Done():
	}
	p.spawn(func(ctx context.Context) {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.finds != nil && *e.finds == now {
			p.keep(ctx, e, now, found, fresh)
			p.markStale()
		}
	})
	p.makeDo(ctx, e, now)
}

// carryOver carries the marks of the base before to a base that was saved from
// it. fresh says that nobody has done that yet. e.mu is held.
func (p *page) carryOver(ctx context.Context, e *markEntry, now basis) (fresh bool) {
	if e.known.base == now.base || e.carriedTo == now.base {
		return false
	}
	before := e.takeSaved()
	if before == nil || e.known.base == nil || before.Base() != e.known.base || !bytes.Equal(before.Text(), now.base.Text()) {
		return false
	}
	e.carried, e.carriedTo = p.carryAll(ctx, e.fixed, before), now.base
	return true
}

// keep takes over what was found, and tells the tracker what only the edits
// knew. e.mu is held.
func (p *page) keep(ctx context.Context, e *markEntry, now basis, found []mark, fresh bool) {
	e.known, e.finds, e.fixed = now, nil, found
	if e.carriedTo == now.base {
		var moves []follow.Move
		e.fixed, moves = p.settle(ctx, e.carried, found, now.base)
		if fresh && len(moves) > 0 && p.folder.Tracker != nil {
			p.spawn(func(ctx context.Context) { p.moved(ctx, p.folder, moves) })
		}
	} else {
		e.carried, e.carriedTo = nil, nil
	}
	e.doc, e.moved = now.base, e.fixed
	e.cuts.Store(nil)
}

// moved has the tracker keep what the files alone can't say.
func (r *request) moved(ctx context.Context, f *folder.Folder, moves []follow.Move) {
	for _, m := range moves {
		if err := f.Tracker.Moved(ctx, m); err != nil && ctx.Err() == nil {
			r.log.Warn("keep where code was moved in the editor", "root", f.Root, "file", m.Path, "err", err)
		}
	}
	f.RefreshSoon()
}

// makeDo answers from what is there while the anchors are looked for. e.mu is
// held.
func (p *page) makeDo(ctx context.Context, e *markEntry, now basis) {
	switch {
	case e.doc != nil && e.doc.Base() == now.base:
		return
	case e.carriedTo == now.base:
		e.fixed = e.carried
	default:
		e.fixed = p.resolveAll(ctx, now.base)
	}
	e.doc, e.moved = now.base, e.fixed
	e.cuts.Store(nil)
}
