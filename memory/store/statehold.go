package store

import (
	"context"
	"errors"
	"sync"

	"manicule/indexer/sqlfile"
)

// heldState is the connection that a short command keeps open. To open state.db, read its schema
// and close it takes longer than most statements.
type heldState struct {
	mu      sync.Mutex // held while the connection is in use
	holders int
	db      *sqlfile.DB // nil until the first use
	unlock  func()      // releases the shared lock
}

// hold is [State.Hold].
func (s *stateFile) hold() (release func() error) {
	s.held.mu.Lock()
	defer s.held.mu.Unlock()
	s.held.holders++
	return sync.OnceValue(func() error {
		s.held.mu.Lock()
		defer s.held.mu.Unlock()
		if s.held.holders--; s.held.holders > 0 {
			return nil
		}
		return s.held.close()
	})
}

// close releases the connection. h.mu is held.
func (h *heldState) close() error {
	if h.db == nil {
		return nil
	}
	err := h.db.Close()
	h.unlock()
	h.db, h.unlock = nil, nil
	return err
}

// useHeld runs f on the held connection. done is false if the caller has to open its own: nobody
// holds one, another goroutine or a caller further up uses it, or it is damaged. Then it is closed,
// because a repair needs the lock.
func (s *stateFile) useHeld(ctx context.Context, f func(*sqlfile.DB) error) (done bool, err error) {
	h := &s.held
	if !h.mu.TryLock() {
		return false, nil
	}
	defer h.mu.Unlock()
	if h.holders == 0 {
		return false, nil
	}
	if h.db == nil {
		unlock, err := s.lockShared(ctx)
		if err != nil {
			return false, nil // the caller tries again, and reports it
		}
		err = s.lost()
		var db *sqlfile.DB
		if err == nil {
			db, err = s.openMigrated(ctx)
		}
		if err != nil {
			unlock()
			return false, nil // as above
		}
		h.db, h.unlock = db, unlock
	}
	if err = f(h.db); !sqlfile.IsCorrupt(err) {
		return true, err
	}
	if cerr := h.close(); cerr != nil && !sqlfile.IsCorrupt(cerr) {
		return true, errors.Join(err, cerr)
	}
	return false, nil
}
