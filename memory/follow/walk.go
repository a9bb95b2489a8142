package follow

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittree"
	"manicule/memory/store"
)

// rungHistory is the rung on which only a walk through the commits succeeded.
const rungHistory anchor.Rung = "history"

// Thresholds for the use of history. They were set by hand on the dev histories, without a sweep
// (docs/anchor-truth.md has the results).
const (
	sureStraight = 0.9  // confidence of a jump over all commits that needs no other proof
	sureAgain    = 0.85 // the same for code that a commit removed and that seems to be back elsewhere
	sureFollowed = 0.6  // below it, code elsewhere is suggested and not followed
)

// lost reports whether an anchor has no place.
func lost(r anchoring.Resolution) bool {
	return r.State == anchor.Orphaned || r.State == anchor.Stale
}

// certain reports whether the two ends alone determine an anchor's place, regardless of the commits
// between them.
func certain(r anchoring.Resolution) bool {
	switch r.State {
	case anchor.Fresh:
		return true
	case anchor.Followed, anchor.Drifted:
		return r.Confidence >= sureStraight
	default:
		return false
	}
}

// asSuggestion turns an uncertain resolution into a suggestion.
func asSuggestion(a anchor.Anchor, r anchoring.Resolution, reason string) anchoring.Resolution {
	return anchoring.Resolution{State: anchor.Orphaned, Reason: reason, Path: a.Path, Symbol: a.Symbol, Ordinal: a.Ordinal, Line: 1, EndLine: 1,
		Rung: anchor.RungNone, Unsettled: r.Unsettled,
		Suggestion: &anchoring.Suggestion{Path: r.Path, Symbol: r.Symbol, Ordinal: r.Ordinal, Confidence: r.Confidence}}
}

// elsewhere reports whether a resolution is in another file than its record.
func elsewhere(a anchor.Anchor, r anchoring.Resolution) bool { return r.Path != path.Clean(a.Path) }

// unsure is a resolution, by the two ends or by a walk, as it may be told: what is followed to
// another file and not sure enough is a suggestion.
func unsure(a anchor.Anchor, r anchoring.Resolution) anchoring.Resolution {
	if r.State == anchor.Followed && elsewhere(a, r) && r.Confidence < sureFollowed {
		return asSuggestion(a, r, placeOfRecord(a)+" is gone; what is most like it is not like enough")
	}
	return r
}

// walkState is the state of an anchor on its walk: its record where it was last known, that commit,
// and its last resolution.
type walkState struct {
	anchor anchor.Anchor
	at     string
	last   anchoring.Resolution
	sure   float64 // the minimum of all steps
	again  int     // how often it was searched while lost
}

// memo is the stored state of an earlier walk.
type memo struct {
	to, at string // the last commit of the walk, and the one where the anchor was last known
	place  store.Place
	focus  string // the word that is meant there
}

// walker follows an anchor through the commits since its record, one by one. Code that was renamed
// in one commit and rewritten in another is recognizable in each step.
type walker struct {
	*solver
	ctx     context.Context // of the look
	history *gittree.History
	steps   int // remaining resolutions
}

// walk follows an anchor through each commit since its own that changed its file. If a commit loses
// it, it stays there and is searched again when its file changes. ok is false if there are no
// commits to walk, too many, or no time.
func (s *solver) walk(ctx context.Context, a anchor.Anchor, memos []memo) (is walkState, ok bool) {
	a.Path = path.Clean(a.Path)
	b := s.base(a)
	if s.repo == nil || b.commit == "" || b.blob != "" || b.commit == s.head || a.Kind == anchor.KindGlob || a.Kind == anchor.KindFile {
		return walkState{}, false
	}
	h := s.historySince(ctx, b.commit)
	if h == nil {
		return walkState{}, false
	}
	way := h.Path(b.commit, s.head)
	if len(way) < 2 {
		return walkState{}, false
	}
	a.Commit = b.commit
	w := &walker{solver: s, ctx: ctx, history: h, steps: maxSteps}
	is = walkState{anchor: a, at: b.commit, sure: 1}
	for _, m := range memos {
		i := slices.Index(way, m.to)
		if at, known := w.resume(a, m); known && i > 0 {
			is, way = at, way[i:]
			break
		}
	}
	return w.follow(way, is)
}

// historySince reads the commits since one, again if they reach further back.
func (s *solver) historySince(ctx context.Context, since string) *gittree.History {
	if s.history == nil || s.history.Path(since, s.head) == nil {
		if s.unread[since] {
			return nil
		}
		h, ok := s.repo.History(s.head, since, maxHistory, func() bool { return ctx.Err() != nil })
		if !ok || h.Path(since, s.head) == nil {
			if ctx.Err() == nil {
				s.unread[since] = true
			}
			return nil
		}
		s.history = h
	}
	return s.history
}

// resume continues an earlier walk.
func (w *walker) resume(a anchor.Anchor, m memo) (walkState, bool) {
	tree, ok := w.repo.Tree(m.at)
	if !ok {
		return walkState{}, false
	}
	r := anchoring.Resolution{State: m.place.State, Reason: m.place.Reason, Path: m.place.Path, Symbol: m.place.Symbol, Ordinal: m.place.Ordinal,
		Line: m.place.Line, EndLine: m.place.EndLine, Confidence: m.place.Confidence}
	is := walkState{anchor: a, at: m.at, sure: r.Confidence, last: r}
	if m.at == m.to {
		is.last = anchoring.Resolution{State: anchor.Fresh, Path: r.Path, Confidence: 1}
	}
	is.anchor.Path = m.place.Path
	if tree.Blob(m.place.Path) == a.Blob && m.place.Path == a.Path {
		is.anchor.Commit = m.at
		return is, true
	}
	is.anchor, ok = recordIn(a, r, tree)
	is.anchor.Commit, is.anchor.Focus = m.at, m.focus
	return is, ok
}

// follow moves an anchor along a path of commits. If a merge brings its file from another branch,
// it follows that branch.
func (w *walker) follow(way []string, is walkState) (walkState, bool) {
	for i := 1; i < len(way); i++ {
		if w.ctx.Err() != nil {
			return is, false
		}
		touched := w.blobIn(way[i-1], is.anchor.Path) != w.blobIn(way[i], is.anchor.Path)
		if touched && is.at == way[i-1] {
			if branch, ok := w.merged(way[:i], way[i], is); ok {
				is, is.at = branch, way[i]
				is.anchor.Commit = way[i]
				continue
			}
		}
		if !touched && (i < len(way)-1 || is.at == way[i-1]) {
			if is.at == way[i-1] {
				is.at, is.anchor.Commit = way[i], way[i]
			}
			continue
		}
		if is.at != way[i-1] && i < len(way)-1 {
			if is.again++; is.again > maxAgain {
				continue
			}
		}
		tree, readable := w.repo.Tree(way[i])
		if w.steps--; w.steps < 0 || !readable {
			return is, false
		}
		is = w.look(way[i], tree, is)
	}
	return is, true
}

// look resolves an anchor in one commit and makes its record there.
func (w *walker) look(commit string, tree gittree.Tree, is walkState) walkState {
	r := w.step(commit, tree).resolve(is.anchor)
	gone := is.last.State == anchor.Orphaned
	if r.Unsettled && lost(r) {
		return is // the file is broken there; a later commit repairs it
	}
	if !lost(r) && gone && elsewhere(is.anchor, r) && r.Confidence < sureAgain {
		return is
	}
	if is.last = r; lost(r) {
		return is
	}
	is.again = 0
	next, ok := recordIn(is.anchor, r, tree)
	if !ok {
		return is
	}
	if r.State == anchor.Followed {
		is.sure = min(is.sure, r.Confidence)
	}
	next.Commit = commit
	is.anchor, is.at = next, commit
	return is
}

// merged follows the branch from which a merge took the anchor's file unchanged, if the
// first-parent path did not change the file since the branches parted. ok is false for any other
// merge, or if the branch lost the anchor.
func (w *walker) merged(way []string, merge string, is walkState) (walkState, bool) {
	file := is.anchor.Path
	for _, p := range w.history.Parents(merge) {
		if p == way[len(way)-1] || w.blobIn(p, file) != w.blobIn(merge, file) {
			continue
		}
		from := w.history.ForkPoint(way, p)
		if from == "" || w.blobIn(from, file) != is.anchor.Blob {
			continue
		}
		branch := w.history.Path(from, p)
		if len(branch) < 2 {
			continue
		}
		start := is
		start.at, start.anchor.Commit = from, from
		end, ok := w.follow(branch, start)
		if !ok || end.at != p || lost(end.last) {
			continue
		}
		if blob := w.blobIn(p, end.anchor.Path); blob != "" && blob == w.blobIn(merge, end.anchor.Path) {
			return end, true
		}
	}
	return is, false
}

// maxAgain is how often a lost anchor is searched again. Each search covers everything that changed
// since.
const maxAgain = 6

// blobIn returns the id of a file's content in a commit, "" for none.
func (s *solver) blobIn(commit, file string) string {
	key := commitFile{commit, file}
	id, ok := s.blobs[key]
	if !ok {
		if tree, readable := s.repo.Tree(commit); readable {
			id = tree.Blob(file)
		}
		s.blobs[key] = id
	}
	return id
}

type commitFile struct{ commit, file string }

// maxKept is how many commits are kept in memory with their parsed files.
const maxKept = 300

// step returns the solver for a commit. Solvers share parsed files.
func (s *solver) step(commit string, tree gittree.Tree) *solver {
	if t, ok := s.steps[commit]; ok {
		return t
	}
	if len(s.steps) >= maxKept {
		clear(s.steps)
		s.parsed = map[sourceKey]*anchoring.Source{}
	}
	t := newSolver(s.at, s.repo, s.head, committed{tree, s.repo})
	t.sources = s.parsed
	s.steps[commit] = t
	return t
}

// recordIn makes a new record of an anchor in a commit. Git has the file, so the place suffices.
func recordIn(a anchor.Anchor, r anchoring.Resolution, tree gittree.Tree) (anchor.Anchor, bool) {
	is := anchor.Anchor{Kind: a.Kind, Path: r.Path, Language: language(r.Path), Symbol: r.Symbol, Ordinal: r.Ordinal, Focus: a.Focus, Blob: tree.Blob(r.Path)}
	if a.Kind == anchor.KindLines {
		is.Lines = &anchor.LineRange{Start: r.Line, End: r.EndLine}
	}
	if r.Focus != "" {
		is.Focus = r.Focus
	}
	return is, is.Blob != "" && a.Kind != anchor.KindDependency
}

// combine merges an anchor's resolution by the two ends with its walk through the commits.
func (s *solver) combine(a anchor.Anchor, r anchoring.Resolution, is walkState) anchoring.Resolution {
	gone := is.last.State == anchor.Orphaned && is.at != s.head
	last := s.resolve(is.anchor)
	switch {
	case !lost(last) && (!gone || !elsewhere(is.anchor, last) || last.Confidence >= sureAgain):
		return unsure(a, fromWalk(a, last, is.sure)) // one unsure step makes the whole walk unsure
	case lost(r):
		if last.State == anchor.Stale {
			return fromWalk(a, last, is.sure)
		}
		return r
	case gone && r.State == anchor.Followed && r.Confidence < sureAgain:
		return asSuggestion(a, r, placeOfRecord(a)+" was taken away, and nothing that came since is like it enough")
	default:
		return unsure(a, r)
	}
}

// fromWalk converts the resolution of the last step to one of the first record.
func fromWalk(a anchor.Anchor, r anchoring.Resolution, sure float64) anchoring.Resolution {
	moved := r.Path != path.Clean(a.Path) || r.Symbol != a.Symbol && a.Symbol != ""
	r.Confidence, r.Rung = min(sure, r.Confidence), rungHistory
	switch {
	case lost(r):
	case moved:
		to := anchor.Place{Path: r.Path, Symbol: r.Symbol}
		r.State, r.Reason = anchor.Followed, placeOfRecord(a)+" became "+to.String()+" over several commits, and its code changed"
	case r.State != anchor.Drifted:
		r.State, r.Reason = anchor.Drifted, "the code of "+cmp.Or(a.Symbol, path.Clean(a.Path))+" changed over several commits"
	}
	return r
}

func placeOfRecord(a anchor.Anchor) string {
	return anchor.Place{Path: a.Path, Symbol: a.Symbol}.String()
}

// memoOf reads a memo from the cache. ok is false for other entries.
func memoOf(f store.CachedResolution) (m memo, ok bool) {
	rest, ok := strings.CutPrefix(f.Seen, memoPrefix)
	if !ok {
		return m, false
	}
	parts := strings.SplitN(rest, " ", 3)
	if len(parts) != 3 {
		return m, false
	}
	m.to, m.at, m.focus = parts[0], parts[1], parts[2]
	m.place, ok = f.Decode()
	return m, ok
}

// memoPrefix marks memos in the cache. No dependency list starts with it and ends in a blob, so
// holds never confuses them.
const memoPrefix = "came to "

// memo returns the cache entry of a walk.
func (is walkState) memo(cached, head string) store.CachedResolution {
	a := is.anchor
	p := store.Place{State: is.last.State, Path: a.Path, Symbol: a.Symbol, Ordinal: a.Ordinal, Confidence: is.sure}
	if a.Lines != nil {
		p.Line, p.EndLine = a.Lines.Start, a.Lines.End
	}
	if p.State == "" {
		p.State = anchor.Fresh
	}
	return store.CachedResolution{Anchor: cached, Seen: memoPrefix + head + " " + is.at + " " + a.Focus, Place: p}
}
