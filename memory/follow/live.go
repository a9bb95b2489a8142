package follow

import (
	"context"
	"fmt"
	"path"
	"slices"
	"sync"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/indexer/gitinfo"
	"manicule/memory"
	"manicule/memory/store"
)

// maxLive is how many files ResolveText keeps parsed.
const maxLive = 64

// liveFiles holds the state against which ResolveText compares open buffers.
type liveFiles struct {
	w     *memory.Workspace
	code  *checkout
	known *places

	mu     sync.Mutex
	byPath map[string]*liveFile // guarded by mu
}

// liveFile is the state of one file for its anchors.
type liveFile struct {
	mu      sync.Mutex // one text at a time
	anchors []liveAnchor
	keys    string
}

// liveAnchor is an anchor with the file in which its record, or its followed place, was made.
type liveAnchor struct {
	place  Place
	record anchor.Anchor
	old    *anchoring.Source // nil if git does not have it
	seen   bool              // the place comes from an editor
}

// ResolveText resolves the anchors of a file in a text of it, which need not be saved (see [Text]).
// It writes nothing and reads only what an earlier text did not need, so it can run at each
// keystroke. An anchor that was followed into this file is compared with its last known state
// there.
//
// An anchor that is missing in the text is orphaned, without a suggestion. Refresh decides whether
// it moved to another file, once the buffer is saved.
func (t *Tracker) ResolveText(ctx context.Context, now *anchoring.Source) ([]LiveAnchor, error) {
	file := now.Path
	f, err := t.live.file(ctx, file)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	worlds := map[*anchoring.Source]*anchoring.World{}
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
		if l.place.State == anchor.Orphaned && r.State == anchor.Followed && t.known.isRejected(l.place.Key, r.Path, r.Symbol) {
			r = anchoring.Resolution{State: anchor.Orphaned, Reason: l.place.Reason, Path: r.Path, Rung: anchor.RungNone, Line: 1, EndLine: 1}
		}
		out = append(out, LiveAnchor{Memory: l.place.Memory, Index: l.place.Index, Anchor: l.place.Anchor, Resolution: r})
	}
	return out, nil
}

// Text is a text of a file in an editor. parse, which may be nil, returns the result of
// extract.ParseTree if the caller has it already.
func Text(file string, text []byte, parse func() (*extract.File, *extract.Tree)) *anchoring.Source {
	lang, blob := languageOf(file, text), gitinfo.BlobID(text)
	if parse == nil {
		return anchoring.TextSource(file, lang, blob, text)
	}
	return anchoring.ParsedSource(file, lang, blob, text, parse)
}

// worldOf is a tree of one file.
func worldOf(old, now *anchoring.Source) *anchoring.World {
	at := func(s *anchoring.Source) func(string) *anchoring.Source {
		return func(path string) *anchoring.Source {
			if s == nil || s.Path != path {
				return nil
			}
			return s
		}
	}
	return &anchoring.World{New: at(now), Old: at(old)}
}

// Release drops what ResolveText keeps of a file. An editor calls it when it closes the file.
func (t *Tracker) Release(file string) { t.live.release(file) }

func (lf *liveFiles) release(file string) {
	lf.mu.Lock()
	defer lf.mu.Unlock()
	delete(lf.byPath, file)
}

// file returns the state of a file, which it reads again when an anchor of it changed.
func (lf *liveFiles) file(ctx context.Context, path string) (*liveFile, error) {
	places := lf.anchorsFor(ctx, path)
	keys := ""
	for _, p := range places {
		keys += fmt.Sprintf("%s/%d/%s/%s/%s/%d\n", p.Memory, p.Index, p.Key, p.State, p.Path, p.Line)
	}
	lf.mu.Lock()
	f := lf.byPath[path]
	lf.mu.Unlock()
	if f != nil && f.keys == keys {
		return f, nil
	}
	now, err := lf.code.working(ctx)
	if err != nil {
		return nil, err
	}
	moves, err := lf.w.State().Receipts().Moved(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what editors saw: %w", err)
	}
	f = &liveFile{keys: keys}
	s := newSolver(progressOf(ctx), lf.code.repo, lf.code.head(), now)
	places, seen := lf.applyMoves(places, moves, path, now)
	for _, p := range places {
		f.anchors = append(f.anchors, s.liveAnchor(ctx, p, path, seen[[2]string{p.Memory, p.Key}]))
	}
	lf.mu.Lock()
	defer lf.mu.Unlock()
	if lf.byPath == nil || len(lf.byPath) >= maxLive {
		lf.byPath = map[string]*liveFile{}
	}
	lf.byPath[path] = f
	return f, nil
}

// applyMoves replaces the places of anchors by those that editors saw in the file's current
// content, given moves, newest first. It also adds anchors that moved here from other files. seen
// has their memories and keys.
func (lf *liveFiles) applyMoves(places []Place, moves []store.Receipt, file string, now *working) (all []Place, seen map[[2]string]bool) {
	seen = map[[2]string]bool{}
	for _, r := range moves {
		id := [2]string{r.Memory, r.Anchor}
		if seen[id] || r.Place.Path != file || r.Blob != now.Blob(file) {
			continue
		}
		i := slices.IndexFunc(places, func(p Place) bool { return p.Memory == r.Memory && p.Key == r.Anchor })
		p, ok := Place{}, true
		if i >= 0 {
			p = places[i]
		} else if p, ok = lf.anchored(r); !ok {
			continue
		}
		if a := p.Anchor; a.Blob != "" && a.Lines != nil && now.Blob(a.Path) == a.Blob {
			continue // it is back where its record says
		}
		if i < 0 {
			i, places = len(places), append(places, p)
		}
		places[i].Place, seen[id] = r.Place, true
		places[i].Key = r.Anchor
	}
	return places, seen
}

// anchored returns the anchor of a receipt, false if no memory has it.
func (lf *liveFiles) anchored(r store.Receipt) (Place, bool) {
	hit, ok := lf.w.View().Get(r.Memory)
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

// anchorsFor returns the anchors that are in a file or whose records name it. A followed anchor may
// be back in an edited text.
func (lf *liveFiles) anchorsFor(ctx context.Context, file string) []Place {
	if lf.known.areLoaded() {
		return lf.known.in(file)
	}
	view, ok := lf.w.Views().Early(ctx, file)
	if !ok {
		view = lf.w.View()
	}
	var out []Place
	for _, p := range knownPlaces(view.Anchored(file)) {
		if p.Path == file {
			out = append(out, p)
		}
	}
	return out
}

// liveAnchor prepares an anchor for the texts of a file. seen says that its place comes from an
// editor.
func (s *solver) liveAnchor(ctx context.Context, p Place, file string, seen bool) liveAnchor {
	a := p.Anchor
	if path.Clean(a.Path) == file && !seen {
		v := &baseView{solver: s, base: s.base(a)}
		if s.repo != nil && v.base.commit != "" {
			v.tree, _ = s.repo.Tree(v.base.commit) // it was readable before
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

// newRecord makes a record of an anchor at its place in a text. It keeps the anchor's kind.
func newRecord(ctx context.Context, a anchor.Anchor, p store.Place, text []byte) (anchor.Anchor, error) {
	at := anchor.Place{Path: p.Path}
	switch a.Kind {
	case anchor.KindFile, anchor.KindGlob:
	case anchor.KindLines:
		at.Lines = &anchor.LineRange{Start: p.Line, End: p.EndLine}
	case anchor.KindDependency:
		if d, ok := anchoring.MakeDependency(p.Path, a.Symbol, text); ok {
			return d, nil
		}
		return a, fmt.Errorf("%s does not name %s: %w", p.Path, a.Symbol, errGone)
	default:
		at.Symbol, at.Ordinal = p.Symbol, p.Ordinal
	}
	made, err := anchoring.Make(ctx, at, languageOf(p.Path, text), text)
	if err != nil {
		return a, err
	}
	made.Focus, made.Extra = a.Focus, a.Extra
	return made, nil
}

// Moved records where an editor saw an anchor move, when a buffer is saved. The record is valid
// while the file has this content, and takes precedence over the ladder, also in ResolveText. It is
// needed only for moves that ResolveText does not find.
func (t *Tracker) Moved(ctx context.Context, m EditorMove) error {
	hit, ok := t.w.View().Get(m.Memory)
	if !ok || m.Index < 0 || m.Index >= len(hit.Memory.Anchors) {
		return fmt.Errorf("note a move of %s: %w", m.Memory, errGone)
	}
	a := hit.Memory.Anchors[m.Index]
	key := store.AnchorKey(a)
	p := store.Place{Key: key, State: anchor.Followed, Reason: "an editor saw it go from " + a.Path, Path: m.Path, Symbol: m.Symbol,
		Line: m.Lines.Start, EndLine: m.Lines.End, Confidence: editorMoveConfidence}
	r := store.Receipt{Anchor: key, Blob: gitinfo.BlobID(m.Text), Memory: m.Memory, Kind: store.ReceiptMoved, Place: p}
	if err := t.w.State().Receipts().Note(ctx, t.w.Place().WorktreeID, []store.Receipt{r}, nil); err != nil {
		return fmt.Errorf("note a move of %s: %w", m.Memory, err)
	}
	t.Release(m.Path) // what it holds was read without this move
	return nil
}

// editorMoveConfidence is the confidence in a move that an editor saw.
const editorMoveConfidence = 0.95
