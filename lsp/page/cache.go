package page

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/uri"

	"manicule/lsp/folder"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// defaultResolveWait is how long the first request for a document waits for its
// anchors. A person who has just opened it does not notice.
const defaultResolveWait = 250 * time.Millisecond

// Options are what a Cache needs from its caller. Folders and IsOpen are required.
type Options struct {
	Folders *folder.Set
	// IsOpen reports whether the client has a document open now.
	IsOpen func(uri.URI) bool
	// Commit resolves a revision to a commit id in the repository of a root. nil: old
	// versions show no memories.
	Commit func(ctx context.Context, root, rev string) (string, error)
	// ResolveWait is how long a request waits for anchors that are being resolved.
	ResolveWait time.Duration
	// Spawn runs a task outside of the message loop.
	Spawn    func(task func(context.Context))
	Log      *slog.Logger // also sent to the client
	LocalLog *slog.Logger
	// Changed is called when a page has more to show than the last response had.
	Changed func()
}

// Cache opens pages and caches the marks of open documents. Resolving anchors may
// parse, hash and read old versions of the files. It happens once for each text and
// each state of the memories.
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
	inFlight *key // what is being resolved in the background, nil for nothing

	documentMemories atomic.Pointer[DocumentMemories] // memories of the whole document
	cuts             atomic.Pointer[[]cut]            // what the edits cut out
	pastes           map[string]bool                  // marks pasted from other documents, by memory and anchor
	impacts          atomic.Pointer[impacts]          // what the edits may make stale

	shifted   []Mark            // the marks as the edits before a save shifted them
	shiftedTo *session.Document // the base of that save

	saving sync.Mutex
	saved  *session.Document // the document before its last save; guarded by saving
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
		if c.opts.IsOpen(u) { // a task must not cache a document that was closed meanwhile
			c.byURI[u] = e
		}
	}
	return e
}

// Forget drops a document.
func (c *Cache) Forget(u uri.URI) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.byURI, u)
}

// BeforeSave records a document before it is saved, because its edits say where marks
// went. It never waits for a computation.
func (c *Cache) BeforeSave(doc *session.Document) {
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
	return key{p.Doc.Base(), p.View, p.View.Generation(), p.Folder.Anchors.PlacesVersion()}
}

// Marks returns the marks of the page, including those whose code was cut from
// another document and pasted here. Requests share them: don't modify them.
func (p *Page) Marks(ctx context.Context) []Mark {
	marks := p.FileMarks(ctx)
	if p.cell == nil {
		return marks
	}
	return slices.DeleteFunc(slices.Clone(marks), func(m Mark) bool { return !p.Shows(&m) })
}

// FileMarks is Marks for the whole file that the page may be a part of.
func (p *Page) FileMarks(ctx context.Context) []Mark {
	own := p.ownMarks(ctx)
	if p.Rev != "" || !p.Doc.Open {
		return own
	}
	return p.withPasted(ctx, own)
}

// ownMarks returns the marks that the document had when it was saved, at their present
// places.
func (p *Page) ownMarks(ctx context.Context) []Mark {
	if p.Rev != "" {
		return p.revisionMarks(ctx)
	}
	if !p.Doc.Open {
		return p.resolver().resolveAll(ctx, p.Doc)
	}
	e := p.cache.entry(p.Doc.URI)
	e.mu.Lock()
	defer e.mu.Unlock()
	r := p.resolver()
	if now := p.key(); e.key != now {
		e.resolveBase(ctx, r, &p.cache.opts, now)
	}
	if e.doc != p.Doc {
		e.current = e.base
		if p.Doc.Base() != p.Doc {
			e.current = r.shiftAll(ctx, e.base, p.Doc)
		}
		cuts := cutsOf(p.Doc.Base(), e.base, e.current)
		e.cuts.Store(&cuts)
		e.doc = p.Doc
	}
	return e.current
}

// resolveBase resolves the marks of a base, but waits only for ResolveWait. After that,
// responses have the previous marks, or those of the records, and the client is
// notified when the marks are resolved. e.mu is held.
func (e *entry) resolveBase(ctx context.Context, r resolver, o *Options, now key) {
	fresh := e.shiftSaved(ctx, r, now)
	if r.folder.Tracker == nil {
		e.store(ctx, r, o, now, r.resolveAll(ctx, now.base), fresh)
		return
	}
	if e.inFlight != nil && *e.inFlight == now {
		e.useProvisional(ctx, r, now)
		return
	}
	e.inFlight = &now
	found, done := []Mark(nil), make(chan struct{})
	opened := e.key.base == nil
	o.Spawn(func(ctx context.Context) {
		defer close(done)
		if opened {
			r.catchUp(ctx, o.ResolveWait/2)
		}
		found = r.resolveAll(ctx, now.base)
	})
	wait := time.NewTimer(o.ResolveWait)
	defer wait.Stop()
	select {
	case <-done:
		e.store(ctx, r, o, now, found, fresh)
		return
	case <-wait.C:
	case <-ctx.Done():
	}
	o.Spawn(func(ctx context.Context) {
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.inFlight != nil && *e.inFlight == now {
			e.store(ctx, r, o, now, found, fresh)
			o.Changed()
		}
	})
	e.useProvisional(ctx, r, now)
}

// shiftSaved shifts the marks of the previous base to the base that was saved from it.
// fresh says that it was the first call for this save. e.mu is held.
func (e *entry) shiftSaved(ctx context.Context, r resolver, now key) (fresh bool) {
	if e.key.base == now.base || e.shiftedTo == now.base {
		return false
	}
	before := e.takeSaved()
	if before == nil || e.key.base == nil || before.Base() != e.key.base || !bytes.Equal(before.Text(), now.base.Text()) {
		return false
	}
	e.shifted, e.shiftedTo = r.shiftAll(ctx, e.base, before), now.base
	return true
}

// store stores resolved marks, and tells the tracker about moves that only the edits
// show. e.mu is held.
func (e *entry) store(ctx context.Context, r resolver, o *Options, now key, found []Mark, fresh bool) {
	e.key, e.inFlight, e.base = now, nil, found
	if e.shiftedTo == now.base {
		var moves []follow.EditorMove
		e.base, moves = r.reconcile(ctx, e.shifted, found, now.base)
		if fresh && len(moves) > 0 && r.folder.Tracker != nil {
			o.Spawn(func(ctx context.Context) { r.folder.Anchors.Moved(ctx, moves) })
		}
	} else {
		e.shifted, e.shiftedTo = nil, nil
	}
	e.doc, e.current = now.base, e.base
	e.cuts.Store(nil)
}

// useProvisional uses the best known marks while the anchors are being resolved. e.mu
// is held.
func (e *entry) useProvisional(ctx context.Context, r resolver, now key) {
	switch {
	case e.doc != nil && e.doc.Base() == now.base:
		return
	case e.shiftedTo == now.base:
		e.base = e.shifted
	default:
		e.base = r.resolveRecords(ctx, now.base)
	}
	e.doc, e.current = now.base, e.base
	e.cuts.Store(nil)
}
