package wrap

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// mergeCapabilities returns the wrapped server's capabilities with ours added. It
// removes none of the wrapped server's. A method that only we offer is sent to us alone
// (see [offers]). A capability of ours that the proxy does not route is left out.
func mergeCapabilities(child, own object) object {
	out := child
	for _, m := range own {
		theirs := child.get(m.name)
		switch m.name {
		case "positionEncoding": // the wrapped server chooses, and ours was told
		case "textDocumentSync":
			out = out.with(m.name, mergeSync(theirs))
		case "executeCommandProvider":
			out = out.with(m.name, mergeList(theirs, m.value, "commands"))
		case "codeActionProvider":
			out = out.with(m.name, mergeActions(theirs, m.value))
		case "workspace":
			out = out.with(m.name, mergeWorkspace(theirs, m.value))
		case "experimental":
			out = out.with(m.name, mergeMissing(theirs, m.value))
		case "diagnosticProvider":
			// We are asked only if the wrapped server is asked, too.
			if truthy(theirs) && isTrue(objectOrEmpty(m.value).get("workspaceDiagnostics")) {
				out = out.with(m.name, withTrue(theirs, "workspaceDiagnostics"))
			}
		case "hoverProvider", "codeLensProvider", "inlayHintProvider", "documentLinkProvider", "documentSymbolProvider", "workspaceSymbolProvider":
			out = out.with(m.name, mergeProvider(theirs, m.value))
		}
	}
	return out
}

// objectOrEmpty is parseObject with an empty object for anything else.
func objectOrEmpty(raw []byte) object {
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

// mergeProvider merges providers of lists that are joined. Either server may offer the
// list, and either may resolve its items.
func mergeProvider(child, own jsontext.Value) jsontext.Value {
	switch {
	case !truthy(own):
		return orNull(child)
	case !truthy(child):
		return own
	case isTrue(objectOrEmpty(own).get("resolveProvider")) && isTrue(child):
		return jsontext.Value(`{"resolveProvider":true}`)
	case isTrue(objectOrEmpty(own).get("resolveProvider")):
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

// mergeList adds the elements of a list of ours that the wrapped server's list lacks.
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
	add, _ := parseArray(objectOrEmpty(own).get(name))
	for _, v := range add {
		if !slices.ContainsFunc(list, func(have jsontext.Value) bool { return bytes.Equal(have, v) }) {
			list = append(list, v)
		}
	}
	return o.with(name, array(list)).json()
}

// mergeActions adds our kinds of code actions to the wrapped server's. A server that
// names no kinds may return any.
func mergeActions(child, own jsontext.Value) jsontext.Value {
	if truthy(child) && isNull(objectOrEmpty(child).get("codeActionKinds")) {
		return child
	}
	return mergeList(child, own, "codeActionKinds")
}

// mergeMissing adds the members of own that child lacks.
func mergeMissing(child, own jsontext.Value) jsontext.Value {
	return mergeMembers(child, own, func(o object, _ member) object { return o })
}

func mergeWorkspace(child, own jsontext.Value) jsontext.Value {
	return mergeMembers(child, own, func(o object, m member) object {
		switch {
		case m.name == "fileOperations": // the wrapped server keeps its filters
			return o.with(m.name, mergeMissing(o.get(m.name), m.value))
		case m.name == "workspaceFolders" && !wantsFolders(o):
			return o.with(m.name, m.value)
		}
		return o
	})
}

// mergeMembers adds the members of own that child lacks, and calls both for those that
// both have.
func mergeMembers(child, own jsontext.Value, both func(child object, own member) object) jsontext.Value {
	if !truthy(child) {
		return own
	}
	o, ok := parseObject(child)
	if !ok {
		return child
	}
	for _, m := range objectOrEmpty(own) {
		if o.get(m.name) == nil {
			o = o.with(m.name, m.value)
		} else {
			o = both(o, m)
		}
	}
	return o.json()
}

// syncOptions says which document notifications a server receives.
type syncOptions struct{ openClose, change, save bool }

// syncOf reads textDocumentSync: a number, an object, or nothing.
func syncOf(raw jsontext.Value) syncOptions {
	switch raw.Kind() {
	case '0':
		on := string(bytes.TrimSpace(raw)) != "0"
		return syncOptions{on, on, on}
	case '{':
		o := objectOrEmpty(raw)
		change := o.get("change")
		return syncOptions{isTrue(o.get("openClose")), change != nil && string(change) != "0" && !isNull(change), truthy(o.get("save"))}
	}
	return syncOptions{}
}

// mergeSync adds the notifications that our server needs and the wrapped one does not
// ask for. The wrapped server still chooses between full and incremental changes.
func mergeSync(child jsontext.Value) jsontext.Value {
	has := syncOf(child)
	if has == (syncOptions{true, true, true}) {
		return child
	}
	o := objectOrEmpty(child)
	if !has.openClose {
		o = o.with("openClose", jsontext.Value("true"))
	}
	if !has.change {
		o = o.with("change", jsontext.Value("2")) // incremental
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

// offers says which messages a server's capabilities allow. The zero value stands for a
// server that has not answered initialize yet, and allows all.
type offers struct {
	known        bool
	capabilities object
	sync         syncOptions
}

func offersOf(capabilities object) offers {
	return offers{known: true, capabilities: capabilities, sync: syncOf(capabilities.get("textDocumentSync"))}
}

// serves reports whether the server handles a message of the client. It is true for
// every message that needs no capability.
func (o offers) serves(method string) bool {
	if !o.known {
		return true
	}
	switch method {
	case "textDocument/didOpen", "textDocument/didClose":
		return o.sync.openClose
	case "textDocument/didChange":
		return o.sync.change
	case "textDocument/didSave":
		return o.sync.save
	case "workspace/didChangeWorkspaceFolders":
		return wantsFolders(o.capabilities.object("workspace"))
	case "workspace/willRenameFiles":
		return truthy(o.capabilities.object("workspace").object("fileOperations").get("willRename"))
	case "workspace/didRenameFiles":
		return truthy(o.capabilities.object("workspace").object("fileOperations").get("didRename"))
	case "workspace/diagnostic":
		return isTrue(o.capabilities.object("diagnosticProvider").get("workspaceDiagnostics"))
	}
	if of, ok := providerResolving(method); ok {
		return isTrue(o.capabilities.object(of).get("resolveProvider"))
	}
	if f, ok := featureOf(method); ok {
		return truthy(o.capabilities.get(f.provider))
	}
	return true
}

// ownParams returns the parameters that our server is initialized with: the client's,
// with the wrapped server's choices applied and its own options removed.
func ownParams(params []byte, encoding string, pull bool) (jsontext.Value, bool) {
	o, ok := parseObject(params)
	if !ok {
		return nil, false
	}
	caps := o.object("capabilities")
	general := caps.object("general").with("positionEncodings", array([]jsontext.Value{quoted(encoding)}))
	caps = caps.with("general", general.json())

	doc := caps.object("textDocument")
	if !pull { // the wrapped server offers no pull, so the client expects push
		doc = doc.without("diagnostic")
	}
	// The version shows whether both servers' diagnostics are of the same text.
	publish := doc.object("publishDiagnostics").with("versionSupport", jsontext.Value("true"))
	caps = caps.with("textDocument", doc.with("publishDiagnostics", publish.json()).json())

	workspace := caps.object("workspace")
	if conf, ok := parseObject(workspace.get("didChangeConfiguration")); ok {
		// Dynamic registration would make the client send both servers each other's
		// settings, and some servers take those for their own.
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

// childParams removes our part from initializationOptions, because some servers reject
// unknown options. It reports false if there is none.
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

// encodingOf returns the position encoding that capabilities choose.
func encodingOf(capabilities object) string {
	if s, ok := text(capabilities.get("positionEncoding")); ok && s != "" {
		return s
	}
	return "utf-16"
}
