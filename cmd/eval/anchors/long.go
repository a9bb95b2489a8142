package anchors

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittree"
)

// history is the commits of a repository up to one of them.
type history struct {
	*gittree.History
	order map[string]int // index by commit: 0 is the last, children come before their parents
}

func (r *repository) history(ctx context.Context, end string) (*history, error) {
	if h := r.histories[end]; h != nil {
		return h, nil
	}
	out, err := r.git(ctx, "rev-list", "--topo-order", "--parents", end)
	if err != nil {
		return nil, err
	}
	parents, order := make(map[string][]string), make(map[string]int)
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		parents[ids[0]] = ids[1:]
		order[ids[0]] = len(order)
	}
	h := &history{gittree.NewHistory(parents), order}
	r.histories[end] = h
	return h, nil
}

// diffChain reads the differences along a chain in one git process.
func (r *repository) diffChain(ctx context.Context, chain []string) error {
	var ask strings.Builder
	for i := 1; i < len(chain); i++ {
		if _, ok := r.diffs[chain[i-1]+chain[i]]; !ok {
			fmt.Fprintf(&ask, "%s %s\n", chain[i], chain[i-1])
		}
	}
	if ask.Len() == 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, "git", "-C", r.dir, "diff-tree", "--stdin", "-r", "--raw", "--no-renames", "--no-abbrev")
	cmd.Stdin = strings.NewReader(ask.String())
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("git diff-tree in %s: %w", r.name, err)
	}
	before := make(map[string]string)
	for i := 1; i < len(chain); i++ {
		before[chain[i]] = chain[i-1]
		if key := chain[i-1] + chain[i]; r.diffs[key] == nil {
			r.diffs[key] = []diff{}
		}
	}
	key := ""
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if !strings.HasPrefix(line, ":") {
			key = before[line] + line
			continue
		}
		meta, path, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if language(path) != "" {
			r.diffs[key] = append(r.diffs[key], diff{f[2], f[3], path})
		}
	}
	return lines.Err()
}

// logEvery selects the pairs for git log -L, which takes seconds for one.
const logEvery = 12

// twoEnds resolves each pair from its two ends alone.
func (e *evaluation) twoEnds(ctx context.Context, r *repository, pairs []pair) ([]outcome, error) {
	var all []outcome
	worlds := make(map[string]*anchoring.World)
	for i, p := range pairs {
		from, to, before, after, ok := located(r, p)
		if !ok {
			continue
		}
		key := p.Start.Commit + p.End.Commit
		w := worlds[key]
		if w == nil {
			var err error
			if w, err = r.world(ctx, p.Start.Commit, p.End.Commit); err != nil {
				return nil, err
			}
			clear(worlds) // pairs are sorted: those of the same commits are adjacent
			worlds[key] = w
		}
		res := w.Resolve(anchored(p.Kind, from, p.Start, before))
		all = append(all, judged(p, res, from, to, before, after))
		c := change{pair: p, from: from, to: to, before: before, after: after,
			fromCommit: p.Start.Commit, toCommit: p.End.Commit, fromElement: p.Start, toElement: p.End, label: p.hardest()}
		if err := e.compare(ctx, "only the ends", r, c); err != nil {
			return nil, err
		}
		if !e.quick && c.from.symbol == nil && i%logEvery == 0 {
			o, err := r.logL(ctx, c)
			if err != nil {
				return nil, err
			}
			e.note("only the ends", "git log -L (a sample)", o)
		}
	}
	return all, nil
}

func located(r *repository, p pair) (from, to target, before, after *anchoring.Source, ok bool) {
	before, after = r.blobAt(p.Start.Blob, p.Start.File), r.blobAt(p.End.Blob, p.End.File)
	from, ok = locate(p.Kind, p.Start, before)
	to, ok2 := locate(p.Kind, p.End, after)
	return from, to, before, after, ok && ok2
}

// change returns the hardest kind of the changes between the ends.
func (p pair) hardest() string {
	file := p.Start.File != p.End.File
	renamed := slices.ContainsFunc(p.Steps, func(s step) bool { return s.Change == "rename" })
	switch {
	case file && renamed:
		return "other file, renamed"
	case file:
		return "other file"
	case renamed:
		return "renamed"
	default:
		return "same file"
	}
}

func judged(p pair, res anchoring.Resolution, from, to target, before, after *anchoring.Source) outcome {
	o := outcome{kind: p.Kind, change: p.hardest(), state: res.State, right: agrees(res, to), same: from.bare(before) == to.bare(after)}
	o.note = fmt.Sprintf("%s %s %s..%s %s | %s -> %s | %s %s %d %s %.2f %q", p.name(), p.Repo, p.Start.Commit[:10], p.End.Commit[:10], o.change, short(p.Start), short(p.End), res.State, res.Rung, res.Line, res.Symbol, res.Confidence, res.Reason)
	if res.Path != p.End.File {
		o.note += " in " + res.Path
	}
	return o
}

// everyCommit resolves each pair at every commit between the ends. Each step continues from the
// result of the step before.
func (e *evaluation) everyCommit(ctx context.Context, r *repository, pairs []pair) ([]outcome, error) {
	var all []outcome
	worlds := make(map[string]*anchoring.World)
	for i, p := range pairs {
		if i%50 == 0 {
			evalkit.Progress("%s: %d of %d along all commits", r.name, i, len(pairs))
		}
		from, to, before, after, ok := located(r, p)
		if !ok {
			continue
		}
		h, err := r.history(ctx, p.End.Commit)
		if err != nil {
			return nil, err
		}
		chain := h.Path(p.Start.Commit, p.End.Commit)
		if chain == nil {
			evalkit.Progress("no way from %s to %s in %s", p.Start.Commit, p.End.Commit, r.name)
			continue
		}
		var way trail
		walk := &walker{repository: r, history: h, worlds: worlds, visit: way.add}
		is, err := walk.follow(ctx, chain, anchored(p.Kind, from, p.Start, before))
		if err != nil {
			return nil, err
		}
		res := is.last
		if lost(res) { // the two ends may give more
			w, err := r.world(ctx, p.Start.Commit, p.End.Commit)
			if err != nil {
				return nil, err
			}
			if ends := w.Resolve(anchored(p.Kind, from, p.Start, before)); !lost(ends) {
				res = ends
			}
		}
		o := judged(p, res, from, to, before, after)
		if !o.right && e.misses > 0 {
			o.note += way.diverged(p, chain, e.pairs != "")
		}
		all = append(all, o)
	}
	return all, nil
}

// maxWorlds bounds the cached comparisons of two commits.
const maxWorlds = 400

// walker follows an anchor along a history.
type walker struct {
	*repository
	*history
	worlds map[string]*anchoring.World
	visit  func(from, to string, res anchoring.Resolution)
}

// position is the progress of an anchor: its last known place and its last resolution.
type position struct {
	anchor anchor.Anchor
	at     string // the commit at which it was last known
	last   anchoring.Resolution
}

// follow takes an anchor along a chain of commits. A lost anchor stays at its last place
// and is resolved again when its file changes. Where a merge brings the file from another
// branch, the anchor follows that branch.
func (w *walker) follow(ctx context.Context, chain []string, a anchor.Anchor) (position, error) {
	if err := w.diffChain(ctx, chain); err != nil {
		return position{}, err
	}
	is := position{anchor: a, at: chain[0]}
	for i := 1; i < len(chain); i++ {
		touched := slices.ContainsFunc(w.diffs[chain[i-1]+chain[i]], func(d diff) bool { return d.path == is.anchor.Path })
		switch {
		case touched && is.at == chain[i-1]:
			branch, ok, err := w.merged(ctx, chain[:i], chain[i], is)
			if err != nil {
				return is, err
			}
			if ok {
				is, is.at = branch, chain[i]
				continue
			}
		case !touched && i < len(chain)-1:
			if is.at == chain[i-1] {
				is.at = chain[i]
			}
			continue
		}
		if err := w.step(ctx, chain[i], &is); err != nil {
			return is, err
		}
	}
	return is, nil
}

// step resolves an anchor at a commit and makes it again at the place found.
func (w *walker) step(ctx context.Context, to string, is *position) error {
	key := is.at + to
	world := w.worlds[key]
	if world == nil {
		var err error
		if world, err = w.world(ctx, is.at, to); err != nil {
			return err
		}
		if len(w.worlds) > maxWorlds {
			clear(w.worlds)
			w.forget()
		}
		w.worlds[key] = world
	}
	a := is.anchor
	res := world.Resolve(a)
	w.visit(is.at, to, res)
	is.last = res
	if lost(res) {
		return nil
	}
	is.at = to
	is.anchor = reanchored(a, res, w.source(to, res.Path))
	return nil
}

// reanchored makes an anchor at the place where it was found.
func reanchored(a anchor.Anchor, res anchoring.Resolution, n *anchoring.Source) anchor.Anchor {
	is := anchor.Anchor{Kind: a.Kind, Path: res.Path, Language: a.Language, Symbol: res.Symbol, Ordinal: res.Ordinal, Blob: n.Blob}
	if a.Kind == anchor.KindLines {
		is.Lines, is.Focus = &anchor.LineRange{Start: res.Line, End: res.EndLine}, res.Focus
	}
	return is
}

func lost(r anchoring.Resolution) bool { return r.State == anchor.Orphaned || r.State == anchor.Stale }

// merged follows the branch from which a merge took the anchor's file unchanged, if the
// way so far did not change the file since the branches parted. ok is false for other
// merges, and if the anchor was lost on the branch.
func (w *walker) merged(ctx context.Context, way []string, merge string, is position) (position, bool, error) {
	path := is.anchor.Path
	for _, p := range w.Parents(merge) {
		if p == way[len(way)-1] || w.blob(p, path) != w.blob(merge, path) {
			continue
		}
		from, ok := w.mergeBase(way, p)
		if !ok || w.blob(from, path) != is.anchor.Blob {
			continue
		}
		chain := w.Path(from, p)
		if len(chain) < 2 {
			continue
		}
		branch, err := w.follow(ctx, chain, is.anchor)
		if err != nil {
			return is, false, err
		}
		if branch.at == p && !lost(branch.last) && w.blob(p, branch.anchor.Path) == w.blob(merge, branch.anchor.Path) {
			return branch, true, nil
		}
	}
	return is, false, nil
}

// mergeBase returns the last commit of a way that is an ancestor of a commit.
func (w *walker) mergeBase(way []string, commit string) (string, bool) {
	before := w.ancestors(commit)
	for i := len(way) - 1; i >= 0; i-- {
		if before[way[i]] {
			return way[i], true
		}
	}
	return "", false
}

// ancestors returns a commit and all its ancestors.
func (h *history) ancestors(commit string) map[string]bool {
	seen := map[string]bool{commit: true}
	for queue := []string{commit}; len(queue) > 0; {
		c := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, p := range h.Parents(c) {
			if !seen[p] {
				seen[p] = true
				queue = append(queue, p)
			}
		}
	}
	return seen
}

// blob returns the content of a file at a commit, or "" if it does not exist there.
func (r *repository) blob(commit, path string) string {
	if s := r.source(commit, path); s != nil {
		return s.Blob
	}
	return ""
}

// forget drops the cached files.
func (r *repository) forget() {
	clear(r.sources)
	clear(r.blobs)
}
