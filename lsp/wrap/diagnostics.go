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

// catchUpDelay is how long our diagnostics of a newer text wait for the wrapped
// server's. Publishing them with its old ones would move its marks back to where they
// were before the edit. The delay is longer than the usual debounce of servers.
const catchUpDelay = 2 * time.Second

// diagnostics keeps what both servers publish about each document, because a
// publication replaces everything that is shown of it.
type diagnostics struct {
	send     func(body []byte)
	versions bool // the client reads the version of diagnostics

	mu     sync.Mutex // held while sending: the last publication counts
	pushed map[string]*published
	asked  map[string]pulledReport
}

// published is what both servers last published for a document. Empty lists are nil.
type published struct {
	child, own   jsontext.Value // lists
	childParams  object         // the rest of the last publication
	ownParams    object
	childVersion *int64
	ownVersion   *int64
	wait         *time.Timer // for the wrapped server to catch up
}

// pulledReport is the last answer to a client's pull request.
type pulledReport struct {
	id    string         // result id of the wrapped server's report
	child jsontext.Value // its diagnostics
	own   jsontext.Value // ours, as sent to the client
}

func newDiagnostics(send func([]byte)) *diagnostics {
	return &diagnostics{send: send, pushed: make(map[string]*published), asked: make(map[string]pulledReport)}
}

// keyOf returns one key for all spellings of a document's URI.
func keyOf(raw string) string {
	if path, ok := convert.PathFrom(uri.URI(raw)); ok {
		return path
	}
	return raw
}

// parsePublication reads the params of publishDiagnostics.
func parsePublication(params []byte) (key string, rest object, list jsontext.Value, version *int64, ok bool) {
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

// entry returns the document's entry. mu is held.
func (d *diagnostics) entry(key string) *published {
	p, ok := d.pushed[key]
	if !ok {
		p = new(published)
		d.pushed[key] = p
	}
	if p.wait != nil {
		p.wait.Stop()
		p.wait = nil
	}
	return p
}

// fromChild handles a publication of the wrapped server. Its bytes pass unchanged if we
// have nothing to add.
func (d *diagnostics) fromChild(body, params []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, rest, list, version, ok := parsePublication(params)
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
	d.dropEmpty(key, p)
}

// fromOwn handles a publication of our server.
func (d *diagnostics) fromOwn(params []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key, rest, list, version, ok := parsePublication(params)
	if !ok {
		return
	}
	p := d.entry(key)
	p.own, p.ownParams, p.ownVersion = list, rest, version
	if p.child != nil && version != nil && p.childVersion != nil && *p.childVersion < *version {
		p.wait = time.AfterFunc(catchUpDelay, func() { d.publishOverdue(key, p) })
		return
	}
	d.publishOwn(p)
	d.dropEmpty(key, p)
}

// publishOverdue publishes our diagnostics when the wrapped server took too long.
func (d *diagnostics) publishOverdue(key string, p *published) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pushed[key] != p || p.wait == nil {
		return
	}
	p.wait = nil
	d.publishOwn(p)
}

// publishOwn publishes both lists after ours changed. It names a version only if both
// lists are of that version.
func (d *diagnostics) publishOwn(p *published) {
	params := p.ownParams
	if p.childParams != nil {
		params = params.with("uri", p.childParams.get("uri")) // as the client spells it
	}
	same := p.child == nil || p.childVersion != nil && p.ownVersion != nil && *p.childVersion == *p.ownVersion
	if !d.versions || !same {
		params = params.without("version")
	}
	d.publish(params, p)
}

func (d *diagnostics) publish(params object, p *published) {
	list := jsontext.Value("[]")
	if p.child != nil {
		list = p.child
	}
	if both, ok := joined(list, p.own); ok {
		list = both
	}
	d.send(jsonrpc2.AppendNotification(nil, methodPublish, jsonrpc2.RawMessage(params.with("diagnostics", list).json())))
}

// dropEmpty forgets a document that has no diagnostics.
func (d *diagnostics) dropEmpty(key string, p *published) {
	if p.child == nil && p.own == nil {
		delete(d.pushed, key)
	}
}

// methodPublish pushes the diagnostics of a document.
const methodPublish = "textDocument/publishDiagnostics"

// mergePulled adds our diagnostics to the wrapped server's answer to a pull. If the
// wrapped server answers "unchanged" and ours changed, it repeats the wrapped server's
// list with our new one.
func (d *diagnostics) mergePulled(params, body []byte, v *jsonrpc2.MessageView, own answer) []byte {
	report, ok := parseObject(v.Result)
	if !ok {
		return body
	}
	name, _ := text(objectOrEmpty(params).object("textDocument").get("uri"))
	key := keyOf(name)
	ours := objectOrEmpty(own.result).get("items").Clone()
	if items, ok := parseArray(ours); !ok || len(items) == 0 {
		ours = nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	id, _ := text(report.get("resultId"))
	kind, _ := text(report.get("kind"))
	before, known := d.asked[key]
	silent := isNull(own.result) // our answer was late or an error
	switch {
	case kind == "full":
		if id == "" {
			delete(d.asked, key)
		} else {
			d.asked[key] = pulledReport{id, report.get("items").Clone(), ours}
		}
	case kind != "unchanged" || !known || silent || before.id != id && id != "" || bytes.Equal(before.own, ours):
		return body
	default:
		report = object{{"kind", quoted("full")}, {"resultId", quoted(before.id)}, {"items", before.child}}
		d.asked[key] = pulledReport{before.id, before.child, ours}
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

// closed forgets the reports of a document.
func (d *diagnostics) closed(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.asked, key)
}

// stop stops all timers.
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

// mergeReports joins two workspace diagnostic reports.
func mergeReports(child, own []byte) (jsontext.Value, bool) {
	report, ok := parseObject(child)
	if !ok {
		return nil, false
	}
	items, ok := joined(report.get("items"), objectOrEmpty(own).get("items"))
	if !ok {
		return nil, false
	}
	return report.with("items", items).json(), true
}
