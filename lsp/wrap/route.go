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
	exitAsked   chan struct{} // closed then

	mu       sync.Mutex
	asked    map[jsonrpc2.ID]*asked // guarded by mu; requests of the client that we answer too
	start    *starting              // guarded by mu; nil when initialize was answered
	childHas wants                  // guarded by mu
	ownHas   wants                  // guarded by mu
	late     map[string]int         // guarded by mu; methods that the wrapped server registered at run time
	routes   map[string]route       // guarded by mu; requests to the client under ids of ours
	theirs   map[string]bool        // guarded by mu; the wrapped server's open requests with ids like ours
	nextID   int64                  // guarded by mu
	tokens   map[string]bool        // guarded by mu; of our own server's progress
}

func newProxy(ctx context.Context, conn io.Writer, c *child, opts Options) *proxy {
	p := &proxy{
		opts: opts, client: rpc.NewWriter(conn), child: rpc.NewWriter(c.stdin), own: startOwn(ctx, opts.Own, opts.Log),
		asked: make(map[jsonrpc2.ID]*asked), late: make(map[string]int), routes: make(map[string]route),
		exitAsked: make(chan struct{}), theirs: make(map[string]bool), tokens: make(map[string]bool),
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
		if name, _ := text(object1(v.Params).get("command")); strings.HasPrefix(name, prefix) {
			p.askOwn(v, method, v.Params, feature{})
			return
		}
		p.toChild(body)
		return
	}
	if _, ok := resolvedBy(method); ok {
		p.resolve(body, v, method)
		return
	}
	f, ok := featureOf(method)
	child, own := p.offered(method)
	switch {
	case !ok || !own || f.alone && child:
		p.toChild(body)
	case f.aside && child:
		p.toChild(body)
		p.own.call(method, v.Params, func(answer) {})
	case child:
		p.askBoth(body, v, method, f)
	default:
		p.askOwn(v, method, v.Params, f)
	}
}

// offered reports which of the servers offer what a message asks for.
func (p *proxy) offered(method string) (child, own bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.childHas.known {
		return true, false
	}
	return p.childHas.method(method) || p.late[method] > 0, p.ownHas.known && p.ownHas.method(method)
}

// askBoth forwards a request and asks our server beside.
func (p *proxy) askBoth(body []byte, v *jsonrpc2.MessageView, method string, f feature) {
	id, ok := v.ID.ID()
	if !ok {
		p.toChild(body)
		return
	}
	a := &asked{proxy: p, id: id, method: method, feature: f, cancel: func() {}}
	params := v.Params
	if method == methodPull {
		a.params = append([]byte(nil), v.Params...)
		if o, ok := parseObject(v.Params); ok {
			params = o.without("previousResultId").json() // the wrapped server's
		}
	}
	if !p.remember(a) { // the id of a request that is not answered yet
		p.toChild(body)
		return
	}
	p.toChild(body)
	a.ask(withoutTokens(params))
}

// askOwn asks our server alone.
func (p *proxy) askOwn(v *jsonrpc2.MessageView, method string, params []byte, f feature) {
	id, ok := v.ID.ID()
	a := &asked{proxy: p, id: id, rawID: append([]byte(nil), v.IDRaw...), method: method, feature: f, alone: true, cancel: func() {}}
	if ok {
		p.remember(a)
	}
	a.ask(withoutTokens(params))
}

func (p *proxy) remember(a *asked) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.asked[a.id]; taken {
		return false
	}
	p.asked[a.id] = a
	return true
}

func (p *proxy) forget(a *asked) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.asked[a.id] == a {
		delete(p.asked, a.id)
	}
}

// withoutTokens takes the tokens for progress and partial results away: only
// the wrapped server reports under them.
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

// resolve sends an item back to whose it is. Where that server has no second
// step, which the client can't know, the item is complete as it is.
func (p *proxy) resolve(body []byte, v *jsonrpc2.MessageView, method string) {
	child, own := p.offered(method)
	item, ours := unmarked(v.Params)
	switch {
	case ours && own:
		p.askOwn(v, method, item, feature{one: true})
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
		token := object1(v.Params).get("token")
		p.mu.Lock()
		ours := p.tokens[string(token)]
		p.mu.Unlock()
		if !ours {
			p.toChild(body)
		}
		return // ours can't be given up
	case "exit":
		if p.exiting.CompareAndSwap(false, true) {
			defer close(p.exitAsked) // when it was passed on
		}
	case "textDocument/didClose":
		if name, ok := text(object1(v.Params).object("textDocument").get("uri")); ok {
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
	if told(method) {
		p.own.send(body)
	}
}

// onlyOurs reports whether a notification is about nothing but our files or our
// settings, which the client watches because we asked it to.
func onlyOurs(method string, params []byte) bool {
	switch method {
	case "workspace/didChangeWatchedFiles":
		changes, ok := parseArray(object1(params).get("changes"))
		return ok && len(changes) > 0 && !slices.ContainsFunc(changes, func(c jsontext.Value) bool {
			name, _ := text(object1(c).get("uri"))
			return !strings.Contains(name, "/.manicule/")
		})
	case "workspace/didChangeConfiguration":
		settings := object1(params).object("settings")
		return len(settings) == 1 && settings[0].name == "manicule"
	}
	return false
}

// cancel routes a cancellation to those that were asked.
func (p *proxy) cancel(body []byte, v *jsonrpc2.MessageView) {
	raw := object1(v.Params).get("id")
	frame := append(append([]byte(`{"jsonrpc":"2.0","method":"x","id":`), raw...), '}')
	if view, err := jsonrpc2.ScanMessageView(frame); err == nil {
		if id, ok := view.ID.ID(); ok {
			p.mu.Lock()
			a := p.asked[id]
			p.mu.Unlock()
			if a != nil {
				a.giveUp()
				if a.alone {
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
		a, start := p.asked[id], p.start
		if start != nil && start.id == id {
			p.start = nil
		} else {
			start = nil
		}
		p.mu.Unlock()
		switch {
		case start != nil && v.Kind == jsonrpc2.MessageViewResponseResult:
			p.initialized(body, v, start)
			return
		case a != nil && !a.alone:
			a.theirs(body, v)
			return
		}
	case jsonrpc2.MessageViewNotification:
		if string(v.MethodBytes) == methodPublish {
			p.diagnostics.child(body, v.Params)
			return
		}
	case jsonrpc2.MessageViewCall:
		p.noteRegistrations(v)
		body = p.keepApart(body, v)
	}
	p.toClient(body)
}

// fromOwn routes a message of our server.
func (p *proxy) fromOwn(body []byte, v *jsonrpc2.MessageView) {
	method, _ := v.MethodString()
	switch v.Kind {
	case jsonrpc2.MessageViewResponseResult, jsonrpc2.MessageViewResponseError:
		p.own.answered(v)
	case jsonrpc2.MessageViewCall:
		p.mu.Lock()
		id := p.freshID(route{true, v.IDRaw})
		if method == "window/workDoneProgress/create" {
			p.tokens[string(object1(v.Params).get("token"))] = true
		}
		p.mu.Unlock()
		p.toClient(jsonrpc2.AppendCall(nil, jsonrpc2.NewStringID(id), method, jsonrpc2.RawMessage(v.Params)))
	case jsonrpc2.MessageViewNotification:
		switch method {
		case methodPublish:
			p.diagnostics.own(v.Params)
		case "$/cancelRequest":
			p.cancelOfOwn(v)
		default:
			p.toClient(body)
		}
	}
}

// cancelOfOwn tells the client that our server gives a request of its own up.
func (p *proxy) cancelOfOwn(v *jsonrpc2.MessageView) {
	// Not sent under the lock: the client may not read, and the wrapped server's
	// messages need the lock too.
	if id, ok := p.routeOfOwn(object1(v.Params).get("id")); ok {
		p.toClient(jsonrpc2.AppendNotification(nil, "$/cancelRequest", jsonrpc2.RawMessage(object{{"id", quoted(id)}}.json())))
	}
}

// flush sends the wrapped server's answers that still wait for ours: it has
// ended, and so will this session.
func (p *proxy) flush() {
	p.mu.Lock()
	open := slices.Collect(maps.Values(p.asked))
	p.mu.Unlock()
	for _, a := range open {
		a.mu.Lock()
		waits := a.child != nil && !a.done
		a.mu.Unlock()
		if waits {
			a.finish()
		}
	}
}
