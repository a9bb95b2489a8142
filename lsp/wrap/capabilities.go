package wrap

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// mergeCapabilities returns the wrapped server's capabilities with ours added.
// Nothing of the wrapped server's is taken away or asked of it that it did not
// offer: what only we offer comes to us alone (see [wants]). A capability of ours
// that nothing here routes is left out.
func mergeCapabilities(child, own object) object {
	out := child
	for _, m := range own {
		theirs := child.get(m.name)
		switch m.name {
		case "positionEncoding": // the wrapped server's, which ours was given
		case "textDocumentSync":
			out = out.with(m.name, mergeSync(theirs))
		case "executeCommandProvider":
			out = out.with(m.name, mergeList(theirs, m.value, "commands"))
		case "codeActionProvider":
			out = out.with(m.name, mergeActions(theirs, m.value))
		case "workspace":
			out = out.with(m.name, mergeWorkspace(theirs, m.value))
		case "experimental":
			out = out.with(m.name, mergeUnder(theirs, m.value))
		case "diagnosticProvider":
			// Only asked of us where the wrapped server is asked for its own.
			if truthy(theirs) && isTrue(object1(m.value).get("workspaceDiagnostics")) {
				out = out.with(m.name, withTrue(theirs, "workspaceDiagnostics"))
			}
		case "hoverProvider", "codeLensProvider", "inlayHintProvider", "documentLinkProvider", "documentSymbolProvider", "workspaceSymbolProvider":
			out = out.with(m.name, mergeProvider(theirs, m.value))
		}
	}
	return out
}

// object1 is parseObject for a value that may be something else.
func object1(raw []byte) object {
	o, _ := parseObject(raw)
	return o
}

func withTrue(raw jsontext.Value, name string) jsontext.Value {
	o, ok := parseObject(raw)
	if !ok {
		return raw
	}
	return o.with(name, jsontext.Value("true")).json()
}

// mergeProvider is for the features whose lists are joined: offered by either,
// and with a second step if either has one.
func mergeProvider(child, own jsontext.Value) jsontext.Value {
	switch {
	case !truthy(own):
		return orNull(child)
	case !truthy(child):
		return own
	case isTrue(object1(own).get("resolveProvider")) && isTrue(child):
		return jsontext.Value(`{"resolveProvider":true}`)
	case isTrue(object1(own).get("resolveProvider")):
		return withTrue(child, "resolveProvider")
	}
	return child
}

func orNull(raw jsontext.Value) jsontext.Value {
	if raw == nil {
		return jsontext.Value("null")
	}
	return raw
}

// mergeList joins a list that both providers name, without doubles.
func mergeList(child, own jsontext.Value, name string) jsontext.Value {
	if !truthy(child) {
		return own
	}
	o, ok := parseObject(child)
	if !ok {
		return child
	}
	list, ok := parseArray(o.get(name))
	if !ok {
		return child
	}
	add, _ := parseArray(object1(own).get(name))
	for _, v := range add {
		if !slices.ContainsFunc(list, func(have jsontext.Value) bool { return bytes.Equal(have, v) }) {
			list = append(list, v)
		}
	}
	return o.with(name, array(list)).json()
}

// mergeActions adds our kinds to the wrapped server's. One that names none
// offers any.
func mergeActions(child, own jsontext.Value) jsontext.Value {
	if truthy(child) && isNull(object1(child).get("codeActionKinds")) {
		return child
	}
	return mergeList(child, own, "codeActionKinds")
}

// mergeUnder adds the members of own that child lacks.
func mergeUnder(child, own jsontext.Value) jsontext.Value {
	if !truthy(child) {
		return own
	}
	o, ok := parseObject(child)
	if !ok {
		return child
	}
	for _, m := range object1(own) {
		if o.get(m.name) == nil {
			o = o.with(m.name, m.value)
		}
	}
	return o.json()
}

func mergeWorkspace(child, own jsontext.Value) jsontext.Value {
	if !truthy(child) {
		return own
	}
	o, ok := parseObject(child)
	if !ok {
		return child
	}
	for _, m := range object1(own) {
		switch {
		case o.get(m.name) == nil:
			o = o.with(m.name, m.value)
		case m.name == "fileOperations": // the wrapped server's filters stay its own
			o = o.with(m.name, mergeUnder(o.get(m.name), m.value))
		case m.name == "workspaceFolders" && !wantsFolders(o):
			o = o.with(m.name, m.value)
		}
	}
	return o.json()
}

// syncWants is what a server wants to be told about documents.
type syncWants struct{ openClose, change, save bool }

// syncOf reads textDocumentSync: a number, an object, or nothing.
func syncOf(raw jsontext.Value) syncWants {
	switch raw.Kind() {
	case '0':
		on := string(bytes.TrimSpace(raw)) != "0"
		return syncWants{on, on, on}
	case '{':
		o := object1(raw)
		change := o.get("change")
		return syncWants{isTrue(o.get("openClose")), change != nil && string(change) != "0" && !isNull(change), truthy(o.get("save"))}
	}
	return syncWants{}
}

// mergeSync asks the client for what our server needs where the wrapped one
// does without. How changes are told (whole or in part) stays the latter's choice.
func mergeSync(child jsontext.Value) jsontext.Value {
	has := syncOf(child)
	if has == (syncWants{true, true, true}) {
		return child
	}
	o := object1(child)
	if !has.openClose {
		o = o.with("openClose", jsontext.Value("true"))
	}
	if !has.change {
		o = o.with("change", jsontext.Value("2")) // in part
	}
	if !has.save {
		o = o.with("save", jsontext.Value(`{"includeText":false}`))
	}
	return o.json()
}

func wantsFolders(workspace object) bool {
	f := workspace.object("workspaceFolders")
	change := f.get("changeNotifications")
	return isTrue(f.get("supported")) && truthy(change)
}

// wants tells what a server's capabilities let it be sent. The zero value, of a
// server that has not said anything yet, wants everything.
type wants struct {
	known        bool
	capabilities object
	sync         syncWants
}

func wantsOf(capabilities object) wants {
	return wants{known: true, capabilities: capabilities, sync: syncOf(capabilities.get("textDocumentSync"))}
}

// method reports whether the server offers what a client's message asks for.
// It is true for all messages that need no offer.
func (w wants) method(method string) bool {
	if !w.known {
		return true
	}
	switch method {
	case "textDocument/didOpen", "textDocument/didClose":
		return w.sync.openClose
	case "textDocument/didChange":
		return w.sync.change
	case "textDocument/didSave":
		return w.sync.save
	case "workspace/didChangeWorkspaceFolders":
		return wantsFolders(w.capabilities.object("workspace"))
	case "workspace/willRenameFiles":
		return truthy(w.capabilities.object("workspace").object("fileOperations").get("willRename"))
	case "workspace/didRenameFiles":
		return truthy(w.capabilities.object("workspace").object("fileOperations").get("didRename"))
	case "workspace/diagnostic":
		return isTrue(w.capabilities.object("diagnosticProvider").get("workspaceDiagnostics"))
	}
	if of, ok := resolvedBy(method); ok {
		return isTrue(w.capabilities.object(of).get("resolveProvider"))
	}
	if f, ok := featureOf(method); ok {
		return truthy(w.capabilities.get(f.provider))
	}
	return true
}

// ownParams is what our server is initialized with: the client's parameters,
// with the wrapped server's choices made, and without what is not for us.
func ownParams(params []byte, encoding string, pull bool) (jsontext.Value, bool) {
	o, ok := parseObject(params)
	if !ok {
		return nil, false
	}
	caps := o.object("capabilities")
	general := caps.object("general").with("positionEncodings", array([]jsontext.Value{quoted(encoding)}))
	caps = caps.with("general", general.json())

	doc := caps.object("textDocument")
	if !pull { // the client asks nobody, so we tell
		doc = doc.without("diagnostic")
	}
	// The version tells whether the wrapped server's diagnostics are of the same text.
	publish := doc.object("publishDiagnostics").with("versionSupport", jsontext.Value("true"))
	caps = caps.with("textDocument", doc.with("publishDiagnostics", publish.json()).json())

	workspace := caps.object("workspace")
	if conf, ok := parseObject(workspace.get("didChangeConfiguration")); ok {
		// A client that has been asked tells both servers of each other's settings,
		// and some servers take those for their own.
		workspace = workspace.with("didChangeConfiguration", conf.without("dynamicRegistration").json())
		caps = caps.with("workspace", workspace.json())
	}
	o = o.with("capabilities", caps.json()).without("workDoneToken")
	ours := o.object("initializationOptions").get("manicule")
	o = o.without("initializationOptions")
	if ours != nil {
		o = o.with("initializationOptions", ours)
	}
	return o.json(), true
}

// childParams takes our part out of the initializationOptions, of which the
// wrapped server would complain. It reports false where there is none.
func childParams(params []byte) (jsontext.Value, bool) {
	if !bytes.Contains(params, []byte(`"manicule"`)) {
		return nil, false
	}
	o, ok := parseObject(params)
	if !ok {
		return nil, false
	}
	options := o.object("initializationOptions")
	if options.get("manicule") == nil {
		return nil, false
	}
	return o.with("initializationOptions", options.without("manicule").json()).json(), true
}

// encodingOf is the unit of positions that capabilities choose.
func encodingOf(capabilities object) string {
	if s, ok := text(capabilities.get("positionEncoding")); ok && s != "" {
		return s
	}
	return "utf-16"
}
