package wrap

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// starting is an initialize request that is being answered.
type starting struct {
	id     jsonrpc2.ID
	params []byte
}

// initialize forwards the request. Ours follows when the wrapped server has
// chosen (see [proxy.initialized]).
func (p *proxy) initialize(body []byte, v *jsonrpc2.MessageView) {
	if id, ok := v.ID.ID(); ok {
		p.mu.Lock()
		if p.start == nil && !p.childHas.known {
			p.start = &starting{id, append([]byte(nil), v.Params...)}
			publish := object1(v.Params).object("capabilities").object("textDocument").object("publishDiagnostics")
			p.diagnostics.versions = isTrue(publish.get("versionSupport"))
		}
		p.mu.Unlock()
	}
	if params, ok := childParams(v.Params); ok {
		id, _ := v.ID.ID()
		body = jsonrpc2.AppendCall(nil, id, "initialize", jsonrpc2.RawMessage(params))
	}
	p.toChild(body)
}

// initialized starts our server with the wrapped server's choices, and answers
// the client with what both offer. It waits for our server: the wrapped one may
// not say anything that the client must get before its answer to this.
func (p *proxy) initialized(body []byte, v *jsonrpc2.MessageView, start *starting) {
	result, ok := parseObject(v.Result)
	capabilities := result.object("capabilities")
	has := wantsOf(capabilities)
	p.mu.Lock()
	p.childHas = wants{known: true, capabilities: cloned(capabilities), sync: has.sync}
	p.mu.Unlock()
	encoding := encodingOf(capabilities)
	params, good := ownParams(start.params, encoding, truthy(capabilities.get("diagnosticProvider")))
	if !ok || !good {
		p.toClient(body)
		return
	}
	got := make(chan object, 1)
	p.own.initialize(params, func(a answer) {
		offers, _ := parseObject(append([]byte(nil), a.result...))
		got <- offers.object("capabilities")
	})
	patience := time.NewTimer(startBudget)
	defer patience.Stop()
	select {
	case own := <-got:
		if len(own) == 0 || encodingOf(own) != encoding {
			p.opts.Log.Warn("our own server can't join in", "encoding", encoding)
			p.own.end()
			break
		}
		p.mu.Lock()
		p.ownHas = wantsOf(own)
		p.mu.Unlock()
		merged := result.with("capabilities", mergeCapabilities(capabilities, own).json())
		p.toClient(message(v.IDRaw, answer{result: merged.json()}))
		return
	case <-patience.C:
		p.opts.Log.Warn("our own server did not start in time; the wrapped server's answers go on alone")
		p.own.end()
	}
	p.toClient(body)
}

// cloned returns a copy that does not borrow a message.
func cloned(o object) object {
	out := make(object, len(o))
	for i, m := range o {
		out[i] = member{m.name, m.value.Clone()}
	}
	return out
}

// noteRegistrations keeps what the wrapped server offers at run time.
func (p *proxy) noteRegistrations(v *jsonrpc2.MessageView) {
	method, _ := v.MethodString()
	var list []jsontext.Value
	step := 1
	switch method {
	case "client/registerCapability":
		list, _ = parseArray(object1(v.Params).get("registrations"))
	case "client/unregisterCapability":
		list, _ = parseArray(object1(v.Params).get("unregisterations")) // so spelled by the protocol
		step = -1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range list {
		name, _ := text(object1(r).get("method"))
		p.late[name] += step
	}
}
