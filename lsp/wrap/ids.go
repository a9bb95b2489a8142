package wrap

import (
	"bytes"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// route is where the response to a request goes.
type route struct {
	own   bool // to our server, else to the wrapped one
	rawID []byte
}

// idPrefix begins the request ids that the proxy makes.
const idPrefix = "manicule:"

// freshID registers a route under a new id. mu is held.
func (p *proxy) freshID(r route) string {
	for {
		p.nextID++
		id := idPrefix + strconv.FormatInt(p.nextID, 10)
		if _, taken := p.routes[id]; !taken && !p.childIDs[id] {
			p.routes[id] = route{r.own, bytes.Clone(r.rawID)}
			return id
		}
	}
}

// avoidIDCollision gives a request of the wrapped server another id if the proxy uses
// that id for a request of its own.
func (p *proxy) avoidIDCollision(body []byte, v *jsonrpc2.MessageView) []byte {
	id, isText := v.ID.StringValue()
	if !isText || !strings.HasPrefix(id, idPrefix) {
		return body
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.routes[id]; !taken {
		p.childIDs[id] = true
		return body
	}
	method, _ := v.MethodString()
	other := p.freshID(route{rawID: v.IDRaw})
	return jsonrpc2.AppendCall(nil, jsonrpc2.NewStringID(other), method, jsonrpc2.RawMessage(v.Params))
}

// response routes a response of the client to the server that sent the request.
func (p *proxy) response(body []byte, v *jsonrpc2.MessageView) {
	id, isText := v.ID.StringValue()
	if !isText || !strings.HasPrefix(id, idPrefix) {
		p.toChild(body)
		return
	}
	p.mu.Lock()
	r, ok := p.routes[id]
	delete(p.routes, id)
	if !ok {
		delete(p.childIDs, id)
	}
	p.mu.Unlock()
	switch {
	case !ok:
		p.toChild(body)
	case r.own:
		p.own.send(message(r.rawID, answer{v.Result, v.ErrorRaw}))
	default:
		p.toChild(message(r.rawID, answer{v.Result, v.ErrorRaw}))
	}
}

// clientIDOf returns the id that the client knows a request of our server by.
func (p *proxy) clientIDOf(raw []byte) (id string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, r := range p.routes {
		if r.own && bytes.Equal(r.rawID, raw) {
			return id, true
		}
	}
	return "", false
}
