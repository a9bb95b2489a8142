package lsptest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// Conformance holds what a server sends against the protocol: its own description of the messages, what this client
// has announced, and the documents that it has open. It knows nothing of the server's own methods. It is safe for
// concurrent use.
type Conformance struct {
	model *MetaModel

	mu       sync.Mutex // guards the following fields
	client   object     // the capabilities of the client; nil before initialize
	encoding string
	tokens   map[any]bool // for progress: announced by either side
	texts    map[string]document
}

// document is a document that the client has open.
type document struct {
	version float64
	text    string
	edited  bool
}

// Asked is a request of the client, to check the answer.
type Asked struct {
	params  any
	uri     string
	version float64 // of the document that it is about
}

type object = map[string]any

// newConformance returns the checks of one connection.
func newConformance() (*Conformance, error) {
	model, err := Protocol()
	if err != nil {
		return nil, err
	}
	return &Conformance{model: model, encoding: "utf-16", tokens: make(map[any]bool), texts: make(map[string]document)}, nil
}

// Sent notes a message of the client.
func (c *Conformance) Sent(method string, params json.RawMessage) Asked {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, _ := parsed(params).(object)
	for _, name := range []string{"workDoneToken", "partialResultToken"} {
		if p[name] != nil {
			c.tokens[p[name]] = true
		}
	}
	doc, _ := p["textDocument"].(object)
	uri, _ := doc["uri"].(string)
	version, _ := doc["version"].(float64)
	switch method {
	case protocol.MethodTextDocumentDidOpen:
		text, _ := doc["text"].(string)
		c.texts[uri] = document{version: version, text: text}
	case protocol.MethodTextDocumentDidChange:
		text := c.texts[uri].text
		for _, change := range list(p["contentChanges"]) {
			text = c.changed(text, change)
		}
		c.texts[uri] = document{version, text, true}
	case protocol.MethodTextDocumentDidClose:
		delete(c.texts, uri)
	}
	return Asked{p, uri, c.texts[uri].version}
}

// changed is a text after an edit.
func (c *Conformance) changed(text string, change any) string {
	by, _ := at(change, "text").(string)
	l1, c1, ok := position(at(change, "range.start"))
	l2, c2, _ := position(at(change, "range.end"))
	if !ok {
		return by
	}
	from := c.offset(text, l1, c1)
	return text[:from] + by + text[max(from, c.offset(text, l2, c2)):]
}

// offset is the byte at a position, or the end of the line or the text if that ends before.
func (c *Conformance) offset(text string, line, character float64) int {
	from := 0
	for range int(line) {
		end := strings.IndexAny(text[from:], "\r\n")
		if end < 0 {
			return len(text)
		}
		if from += end + 1; text[from-1] == '\r' && strings.HasPrefix(text[from:], "\n") {
			from++
		}
	}
	units := 0
	for i, r := range text[from:] {
		if units >= int(character) || r == '\r' || r == '\n' {
			return from + i
		}
		units += c.units(r)
	}
	return len(text)
}

// units is the length of a character in the agreed encoding.
func (c *Conformance) units(r rune) int {
	switch c.encoding {
	case "utf-8":
		return utf8.RuneLen(r)
	case "utf-32":
		return 1
	}
	return utf16.RuneLen(r)
}

// received checks a message of the server, and the answer to what was asked.
func (c *Conformance) received(m Message, asked Asked) error {
	if strings.HasPrefix(m.Method, "manicule/") {
		return nil
	}
	if err := c.model.Check(m); err != nil {
		return fmt.Errorf("%w\n%s", err, m.Raw)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	v := parsed(m.Raw)
	if m.Method == protocol.MethodInitialize {
		c.client, _ = at(asked.params, "capabilities").(object)
	}
	var faults []error
	if m.Result {
		faults = append(faults, c.result(m.Method, v)...)
	} else {
		faults = append(faults, c.announced(m.Method)...)
		faults = append(faults, c.message(m.Method, v)...)
	}
	if m.Method == protocol.MethodTextDocumentPublishDiagnostics {
		asked.uri, _ = at(v, "uri").(string)
		asked.version, _ = at(v, "version").(float64)
	}
	if m.Method != protocol.MethodInitialize {
		c.ranges(v, asked.uri, asked, &faults)
		c.members(m.Method, v, &faults)
	}
	if err := errors.Join(faults...); err != nil {
		return fmt.Errorf("%s: %w\n%s", m.Method, err, m.Raw)
	}
	return nil
}

// announced checks that the client takes a request of the server.
func (c *Conformance) announced(method string) []error {
	need := c.model.needs[method]
	switch {
	case !c.model.isRequest(method) || need == "":
		return nil
	case strings.HasSuffix(method, "/refresh") && !strings.HasSuffix(need, ".refreshSupport"):
		need += ".refreshSupport" // the description names the whole
	}
	if !c.has(need) {
		return []error{fmt.Errorf("the client has not announced %s", need)}
	}
	return nil
}

// message checks what the server sends by itself.
func (c *Conformance) message(method string, v any) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	switch method {
	case protocol.MethodWindowWorkDoneProgressCreate:
		c.tokens[at(v, "token")] = true
	case protocol.MethodProgress:
		if token := at(v, "token"); !c.tokens[token] {
			fault("nobody has announced the token %v", token)
		}
	case protocol.MethodClientRegisterCapability:
		for _, r := range list(at(v, "registrations")) {
			registered, _ := at(r, "method").(string)
			need := c.model.needs[registered] + ".dynamicRegistration"
			if !c.has(need) {
				fault("the client has not announced %s", need)
			}
		}
	case protocol.MethodTextDocumentPublishDiagnostics:
		found, uri := list(at(v, "diagnostics")), at(v, "uri").(string)
		version, versioned := at(v, "version").(float64)
		doc, open := c.texts[uri]
		switch {
		case len(found) > 0 && c.has("textDocument.diagnostic"):
			fault("the client pulls diagnostics")
		case versioned && !c.has("textDocument.publishDiagnostics.versionSupport"):
			fault("the client takes no version")
		case versioned && open && version > doc.version:
			fault("version %v of a document at %v", version, doc.version)
		}
		c.diagnostics(found, "textDocument.publishDiagnostics", &faults)
	case protocol.MethodWindowLogMessage, protocol.MethodWindowShowMessage:
		if at(v, "type") == 5.0 {
			fault("a client of 3.17 has no debug messages")
		}
	}
	return faults
}

// result checks an answer.
func (c *Conformance) result(method string, v any) (faults []error) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	switch method {
	case protocol.MethodInitialize:
		c.encoding = "utf-16"
		if e, ok := at(v, "capabilities.positionEncoding").(string); ok {
			c.encoding = e
		}
		if e := list(c.capability("general.positionEncodings")); !slices.Contains(e, any(c.encoding)) && c.encoding != "utf-16" {
			fault("the client has no encoding %s", c.encoding)
		}
		if _, options := at(v, "capabilities.codeActionProvider").(object); options && !c.has("textDocument.codeAction.codeActionLiteralSupport") {
			fault("options of code actions for a client without literals")
		}
		if at(v, "capabilities.notebookDocumentSync") != nil && !c.has("notebookDocument") {
			fault("notebooks for a client without them")
		}
	case protocol.MethodTextDocumentHover:
		kind := at(v, "contents.kind")
		if formats := list(c.capability("textDocument.hover.contentFormat")); kind != nil && !slices.Contains(formats, kind) && (kind != "plaintext" || len(formats) > 0) {
			fault("the client shows no %v in hovers", kind)
		}
	case protocol.MethodTextDocumentCodeAction:
		c.actions(list(v), &faults)
	case protocol.MethodTextDocumentDiagnostic:
		c.diagnostics(list(at(v, "items")), "textDocument.diagnostic", &faults)
	case protocol.MethodWorkspaceDiagnostic:
		for _, report := range list(at(v, "items")) {
			c.diagnostics(list(at(report, "items")), "textDocument.diagnostic", &faults)
		}
	case protocol.MethodTextDocumentDocumentSymbol:
		for _, s := range list(v) {
			if at(s, "selectionRange") != nil && !c.has("textDocument.documentSymbol.hierarchicalDocumentSymbolSupport") {
				fault("a hierarchy for a client without one")
			}
		}
	case protocol.MethodWorkspaceSymbol:
		for _, s := range list(v) {
			if at(s, "location.range") == nil && !c.has("workspace.symbol.resolveSupport") {
				fault("a symbol without a range for a client that can't ask for it")
			}
		}
	case protocol.MethodTextDocumentDocumentLink:
		for _, l := range list(v) {
			if at(l, "tooltip") != nil && !c.has("textDocument.documentLink.tooltipSupport") {
				fault("a tooltip for a client without")
			}
		}
	}
	return faults
}

// actions checks code actions.
func (c *Conformance) actions(all []any, faults *[]error) {
	const of = "textDocument.codeAction."
	for _, a := range all {
		if _, command := at(a, "command").(string); command {
			continue
		}
		if !c.has(of + "codeActionLiteralSupport") {
			*faults = append(*faults, errors.New("a code action for a client that knows commands alone"))
		}
		for member, need := range map[string]string{"isPreferred": "isPreferredSupport", "disabled": "disabledSupport", "data": "dataSupport", "tags": "tagSupport"} {
			if at(a, member) != nil && !c.has(of+need) {
				*faults = append(*faults, fmt.Errorf("%s of a code action for a client without %s", member, need))
			}
		}
	}
}

// diagnostics checks the members that need a capability.
func (c *Conformance) diagnostics(all []any, of string, faults *[]error) {
	for _, d := range all {
		for member, need := range map[string]string{"tags": "tagSupport", "relatedInformation": "relatedInformation", "codeDescription": "codeDescriptionSupport", "data": "dataSupport"} {
			// Up to 3.17 the capabilities of what is pushed hold for what is pulled.
			if at(d, member) != nil && !c.has(of+"."+need) && !c.has("textDocument.publishDiagnostics."+need) {
				*faults = append(*faults, fmt.Errorf("%s of a diagnostic for a client without %s.%s", member, of, need))
			}
		}
		if _, plain := at(d, "message").(string); !plain && !c.has(of+".markupMessageSupport") {
			*faults = append(*faults, errors.New("a message in markup"))
		}
	}
}

// members checks edits and commands anywhere in a message.
func (c *Conformance) members(method string, v any, faults *[]error) {
	walk(v, func(o object) {
		need := ""
		switch {
		case o["documentChanges"] != nil:
			need = "workspace.workspaceEdit.documentChanges"
		case o["changeAnnotations"] != nil || o["annotationId"] != nil:
			need = "workspace.workspaceEdit.changeAnnotationSupport"
		case o["insertTextFormat"] == 2.0:
			need = "textDocument.completion.completionItem.snippetSupport"
		case o["targetUri"] != nil:
			name, _ := strings.CutPrefix(method, "textDocument/")
			need = "textDocument." + name + ".linkSupport"
		}
		if need != "" && !c.has(need) {
			*faults = append(*faults, fmt.Errorf("the client has not announced %s", need))
		}
	})
}

// ranges checks all ranges of a value about a document: each ends where it starts or after that, and those in an open
// document lie in it. If it was edited, that needs an answer about its present version.
func (c *Conformance) ranges(v any, uri string, asked Asked, faults *[]error) {
	if list, ok := v.([]any); ok {
		for _, e := range list {
			c.ranges(e, uri, asked, faults)
		}
		return
	}
	o, ok := v.(object)
	if !ok {
		return
	}
	for _, name := range []string{"uri", "targetUri"} {
		if u, ok := o[name].(string); ok {
			uri = u
		}
	}
	doc, open := c.texts[uri]
	if line, character, ok := position(o); ok && open && (!doc.edited || uri == asked.uri && doc.version == asked.version) {
		if err := c.inside(doc.text, line, character); err != nil {
			*faults = append(*faults, fmt.Errorf("%s: %w", uri, err))
		}
	}
	if l1, c1, ok := position(o["start"]); ok {
		if l2, c2, ok := position(o["end"]); ok && (l2 < l1 || l2 == l1 && c2 < c1) {
			*faults = append(*faults, fmt.Errorf("a range ends before it starts: %v", o))
		}
	}
	for name, member := range o {
		if name != "data" && name != "arguments" { // the server's own
			c.ranges(member, uri, asked, faults)
		}
	}
}

func position(v any) (line, character float64, ok bool) {
	o, _ := v.(object)
	line, hasLine := o["line"].(float64)
	character, hasCharacter := o["character"].(float64)
	return line, character, hasLine && hasCharacter
}

// inside checks a position in a text.
func (c *Conformance) inside(text string, line, character float64) error {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\n")
	if int(line) >= len(lines) {
		if int(line) == len(lines) && character == 0 {
			return nil // the end of the whole, as clients take it
		}
		return fmt.Errorf("line %v of %d", line, len(lines))
	}
	units := 0
	for _, r := range lines[int(line)] {
		if units >= int(character) {
			break
		}
		units += c.units(r)
	}
	if units != int(character) {
		return fmt.Errorf("character %v of line %v, which has one at %d or ends there (%s)", character, line, units, c.encoding)
	}
	return nil
}

// has reports whether the client has announced a capability: it is there, and not false.
func (c *Conformance) has(path string) bool {
	v := c.capability(path)
	return v != nil && v != false
}

func (c *Conformance) capability(path string) any { return at(c.client, path) }

// at is the member of a value at a path of names, nil without one.
func at(v any, path string) any {
	for name := range strings.SplitSeq(path, ".") {
		o, _ := v.(object)
		v = o[name]
	}
	return v
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

// walk visits the objects of a value, except for what is the server's own.
func walk(v any, visit func(object)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			walk(e, visit)
		}
	case object:
		visit(v)
		for name, e := range v {
			if name != "data" && name != "arguments" {
				walk(e, visit)
			}
		}
	}
}

func parsed(raw json.RawMessage) (v any) {
	_ = json.Unmarshal(raw, &v) // nothing of what is no JSON
	return v
}
