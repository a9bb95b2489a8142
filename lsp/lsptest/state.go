package lsptest

import (
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// State is what an editor would show or have registered. It is a copy.
type State struct {
	Diagnostics map[uri.URI]protocol.PublishDiagnosticsParams // the last of each document
	Seen        map[string]int                                // messages of the server by method
	Messages    []protocol.ShowMessageParams
	Logs        []protocol.LogMessageParams
	Shown       []protocol.ShowDocumentParams
	Registered  []protocol.Registration
	Offers      []protocol.ShowMessageRequestParams
}

func newState() State {
	return State{Diagnostics: make(map[uri.URI]protocol.PublishDiagnosticsParams), Seen: make(map[string]int)}
}

func (s State) clone() State {
	s.Diagnostics, s.Seen = maps.Clone(s.Diagnostics), maps.Clone(s.Seen)
	s.Messages, s.Logs, s.Shown = slices.Clone(s.Messages), slices.Clone(s.Logs), slices.Clone(s.Shown)
	s.Registered, s.Offers = slices.Clone(s.Registered), slices.Clone(s.Offers)
	return s
}

// Verdict is the result of a condition for a state.
type Verdict int

// The verdicts.
const (
	unmet      Verdict = iota // not yet
	met                       // reached
	unmeetable                // can't be reached any more
)

// Condition judges a state. Its name is for the message of a failed test.
type Condition struct {
	Name  string
	Judge func(s State) Verdict
}

// When is a condition that is met once ok holds.
func When(name string, ok func(s State) bool) Condition {
	return Condition{Name: name, Judge: func(s State) Verdict {
		if ok(s) {
			return met
		}
		return unmet
	}}
}

// received is what the server has sent, and the state that this makes.
type received struct {
	t testing.TB

	mu      sync.Mutex
	changed chan struct{} // guarded by mu; closed and replaced when state or traffic grows
	state   State         // guarded by mu
	traffic []Message     // guarded by mu
}

// Await waits until a condition is met and returns the state that met it.
func (r *received) Await(c Condition) State {
	r.t.Helper()
	deadline := time.After(patience)
	for {
		r.mu.Lock()
		s, changed := r.state.clone(), r.changed
		r.mu.Unlock()
		switch c.Judge(s) {
		case met:
			return s
		case unmeetable:
			r.t.Fatalf("unmeetable: %s\nstate: %+v", c.Name, s)
		}
		select {
		case <-changed:
		case <-deadline:
			r.t.Fatalf("not met: %s\nstate: %+v", c.Name, s)
		}
	}
}

// State returns the present state.
func (r *received) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.clone()
}

// Traffic returns everything that the server has sent.
func (r *received) Traffic() []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.traffic)
}

func (r *received) record(m Message, update func(s *State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.traffic = append(r.traffic, m)
	if update != nil {
		update(&r.state)
	}
	close(r.changed)
	r.changed = make(chan struct{})
}
