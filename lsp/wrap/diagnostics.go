package wrap

import (
	"bytes"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
)

// behind is how long our diagnostics of a newer text wait for the wrapped
// server's: sent with them as they were, they would put its marks back to where
// they were before the edit. It is longer than servers wait for typing to rest.
const behind = 2 * time.Second

// diagnostics keeps what both servers say about documents, since whoever
// publishes replaces all that is shown of one.
type diagnostics struct {
	send     func(body []byte)
	versions bool // the client reads the version of diagnostics

	mu     sync.Mutex // held while sending: what is sent last is what holds
	pushed map[string]*pushed
	asked  map[string]pull
}

// pushed is what was published for a document. Lists are nil when empty.
type pushed struct {
	child, own   jsontext.Value // lists
	childParams  object         // what else was in the last publication
	ownParams    object
	childVersion *int64
	ownVersion   *int64
	wait         *time.Timer // for the wrapped server to catch up
}

// pull is what a client was told when it asked.
type pull struct {
	id    string         // the wrapped server's
	child jsontext.Value // its list under that id
	own   jsontext.Value // ours, as the client has it
}

func newDiagnostics(send func([]byte)) *diagnostics {
	return &diagnostics{send: send, pushed: make(map[string]*pushed), asked: make(map[string]pull)}
}

// keyOf names a document however its URI is spelled.
func keyOf(raw string) string {
	if path, ok := convert.PathFrom(uri.URI(raw)); ok {
		return path
	}
	return raw
}

// publication reads the params of publishDiagnostics.
func publication(params []byte) (key string, rest object, list jsontext.Value, version *int64, ok bool) {
	o, ok := parseObject(params)
	if !ok {
		return "", nil, nil, nil, false
	}
	name, ok := text(o.get("uri"))
	if !ok {
		return "", nil, nil, nil, false
	}
	items, ok := parseArray(o.get("diagnostics"))
	if !ok {
		return "", nil, nil, nil, false
	}
	if len(items) > 0 {
		list = o.get("diagnostics").Clone()
	}
	if n, err := strconv.ParseInt(string(bytes.TrimSpace(o.get("version"))), 10, 64); err == nil {
		version = &n
	}
	for _, m := range o {
		if m.name != "diagnostics" {
			rest = append(rest, member{m.name, m.value.Clone()})
		}
	}
	return keyOf(name), rest, list, version, true
}

// entry is called with mu held.
func (d *diagnostics) entry(key string) *pushed {
	p, ok := d.pushed[key]
	if !ok {
		p = new(pushed)
		d.pushed[key] = p
	}
	if p.wait != nil {
		p.wait.Stop()
		p.wait = nil
	}
	return p
}

// child takes a publication of the wrapped server. Where we have nothing to
// add, its bytes go on as they are.
func (d *diagnostics) child(body, params []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, rest, list, version, ok := publication(params)
	if !ok {
		d.send(body)
		return
	}
	p := d.entry(key)
	p.child, p.childParams, p.childVersion = list, rest, version
	if p.own == nil {
		d.send(body)
	} else {
		d.publish(rest, p)
	}
	d.trim(key, p)
}

// own takes a publication of our server.
func (d *diagnostics) own(params []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, rest, list, version, ok := publication(params)
	if !ok {
		return
	}
	p := d.entry(key)
	p.own, p.ownParams, p.ownVersion = list, rest, version
	if p.child != nil && version != nil && p.childVersion != nil && *p.childVersion < *version {
		p.wait = time.AfterFunc(behind, func() { d.late(key, p) })
		return
	}
	d.publishOwn(p)
	d.trim(key, p)
}

// late publishes what has waited long enough for the wrapped server.
func (d *diagnostics) late(key string, p *pushed) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pushed[key] != p || p.wait == nil {
		return
	}
	p.wait = nil
	d.publishOwn(p)
}

// publishOwn publishes both lists after ours changed. A version is named only
// where both are of it.
func (d *diagnostics) publishOwn(p *pushed) {
	params := p.ownParams
	if p.childParams != nil {
		params = params.with("uri", p.childParams.get("uri")) // as the client has seen it
	}
	same := p.child == nil || p.childVersion != nil && p.ownVersion != nil && *p.childVersion == *p.ownVersion
	if !d.versions || !same {
		params = params.without("version")
	}
	d.publish(params, p)
}

func (d *diagnostics) publish(params object, p *pushed) {
	list := jsontext.Value("[]")
	if p.child != nil {
		list = p.child
	}
	if both, ok := joined(list, p.own); ok {
		list = both
	}
	d.send(jsonrpc2.AppendNotification(nil, methodPublish, jsonrpc2.RawMessage(params.with("diagnostics", list).json())))
}

// trim forgets a document that nobody says anything about.
func (d *diagnostics) trim(key string, p *pushed) {
	if p.child == nil && p.own == nil {
		delete(d.pushed, key)
	}
}

// methodPublish tells the client the diagnostics of a document.
const methodPublish = "textDocument/publishDiagnostics"

// pulled joins the answers to a client that asks for a document's diagnostics.
// The wrapped server may answer that nothing changed since it was asked before;
// if something of ours did, its list is repeated with our new one.
func (d *diagnostics) pulled(params, body []byte, v *jsonrpc2.MessageView, own answer) []byte {
	report, ok := parseObject(v.Result)
	if !ok {
		return body
	}
	name, _ := text(object1(params).object("textDocument").get("uri"))
	key := keyOf(name)
	ours := object1(own.result).get("items").Clone()
	if items, ok := parseArray(ours); !ok || len(items) == 0 {
		ours = nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	id, _ := text(report.get("resultId"))
	kind, _ := text(report.get("kind"))
	before, known := d.asked[key]
	silent := isNull(own.result) // we were too slow, or failed
	switch {
	case kind == "full":
		if id == "" {
			delete(d.asked, key)
		} else {
			d.asked[key] = pull{id, report.get("items").Clone(), ours}
		}
	case kind != "unchanged" || !known || silent || before.id != id && id != "" || bytes.Equal(before.own, ours):
		return body
	default:
		report = object{{"kind", quoted("full")}, {"resultId", quoted(before.id)}, {"items", before.child}}
		d.asked[key] = pull{before.id, before.child, ours}
		if ours == nil {
			return message(v.IDRaw, answer{result: report.json()})
		}
	}
	items, ok := joined(report.get("items"), ours)
	if !ok {
		return body
	}
	return message(v.IDRaw, answer{result: report.with("items", items).json()})
}

// closed forgets what was told of a document.
func (d *diagnostics) closed(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.asked, key)
}

// stop ends what waits.
func (d *diagnostics) stop() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.pushed {
		if p.wait != nil {
			p.wait.Stop()
			p.wait = nil
		}
	}
}

// mergeReports joins the reports of a workspace.
func mergeReports(child, own []byte) (jsontext.Value, bool) {
	report, ok := parseObject(child)
	if !ok {
		return nil, false
	}
	items, ok := joined(report.get("items"), object1(own).get("items"))
	if !ok {
		return nil, false
	}
	return report.with("items", items).json(), true
}
