package services

import (
	"sync"

	"manicule/memory/embed"
	"manicule/memory/embed/provider"
)

// modelKey identifies a model by its settings and its folder.
type modelKey struct {
	settings provider.Settings
	dir      string
	code     bool // the model for code
}

// sharedModels are the models of a process with several open workspaces, such as the folders of an
// editor. Each model is loaded once.
type sharedModels struct {
	mu  sync.Mutex
	all map[modelKey]*sharedModel // guarded by mu
}

type sharedModel struct {
	service *embed.Service
	users   int // number of workspaces that hold it
}

// acquire returns the service of a model. The caller must call release; the last release closes the
// service.
func (m *sharedModels) acquire(key modelKey, open func() *embed.Service) (service *embed.Service, release func() error) {
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
	return s.service, sync.OnceValue(func() error { return m.release(key) })
}

func (m *sharedModels) release(key modelKey) error {
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
