package main

import (
	"context"
	"fmt"
	"sync"

	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/lsp"
	"manicule/memory/change"
	"manicule/memory/config"
	"manicule/memory/coverage"
	"manicule/memory/follow"
	"manicule/memory/ledger"
	"manicule/memory/services"
	"manicule/memory/threads"
)

// editorServices adapts the services of workspaces to the interfaces of the language
// server.
type editorServices struct {
	*services.Opener
	graphs sync.Map // by root: the code graphs held by the language server, *graph.Index
}

// editorOptions returns the options of a language server.
func editorOptions(o *services.Opener) lsp.Options {
	e := &editorServices{Opener: o}
	return lsp.Options{
		Version: version, Now: o.Now, Log: o.Log, Idle: reduceMemory,
		SuggestKey: config.Nearest,
		Hint:       services.Hint,
		Settings:   e.settings,
		Override:   e.override,
		Graph:      e.graph,
		Track:      trackerOf,
		Ledger:     e.ledger,
		Commit:     change.Commit,
		Sessions:   sessionsOf,
		Threads:    editorThreads,
		Trust:      e.trust,
		Files:      filesOf,
		Coverage:   coverageOfServer,
		OnEmbed:    onEmbed,
		Open:       e.open,
	}
}

// open opens the workspace of a folder and competes for its lease.
func (e *editorServices) open(ctx context.Context, dir string) (lsp.Memories, error) {
	w, err := e.Open(dir, nil)
	if err != nil {
		return nil, err
	}
	for _, x := range w.Warnings {
		e.Log.Warn(x.String())
	}
	return w.Serve(ctx, services.ServeOptions{Role: "lsp", Graph: func() (*graph.Index, error) {
		if v, ok := e.graphs.Load(w.Root()); ok {
			if ix, ok := v.(*graph.Index); ok {
				return ix, nil
			}
		}
		return nil, services.ErrNoGraph
	}}), nil
}

// graph opens the code graph of a folder. It is limited to projects, because nobody
// requested it: an editor that opens a home folder or / must not make the server read
// everything in it.
func (e *editorServices) graph(root string) (lsp.Code, error) {
	p, err := e.Discover(root)
	if err != nil {
		return nil, err
	}
	if !p.IsProject() {
		return nil, fmt.Errorf("%s has no code graph: it is no git repository and has no %s folder at its root; open the folder of a project, or run `manicule init` there and restart the server", p.Root, workspace.Folder)
	}
	ix := e.GraphOfServer(p)
	e.graphs.Store(p.Root, ix)
	return ix, nil
}

// ledger records which memories a workspace has shown.
func (e *editorServices) ledger(m lsp.Memories) lsp.Ledger {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	p := s.Place()
	return ledger.NewAsync(s.State(), ledger.NewRecorder(p.StateDir(), p.GitPrefix(), e.Now), ledger.Hover, e.Now, e.Log)
}

// trackerOf follows the anchors of a workspace. The language server closes it with the
// folder.
func trackerOf(m lsp.Memories) (lsp.Tracker, error) {
	s, ok := m.(*services.Server)
	if !ok {
		return nil, fmt.Errorf("follow anchors of %s: %T is no workspace", m.Root(), m)
	}
	return follow.Open(s.Workspace.Workspace), nil
}

// editorThreads returns the threads of a workspace.
func editorThreads(m lsp.Memories) lsp.Threads {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	return threads.Of(s.Workspace.Workspace)
}

// onEmbed calls f while the code of a workspace is embedded.
func onEmbed(m lsp.Memories, f func(done, total int)) {
	if s, ok := m.(*services.Server); ok {
		s.OnEmbed(f)
	}
}

// filesOf lists the files of a workspace that scopes can match.
func filesOf(m lsp.Memories) lsp.Files {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	return s.Files()
}

// coverageOfServer tells what changes in a workspace and has no memory.
func coverageOfServer(m lsp.Memories) lsp.CoverageFunc {
	s, ok := m.(*services.Server)
	if !ok {
		return nil
	}
	return func(ctx context.Context) (coverage.Report, bool, error) {
		if err := s.UpdateHistory(ctx); err != nil {
			return coverage.Report{}, false, err
		}
		return services.Coverage(ctx, s.Workspace, services.CoverageOptions{})
	}
}

// settings returns the display settings in the configuration files of a folder. The
// client's settings override them, and the environment overrides both.
func (e *editorServices) settings(dir string) *lsp.Settings {
	s := lsp.DefaultSettings()
	if dir == "" {
		return s
	}
	p, err := e.Discover(dir)
	if err != nil {
		return s // Open reports it
	}
	c, _ := e.Settings(p) // Open logs the warnings
	overlay(c, s, func(string) bool { return true })
	return s
}

// override applies the settings of the environment.
func (e *editorServices) override(s *lsp.Settings) {
	c, _ := config.Load(config.Files{}, e.Getenv) // Open logs the warnings
	overlay(c, s, func(key string) bool { return c.From(key) == config.Env })
}

// overlay copies settings and replaces the given keys.
func overlay(c *config.Config, s *lsp.Settings, wanted func(key string) bool) {
	for key, to := range map[string]*bool{
		"index.enabled": &s.CodeGraph, "editor.document_symbols": &s.DocumentSymbols,
		"editor.hover": &s.Hover, "editor.code_lens": &s.CodeLens, "editor.diagnostics": &s.Diagnostics, "editor.code_actions": &s.CodeActions,
		"editor.review_actions": &s.ReviewActions, "editor.seen_before": &s.SeenBefore, "editor.scope_hints": &s.ScopeHints, "editor.threads": &s.Threads,
	} {
		if wanted(key) {
			*to = c.Bool(key)
		}
	}
	for key, to := range map[string]*string{
		"editor.severity": &s.Severity, "editor.stale_severity": &s.StaleSeverity, "editor.drifted_severity": &s.DriftedSeverity,
		"editor.dead_end_severity": &s.DeadEndSeverity,
	} {
		if wanted(key) {
			*to = c.String(key)
		}
	}
	if wanted("editor.max_per_file") {
		s.MaxPerFile = c.Int("editor.max_per_file")
	}
	if wanted("editor.max_items") {
		s.MaxItems = c.Int("editor.max_items")
	}
}
