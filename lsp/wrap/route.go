package wrap

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"manicule/lsp/rpc"
)

// proxy is one session between a client and the wrapped server.
type proxy struct {
	opts        Options
	client      *rpc.Writer
	child       *rpc.Writer
	own         *ownServer
	diagnostics *diagnostics
	exiting     atomic.Bool   // the client sent exit
	exitAsked   chan struct{} // closed when the client sends exit

	mu           sync.Mutex
	pending      map[jsonrpc2.ID]*pendingRequest // guarded by mu; requests of the client that our server answers, too
	initializing *initializeRequest              // guarded by mu; nil unless initialize waits for its response
	childOffers  offers                          // guarded by mu
	ownOffers    offers                          // guarded by mu
	registered   map[string]int                  // guarded by mu; methods that the wrapped server registered at run time
	routes       map[string]route                // guarded by mu; requests to the client under ids of the proxy
	childIDs     map[string]bool                 // guarded by mu; the wrapped server's open requests whose ids look like the proxy's
	nextID       int64                           // guarded by mu
	ownTokens    map[string]bool                 // guarded by mu; progress tokens of our server
}

func newProxy(ctx context.Context, conn io.Writer, c *child, opts Options) *proxy {
	p := &proxy{
		opts: opts, client: rpc.NewWriter(conn), child: rpc.NewWriter(c.stdin), own: startOwn(ctx, opts.Own, opts.Log),
		pending: make(map[jsonrpc2.ID]*pendingRequest), registered: make(map[string]int), routes: make(map[string]route),
		exitAsked: make(chan struct{}), childIDs: make(map[string]bool), ownTokens: make(map[string]bool),
	}
	p.diagnostics = newDiagnostics(p.toClient)
	return p
}

func (p *proxy) toClient(body []byte) { p.write("client", p.client, body) }
func (p *proxy) toChild(body []byte)  { p.write("wrapped server", p.child, body) }

func (p *proxy) write(side string, w *rpc.Writer, body []byte) {
	if _, err := w.Add(func(b []byte) []byte { return append(b, body...) }); err != nil {
		p.opts.Log.Debug("write", "to", side, "err", err)
	}
}

func (p *proxy) answer(rawID []byte, a answer) { p.toClient(message(rawID, a)) }

// fromClient routes a message of the client.
func (p *proxy) fromClient(body []byte, v *jsonrpc2.MessageView) {
	switch v.Kind {
	case jsonrpc2.MessageViewCall:
		p.request(body, v)
	case jsonrpc2.MessageViewNotification:
		p.notification(body, v)
	case jsonrpc2.MessageViewResponseResult, jsonrpc2.MessageViewResponseError:
		p.response(body, v)
	default:
		p.toChild(body)
	}
}

// request routes a request of the client.
func (p *proxy) request(body []byte, v *jsonrpc2.MessageView) {
	method, _ := v.MethodString()
	switch {
	case method == "initialize":
		p.initialize(body, v)
		return
	case method == "shutdown":
		p.toChild(body)
		p.own.call(method, nil, func(answer) {})
		return
	case strings.HasPrefix(method, "manicule/"):
		p.askOwn(v, method, v.Params, feature{})
		return
	case method == "workspace/executeCommand":
		if name, _ := text(objectOrEmpty(v.Params).get("command")); strings.HasPrefix(name, prefix) {
			p.askOwn(v, method, v.Params, feature{})
			return
		}
		p.toChild(body)
		return
	}
	if _, ok := providerResolving(method); ok {
		p.resolve(body, v, method)
		return
	}
	f, ok := featureOf(method)
	child, own := p.offered(method)
	switch {
	case !ok || !own || f.fallback && child:
		p.toChild(body)
	case f.inform && child:
		p.toChild(body)
		p.own.call(method, v.Params, func(answer) {})
	case child:
		p.askBoth(body, v, method, f)
	default:
		p.askOwn(v, method, v.Params, f)
	}
}

// offered reports which of the servers offer a method.
func (p *proxy) offered(method string) (child, own bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.childOffers.known {
		return true, false
	}
	return p.childOffers.serves(method) || p.registered[method] > 0, p.ownOffers.known && p.ownOffers.serves(method)
}

// askBoth sends a request to both servers.
func (p *proxy) askBoth(body []byte, v *jsonrpc2.MessageView, method string, f feature) {
	id, ok := v.ID.ID()
	if !ok {
		p.toChild(body)
		return
	}
	a := &pendingRequest{proxy: p, id: id, method: method, feature: f, cancel: func() {}}
	params := v.Params
	if method == methodPull {
		a.params = bytes.Clone(v.Params)
		if o, ok := parseObject(v.Params); ok {
			params = o.without("previousResultId").json() // it names a report of the wrapped server
		}
	}
	if !p.addPending(a) { // the client reuses the id of an open request
		p.toChild(body)
		return
	}
	p.toChild(body)
	a.ask(withoutTokens(params))
}

// askOwn sends a request to our server alone.
func (p *proxy) askOwn(v *jsonrpc2.MessageView, method string, params []byte, f feature) {
	id, ok := v.ID.ID()
	a := &pendingRequest{proxy: p, id: id, rawID: bytes.Clone(v.IDRaw), method: method, feature: f, ownOnly: true, cancel: func() {}}
	if ok {
		p.addPending(a)
	}
	a.ask(withoutTokens(params))
}

func (p *proxy) addPending(a *pendingRequest) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.pending[a.id]; taken {
		return false
	}
	p.pending[a.id] = a
	return true
}

func (p *proxy) removePending(a *pendingRequest) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending[a.id] == a {
		delete(p.pending, a.id)
	}
}

// withoutTokens removes the tokens for progress and partial results: only the wrapped
// server reports under them.
func withoutTokens(params []byte) []byte {
	if !bytes.Contains(params, []byte(`Token"`)) {
		return params
	}
	o, ok := parseObject(params)
	if !ok {
		return params
	}
	return o.without("workDoneToken").without("partialResultToken").json()
}

// resolve sends an item to the server that made it. If that server does not resolve
// items, which the client can't know, the item is complete as it is.
func (p *proxy) resolve(body []byte, v *jsonrpc2.MessageView, method string) {
	child, own := p.offered(method)
	item, ours := untagItem(v.Params)
	switch {
	case ours && own:
		p.askOwn(v, method, item, feature{isItem: true})
	case ours:
		p.answer(v.IDRaw, answer{result: v.Params})
	case child:
		p.toChild(body)
	default:
		p.answer(v.IDRaw, answer{result: v.Params})
	}
}

// notification routes a notification of the client.
func (p *proxy) notification(body []byte, v *jsonrpc2.MessageView) {
	method, _ := v.MethodString()
	switch method {
	case "$/cancelRequest":
		p.cancel(body, v)
		return
	case "window/workDoneProgress/cancel":
		token := objectOrEmpty(v.Params).get("token")
		p.mu.Lock()
		ours := p.ownTokens[string(token)]
		p.mu.Unlock()
		if !ours {
			p.toChild(body)
		}
		return // opening a folder can't be cancelled
	case "exit":
		if p.exiting.CompareAndSwap(false, true) {
			defer close(p.exitAsked) // after it was forwarded
		}
	case "textDocument/didClose":
		if name, ok := text(objectOrEmpty(v.Params).object("textDocument").get("uri")); ok {
			p.diagnostics.closed(keyOf(name))
		}
	}
	if strings.HasPrefix(method, "manicule/") {
		p.own.send(body)
		return
	}
	if child, _ := p.offered(method); child && !onlyOurs(method, v.Params) {
		p.toChild(body)
	}
	if ownReceives(method) {
		p.own.send(body)
	}
}

// onlyOurs reports whether a notification concerns only our files or settings, which
// the client watches at our request.
func onlyOurs(method string, params []byte) bool {
	switch method {
	case "workspace/didChangeWatchedFiles":
		changes, ok := parseArray(objectOrEmpty(params).get("changes"))
		return ok && len(changes) > 0 && !slices.ContainsFunc(changes, func(c jsontext.Value) bool {
			name, _ := text(objectOrEmpty(c).get("uri"))
			return !strings.Contains(name, "/.manicule/")
		})
	case "workspace/didChangeConfiguration":
		settings := objectOrEmpty(params).object("settings")
		return len(settings) == 1 && settings[0].name == "manicule"
	}
	return false
}

// cancel routes a cancellation to the servers that have the request.
func (p *proxy) cancel(body []byte, v *jsonrpc2.MessageView) {
	raw := objectOrEmpty(v.Params).get("id")
	frame := append(append([]byte(`{"jsonrpc":"2.0","method":"x","id":`), raw...), '}')
	if view, err := jsonrpc2.ScanMessageView(frame); err == nil {
		if id, ok := view.ID.ID(); ok {
			p.mu.Lock()
			a := p.pending[id]
			p.mu.Unlock()
			if a != nil {
				a.cancelOwn()
				if a.ownOnly {
					return
				}
			}
		}
	}
	p.toChild(body)
}

// fromChild routes a message of the wrapped server.
func (p *proxy) fromChild(body []byte, v *jsonrpc2.MessageView) {
	switch v.Kind {
	case jsonrpc2.MessageViewResponseResult, jsonrpc2.MessageViewResponseError:
		id, ok := v.ID.ID()
		if !ok {
			break
		}
		p.mu.Lock()
		a, start := p.pending[id], p.initializing
		if start != nil && start.id == id {
			p.initializing = nil
		} else {
			start = nil
		}
		p.mu.Unlock()
		switch {
		case start != nil && v.Kind == jsonrpc2.MessageViewResponseResult:
			p.initialized(body, v, start)
			return
		case a != nil && !a.ownOnly:
			a.childAnswered(body, v)
			return
		}
	case jsonrpc2.MessageViewNotification:
		if string(v.MethodBytes) == methodPublish {
			p.diagnostics.fromChild(body, v.Params)
			return
		}
	case jsonrpc2.MessageViewCall:
		p.noteRegistrations(v)
		body = p.avoidIDCollision(body, v)
	}
	p.toClient(body)
}

// fromOwn routes a message of our server.
func (p *proxy) fromOwn(body []byte, v *jsonrpc2.MessageView) {
	method, _ := v.MethodString()
	switch v.Kind {
	case jsonrpc2.MessageViewResponseResult, jsonrpc2.MessageViewResponseError:
		p.own.deliver(v)
	case jsonrpc2.MessageViewCall:
		p.mu.Lock()
		id := p.freshID(route{true, v.IDRaw})
		if method == "window/workDoneProgress/create" {
			p.ownTokens[string(objectOrEmpty(v.Params).get("token"))] = true
		}
		p.mu.Unlock()
		p.toClient(jsonrpc2.AppendCall(nil, jsonrpc2.NewStringID(id), method, jsonrpc2.RawMessage(v.Params)))
	case jsonrpc2.MessageViewNotification:
		switch method {
		case methodPublish:
			p.diagnostics.fromOwn(v.Params)
		case "$/cancelRequest":
			p.cancelFromOwn(v)
		default:
			p.toClient(body)
		}
	}
}

// cancelFromOwn forwards our server's cancellation of a request of its own.
func (p *proxy) cancelFromOwn(v *jsonrpc2.MessageView) {
	// Don't send under the lock: the client may not be reading, and the wrapped
	// server's messages need the lock.
	if id, ok := p.clientIDOf(objectOrEmpty(v.Params).get("id")); ok {
		p.toClient(jsonrpc2.AppendNotification(nil, "$/cancelRequest", jsonrpc2.RawMessage(object{{"id", quoted(id)}}.json())))
	}
}

// respondPending sends the wrapped server's answers that still wait for ours, at the
// end of a session.
func (p *proxy) respondPending() {
	p.mu.Lock()
	open := slices.Collect(maps.Values(p.pending))
	p.mu.Unlock()
	for _, a := range open {
		a.mu.Lock()
		waits := a.child != nil && !a.done
		a.mu.Unlock()
		if waits {
			a.respond()
		}
	}
}
