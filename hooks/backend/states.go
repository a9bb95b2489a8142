package backend

import (
	"context"
	"errors"
	"sync"

	"manicule/indexer/workspace"
	"manicule/memory/store"
)

// states holds the open state databases, each opened once for all parts of an answer.
type states struct {
	mu   sync.Mutex
	open map[string]*store.ObserverReader // guarded by mu; by state folder and path in the repository
}

// of opens the state database of a workspace.
func (s *states) of(ctx context.Context, p *workspace.Workspace) (*store.ObserverReader, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := p.StateDir() + "\x00" + p.GitPrefix()
	if o, ok := s.open[key]; ok {
		return o, nil
	}
	o, err := store.OpenObserverReader(ctx, p.StateDir(), p.GitPrefix())
	if err != nil {
		return nil, err
	}
	if s.open == nil {
		s.open = map[string]*store.ObserverReader{}
	}
	s.open[key] = o
	return o, nil
}

// close closes the state databases, before this process or another writes to them. The
// end of the process closes them otherwise.
func (s *states) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, o := range s.open {
		errs = append(errs, o.Close())
	}
	s.open = nil
	return errors.Join(errs...)
}
