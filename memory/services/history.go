package services

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/history"
	"manicule/indexer/workspace"
)

// UpdateHistory reads new commits. Outside of git it does nothing.
func (w *Workspace) UpdateHistory(ctx context.Context) error {
	past := w.GitHistory()
	if past == nil {
		return nil
	}
	return updateHistory(ctx, w.Place(), past)
}

func updateHistory(ctx context.Context, p *workspace.Workspace, past *history.History) error {
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	return errors.Join(past.Update(ctx, repo, gitinfo.Head(p.GitDir, p.GitCommonDir)), repo.Close())
}

// Files returns the files that scopes can match: those that git tracks, and untracked ones that it
// doesn't ignore.
func (w *Workspace) Files() *Files { return &Files{place: w.Place(), history: w.GitHistory()} }

// Files lists the files that scopes can match, with the time of their last change.
type Files struct {
	place   *workspace.Workspace
	history *history.History // nil outside of git

	mu sync.Mutex
	// edited are the files that differ from the last commit, with their modification times.
	edited map[string]time.Time // guarded by mu
}

// List walks the workspace.
func (f *Files) List(ctx context.Context) (paths []string, err error) {
	var repo *gittree.Repo
	if f.place.GitDir != "" {
		repo = gittree.Open(f.place.GitDir, f.place.GitCommonDir, f.place.GitPrefix())
		defer func() { err = errors.Join(err, repo.Close()) }()
	}
	files, err := gittree.NewWorktree(f.place.Root, repo)
	if err != nil {
		return nil, fmt.Errorf("look at the files of %s: %w", f.place.Root, err)
	}
	if paths, err = files.Paths(ctx); err != nil {
		return nil, err
	}
	if f.history != nil {
		// Read the commits since the last call. If that fails, older times are shown.
		if err := updateHistory(ctx, f.place, f.history); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		edited := f.uncommitted(ctx, repo, files, paths)
		f.mu.Lock()
		f.edited = edited
		f.mu.Unlock()
	}
	return paths, ctx.Err()
}

// uncommitted returns the files that differ from the last commit.
func (f *Files) uncommitted(ctx context.Context, repo *gittree.Repo, files *gittree.Worktree, paths []string) map[string]time.Time {
	if repo == nil {
		return nil
	}
	tree, ok := repo.Tree(gitinfo.Head(f.place.GitDir, f.place.GitCommonDir))
	if !ok {
		return nil
	}
	out := make(map[string]time.Time)
	for _, p := range paths {
		if ctx.Err() != nil {
			return nil
		}
		if id := tree.Blob(p); id != "" && files.Blob(p) == id {
			continue
		}
		if info, err := os.Stat(filepath.Join(f.place.Root, filepath.FromSlash(p))); err == nil {
			out[p] = info.ModTime()
		}
	}
	return out
}

// Modified is the time of the last commit that changed a file, or of a later edit.
func (f *Files) Modified(path string) (time.Time, bool) {
	if f.history == nil || f.history.Volatility(path) < 0 {
		return time.Time{}, false
	}
	at := f.history.Modified(path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if edited := f.edited[path]; edited.After(at) {
		at = edited
	}
	return at, true
}
