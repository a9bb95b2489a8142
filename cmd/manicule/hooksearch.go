package main

import (
	"context"
	"errors"
	"path/filepath"

	"manicule/hooks"
	"manicule/hooks/event"
	"manicule/hooks/learn"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/leader"
	"manicule/memory/quick"
	"manicule/memory/search"
	"manicule/memory/store"
)

// hookSearch finds memories for a hook: by the leader of the worktree, which
// has the model warm, where there is one that answers in time, else by words.
func (a *app) hookSearch(ctx context.Context, dir string, env workspace.Env, q hooks.Query) (hits []memory.Hit, err error) {
	m, err := quick.Open(ctx, dir, env)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if !hasMemories(m.Place()) {
		return nil, hooks.ErrNoWorkspace
	}
	c, _ := config.Load(m.Place().ConfigFile(), m.Place().UserConfigFile(), a.getenv) // doctor shows the warnings
	if !c.Bool("hooks.search") {
		return nil, nil
	}
	var answer search.Answer
	asked, cancel := context.WithTimeout(ctx, q.Wait)
	err = leader.Ask(asked, m.Place().Socket(), askSearch, search.Question{Text: q.Text, Phase: q.Phase, Limit: q.Limit}, &answer)
	cancel()
	if err != nil {
		return m.Search(ctx, q.Text, q.Phase, q.Limit, a.now)
	}
	ids := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		ids[i] = r.ID
	}
	return m.Get(ctx, ids)
}

// hookFailures tells what went wrong in earlier sessions with a call.
func (a *app) hookFailures(ctx context.Context, dir string, env workspace.Env, c event.Call) (out []hooks.Warning, err error) {
	if c.Class != event.Shell && c.Class != event.Read {
		return nil, nil
	}
	p, err := workspace.Discover(dir, env)
	if err != nil || !hasMemories(p) {
		return nil, errors.Join(hooks.ErrNoWorkspace, err)
	}
	conf, _ := config.Load(p.ConfigFile(), p.UserConfigFile(), a.getenv) // doctor shows the warnings
	if !conf.Bool("observer.enabled") || !conf.Bool("hooks.failures") {
		return nil, nil
	}
	var paths []string
	for _, t := range c.Targets {
		abs := t.Path
		if !filepath.IsAbs(abs) {
			abs = filepath.Join(dir, abs)
		}
		if rel, ok := p.Rel(abs); ok {
			paths = append(paths, rel)
		}
	}
	o, err := store.OpenObserved(ctx, p.StateDir(), p.Below())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	offers, err := learn.Offers(ctx, o, c.Class, c.Command, paths)
	for _, f := range offers {
		out = append(out, hooks.Warning{ID: f.ID, Text: f.Text})
	}
	return out, err
}

// hookForget forgets the one memory that an id means.
func hookForget(ctx context.Context, w *memory.Workspace, id string) (string, error) {
	if _, err := w.Refresh(ctx); err != nil {
		return "", err
	}
	h, err := w.Get(ctx, id)
	if err != nil {
		return "", err
	}
	return h.Memory.What, w.Forget(ctx, h.Memory.UUID)
}
