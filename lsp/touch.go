package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"manicule/lsp/render"
	"manicule/lsp/settings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/graph"
	"manicule/lsp/session"
	"manicule/memory"
)

// touchDepth is how many edges of the code graph an edit is followed to memories
// of what depends on it.
const touchDepth = 2

// touching finds, while a person types, which memories an edit that is not saved
// would make stale: those on the code that changed, and those on what depends on
// it. It works when typing rests, one text at a time, and gives up on a text that
// changed again.
type touching struct {
	server *server
	wake   chan struct{}

	mu     sync.Mutex
	due    map[uri.URI]bool               // guarded by mu
	timers map[uri.URI]*time.Timer        // guarded by mu
	cancel map[uri.URI]context.CancelFunc // of what is being computed; guarded by mu
	found  map[uri.URI]*touched           // guarded by mu
}

// touched is what the edits of a document since its base change.
type touched struct {
	base  *session.Document
	edits []touch
}

// touch is one declaration, or lines, with what hangs on them.
type touch struct {
	at     span   // in the base, of the name
	around span   // in the base, of the whole
	symbol string // "" for lines
	own    []memory.Hit
	below  []dependent
}

// dependent is a memory of code that depends on what changed.
type dependent struct {
	hit    memory.Hit
	place  string // the symbol's path, with its file where that is another
	direct bool
}

func newTouching(s *server) *touching {
	return &touching{
		server: s, wake: make(chan struct{}, 1), due: make(map[uri.URI]bool), timers: make(map[uri.URI]*time.Timer), cancel: make(map[uri.URI]context.CancelFunc), found: make(map[uri.URI]*touched),
	}
}

// soon has a document looked at when typing rests.
func (t *touching) soon(u uri.URI) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if cancel, ok := t.cancel[u]; ok {
		cancel()
		delete(t.cancel, u)
	}
	if timer, ok := t.timers[u]; ok {
		timer.Reset(t.server.opts.Settle)
		return
	}
	t.timers[u] = time.AfterFunc(t.server.opts.Settle, func() { t.now(u) })
}

func (t *touching) now(u uri.URI) {
	t.mu.Lock()
	t.due[u] = true
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// run looks at documents until ctx ends.
func (t *touching) run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			t.stop()
			return
		case <-t.wake:
		}
		t.mu.Lock()
		uris := slices.Sorted(maps.Keys(t.due))
		clear(t.due)
		t.mu.Unlock()
		for _, u := range uris {
			t.look(ctx, u)
		}
	}
}

// forget drops what is known of a document: it was saved or closed.
func (t *touching) forget(u uri.URI) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if timer, ok := t.timers[u]; ok {
		timer.Stop()
		delete(t.timers, u)
	}
	if cancel, ok := t.cancel[u]; ok {
		cancel()
		delete(t.cancel, u)
	}
	delete(t.found, u)
}

func (t *touching) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, timer := range t.timers {
		timer.Stop()
	}
}

func (t *touching) of(doc *session.Document) *touched {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found := t.found[doc.URI]; found != nil && found.base == doc.Base() {
		return found
	}
	return nil
}

// look computes what a document's edits touch, and publishes when that is
// something else than before.
func (t *touching) look(ctx context.Context, u uri.URI) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	t.mu.Lock()
	if _, wanted := t.timers[u]; !wanted {
		t.mu.Unlock()
		return
	}
	t.cancel[u] = cancel
	before := t.found[u]
	t.mu.Unlock()
	s := t.server
	r := &request{server: s, snap: s.session.Snapshot(), settings: s.settings.Load()}
	doc, open := r.snap.Get(u)
	if !open {
		return
	}
	begin := s.opts.Now()
	now := &touched{base: doc.Base()}
	if pg, ok := r.page(ctx, u); ok && doc.Base() != doc && pg.rev == "" {
		now.edits = pg.touches(ctx)
	}
	if ctx.Err() != nil {
		return
	}
	s.opts.Log.Debug("what an edit touches", "file", doc.Path, "declarations", len(now.edits), "took", s.opts.Now().Sub(begin))
	t.mu.Lock()
	_, wanted := t.timers[u]
	if wanted { // else it was saved or closed meanwhile
		t.found[u] = now
	}
	t.mu.Unlock()
	if !wanted {
		return
	}
	if len(now.edits) > 0 || before != nil && len(before.edits) > 0 {
		s.diags.now(u)
		if s.client.Capabilities.PullDiagnostics && s.client.Capabilities.DiagnosticRefresh {
			s.spawn(func(ctx context.Context) { s.ask(ctx, "workspace/diagnostic/refresh", s.client.Conn.DiagnosticRefresh) })
		}
	}
}

// touches compares the document with its base.
func (p *page) touches(ctx context.Context) []touch {
	base := p.doc.Base()
	was, is := p.parsed(ctx, base), p.parsed(ctx, p.doc)
	var out []touch
	marks := p.server.marksOfBase(p)
	if was != nil && is != nil {
		for _, sym := range p.changed(ctx, was, is) {
			t := touch{at: span{sym.NameStart, sym.NameEnd}, around: span{sym.Start, sym.End}, symbol: sym.Path}
			for _, m := range marks {
				if m.symbol != "" && m.found && m.body == t.around {
					t.own = appendHit(t.own, m.hit)
				}
			}
			t.below = p.dependents(ctx, sym)
			if len(t.own)+len(t.below) > 0 {
				out = append(out, t)
			}
		}
	}
	return append(out, p.touchedLines(marks)...)
}

// marksOfBase returns the marks that were found in a page's base, nothing while
// they are looked for.
func (s *server) marksOfBase(p *page) []mark {
	e := s.marks.entry(p.doc.URI)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.known.base != p.doc.Base() {
		return nil
	}
	return e.fixed
}

func appendHit(hits []memory.Hit, h memory.Hit) []memory.Hit {
	if slices.ContainsFunc(hits, func(o memory.Hit) bool { return o.Memory.UUID == h.Memory.UUID }) {
		return hits
	}
	return append(hits, h)
}

// changed returns the declarations of the base that the edits changed, innermost
// ones: white space and comments are no change.
func (p *page) changed(ctx context.Context, was, is *extract.File) []extract.Symbol {
	base := p.doc.Base()
	seen := make(map[span]bool)
	var out []extract.Symbol
	for _, at := range p.doc.Edited() {
		sym, ok := was.At(at.Start)
		key := span{sym.Start, sym.End}
		if !ok || seen[key] {
			continue
		}
		seen[key] = true
		if !same(ctx, was, base.Text(), key, is, p.doc) {
			out = append(out, sym)
		}
	}
	slices.SortFunc(out, func(a, b extract.Symbol) int { return a.Start - b.Start })
	return out
}

// same reports whether a span of the base has the same tokens in the document.
func same(ctx context.Context, was *extract.File, text []byte, at span, is *extract.File, doc *session.Document) bool {
	now, ok := moveSpan(doc, at)
	if !ok {
		return false
	}
	a, err := was.TokenHash(ctx, text, extract.Span{Start: at.start, End: at.end})
	if err != nil {
		return true // who can't tell says nothing
	}
	b, err := is.TokenHash(ctx, doc.Text(), extract.Span{Start: now.start, End: now.end})
	return err != nil || a == b
}

// touchedLines are the cited lines that the edits changed in more than their
// white space.
func (p *page) touchedLines(marks []mark) []touch {
	words := func(text []byte, s span) string {
		return strings.Join(strings.Fields(string(text[s.start:s.end])), " ")
	}
	var out []touch
	for _, m := range marks {
		if !m.found || m.anchor.Kind != anchor.KindLines {
			continue
		}
		now, ok := moveSpan(p.doc, m.body)
		if ok && words(p.doc.Base().Text(), m.body) == words(p.doc.Text(), now) {
			continue
		}
		out = append(out, touch{at: m.body, around: m.body, own: []memory.Hit{m.hit}})
	}
	return out
}

// dependents returns the memories of what depends on a declaration of the base,
// as far as the code graph is ready: nobody waits for it while typing.
func (p *page) dependents(ctx context.Context, sym extract.Symbol) []dependent {
	if p.folder.Code == nil || !p.folder.Indexed() || ctx.Err() != nil {
		return nil
	}
	var out []dependent
	// Who depends on a declaration by its name is seen in the text that had the
	// name: so this document stands in the graph as it was saved.
	err := p.folder.WithGraph(ctx, p.snap, p.doc.URI, func(g *graph.Graph) error {
		of := g.Find(p.rel, sym.Path)
		if len(of) == 0 {
			return nil
		}
		for _, a := range g.Impact(of, touchDepth).Affected {
			if a.File == p.rel && a.Symbol == sym.Path {
				continue
			}
			for _, h := range p.on(a.File, a.Symbol) {
				place := a.Symbol
				if a.File != p.rel {
					place = a.File + "#" + a.Symbol
				}
				if !slices.ContainsFunc(out, func(o dependent) bool { return o.hit.Memory.UUID == h.Memory.UUID }) {
					out = append(out, dependent{h, place, a.Distance == 1})
				}
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		p.opts.Log.Debug("who depends on an edit", "err", err)
	}
	return out
}

// on returns the memories that are anchored to a symbol of a file now.
func (p *page) on(file, symbol string) []memory.Hit {
	var out []memory.Hit
	if p.folder.Tracker != nil {
		for _, at := range p.folder.Tracker.In(file) {
			if h, ok := p.view.Get(at.Memory); ok && at.Anchor.Declared() && at.Symbol == symbol && at.State != anchor.Orphaned {
				out = appendHit(out, h)
			}
		}
		return out
	}
	for _, h := range p.view.Anchored(file) {
		for _, a := range h.Memory.Anchors {
			if a.Declared() && a.Symbol == symbol && filepath.ToSlash(filepath.Clean(a.Path)) == file {
				out = appendHit(out, h)
			}
		}
	}
	return out
}

// touching are the hints about what the edits touch.
func (p *page) touching() []protocol.Diagnostic {
	if p.doc.Base() == p.doc || p.settings.DriftedSeverity == settings.Off {
		return nil
	}
	found := p.server.touched.of(p.doc)
	if found == nil {
		return nil
	}
	var out []protocol.Diagnostic
	for _, t := range found.edits {
		at, ok := p.nowAt(t)
		if !ok {
			continue
		}
		uuids := []string{}
		for _, h := range t.own {
			uuids = append(uuids, h.Memory.UUID)
		}
		for _, d := range t.below {
			uuids = append(uuids, d.hit.Memory.UUID)
		}
		data, err := rawArgs(map[string][]string{"uuids": uuids})
		if err != nil {
			continue
		}
		out = append(out, protocol.Diagnostic{
			Range: p.doc.Lines.Range(at.start, at.end, p.snap.Encoding), Severity: protocol.DiagnosticSeverityHint, Code: protocol.String("touched"),
			Source: protocol.NewOptional(source), Message: protocol.String(t.text()), Data: data[0],
		})
	}
	return out
}

// touchedBy says what the edits do to the code of a mark, "" for nothing.
func (p *page) touchedBy(m *mark) string {
	found := p.server.touched.of(p.doc)
	if found == nil || p.doc.Base() == p.doc {
		return ""
	}
	for _, t := range found.edits {
		if around, ok := moveSpan(p.doc, t.around); ok && around == m.body {
			return t.text()
		}
	}
	return ""
}

// nowAt is where a touch of the base is in the document: at its name, where the
// declaration begins if that was replaced, where it was if it was deleted.
func (p *page) nowAt(t touch) (span, bool) {
	if at, ok := moveSpan(p.doc, t.at); ok {
		return at, true
	}
	if around, ok := moveSpan(p.doc, t.around); ok {
		line := p.doc.Lines.Line(around.start)
		return span{around.start, min(around.end, p.doc.Lines.End(line))}, true
	}
	return span{}, false
}

// text says what an edit touches, without a memory's own text.
func (t touch) text() string {
	var parts []string
	if len(t.own) > 0 {
		parts = append(parts, "this edit may make "+kindsOfHits(t.own)+" here stale")
	}
	if len(t.below) > 0 {
		hits := make([]memory.Hit, len(t.below))
		var places []string
		for i, d := range t.below {
			hits[i] = d.hit
			if !slices.Contains(places, d.place) {
				places = append(places, d.place)
			}
		}
		where := places[0]
		how := "which depends on it"
		if len(places) > 1 {
			where, how = render.Plural(len(places), "place"), "which depend on it"
			where += " (" + strings.Join(places[:min(len(places), 3)], ", ") + ")"
		}
		parts = append(parts, "this edit touches "+kindsOfHits(hits)+" on "+where+", "+how)
	}
	return strings.Join(parts, "; ")
}

func kindsOfHits(hits []memory.Hit) string {
	marks := make([]mark, len(hits))
	for i, h := range hits {
		marks[i].hit = h
	}
	return kindsOf(marks)
}
