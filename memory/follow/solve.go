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
	"manicule/indexer/anchoring"
	"manicule/indexer/fault"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/memory/store"
)

// ladder is the version of the resolver. A new version ignores the cache.
//
// History: 1, the first; 2, statements by their heads, words by their uses, lines by the body
// around them; 3, equal parts by their neighbours, joined statements, handlers by what they catch,
// words by their types; 4, names that were replaced, history where the two ends are not certain;
// 5, a walk as unsure as its least sure step; 6, files that were plain text have symbols; 7, a byte
// order mark is no code; 8, no file is read while it is written; 9, a backslash is a letter in strings of SQL; 10, a
// declaration of another visibility in its place is unchanged.
const ladder = "10"

// Limits of the ladder.
const (
	maxChanged   = 2000   // files that differ; added ones are checked first
	maxAncestors = 500    // commits before HEAD that may hold the file's old content
	maxHistory   = 50_000 // commits that are read to find the path from a record to HEAD
	maxSteps     = 1000   // commits on that path in which an anchor is resolved
)

// solver resolves anchors in one state of the tree. It reads and parses each file once. It is not
// safe for concurrent use.
type solver struct {
	repo *gittree.Repo // nil outside of git
	head string        // where the search for lost commits starts
	now  state
	at   func(path string) // reports the file being processed

	sources map[sourceKey]*anchoring.Source
	worlds  map[base]*anchoring.World
	bases   map[base]base
	commits []string
	walked  bool

	steps   map[string]*solver              // by commit, for walk; as all below
	parsed  map[sourceKey]*anchoring.Source // what the steps read
	history *gittree.History
	unread  map[string]bool // commits that history does not reach
	blobs   map[commitFile]string
}

type sourceKey struct{ path, blob string }

// base is the state in which an anchor was made: a commit, and the file if it differed from the
// commit.
type base struct{ commit, path, blob string }

// progressOf returns the function that tells a context's probe which files are being processed.
func progressOf(ctx context.Context) func(path string) {
	return func(path string) { fault.Enter(ctx, fault.Anchor, path) }
}

func newSolver(at func(path string), repo *gittree.Repo, head string, now state) *solver {
	return &solver{at: at, repo: repo, head: head, now: now, sources: map[sourceKey]*anchoring.Source{},
		worlds: map[base]*anchoring.World{}, bases: map[base]base{}, steps: map[string]*solver{},
		parsed: map[sourceKey]*anchoring.Source{}, unread: map[string]bool{}, blobs: map[commitFile]string{}}
}

// find runs the ladder for one anchor. If the two ends are not certain, it walks the commits
// between them.
func (s *solver) find(ctx context.Context, a anchor.Anchor) anchoring.Resolution {
	r := s.resolve(a)
	if r.Unsettled || certain(r) {
		return r
	}
	if is, ok := s.walk(ctx, a, nil); ok {
		return s.combine(a, r, is)
	}
	return unsure(a, r)
}

// InCommit resolves anchors in a commit, as a refresh of its clean working tree would.
func InCommit(ctx context.Context, repo *gittree.Repo, commit string, anchors []anchor.Anchor) ([]anchoring.Resolution, error) {
	tree, ok := repo.Tree(commit)
	if !ok {
		return nil, fmt.Errorf("look for anchors in %s: %w", commit, gittree.ErrAbsent)
	}
	s := newSolver(progressOf(ctx), repo, commit, committed{tree, repo})
	out := make([]anchoring.Resolution, len(anchors))
	for i, a := range anchors {
		out[i] = s.find(ctx, a)
	}
	return out, ctx.Err()
}

// resolve runs the ladder for one anchor.
func (s *solver) resolve(a anchor.Anchor) anchoring.Resolution {
	a.Path = path.Clean(a.Path)
	return s.world(s.base(a)).Resolve(a)
}

// base finds the state in which an anchor was made, as far as it is known. A missing commit
// (rewritten, or cut off by a shallow clone) is replaced by the newest commit before HEAD that has
// the same file.
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

// committedAs reports whether a commit has the file as it was. If git converts line ends
// (core.autocrlf), the record has the blob of the file on disk, which git never stored.
func (s *solver) committedAs(tree gittree.Tree, b base) bool {
	id := tree.Blob(b.path)
	if id == b.blob || id == "" {
		return id == b.blob
	}
	text, err := s.repo.Blob(id)
	if err != nil || bytes.IndexByte(text, '\r') >= 0 {
		return false
	}
	return gitinfo.BlobID(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))) == b.blob
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

// firstParents returns HEAD and its first parents, newest first.
func (s *solver) firstParents() []string {
	if !s.walked && s.repo != nil {
		s.commits = s.repo.Ancestors(s.head, maxAncestors)
	}
	s.walked = true
	return s.commits
}

// world returns the anchors' view from one base.
func (s *solver) world(b base) *anchoring.World {
	if w, ok := s.worlds[b]; ok {
		return w
	}
	var tree gittree.Tree
	if s.repo != nil && b.commit != "" {
		tree, _ = s.repo.Tree(b.commit) // it was readable before; an empty tree does no harm
	}
	v := &baseView{solver: s, base: b, tree: tree}
	w := &anchoring.World{New: v.current, Old: v.old, Changed: v.changed, Renamed: v.renamed, Paths: s.now.Paths, Blob: v.content}
	s.worlds[b] = w
	return w
}

// baseView is the tree as seen from a base.
type baseView struct {
	*solver
	base   base
	tree   gittree.Tree
	listed bool
	differ []string
}

func (v *baseView) current(path string) *anchoring.Source {
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

// old returns the old version of a file, or nil if git does not have it. Then the record alone must
// do.
func (v *baseView) old(path string) *anchoring.Source {
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
	v.sources[key] = anchoring.TextSource(path, languageOf(path, text), blob, text)
	return v.sources[key]
}

// content returns a file that git has in no known commit, as after a rebase; nil for none.
func (v *baseView) content(path, blob string) *anchoring.Source {
	if v.repo == nil {
		return nil
	}
	if _, err := v.repo.Blob(blob); err != nil {
		return nil
	}
	return v.source(path, blob, func() ([]byte, error) { return v.repo.Blob(blob) })
}

// oldIfReadable is old for a file that may be unreadable.
func (v *baseView) oldIfReadable(path string) *anchoring.Source {
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

// source returns one file in one state, read and parsed once.
func (s *solver) source(path, blob string, read func() ([]byte, error)) *anchoring.Source {
	key := sourceKey{path, blob}
	if o, ok := s.sources[key]; ok {
		return o
	}
	o := anchoring.NewSource(path, language(path), blob, read)
	s.sources[key] = o
	return o
}

// languageOf is language for a file whose text is known: a script may have no extension.
func languageOf(path string, text []byte) string {
	l, _ := grammars.ForFile(path, text)
	return l.ID
}

func language(path string) string {
	l, _ := grammars.ForPath(path) // without a language there are files and lines only
	return l.ID
}

// differing lists the files that differ between the base and now.
func (v *baseView) differing() []string {
	if !v.listed {
		v.listed = true
		v.differ = slices.DeleteFunc(v.now.Diff(v.tree), func(p string) bool {
			return strings.HasPrefix(p, ".manicule/") || v.oldBlob(p) == v.now.Blob(p)
		})
	}
	return v.differ
}

// changed lists the files that the ladder may examine.
func (v *baseView) changed() []anchoring.Change {
	var came, others []anchoring.Change
	for _, p := range v.differing() {
		if language(p) == "" {
			continue
		}
		c := anchoring.Change{Old: v.oldIfReadable(p), New: v.current(p)}
		if c.Old == nil {
			came = append(came, c)
		} else {
			others = append(others, c)
		}
	}
	all := append(came, others...)
	return all[:min(len(all), maxChanged)]
}

// renamed returns the only new file with exactly the content of a removed one.
func (v *baseView) renamed(path string) string {
	blob := v.oldBlob(path)
	to := ""
	for _, p := range v.differing() {
		if blob == "" || v.now.Blob(p) != blob || v.oldBlob(p) != "" {
			continue
		}
		if to != "" {
			return "" // two copies: the result is ambiguous
		}
		to = p
	}
	return to
}

// placeOf converts a resolution to its stored form.
func placeOf(key string, r anchoring.Resolution) store.Place {
	p := store.Place{Key: key, State: r.State, Reason: r.Reason, Path: r.Path, Symbol: r.Symbol, Ordinal: r.Ordinal,
		Line: r.Line, EndLine: r.EndLine, Confidence: r.Confidence, Rung: r.Rung}
	if s := r.Suggestion; s != nil {
		p.Suggestion = &store.Suggestion{Path: s.Path, Symbol: s.Symbol, Ordinal: s.Ordinal, Confidence: s.Confidence}
	}
	return p
}

// dependsOn identifies the files on which a resolution depends; it is valid while they are
// unchanged. An anchor found in place depends on no other file. A followed one depends on its old
// and its new file. A missing one depends on all files.
func dependsOn(a anchor.Anchor, r anchoring.Resolution, now state) string {
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

// holds reports whether the files on which a resolution depends are unchanged.
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
		} else if !now.Is(line[:at], line[at+1:]) {
			return false
		}
	}
	return true
}
