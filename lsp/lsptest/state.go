package lsptest

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/jsonrpc2"
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

// Await waits until a condition is met and returns the state that met it.
func (e *Editor) Await(c Condition) State {
	e.t.Helper()
	deadline := time.After(patience)
	for {
		e.mu.Lock()
		s, changed := e.state.clone(), e.changed
		e.mu.Unlock()
		switch c.Judge(s) {
		case met:
			return s
		case unmeetable:
			e.t.Fatalf("unmeetable: %s\nstate: %+v", c.Name, s)
		}
		select {
		case <-changed:
		case <-deadline:
			e.t.Fatalf("not met: %s\nstate: %+v", c.Name, s)
		}
	}
}

// State returns the present state.
func (e *Editor) State() State {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state.clone()
}

// Traffic returns everything that the server has sent.
func (e *Editor) Traffic() []Message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.traffic)
}

func (e *Editor) record(m Message, update func(s *State)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.traffic = append(e.traffic, m)
	if update != nil {
		update(&e.state)
	}
	close(e.changed)
	e.changed = make(chan struct{})
}

// handle takes a message of the server and answers its requests.
func (e *Editor) handle(_ context.Context, req *jsonrpc2.Request) (any, error) {
	method, params := strings.Clone(req.Method()), slices.Clone(json.RawMessage(req.Params())) // both are borrowed
	update := func(s *State) { s.Seen[method]++ }
	var err error
	switch method {
	case protocol.MethodTextDocumentPublishDiagnostics:
		update, err = keep(method, params, func(s *State, p protocol.PublishDiagnosticsParams) { s.Diagnostics[p.URI] = p })
	case protocol.MethodWindowShowMessage:
		update, err = keep(method, params, func(s *State, p protocol.ShowMessageParams) { s.Messages = append(s.Messages, p) })
	case protocol.MethodWindowLogMessage:
		update, err = keep(method, params, func(s *State, p protocol.LogMessageParams) { s.Logs = append(s.Logs, p) })
	case protocol.MethodWindowShowDocument:
		update, err = keep(method, params, func(s *State, p protocol.ShowDocumentParams) { s.Shown = append(s.Shown, p) })
	case protocol.MethodWindowShowMessageRequest:
		update, err = keep(method, params, func(s *State, p protocol.ShowMessageRequestParams) { s.Offers = append(s.Offers, p) })
	case protocol.MethodClientRegisterCapability:
		update, err = keep(method, params, func(s *State, p protocol.RegistrationParams) {
			s.Registered = append(s.Registered, p.Registrations...)
		})
	}
	if err != nil {
		e.t.Errorf("%s: %v", method, err)
		return nil, nil
	}
	e.check(Message{Method: method, Raw: params}, Asked{})
	e.record(Message{Method: method, Raw: params}, update)
	if !req.IsCall() {
		return nil, nil
	}
	return e.answer(method, params), nil
}

func keep[P any](method string, raw json.RawMessage, add func(*State, P)) (func(*State), error) {
	var p P
	if err := protocol.Unmarshal(raw, &p); err != nil {
		return nil, err
	}
	return func(s *State) {
		s.Seen[method]++
		add(s, p)
	}, nil
}

func (e *Editor) answer(method string, params json.RawMessage) any {
	if e.Answer != nil {
		if v, ok := e.Answer(method, params); ok {
			return v
		}
	}
	switch method {
	case protocol.MethodWorkspaceConfiguration:
		return []protocol.LSPAny{protocol.LSPAny("null")}
	case protocol.MethodWindowShowDocument:
		return &protocol.ShowDocumentResult{Success: true}
	}
	return jsonrpc2.RawMessage("null")
}
