package follow

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/fault"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/memory/store"
)

// ladder is the version of what resolves: another one finds other places, so
// that what is in the cache doesn't count.
//
// History: 1, the first; 2, statements by their heads, words by their uses, lines
// by the body around them; 3, equal parts by their neighbours, joined statements,
// handlers by what they catch, words by their types; 4, names that were replaced,
// history where the two ends are not certain.
const ladder = "4"

// How far the ladder looks.
const (
	maxChanged   = 2000   // files that differ; those that came are looked at first
	maxAncestors = 500    // commits before HEAD that are looked at for a file as it was
	maxHistory   = 50_000 // commits that are read to know the way from a record to HEAD
	maxSteps     = 1000   // commits on that way that an anchor is looked for in
)

// solver looks for anchors in one state of the tree. It reads and parses each
// file once. It is not safe for concurrent use.
type solver struct {
	repo *gittree.Repo // nil outside of git
	head string        // commit that lost commits are looked for from
	now  state
	at   func(path string) // says that a file is being processed

	sources map[sourceKey]*anchor.Source
	worlds  map[base]*anchor.World
	bases   map[base]base
	commits []string
	walked  bool

	steps   map[string]*solver           // by commit, for walk; like all below
	parsed  map[sourceKey]*anchor.Source // what the steps read
	history *gittree.History
	unread  map[string]bool // commits that history does not reach
	blobs   map[commitFile]string
}

type sourceKey struct{ path, blob string }

// base is the state that an anchor was made in: a commit, and the file where it
// was not as committed.
type base struct{ commit, path, blob string }

// progressOf tells the probe of a context which files are being processed.
func progressOf(ctx context.Context) func(path string) {
	return func(path string) { fault.At(ctx, fault.Anchor, path) }
}

func newSolver(at func(path string), repo *gittree.Repo, head string, now state) *solver {
	return &solver{at: at, repo: repo, head: head, now: now, sources: map[sourceKey]*anchor.Source{},
		worlds: map[base]*anchor.World{}, bases: map[base]base{}, steps: map[string]*solver{},
		parsed: map[sourceKey]*anchor.Source{}, unread: map[string]bool{}, blobs: map[commitFile]string{}}
}

// find climbs the ladder for one anchor, and where the two ends are not certain
// goes along the commits between them.
func (s *solver) find(ctx context.Context, a anchor.Anchor) anchor.Resolution {
	r := s.resolve(a)
	if r.Unsettled || certain(r) {
		return r
	}
	if is, ok := s.walk(ctx, a, nil); ok {
		return s.combine(a, r, is)
	}
	return unsure(a, r)
}

// InCommit is where an anchor is in a commit, as a refresh of a clean working tree
// of that commit says.
func InCommit(ctx context.Context, repo *gittree.Repo, commit string, anchors []anchor.Anchor) ([]anchor.Resolution, error) {
	tree, ok := repo.Tree(commit)
	if !ok {
		return nil, fmt.Errorf("look for anchors in %s: %w", commit, gittree.ErrAbsent)
	}
	s := newSolver(progressOf(ctx), repo, commit, committed{tree, repo})
	out := make([]anchor.Resolution, len(anchors))
	for i, a := range anchors {
		out[i] = s.find(ctx, a)
	}
	return out, ctx.Err()
}

// resolve climbs the ladder for one anchor.
func (s *solver) resolve(a anchor.Anchor) anchor.Resolution {
	a.Path = path.Clean(a.Path)
	return s.world(s.base(a)).Resolve(a)
}

// base finds the state that an anchor was made in, as far as it is known. A
// commit that is gone (rewritten, or cut off by a shallow clone) is replaced by
// the newest one before HEAD that has the file as it was.
func (s *solver) base(a anchor.Anchor) base {
	key := base{a.Commit, a.Path, a.Blob}
	if b, ok := s.bases[key]; ok {
		return b
	}
	b := s.findBase(key)
	s.bases[key] = b
	return b
}

func (s *solver) findBase(b base) base {
	if s.repo == nil {
		return base{path: b.path, blob: b.blob}
	}
	tree, ok := s.repo.Tree(b.commit)
	if !ok {
		b.commit, tree = s.replaceLost(b)
	}
	if b.blob == "" || b.commit != "" && s.committedAs(tree, b) {
		b.path, b.blob = "", ""
	}
	return b
}

// committedAs says whether a file was as it is in a commit. Where git turns line
// ends round (core.autocrlf) the record's blob is of the file on the disk, which
// git never had.
func (s *solver) committedAs(tree gittree.Tree, b base) bool {
	id := tree.Blob(b.path)
	if id == b.blob || id == "" {
		return id == b.blob
	}
	text, err := s.repo.Blob(id)
	if err != nil || bytes.IndexByte(text, '\r') >= 0 {
		return false
	}
	return gitinfo.Blob(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))) == b.blob
}

func (s *solver) replaceLost(b base) (string, gittree.Tree) {
	if b.blob == "" {
		return "", gittree.Tree{}
	}
	for _, id := range s.firstParents() {
		if t, ok := s.repo.Tree(id); ok && t.Blob(b.path) == b.blob {
			return id, t
		}
	}
	return "", gittree.Tree{}
}

// firstParents is HEAD and the first parents before it, newest first.
func (s *solver) firstParents() []string {
	if !s.walked && s.repo != nil {
		s.commits = s.repo.Ancestors(s.head, maxAncestors)
	}
	s.walked = true
	return s.commits
}

// world is what the anchors of one base see.
func (s *solver) world(b base) *anchor.World {
	if w, ok := s.worlds[b]; ok {
		return w
	}
	var tree gittree.Tree
	if s.repo != nil && b.commit != "" {
		tree, _ = s.repo.Tree(b.commit) // it could be read before; an empty one does no harm
	}
	v := &baseView{solver: s, base: b, tree: tree}
	w := &anchor.World{New: v.current, Old: v.old, Changed: v.changed, Renamed: v.renamed, Paths: s.now.Paths, Blob: v.content}
	s.worlds[b] = w
	return w
}

// baseView is what is seen from a base.
type baseView struct {
	*solver
	base   base
	tree   gittree.Tree
	listed bool
	differ []string
}

func (v *baseView) current(path string) *anchor.Source {
	v.at(path)
	blob := v.now.Blob(path)
	if blob == "" {
		return nil
	}
	return v.source(path, blob, func() ([]byte, error) { return v.now.Read(path) })
}

func (v *baseView) oldBlob(path string) string {
	if v.base.path == path && v.base.blob != "" {
		return v.base.blob
	}
	return v.tree.Blob(path)
}

// old is a file as it was, nil when git does not have it: then the record alone
// has to do.
func (v *baseView) old(path string) *anchor.Source {
	blob := v.oldBlob(path)
	if blob == "" {
		return nil
	}
	key := sourceKey{path, blob}
	if o, ok := v.sources[key]; ok {
		return o
	}
	text, err := v.readOld(path, blob)
	if err != nil {
		return nil
	}
	v.sources[key] = anchor.TextSource(path, language(path), blob, text)
	return v.sources[key]
}

// content is a file that git still has though no commit does that we know of, as
// after a rebase; nil for none.
func (v *baseView) content(path, blob string) *anchor.Source {
	if v.repo == nil {
		return nil
	}
	if _, err := v.repo.Blob(blob); err != nil {
		return nil
	}
	return v.source(path, blob, func() ([]byte, error) { return v.repo.Blob(blob) })
}

// oldIfReadable is old for a file that may never be read.
func (v *baseView) oldIfReadable(path string) *anchor.Source {
	blob := v.oldBlob(path)
	if blob == "" {
		return nil
	}
	return v.source(path, blob, func() ([]byte, error) { return v.readOld(path, blob) })
}

func (v *baseView) readOld(path, blob string) ([]byte, error) {
	if v.now.Blob(path) == blob {
		return v.now.Read(path)
	}
	if v.repo == nil {
		return nil, gittree.ErrAbsent
	}
	return v.repo.Blob(blob)
}

// source is one file at one state, read and parsed once.
func (s *solver) source(path, blob string, read func() ([]byte, error)) *anchor.Source {
	key := sourceKey{path, blob}
	if o, ok := s.sources[key]; ok {
		return o
	}
	o := anchor.NewSource(path, language(path), blob, read)
	s.sources[key] = o
	return o
}

func language(path string) string {
	l, _ := grammars.ForPath(path) // none has no symbols, but files and lines
	return l.ID
}

// differing lists the files that differ between the base and now.
func (v *baseView) differing() []string {
	if !v.listed {
		v.listed = true
		v.differ = slices.DeleteFunc(v.now.Differing(v.tree), func(p string) bool {
			return strings.HasPrefix(p, ".manicule/") || v.oldBlob(p) == v.now.Blob(p)
		})
	}
	return v.differ
}

// changed lists the files that the ladder may look into.
func (v *baseView) changed() []anchor.Change {
	var came, others []anchor.Change
	for _, p := range v.differing() {
		if language(p) == "" {
			continue
		}
		c := anchor.Change{Old: v.oldIfReadable(p), New: v.current(p)}
		if c.Old == nil {
			came = append(came, c)
		} else {
			others = append(others, c)
		}
	}
	all := append(came, others...)
	return all[:min(len(all), maxChanged)]
}

// renamed finds the one new file that has the very content of one that is gone.
func (v *baseView) renamed(path string) string {
	blob := v.oldBlob(path)
	to := ""
	for _, p := range v.differing() {
		if blob == "" || v.now.Blob(p) != blob || v.oldBlob(p) != "" {
			continue
		}
		if to != "" {
			return "" // two copies: neither is the one
		}
		to = p
	}
	return to
}

// placeOf turns a resolution into what is kept of it.
func placeOf(key string, r anchor.Resolution) store.Place {
	p := store.Place{Key: key, State: r.State, Reason: r.Reason, Path: r.Path, Symbol: r.Symbol, Ordinal: r.Ordinal,
		Line: r.Line, EndLine: r.EndLine, Confidence: r.Confidence, Rung: r.Rung}
	if s := r.Suggestion; s != nil {
		p.Suggestion = &store.Suggestion{Path: s.Path, Symbol: s.Symbol, Ordinal: s.Ordinal, Confidence: s.Confidence}
	}
	return p
}

// dependsOn says which files decided a resolution: while they are the same it holds.
// What was found in place needs no other file; what was followed needs the one
// that it left and the one that it is in; what was not found may be anywhere.
func dependsOn(a anchor.Anchor, r anchor.Resolution, now state) string {
	from := path.Clean(a.Path)
	switch {
	case a.Kind == anchor.KindGlob, r.State == anchor.Orphaned, r.Rung == anchor.RungAlike && r.State != anchor.Followed:
		if id := now.ID(); id != "" {
			return "tree=" + id
		}
		return ""
	case r.Path == from:
		return from + "=" + now.Blob(from)
	default:
		return from + "=" + now.Blob(from) + "\n" + r.Path + "=" + now.Blob(r.Path)
	}
}

// holds says whether what a resolution saw is what there is.
func holds(seen string, now state) bool {
	for line := range strings.SplitSeq(seen, "\n") {
		at := strings.LastIndexByte(line, '=')
		if at < 0 {
			return false
		}
		if line[:at] == "tree" {
			if id := now.ID(); id == "" || id != line[at+1:] {
				return false
			}
		} else if now.Blob(line[:at]) != line[at+1:] {
			return false
		}
	}
	return true
}
