package wrap

import (
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// Budget is how long an answer of the wrapped server waits for ours. A person
// does not notice it, and a server that is well answers in a fiftieth of it.
const Budget = 50 * time.Millisecond

// asked is a request of the client that our server answers: alone, or beside
// the wrapped one.
type asked struct {
	proxy  *proxy
	id     jsonrpc2.ID
	rawID  []byte // as the client spelled it
	method string
	params []byte // kept where the answers can't be joined without
	feature
	alone  bool   // only our server was asked
	cancel func() // cancels our part

	mu    sync.Mutex
	done  bool        // guarded by mu; the client has its answer
	child []byte      // guarded by mu; the wrapped server's message, nil until it comes
	own   *answer     // guarded by mu; ours, nil until it comes
	timer *time.Timer // guarded by mu
}

// ask asks our server.
func (a *asked) ask(params []byte) {
	cancel := a.proxy.own.call(a.method, params, a.ours)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancel = cancel
}

// giveUp cancels our part of a request.
func (a *asked) giveUp() {
	a.mu.Lock()
	cancel := a.cancel
	a.mu.Unlock()
	cancel()
}

// ours takes our server's answer.
func (a *asked) ours(got answer) {
	a.mu.Lock()
	if a.done {
		a.mu.Unlock()
		return
	}
	if a.alone {
		a.done = true
		a.mu.Unlock()
		a.proxy.forget(a)
		a.proxy.answer(a.rawID, a.shown(got))
		return
	}
	got = a.shown(answer{append([]byte(nil), got.result...), append([]byte(nil), got.failure...)})
	a.own = &got
	if a.child == nil {
		a.mu.Unlock()
		return
	}
	a.mu.Unlock()
	a.finish()
}

// shown marks the items of our answer.
func (a *asked) shown(got answer) answer {
	if a.items && !isNull(got.result) {
		got.result = marked(got.result)
	}
	if a.one && !isNull(got.result) {
		got.result = markedItem(got.result)
	}
	return got
}

// theirs takes the wrapped server's message, which is valid during the call.
func (a *asked) theirs(body []byte, v *jsonrpc2.MessageView) {
	a.mu.Lock()
	if a.done {
		a.mu.Unlock()
		return
	}
	if a.own == nil && (v.Kind == jsonrpc2.MessageViewResponseResult || unoffered(v)) {
		a.child = append([]byte(nil), body...)
		a.timer = time.AfterFunc(a.proxy.opts.Budget, a.finish)
		a.mu.Unlock()
		return
	}
	a.child = body
	a.mu.Unlock()
	a.finish()
}

// unoffered reports whether the wrapped server offered a method by mistake: it is
// answered by the server that knows it.
func unoffered(v *jsonrpc2.MessageView) bool {
	return v.Kind != jsonrpc2.MessageViewResponseResult && v.Error.Code == jsonrpc2.MethodNotFound
}

// finish answers the client with what is there.
func (a *asked) finish() {
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
	a.proxy.forget(a)
	if own == nil {
		a.giveUp() // too late
		own = new(answer)
	}
	a.proxy.toClient(a.merged(child, *own))
}

// merged returns the message for the client: the wrapped server's own bytes
// unless there is something to add.
func (a *asked) merged(child []byte, own answer) []byte {
	v, err := jsonrpc2.ScanMessageView(child)
	if err != nil {
		return child
	}
	if v.Kind != jsonrpc2.MessageViewResponseResult {
		if unoffered(&v) && !isNull(own.result) {
			return message(v.IDRaw, own)
		}
		return child
	}
	if a.method == methodPull {
		return a.proxy.diagnostics.pulled(a.params, child, &v, own)
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
