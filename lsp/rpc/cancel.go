package rpc

import (
	"context"
	"math"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// inFlight cancels requests by their id.
//
// jsonrpc2's CancelHandler is not used. It derives the handler's context from the
// request's own, which is reused for another request as soon as a handler returns
// without having released itself. context.WithCancel watches such a parent from a
// goroutine. If that goroutine is late, the parent is empty and it panics, which ends
// the process.
type inFlight struct {
	mu   sync.Mutex
	byID map[jsonrpc2.ID]context.CancelFunc // guarded by mu
}

// requestContext is cancelled by id or with the connection. Its values come from the
// request's own context, which lives as long as its handler.
type requestContext struct {
	context.Context
	request context.Context
}

// Value asks the connection's context first, because the standard library finds the
// parent to cancel by there.
func (c requestContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.request.Value(key)
}

// begin returns the context of a request, and a function that ends it.
func (f *inFlight) begin(ctx context.Context, id jsonrpc2.ID) (context.Context, func()) {
	base, cancel := context.WithCancel(jsonrpc2.DetachContext(ctx))
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.byID == nil {
		f.byID = make(map[jsonrpc2.ID]context.CancelFunc)
	}
	f.byID[id] = cancel
	return requestContext{base, ctx}, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.byID, id)
		cancel()
	}
}

// cancel handles $/cancelRequest. It ignores an unknown or missing id: the request may
// have been answered already.
func (f *inFlight) cancel(params []byte) {
	id, ok := cancelID(params)
	if !ok {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if cancel, ok := f.byID[id]; ok {
		cancel()
	}
}

// cancelID reads the id of a $/cancelRequest: a string, or a number in any spelling (1,
// 1.0, 1e3), because JSON has one kind of number.
func cancelID(params []byte) (jsonrpc2.ID, bool) {
	var p struct {
		ID jsontext.Value `json:"id"`
	}
	if err := protocol.Unmarshal(params, &p); err != nil {
		return jsonrpc2.ID{}, false
	}
	switch p.ID.Kind() {
	case '"':
		var s string
		if err := protocol.Unmarshal(p.ID, &s); err != nil {
			return jsonrpc2.ID{}, false
		}
		return jsonrpc2.NewStringID(s), true
	case '0':
		if n, err := strconv.ParseInt(string(p.ID), 10, 64); err == nil {
			return jsonrpc2.NewNumberID(n), true
		}
		f, err := strconv.ParseFloat(string(p.ID), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			return jsonrpc2.ID{}, false
		}
		return jsonrpc2.NewNumberID(int64(f)), true
	}
	return jsonrpc2.ID{}, false
}
