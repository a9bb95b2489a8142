package wrap

import (
	"bytes"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// budget is how long an answer of the wrapped server waits for ours. A person does not
// notice it, and our server usually needs a fiftieth of it.
const budget = 50 * time.Millisecond

// pendingRequest is a request of the client that our server answers: alone, or beside
// the wrapped one.
type pendingRequest struct {
	proxy  *proxy
	id     jsonrpc2.ID
	rawID  []byte // as the client spelled it
	method string
	params []byte // kept if merging the answers needs them
	feature
	ownOnly bool   // only our server was asked
	cancel  func() // cancels the request to our server

	mu    sync.Mutex
	done  bool        // guarded by mu; the client has its answer
	child []byte      // guarded by mu; the wrapped server's message, nil until it comes
	own   *answer     // guarded by mu; ours, nil until it comes
	timer *time.Timer // guarded by mu
}

// ask sends the request to our server.
func (a *pendingRequest) ask(params []byte) {
	cancel := a.proxy.own.call(a.method, params, a.ownAnswered)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel = cancel
}

// cancelOwn cancels the request to our server.
func (a *pendingRequest) cancelOwn() {
	a.mu.Lock()
	cancel := a.cancel
	a.mu.Unlock()
	cancel()
}

// ownAnswered takes our server's answer.
func (a *pendingRequest) ownAnswered(got answer) {
	a.mu.Lock()
	if a.done {
		a.mu.Unlock()
		return
	}
	if a.ownOnly {
		a.done = true
		a.mu.Unlock()
		a.proxy.removePending(a)
		a.proxy.answer(a.rawID, a.tagItems(got))
		return
	}
	got = a.tagItems(answer{bytes.Clone(got.result), bytes.Clone(got.failure)})
	a.own = &got
	if a.child == nil {
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	a.respond()
}

// tagItems tags the items of our answer with their owner.
func (a *pendingRequest) tagItems(got answer) answer {
	if a.items && !isNull(got.result) {
		got.result = tagItems(got.result)
	}
	if a.isItem && !isNull(got.result) {
		got.result = tagItem(got.result)
	}
	return got
}

// childAnswered takes the wrapped server's message, which is valid during the call.
func (a *pendingRequest) childAnswered(body []byte, v *jsonrpc2.MessageView) {
	a.mu.Lock()
	if a.done {
		a.mu.Unlock()
		return
	}
	if a.own == nil && (v.Kind == jsonrpc2.MessageViewResponseResult || methodNotFound(v)) {
		a.child = bytes.Clone(body)
		a.timer = time.AfterFunc(a.proxy.opts.Budget, a.respond)
		a.mu.Unlock()
		return
	}
	a.child = body
	a.mu.Unlock()
	a.respond()
}

// methodNotFound reports whether the wrapped server does not know a method that it
// offered. Our answer is sent alone then.
func methodNotFound(v *jsonrpc2.MessageView) bool {
	return v.Kind != jsonrpc2.MessageViewResponseResult && v.Error.Code == jsonrpc2.MethodNotFound
}

// respond answers the client with what has arrived.
func (a *pendingRequest) respond() {
	a.mu.Lock()
	if a.done {
		a.mu.Unlock()
		return
	}
	a.done = true
	child, own := a.child, a.own
	if a.timer != nil {
		a.timer.Stop()
	}
	a.mu.Unlock()
	a.proxy.removePending(a)
	if own == nil {
		a.cancelOwn() // too late
		own = new(answer)
	}
	a.proxy.toClient(a.mergeWith(child, *own))
}

// mergeWith returns the message for the client: the wrapped server's own bytes unless
// there is something to add.
func (a *pendingRequest) mergeWith(child []byte, own answer) []byte {
	v, err := jsonrpc2.ScanMessageView(child)
	if err != nil {
		return child
	}
	if v.Kind != jsonrpc2.MessageViewResponseResult {
		if methodNotFound(&v) && !isNull(own.result) {
			return message(v.IDRaw, own)
		}
		return child
	}
	if a.method == methodPull {
		return a.proxy.diagnostics.mergePulled(a.params, child, &v, own)
	}
	if isNull(own.result) || len(own.failure) > 0 {
		return child
	}
	result, ok := a.merge(v.Result, own.result)
	if !ok {
		return child
	}
	return message(v.IDRaw, answer{result: result})
}

// message writes a response.
func message(rawID []byte, a answer) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","id":`), rawID...)
	if len(a.failure) > 0 {
		b = append(append(b, `,"error":`...), a.failure...)
	} else {
		b = append(append(b, `,"result":`...), orNull(a.result)...)
	}
	return append(b, '}')
}
