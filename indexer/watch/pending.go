package watch

import (
	"fmt"
	"sync"

	"github.com/fsnotify/fsnotify"
)

// maxPending is how many paths are collected before a rescan is cheaper.
const maxPending = 8192

// pending collects events between the goroutine that drains and the one that works.
type pending struct {
	signal chan struct{} // holds one element while something is pending

	mu    sync.Mutex
	paths map[string]fsnotify.Op // guarded by mu
	lost  error                  // guarded by mu
}

// batch is what one debounce window collected.
type batch struct {
	paths map[string]fsnotify.Op
	lost  error
}

// drain moves events out of the source until it is closed, and does nothing else.
func (p *pending) drain(s Source) {
	events, errs := s.Events(), s.Errors()
	for events != nil || errs != nil {
		select {
		case event, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			p.add(event)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			p.overflow(err)
		}
	}
}

func (p *pending) add(event fsnotify.Event) {
	if event.Op == fsnotify.Chmod {
		return // backup and search tools change attributes all the time
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paths == nil {
		p.paths = make(map[string]fsnotify.Op)
	}
	if len(p.paths) >= maxPending {
		p.lost = fmt.Errorf("%w: more than %d paths at once", errLost, maxPending)
	} else {
		p.paths[event.Name] |= event.Op
	}
	p.wake()
}

func (p *pending) overflow(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lost = fmt.Errorf("%w: %w", errLost, err)
	p.wake()
}

// wake signals without blocking; the caller holds p.mu.
func (p *pending) wake() {
	select {
	case p.signal <- struct{}{}:
	default:
	}
}

func (p *pending) take() batch {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := batch{paths: p.paths, lost: p.lost}
	p.paths, p.lost = nil, nil
	return taken
}
