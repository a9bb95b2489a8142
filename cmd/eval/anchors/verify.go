package anchors

import (
	"context"
	"os"
	"path/filepath"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/gittree"
	"manicule/memory/follow"
)

// verify resolves each pair as `manicule verify` does in a clean clone, from the record
// of the first commit and git.
func verify(ctx context.Context, r *repository, pairs []pair) (all []outcome, err error) {
	for from := 0; from < len(pairs); {
		to := from
		for to < len(pairs) && pairs[to].End.Commit == pairs[from].End.Commit {
			to++
		}
		some, err := r.verifyAt(ctx, pairs[from:to])
		if err != nil {
			return nil, err
		}
		evalkit.Progress("%s: %d of %d as verify says", r.name, to, len(pairs))
		all, from = append(all, some...), to
		r.forget()
	}
	return all, nil
}

// gitDir is the folder that git keeps a repository in.
func (r *repository) gitDir() (string, error) {
	dir := r.dir
	if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
		dir = filepath.Join(dir, ".git")
	}
	return filepath.EvalSymlinks(dir)
}

// verified resolves anchors at a commit as verify does.
func (r *repository) verified(ctx context.Context, commit string, anchors []anchor.Anchor) ([]anchoring.Resolution, error) {
	dir, err := r.gitDir()
	if err != nil {
		return nil, err
	}
	repo := gittree.Open(dir, dir, "")
	defer func() { _ = repo.Close() }() // only read
	return follow.InCommit(ctx, repo, commit, anchors)
}

func (r *repository) verifyAt(ctx context.Context, pairs []pair) ([]outcome, error) {
	var anchors []anchor.Anchor
	var kept []pair
	for _, p := range pairs {
		from, _, before, _, ok := located(r, p)
		if !ok {
			continue
		}
		a := anchored(p.Kind, from, p.Start, before)
		a.Commit = p.Start.Commit
		anchors, kept = append(anchors, a), append(kept, p)
	}
	found, err := r.verified(ctx, pairs[0].End.Commit, anchors)
	if err != nil {
		return nil, err
	}
	var all []outcome
	for i, p := range kept {
		from, to, before, after, _ := located(r, p)
		all = append(all, judged(p, found[i], from, to, before, after))
	}
	return all, nil
}
