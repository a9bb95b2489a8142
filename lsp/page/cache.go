package page

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/uri"

	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// defaultResolveWait is how long the first answer about a document waits for its
// anchors: a person who has just opened it does not notice.
const defaultResolveWait = 250 * time.Millisecond

// Options are what a Cache needs from above. Folders and IsOpen are needed.
type Options struct {
	Folders *folder.Set
	// IsOpen reports whether the client has a document open now.
	IsOpen func(uri.URI) bool
	// Commit returns the id of the commit that a revision names in the repository
	// of a root. Without it no old versions are shown.
	Commit func(ctx context.Context, root, rev string) (string, error)
	// ResolveWait is how long an answer waits for anchors that are being resolved.
	ResolveWait time.Duration
	// Spawn runs a task beside the message loop.
	Spawn    func(task func(context.Context))
	Log      *slog.Logger // the client shows it too
	LocalLog *slog.Logger
	// Changed is called when a page has more to show than an answer had.
	Changed func()
}

// Cache opens pages and keeps the marks of open documents. Resolving anchors
// may parse, hash and read old states of the files. It happens once for each text
// and each state of the memories.
type Cache struct {
	opts  Options
	mu    sync.Mutex
	byURI map[uri.URI]*entry // guarded by mu
}

// New returns an empty cache.
func New(o Options) *Cache {
	if o.ResolveWait == 0 {
		o.ResolveWait = defaultResolveWait
	}
	if o.Spawn == nil {
		o.Spawn = func(task func(context.Context)) { go task(context.Background()) }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.LocalLog == nil {
		o.LocalLog = o.Log
	}
	if o.Changed == nil {
		o.Changed = func() {}
	}
	return &Cache{opts: o, byURI: make(map[uri.URI]*entry)}
}

// entry holds the marks of a document's base and of its newest version.
type entry struct {
	mu       sync.Mutex // held while computing, so that it is done once
	key      key        // of base
	base     []Mark
	doc      *session.Document // of current
	current  []Mark
	inFlight *key // what is being resolved beside the requests, nil for nothing

	whole   atomic.Pointer[Whole]   // what applies to the whole document
	cuts    atomic.Pointer[[]cut]   // what the edits cut out
	pastes  map[string]bool         // what was pasted from other documents, by memory and anchor
	impacts atomic.Pointer[impacts] // what the edits may make stale

	shifted   []Mark            // where the edits before a save left the marks
	shiftedTo *session.Document // the base that was saved then

	saving sync.Mutex
	saved  *session.Document // as it was before it was saved last; guarded by saving
}

// key is what the marks of a base depend on.
type key struct {
	base   *session.Document
	view   *memory.View
	gen    uint64 // of the view
	placed uint64 // of the folder
}

func (c *Cache) entry(u uri.URI) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byURI[u]
	if !ok {
		e = new(entry)
		if c.opts.IsOpen(u) { // a task for a document that was closed meanwhile leaves nothing behind
			c.byURI[u] = e
		}
	}
	return e
}

// Closed forgets a document.
func (c *Cache) Closed(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byURI, u)
}

// Saving notes a document as it is before it is saved: its edits say where marks
// went. It never waits for a computation.
func (c *Cache) Saving(doc *session.Document) {
	e := c.entry(doc.URI)
	e.saving.Lock()
	defer e.saving.Unlock()
	e.saved = doc
}

func (e *entry) takeSaved() *session.Document {
	e.saving.Lock()
	defer e.saving.Unlock()
	doc := e.saved
	e.saved = nil
	return doc
}

func (p *Page) key() key {
	return key{p.Doc.Base(), p.View, p.View.Generation(), p.Folder.PlacesVersion()}
}

// Marks returns where the document's anchors are, with those whose code was just
// cut from another document and pasted here. Requests share them: they must not be
// written to.
func (p *Page) Marks(ctx context.Context) []Mark {
	own := p.own(ctx)
	if p.Rev != "" || !p.Doc.Open {
		return own
	}
	return p.withPasted(ctx, own)
}

// own returns the marks that the document had when it was saved, where they are now.
func (p *Page) own(ctx context.Context) []Mark {
	if p.Rev != "" {
		return p.revisionMarks(ctx)
	}
	if !p.Doc.Open {
		return p.resolveAll(ctx, p.Doc)
	}
	e := p.cache.entry(p.Doc.URI)
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := p.key(); e.key != now {
		p.resolveBase(ctx, e, now)
	}
	if e.doc != p.Doc {
		e.current = e.base
		if p.Doc.Base() != p.Doc {
			e.current = p.shiftAll(ctx, e.base, p.Doc)
		}
		cuts := cutsOf(p.Doc.Base(), e.base, e.current)
		e.cuts.Store(&cuts)
		e.doc = p.Doc
	}
	return e.current
}

// resolveBase resolves the marks of a base, and stops waiting for that after a
// moment. Answers then show what was known before, or what the records say, and
// the client is notified when there is more. e.mu is held.
func (p *Page) resolveBase(ctx context.Context, e *entry, now key) {
	fresh := p.shiftSaved(ctx, e, now)
	if p.Folder.Tracker == nil {
		p.store(ctx, e, now, p.resolveAll(ctx, now.base), fresh)
		return
	}
	if e.inFlight != nil && *e.inFlight == now {
		p.provisional(ctx, e, now)
		return
	}
	e.inFlight = &now
	found, done := []Mark(nil), make(chan struct{})
	p.cache.opts.Spawn(func(ctx context.Context) {
		defer close(done)
		found = p.resolveAll(ctx, now.base)
	})
	wait := time.NewTimer(p.cache.opts.ResolveWait)
	defer wait.Stop()
	select {
	case <-done:
		p.store(ctx, e, now, found, fresh)
		return
	case <-wait.C:
	case <-ctx.Done():
	}
	p.cache.opts.Spawn(func(ctx context.Context) {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.inFlight != nil && *e.inFlight == now {
			p.store(ctx, e, now, found, fresh)
			p.cache.opts.Changed()
		}
	})
	p.provisional(ctx, e, now)
}

// shiftSaved shifts the marks of the previous base to the base that was saved from
// it. fresh says that this was not done before. e.mu is held.
func (p *Page) shiftSaved(ctx context.Context, e *entry, now key) (fresh bool) {
	if e.key.base == now.base || e.shiftedTo == now.base {
		return false
	}
	before := e.takeSaved()
	if before == nil || e.key.base == nil || before.Base() != e.key.base || !bytes.Equal(before.Text(), now.base.Text()) {
		return false
	}
	e.shifted, e.shiftedTo = p.shiftAll(ctx, e.base, before), now.base
	return true
}

// store takes over what was found, and tells the tracker what only the edits
// knew. e.mu is held.
func (p *Page) store(ctx context.Context, e *entry, now key, found []Mark, fresh bool) {
	e.key, e.inFlight, e.base = now, nil, found
	if e.shiftedTo == now.base {
		var moves []follow.EditorMove
		e.base, moves = p.reconcile(ctx, e.shifted, found, now.base)
		if fresh && len(moves) > 0 && p.Folder.Tracker != nil {
			p.cache.opts.Spawn(func(ctx context.Context) { p.Folder.Moved(ctx, moves) })
		}
	} else {
		e.shifted, e.shiftedTo = nil, nil
	}
	e.doc, e.current = now.base, e.base
	e.cuts.Store(nil)
}

// provisional takes what is there while the anchors are being resolved. e.mu is
// held.
func (p *Page) provisional(ctx context.Context, e *entry, now key) {
	switch {
	case e.doc != nil && e.doc.Base() == now.base:
		return
	case e.shiftedTo == now.base:
		e.base = e.shifted
	default:
		e.base = p.resolveRecords(ctx, now.base)
	}
	e.doc, e.current = now.base, e.base
	e.cuts.Store(nil)
}
