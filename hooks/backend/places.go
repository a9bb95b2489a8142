package backend

import (
	"path/filepath"
	"sync"

	"manicule/hooks"
	"manicule/indexer/workspace"
	"manicule/memory/config"
)

// places finds the workspaces of folders, each once: finding one and reading its settings takes as
// long as a query of its database.
type places struct {
	discover func(dir string) (*workspace.Workspace, error)
	settings func(*workspace.Workspace) (*config.Config, []config.Warning)

	mu    sync.Mutex
	found map[string]place // guarded by mu; by folder
}

// place is a workspace with its settings.
type place struct {
	workspace *workspace.Workspace
	config    *config.Config
	err       error
}

// at returns the workspace of a folder with its settings, or [hooks.ErrNoWorkspace] if
// nobody has set one up.
func (p *places) at(dir string) (*workspace.Workspace, *config.Config, error) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	here, ok := p.found[dir]
	if !ok {
		here = p.find(dir)
		if p.found == nil {
			p.found = map[string]place{}
		}
		p.found[dir] = here
	}
	return here.workspace, here.config, here.err
}

func (p *places) find(dir string) place {
	w, err := p.discover(dir)
	if err != nil {
		return place{workspace: w, err: err}
	}
	if !w.IsSetUp() {
		return place{workspace: w, err: hooks.ErrNoWorkspace}
	}
	c, _ := p.settings(w) // doctor shows the warnings
	return place{workspace: w, config: c}
}
