package wrap

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// initializeRequest is an initialize request that waits for its response.
type initializeRequest struct {
	id     jsonrpc2.ID
	params []byte
}

// initialize forwards the request. Our server is initialized when the wrapped one has
// answered (see [proxy.initialized]).
func (p *proxy) initialize(body []byte, v *jsonrpc2.MessageView) {
	if id, ok := v.ID.ID(); ok {
		p.mu.Lock()
		if p.initializing == nil && !p.childOffers.known {
			p.initializing = &initializeRequest{id, bytes.Clone(v.Params)}
			publish := objectOrEmpty(v.Params).object("capabilities").object("textDocument").object("publishDiagnostics")
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

// initialized initializes our server with the wrapped server's choices, and answers the
// client with the merged capabilities. It blocks the wrapped server's messages until
// then: the client must see this response first.
func (p *proxy) initialized(body []byte, v *jsonrpc2.MessageView, start *initializeRequest) {
	result, ok := parseObject(v.Result)
	capabilities := result.object("capabilities")
	has := offersOf(capabilities)
	p.mu.Lock()
	p.childOffers = offers{known: true, capabilities: cloned(capabilities), sync: has.sync}
	p.mu.Unlock()
	encoding := encodingOf(capabilities)
	params, good := ownParams(start.params, encoding, truthy(capabilities.get("diagnosticProvider")))
	if !ok || !good {
		p.toClient(body)
		return
	}
	got := make(chan object, 1)
	p.own.initialize(params, func(a answer) {
		offers, _ := parseObject(bytes.Clone(a.result))
		got <- offers.object("capabilities")
	})
	patience := time.NewTimer(startBudget)
	defer patience.Stop()
	select {
	case own := <-got:
		if len(own) == 0 || encodingOf(own) != encoding {
			p.opts.Log.Warn("our own server does not support the wrapped server's position encoding; only the wrapped server answers", "encoding", encoding)
			p.own.end()
			break
		}
		p.mu.Lock()
		p.ownOffers = offersOf(own)
		p.mu.Unlock()
		merged := result.with("capabilities", mergeCapabilities(capabilities, own).json())
		p.toClient(message(v.IDRaw, answer{result: merged.json()}))
		return
	case <-patience.C:
		p.opts.Log.Warn("our own server did not start in time; only the wrapped server answers from now on")
		p.own.end()
	}
	p.toClient(body)
}

// cloned returns a copy that does not share memory with a message.
func cloned(o object) object {
	out := make(object, len(o))
	for i, m := range o {
		out[i] = member{m.name, m.value.Clone()}
	}
	return out
}

// noteRegistrations counts the methods that the wrapped server registers at run time.
func (p *proxy) noteRegistrations(v *jsonrpc2.MessageView) {
	method, _ := v.MethodString()
	var list []jsontext.Value
	step := 1
	switch method {
	case "client/registerCapability":
		list, _ = parseArray(objectOrEmpty(v.Params).get("registrations"))
	case "client/unregisterCapability":
		list, _ = parseArray(objectOrEmpty(v.Params).get("unregisterations")) // the protocol spells it so
		step = -1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range list {
		name, _ := text(objectOrEmpty(r).get("method"))
		p.registered[name] += step
	}
}
