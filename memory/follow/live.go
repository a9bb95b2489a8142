package follow

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/gitinfo"
	"manicule/memory/store"
)

// maxLive is how many files ResolveText keeps parsed.
const maxLive = 64

// liveFiles holds what ResolveText compares open buffers with.
type liveFiles struct {
	mu     sync.Mutex
	byPath map[string]*liveFile // guarded by mu
}

// liveFile is one file as its anchors knew it.
type liveFile struct {
	mu      sync.Mutex // one text at a time
	anchors []liveAnchor
	keys    string
}

// liveAnchor is an anchor with the file that its record, or where it was
// followed to, was made in.
type liveAnchor struct {
	place  Place
	record anchor.Anchor
	old    *anchor.Source // nil when git does not have it
	seen   bool           // place is what an editor saw
}

// ResolveText finds the anchors of a file in a text of it, which need not be saved
// (see [Text]). It writes nothing and reads nothing that was not read for an
// earlier text, so that it may be asked at each keystroke. An anchor that was followed into this
// file is held to what it was there when it was last looked for.
//
// An anchor that is not in the text is orphaned, without a suggestion: whether
// it went to another file is Refresh's to say, once the buffer is saved.
func (t *Tracker) ResolveText(ctx context.Context, now *anchor.Source) ([]LiveAnchor, error) {
	file := now.Path
	f, err := t.liveFile(ctx, file)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	worlds := map[*anchor.Source]*anchor.World{}
	out := make([]LiveAnchor, 0, len(f.anchors))
	for _, l := range f.anchors {
		w := worlds[l.old]
		if w == nil {
			w = worldOf(l.old, now)
			worlds[l.old] = w
		}
		r := w.Resolve(l.record)
		followed := l.seen || l.place.Path != path.Clean(l.place.Anchor.Path)
		if followed && l.place.State == anchor.Followed && r.State == anchor.Fresh {
			r.State, r.Reason, r.Confidence = anchor.Followed, l.place.Reason, l.place.Confidence
		}
		if l.place.State == anchor.Orphaned && r.State == anchor.Followed && t.isRejected(l.place.Key, r.Path, r.Symbol) {
			r = anchor.Resolution{State: anchor.Orphaned, Reason: l.place.Reason, Path: r.Path, Rung: anchor.RungNone, Line: 1, EndLine: 1}
		}
		out = append(out, LiveAnchor{Memory: l.place.Memory, Index: l.place.Index, Anchor: l.place.Anchor, Resolution: r})
	}
	return out, nil
}

// Text is a text of a file, as an editor has it. Parse is how that is parsed with
// extract.Read, where its caller has it at hand; it may be nil.
func Text(file string, text []byte, parse func() (*extract.File, *extract.Tree)) *anchor.Source {
	lang, blob := language(file), gitinfo.Blob(text)
	if parse == nil {
		return anchor.TextSource(file, lang, blob, text)
	}
	return anchor.ParsedSource(file, lang, blob, text, parse)
}

// worldOf is a tree of one file.
func worldOf(old, now *anchor.Source) *anchor.World {
	at := func(s *anchor.Source) func(string) *anchor.Source {
		return func(path string) *anchor.Source {
			if s == nil || s.Path != path {
				return nil
			}
			return s
		}
	}
	return &anchor.World{New: at(now), Old: at(old)}
}

// Release forgets what ResolveText keeps of a file. An editor calls it when the
// file is closed.
func (t *Tracker) Release(file string) {
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	delete(t.live.byPath, file)
}

func (t *Tracker) liveFile(ctx context.Context, file string) (*liveFile, error) {
	places := t.anchorsFor(file)
	keys := ""
	for _, p := range places {
		keys += fmt.Sprintf("%s/%d/%s/%s/%s/%d\n", p.Memory, p.Index, p.Key, p.State, p.Path, p.Line)
	}
	t.live.mu.Lock()
	f := t.live.byPath[file]
	t.live.mu.Unlock()
	if f != nil && f.keys == keys {
		return f, nil
	}
	now, err := t.working(ctx)
	if err != nil {
		return nil, err
	}
	moves, err := t.w.State().Moved(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what editors saw: %w", err)
	}
	f = &liveFile{keys: keys}
	s := newSolver(progressOf(ctx), t.repo, t.head(), now)
	places, seen := t.applyMoves(places, moves, file, now)
	for _, p := range places {
		f.anchors = append(f.anchors, s.liveAnchor(ctx, p, file, seen[[2]string{p.Memory, p.Key}]))
	}
	t.live.mu.Lock()
	defer t.live.mu.Unlock()
	if t.live.byPath == nil || len(t.live.byPath) >= maxLive {
		t.live.byPath = map[string]*liveFile{}
	}
	t.live.byPath[file] = f
	return f, nil
}

// applyMoves puts the anchors of a file, and those of others, where editors saw
// them go in the file as it is, given what they saw, the newest first. seen has
// their memories and keys.
func (t *Tracker) applyMoves(places []Place, moves []store.Receipt, file string, now *working) (all []Place, seen map[[2]string]bool) {
	seen = map[[2]string]bool{}
	for _, r := range moves {
		id := [2]string{r.Memory, r.Anchor}
		if seen[id] || r.Place.Path != file || r.Blob != now.Blob(file) {
			continue
		}
		i := slices.IndexFunc(places, func(p Place) bool { return p.Memory == r.Memory && p.Key == r.Anchor })
		if i < 0 {
			p, ok := t.anchored(r)
			if !ok {
				continue
			}
			i, places = len(places), append(places, p)
		}
		if a := places[i].Anchor; a.Blob != "" && a.Lines != nil && now.Blob(a.Path) == a.Blob {
			continue // it is where its record says again
		}
		places[i].Place, seen[id] = r.Place, true
		places[i].Key = r.Anchor
	}
	return places, seen
}

// anchored is the anchor that a receipt is about, false when no memory has it.
func (t *Tracker) anchored(r store.Receipt) (Place, bool) {
	hit, ok := t.w.View().Get(r.Memory)
	if !ok {
		return Place{}, false
	}
	for i, a := range hit.Memory.Anchors {
		if store.AnchorKey(a) == r.Anchor {
			return Place{Memory: r.Memory, Index: i, Anchor: a, Place: recorded(r.Anchor, a)}, true
		}
	}
	return Place{}, false
}

// anchorsFor returns the anchors that are in a file, or whose records name it: one
// that was followed elsewhere may be back in an edited text.
func (t *Tracker) anchorsFor(file string) []Place {
	t.mu.RLock()
	loaded := t.loaded
	t.mu.RUnlock()
	if loaded {
		return t.In(file)
	}
	var out []Place
	for _, p := range knownPlaces(t.w.View().Anchored(file)) {
		if p.Path == file {
			out = append(out, p)
		}
	}
	return out
}

// liveAnchor prepares an anchor for the texts of a file. seen says that its place is
// what an editor saw.
func (s *solver) liveAnchor(ctx context.Context, p Place, file string, seen bool) liveAnchor {
	a := p.Anchor
	if path.Clean(a.Path) == file && !seen {
		v := &baseView{solver: s, base: s.base(a)}
		if s.repo != nil && v.base.commit != "" {
			v.tree, _ = s.repo.Tree(v.base.commit) // it could be read before
		}
		return liveAnchor{place: p, record: a, old: v.old(file)}
	}
	text, err := s.now.Read(file)
	if err != nil {
		return liveAnchor{place: p, record: a}
	}
	here, err := newRecord(ctx, a, p.Place, text)
	if err != nil {
		return liveAnchor{place: p, record: a}
	}
	return liveAnchor{place: p, seen: seen, record: here, old: s.source(file, s.now.Blob(file), func() ([]byte, error) { return text, nil })}
}

// newRecord makes a new record of an anchor where it is in a text now. Its kind
// stays.
func newRecord(ctx context.Context, a anchor.Anchor, p store.Place, text []byte) (anchor.Anchor, error) {
	at := anchor.Place{Path: p.Path}
	switch a.Kind {
	case anchor.KindFile, anchor.KindGlob:
	case anchor.KindLines:
		at.Lines = &anchor.LineRange{Start: p.Line, End: p.EndLine}
	case anchor.KindDependency:
		if d, ok := anchor.MakeDependency(p.Path, a.Symbol, text); ok {
			return d, nil
		}
		return a, fmt.Errorf("%s does not name %s: %w", p.Path, a.Symbol, errGone)
	default:
		at.Symbol, at.Ordinal = p.Symbol, p.Ordinal
	}
	made, err := anchor.Make(ctx, at, language(p.Path), text)
	if err != nil {
		return a, err
	}
	made.Focus, made.Extra = a.Focus, a.Extra
	return made, nil
}

// Moved keeps where an editor saw an anchor go, when a buffer is saved. It holds
// for as long as the file has this content, and is looked at before the ladder, by
// ResolveText too. Call it for what ResolveText does not find by itself.
func (t *Tracker) Moved(ctx context.Context, m EditorMove) error {
	hit, ok := t.w.View().Get(m.Memory)
	if !ok || m.Index < 0 || m.Index >= len(hit.Memory.Anchors) {
		return fmt.Errorf("note a move of %s: %w", m.Memory, errGone)
	}
	a := hit.Memory.Anchors[m.Index]
	key := store.AnchorKey(a)
	p := store.Place{Key: key, State: anchor.Followed, Reason: "an editor saw it go from " + a.Path, Path: m.Path, Symbol: m.Symbol,
		Line: m.Lines.Start, EndLine: m.Lines.End, Confidence: editorMoveConfidence}
	r := store.Receipt{Anchor: key, Blob: gitinfo.Blob(m.Text), Memory: m.Memory, Kind: store.ReceiptMoved, Place: p}
	if err := t.w.State().NoteReceipts(ctx, t.w.Place().WorktreeID, []store.Receipt{r}, nil); err != nil {
		return fmt.Errorf("note a move of %s: %w", m.Memory, err)
	}
	t.Release(m.Path) // what it holds was read without this one
	return nil
}

// editorMoveConfidence is how sure a move is that an editor saw.
const editorMoveConfidence = 0.95
