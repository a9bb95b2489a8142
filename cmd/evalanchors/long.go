package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"manicule/indexer/anchor"
)

// history is the commits of a repository up to one of them.
type history struct {
	parents  map[string][]string
	children map[string][]string
}

func (r *repository) history(ctx context.Context, end string) (*history, error) {
	if h := r.histories[end]; h != nil {
		return h, nil
	}
	out, err := r.git(ctx, "rev-list", "--parents", end)
	if err != nil {
		return nil, err
	}
	h := &history{parents: make(map[string][]string), children: make(map[string][]string)}
	for line := range strings.Lines(string(out)) {
		ids := strings.Fields(line)
		h.parents[ids[0]] = ids[1:]
		for _, p := range ids[1:] {
			h.children[p] = append(h.children[p], ids[0])
		}
	}
	r.histories[end] = h
	return h, nil
}

// chain returns commits from start to end, each a parent of the next: of
// several ways the one by first parents. Nil when there is none.
func (h *history) chain(start, end string) []string {
	after := map[string]bool{start: true}
	for queue := []string{start}; len(queue) > 0; {
		c := queue[0]
		queue = queue[1:]
		for _, k := range h.children[c] {
			if !after[k] {
				after[k] = true
				queue = append(queue, k)
			}
		}
	}
	if !after[end] {
		return nil
	}
	chain := []string{end}
	for c := end; c != start; {
		i := slices.IndexFunc(h.parents[c], func(p string) bool { return after[p] })
		if i < 0 {
			return nil
		}
		c = h.parents[c][i]
		chain = append(chain, c)
	}
	slices.Reverse(chain)
	return chain
}

// diffChain reads the differences along a chain at once.
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

// logEvery says for which of the pairs git log -L is asked: it takes seconds for one.
const logEvery = 12

// ends asks for each pair with nothing but the two ends known.
func (e *evaluation) ends(ctx context.Context, r *repository, pairs []pair) ([]outcome, error) {
	var all []outcome
	worlds := make(map[string]*anchor.World)
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
			clear(worlds) // pairs are sorted: the next of the same commits come first
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

func located(r *repository, p pair) (from, to target, before, after *anchor.Source, ok bool) {
	before, after = r.blobAt(p.Start.Blob, p.Start.File), r.blobAt(p.End.Blob, p.End.File)
	from, ok = locate(p.Kind, p.Start, before)
	to, ok2 := locate(p.Kind, p.End, after)
	return from, to, before, after, ok && ok2
}

// change names the hardest of the changes between the ends.
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

func judged(p pair, res anchor.Resolution, from, to target, before, after *anchor.Source) outcome {
	o := outcome{kind: p.Kind, change: p.hardest(), state: res.State, right: agrees(res, to, after), same: from.bare(before) == to.bare(after)}
	o.note = fmt.Sprintf("%s %s..%s %s | %s -> %s | %s %s %d %s %.2f %q", p.Repo, p.Start.Commit[:10], p.End.Commit[:10], o.change, short(p.Start), short(p.End), res.State, res.Rung, res.Line, res.Symbol, res.Confidence, res.Reason)
	if res.Path != p.End.File {
		o.note += " in " + res.Path
	}
	return o
}

// every asks for each pair at every commit between the ends, and goes on from
// where the anchor was then.
func (e *evaluation) every(ctx context.Context, r *repository, pairs []pair) ([]outcome, error) {
	var all []outcome
	worlds := make(map[string]*anchor.World)
	for i, p := range pairs {
		if i%50 == 0 {
			progress("%s: %d of %d along all commits", r.name, i, len(pairs))
		}
		from, to, before, after, ok := located(r, p)
		if !ok {
			continue
		}
		h, err := r.history(ctx, p.End.Commit)
		if err != nil {
			return nil, err
		}
		chain := h.chain(p.Start.Commit, p.End.Commit)
		if chain == nil {
			progress("no way from %s to %s in %s", p.Start.Commit, p.End.Commit, r.name)
			continue
		}
		if err := r.diffChain(ctx, chain); err != nil {
			return nil, err
		}
		var way trail
		res, err := r.follow(ctx, worlds, chain, anchored(p.Kind, from, p.Start, before), way.add)
		if err != nil {
			return nil, err
		}
		if res.State == anchor.Orphaned || res.State == anchor.Stale { // the two ends may say more
			w, err := r.world(ctx, p.Start.Commit, p.End.Commit)
			if err != nil {
				return nil, err
			}
			if ends := w.Resolve(anchored(p.Kind, from, p.Start, before)); ends.State != anchor.Orphaned && ends.State != anchor.Stale {
				res = ends
			}
		}
		o := judged(p, res, from, to, before, after)
		if !o.right && e.misses > 0 {
			o.note += way.diverged(p, chain)
		}
		all = append(all, o)
	}
	return all, nil
}

// maxWorlds is how many comparisons of two commits are kept.
const maxWorlds = 400

// follow takes an anchor along a chain of commits. Where it is lost it stays
// where it was last, and is looked for again when its file changes.
func (r *repository) follow(ctx context.Context, worlds map[string]*anchor.World, chain []string, a anchor.Anchor, visit func(from, to string, res anchor.Resolution)) (anchor.Resolution, error) {
	at := chain[0] // where the anchor is known
	var res anchor.Resolution
	for i := 1; i < len(chain); i++ {
		last := i == len(chain)-1
		touched := slices.ContainsFunc(r.diffs[chain[i-1]+chain[i]], func(d diff) bool { return d.path == a.Path })
		if !touched && !last {
			if at == chain[i-1] {
				at = chain[i]
			}
			continue
		}
		key := at + chain[i]
		w := worlds[key]
		if w == nil {
			var err error
			if w, err = r.world(ctx, at, chain[i]); err != nil {
				return res, err
			}
			if len(worlds) > maxWorlds {
				clear(worlds)
				r.forget()
			}
			worlds[key] = w
		}
		res = w.Resolve(a)
		visit(at, chain[i], res)
		if res.State == anchor.Orphaned || res.State == anchor.Stale {
			continue
		}
		at = chain[i]
		n := r.source(at, res.Path)
		a = anchor.Anchor{Kind: a.Kind, Path: res.Path, Language: a.Language, Symbol: res.Symbol, Ordinal: res.Ordinal, Blob: n.Blob}
		if a.Kind == anchor.KindLines {
			a.Lines, a.Focus = &anchor.LineRange{Start: res.Line, End: res.EndLine}, res.Focus
		}
	}
	return res, nil
}

// forget drops the files that were read.
func (r *repository) forget() {
	clear(r.sources)
	clear(r.blobs)
}
