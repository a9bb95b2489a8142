package wrap

import (
	"bytes"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
)

// route is where the answer to a request goes.
type route struct {
	own   bool // to our server, else to the wrapped one
	rawID []byte
}

// idPrefix begins the ids that we make.
const idPrefix = "manicule:"

// freshID is called with mu held.
func (p *proxy) freshID(r route) string {
	for {
		p.nextID++
		id := idPrefix + strconv.FormatInt(p.nextID, 10)
		if _, taken := p.routes[id]; !taken && !p.theirs[id] {
			p.routes[id] = route{r.own, append([]byte(nil), r.rawID...)}
			return id
		}
	}
}

// keepApart gives a request of the wrapped server another id where one of ours
// is open under the same.
func (p *proxy) keepApart(body []byte, v *jsonrpc2.MessageView) []byte {
	id, isText := v.ID.StringValue()
	if !isText || !strings.HasPrefix(id, idPrefix) {
		return body
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, taken := p.routes[id]; !taken {
		p.theirs[id] = true
		return body
	}
	method, _ := v.MethodString()
	other := p.freshID(route{rawID: v.IDRaw})
	return jsonrpc2.AppendCall(nil, jsonrpc2.NewStringID(other), method, jsonrpc2.RawMessage(v.Params))
}

// response routes an answer of the client to the server that asked.
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
		delete(p.theirs, id)
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

// routeOfOwn is the id that the client knows a request of our server by.
func (p *proxy) routeOfOwn(raw []byte) (id string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, r := range p.routes {
		if r.own && bytes.Equal(r.rawID, raw) {
			return id, true
		}
	}
	return "", false
}
