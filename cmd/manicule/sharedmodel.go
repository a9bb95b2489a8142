package main

import (
	"sync"

	"manicule/memory/embed"
	"manicule/memory/embed/provider"
)

// modelKey says which model is meant: by what settings, from which folder.
type modelKey struct {
	settings provider.Settings
	dir      string
}

// sharedModels are the models of a process that has several workspaces open, the
// folders of an editor or the roots of an agent: each model is loaded once,
// however many search with it.
type sharedModels struct {
	mu  sync.Mutex
	all map[modelKey]*sharedModel // guarded by mu
}

type sharedModel struct {
	service *embed.Service
	users   int
}

// take is the service of a model; give has to be called when it is no longer
// needed, and the last one closes it.
func (m *sharedModels) take(key modelKey, open func() *embed.Service) (service *embed.Service, give func() error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.all[key]
	if s == nil {
		if m.all == nil {
			m.all = map[modelKey]*sharedModel{}
		}
		s = &sharedModel{service: open()}
		m.all[key] = s
	}
	s.users++
	return s.service, sync.OnceValue(func() error { return m.give(key) })
}

func (m *sharedModels) give(key modelKey) error {
	m.mu.Lock()
	s := m.all[key]
	s.users--
	if s.users > 0 {
		m.mu.Unlock()
		return nil
	}
	delete(m.all, key)
	m.mu.Unlock()
	return s.service.Close()
}
