package lsptest

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// connection is a client's end of a connection. It checks what passes against the protocol.
type connection struct {
	received
	conn   jsonrpc2.Conn
	rules  *Conformance
	Answer func(method string, params json.RawMessage) (any, bool) // answers requests of the server, before the defaults
}

// Message is a message of the server: the result of one of our requests, or the params
// of its own notification or request.
type Message struct {
	Method string
	Result bool // else params
	Raw    json.RawMessage
}

// Call sends a request and returns the raw result, or the server's error.
func (c *connection) Call(method string, params any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return c.CallContext(ctx, method, params)
}

// CallContext is Call that can be cancelled.
func (c *connection) CallContext(ctx context.Context, method string, params any) (json.RawMessage, error) {
	asked := c.sent(method, params)
	var raw jsonrpc2.RawMessage
	if err := protocol.Call(ctx, c.conn, method, params, &raw); err != nil {
		return nil, err
	}
	c.check(Message{Method: method, Result: true, Raw: json.RawMessage(raw)}, asked)
	c.record(Message{Method: method, Result: true, Raw: json.RawMessage(raw)}, nil)
	return json.RawMessage(raw), nil
}

// sent notes a message of ours for the checks.
func (c *connection) sent(method string, params any) Asked {
	raw, err := protocol.Marshal(params)
	if err != nil {
		return Asked{} // the connection says so
	}
	return c.rules.Sent(method, raw)
}

// check fails the test if a message of the server is against the protocol.
func (c *connection) check(m Message, asked Asked) {
	if err := c.rules.received(m, asked); err != nil {
		c.t.Errorf("against the protocol: %v", err)
	}
}

// Notify sends a notification.
func (c *connection) Notify(method string, params any) {
	c.t.Helper()
	c.sent(method, params)
	if err := c.conn.Notify(context.Background(), method, params); err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
}

// handle takes a message of the server and answers its requests.
func (c *connection) handle(_ context.Context, req *jsonrpc2.Request) (any, error) {
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
		c.t.Errorf("%s: %v", method, err)
		return nil, nil
	}
	c.check(Message{Method: method, Raw: params}, Asked{})
	c.record(Message{Method: method, Raw: params}, update)
	if !req.IsCall() {
		return nil, nil
	}
	return c.answer(method, params), nil
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

func (c *connection) answer(method string, params json.RawMessage) any {
	if c.Answer != nil {
		if v, ok := c.Answer(method, params); ok {
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
