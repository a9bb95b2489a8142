package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"manicule/hooks/activity"
	"manicule/hooks/eventlog"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/history"
	"manicule/indexer/workspace"
	"manicule/lsp"
	"manicule/memory/config"
	"manicule/memory/ledger"
)

// editorSessions are the sessions of agents in a workspace that an editor has
// opened.
func editorSessions(m lsp.Memories) lsp.Sessions {
	l, ok := m.(*led)
	if !ok {
		return nil
	}
	return sessions{activity.Of(l.Workspace, activity.Options{}), l.Place()}
}

// sessions is what the language server may know of agents.
type sessions struct {
	of    *activity.Sessions
	place *workspace.Workspace
}

// Log lists what happened.
func (s sessions) Log(ctx context.Context, limit int) ([]lsp.SessionEntry, error) {
	list, err := s.of.Log(ctx, limit)
	out := make([]lsp.SessionEntry, len(list))
	for i, e := range list {
		out[i] = lsp.SessionEntry(e)
	}
	return out, err
}

// Summary says what a session came to. Its tokens are those of the answers, as
// the account of what was shown has them: what is told of the session knows only
// which memories were quoted whole, and a nudge that counts memories quotes none.
func (s sessions) Summary(ctx context.Context, id string) (lsp.SessionSummary, bool, error) {
	sum, ok, err := s.of.Summary(ctx, id)
	if err != nil || !ok {
		return lsp.SessionSummary(sum), ok, err
	}
	_, answers, err := ledger.Read(s.place.StateDir(), eventlog.SafeName(id), s.place.Below())
	if err != nil {
		return lsp.SessionSummary(sum), false, fmt.Errorf("read what session %s was shown: %w", id, err)
	}
	sum.Tokens = max(sum.Tokens, answers.Tokens) // there is no account of what an older version showed
	return lsp.SessionSummary(sum), true, nil
}

// Watch tells what happens.
func (s sessions) Watch(ctx context.Context, happened func(lsp.SessionEvent)) error {
	return s.of.Watch(ctx, func(h activity.Happening) { happened(lsp.SessionEvent(h)) })
}

// editorTrust is the trust level of a workspace that an editor has opened.
func (a *app) editorTrust(m lsp.Memories) lsp.Trust {
	l, ok := m.(*led)
	if !ok {
		return nil
	}
	return trustSetting{a, l.Place()}
}

// trustKey is the setting that a step back changes.
const trustKey = "hooks.trust_level"

// trustSetting is the person's own setting: a repository can't have one.
type trustSetting struct {
	app   *app
	place *workspace.Workspace
}

// Level is the level in force.
func (t trustSetting) Level(context.Context) int {
	c, _ := config.Load(t.place.ConfigFile(), t.place.UserConfigFile(), t.app.getenv) // doctor shows the warnings
	return c.Int(trustKey)
}

// SetLevel writes it to the person's configuration file.
func (t trustSetting) SetLevel(_ context.Context, level int) error {
	c, _ := config.Load(t.place.ConfigFile(), t.place.UserConfigFile(), t.app.getenv) // doctor shows the warnings
	if c.From(trustKey) == config.Env {
		return fmt.Errorf("an environment variable says what %s is: change it there", trustKey)
	}
	return config.Write(t.place.UserConfigFile(), trustKey, level)
}

// editorFiles are the files of a workspace that an editor has opened.
func editorFiles(m lsp.Memories) lsp.Files {
	l, ok := m.(*led)
	if !ok {
		return nil
	}
	return &scopeFiles{place: l.Place(), past: l.past}
}

// scopeFiles is what scopes can match: what git tracks and what it would.
type scopeFiles struct {
	place *workspace.Workspace
	past  *history.History // nil outside of git

	mu sync.Mutex
	// edited are the files that differ from the last commit, with when they were
	// written.
	edited map[string]time.Time // guarded by mu
}

// List walks the workspace.
func (f *scopeFiles) List(ctx context.Context) (paths []string, err error) {
	var repo *gittree.Repo
	if f.place.GitDir != "" {
		repo = gittree.Open(f.place.GitDir, f.place.GitCommonDir, f.place.Below())
		defer func() { err = errors.Join(err, repo.Close()) }()
	}
	files, err := gittree.NewWorktree(f.place.Root, repo)
	if err != nil {
		return nil, fmt.Errorf("look at the files of %s: %w", f.place.Root, err)
	}
	if paths, err = files.Paths(ctx); err != nil {
		return nil, err
	}
	if f.past != nil {
		// What came since the last look; without it, older numbers are shown.
		if err := readHistory(ctx, f.place, f.past); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		edited := f.uncommitted(ctx, repo, files, paths)
		f.mu.Lock()
		f.edited = edited
		f.mu.Unlock()
	}
	return paths, ctx.Err()
}

// uncommitted are the files that the last commit does not have as they are.
func (f *scopeFiles) uncommitted(ctx context.Context, repo *gittree.Repo, files *gittree.Worktree, paths []string) map[string]time.Time {
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

// Modified is when a commit changed a file last, or a person after it.
func (f *scopeFiles) Modified(path string) (time.Time, bool) {
	if f.past == nil || f.past.Volatility(path) < 0 {
		return time.Time{}, false
	}
	at := f.past.Modified(path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if edited := f.edited[path]; edited.After(at) {
		at = edited
	}
	return at, true
}
