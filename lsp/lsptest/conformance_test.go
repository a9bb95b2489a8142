package lsptest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestConformance: each rule finds what is against it, and nothing in what keeps it.
func TestConformance(t *testing.T) {
	const (
		able = `{"textDocument": {"diagnostic": {}, "publishDiagnostics": {"dataSupport": true, "versionSupport": true}, "hover": {"contentFormat": ["markdown"]},
			"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": [""]}}, "isPreferredSupport": true},
			"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}, "documentLink": {"tooltipSupport": true}},
			"window": {"workDoneProgress": true}, "workspace": {"configuration": true, "codeLens": {"refreshSupport": true},
			"didChangeWatchedFiles": {"dynamicRegistration": true}, "workspaceEdit": {"documentChanges": true}}}`
		pushes  = `{"textDocument": {"publishDiagnostics": {}}}`
		at0     = `{"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 3}}`
		problem = `{"uri": "file:///a", "version": 1, "diagnostics": [{"range": ` + at0 + `, "message": "m", "data": 1}]}`
		symbol  = `[{"name": "a", "kind": 1, "range": ` + at0 + `, "selectionRange": ` + at0 + `}]`
		edit    = `{"edit": {"documentChanges": [{"textDocument": {"uri": "file:///a", "version": 1}, "edits": []}]}}`
	)
	answer, message := true, false
	for _, tt := range []struct {
		name, client, method string
		result               bool
		raw, fault           string
	}{
		{"a request", able, "workspace/configuration", message, `{"items": []}`, ""},
		{"a request that nobody announced", "{}", "workspace/configuration", message, `{"items": []}`, "workspace.configuration"},
		{"a refresh", able, "workspace/codeLens/refresh", message, `null`, ""},
		{"a refresh that nobody announced", `{"workspace": {"codeLens": {"refreshSupport": false}}}`, "workspace/codeLens/refresh", message, `null`, "codeLens.refreshSupport"},
		{"a registration", able, "client/registerCapability", message, `{"registrations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]}`, ""},
		{"a registration that nobody announced", "{}", "client/registerCapability", message, `{"registrations": [{"id": "1", "method": "workspace/didChangeWatchedFiles"}]}`, "didChangeWatchedFiles.dynamicRegistration"},
		{"progress without a token", able, "$/progress", message, `{"token": "x", "value": {}}`, "token x"},
		{"pushed to a client that pulls", able, "textDocument/publishDiagnostics", message, problem, "pulls"},
		{"data and version", pushes, "textDocument/publishDiagnostics", message, problem, "dataSupport"},
		{"a version that is not there yet", `{"textDocument": {"publishDiagnostics": {"versionSupport": true}}}`, "textDocument/publishDiagnostics", message, `{"uri": "file:///open", "version": 2, "diagnostics": []}`, "version 2"},
		{"pulled", able, "textDocument/diagnostic", answer, `{"kind": "full", "items": [{"range": ` + at0 + `, "message": "m", "data": 1}]}`, ""},
		{"Markdown", able, "textDocument/hover", answer, `{"contents": {"kind": "markdown", "value": "x"}}`, ""},
		{"Markdown for plain text", "{}", "textDocument/hover", answer, `{"contents": {"kind": "markdown", "value": "x"}}`, "no markdown"},
		{"plain text for anybody", "{}", "textDocument/hover", answer, `{"contents": {"kind": "plaintext", "value": "x"}}`, ""},
		{"an action", able, "textDocument/codeAction", answer, `[{"title": "t", "isPreferred": true}]`, ""},
		{"an action for commands", "{}", "textDocument/codeAction", answer, `[{"title": "t"}]`, "commands alone"},
		{"a command", "{}", "textDocument/codeAction", answer, `[{"title": "t", "command": "c"}]`, ""},
		{"the data of an action", able, "textDocument/codeAction", answer, `[{"title": "t", "data": 1}]`, "dataSupport"},
		{"a tree", able, "textDocument/documentSymbol", answer, symbol, ""},
		{"a tree for lists", "{}", "textDocument/documentSymbol", answer, symbol, "hierarchy"},
		{"a tooltip", "{}", "textDocument/documentLink", answer, `[{"range": ` + at0 + `, "tooltip": "t"}]`, "tooltip"},
		{"an edit", able, "workspace/willRenameFiles", answer, `{"documentChanges": [{"textDocument": {"uri": "file:///a", "version": 1}, "edits": []}]}`, ""},
		{"an edit by version", "{}", "workspace/willRenameFiles", answer, `{"documentChanges": []}`, "documentChanges"},
		{"an edit that is asked for", "{}", "workspace/applyEdit", message, edit, "workspace.applyEdit"},
		{"a symbol without a range", able, "workspace/symbol", answer, `[{"name": "n", "kind": 1, "location": {"uri": "file:///a"}}]`, "without a range"},
		{"options for commands", "{}", "initialize", answer, `{"capabilities": {"codeActionProvider": {}}}`, "without literals"},
		{"an encoding", "{}", "initialize", answer, `{"capabilities": {"positionEncoding": "utf-8"}}`, "no encoding"},
		{"a backward range", able, "textDocument/documentLink", answer, `[{"range": {"start": {"line": 1, "character": 0}, "end": {"line": 0, "character": 9}}}]`, "before it starts"},
		{"in the document", able, "textDocument/documentLink", answer, `[{"range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 3}}}]`, ""},
		{"at its end", able, "textDocument/documentLink", answer, `[{"range": {"start": {"line": 0, "character": 1}, "end": {"line": 2, "character": 0}}}]`, ""},
		{"behind the line", able, "textDocument/documentLink", answer, `[{"range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 4}}}]`, "character 4"},
		{"behind the document", able, "textDocument/documentLink", answer, `[{"range": {"start": {"line": 0, "character": 1}, "end": {"line": 3, "character": 0}}}]`, "line 3"},
		{"in a character", able, "textDocument/documentLink", answer, `[{"range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 3}}}]`, "character 2"},
		{"a member of 3.18", able, "textDocument/codeLens", answer, `[{"range": ` + at0 + `, "command": {"title": "t", "command": "c", "tooltip": "t"}}]`, "tooltip"},
		{"our own", "{}", "manicule/changed", message, `5`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := newConformance()
			must.OK(t, err)
			start := c.Sent("initialize", json.RawMessage(`{"capabilities": `+tt.client+`}`))
			if tt.method != "initialize" {
				must.OK(t, c.received(Message{Method: "initialize", Result: true, Raw: json.RawMessage(`{"capabilities": {}}`)}, start))
			}
			c.Sent("textDocument/didOpen", json.RawMessage(`{"textDocument": {"uri": "file:///open", "version": 1, "text": "a😀\n"}}`))
			asked := c.Sent(tt.method, json.RawMessage(`{"textDocument": {"uri": "file:///open"}}`))
			if tt.method == "initialize" {
				asked = start
			}
			err = c.received(Message{Method: tt.method, Result: tt.result, Raw: json.RawMessage(tt.raw)}, asked)
			switch {
			case tt.fault == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)):
				t.Errorf("got %v, want %q", err, tt.fault)
			}
		})
	}
}

// TestConformanceFollowsEdits: a range is held against the text that the question was about.
func TestConformanceFollowsEdits(t *testing.T) {
	for _, encoding := range []string{"utf-8", "utf-16", "utf-32"} {
		c, err := newConformance()
		must.OK(t, err)
		start := c.Sent("initialize", json.RawMessage(`{"capabilities": {"general": {"positionEncodings": ["`+encoding+`"]}}}`))
		must.OK(t, c.received(Message{Method: "initialize", Result: true, Raw: json.RawMessage(`{"capabilities": {"positionEncoding": "` + encoding + `"}}`)}, start))
		end := map[string]int{"utf-8": 4, "utf-16": 2, "utf-32": 1}[encoding]
		edit := func(version int, changes string) {
			c.Sent("textDocument/didChange", json.RawMessage(fmt.Sprintf(`{"textDocument": {"uri": "file:///a", "version": %d}, "contentChanges": %s}`, version, changes)))
		}
		c.Sent("textDocument/didOpen", json.RawMessage(`{"textDocument": {"uri": "file:///a", "version": 1, "text": "one\r\n😀two\r\nend"}}`))
		edit(2, fmt.Sprintf(`[{"range": {"start": {"line": 1, "character": %d}, "end": {"line": 2, "character": 99}}, "text": "X\n"}, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}}, "text": ""}]`, end))
		if got := c.texts["file:///a"].text; got != "😀X\n" {
			t.Fatalf("%s: %q", encoding, got)
		}
		answer := func(asked Asked, character int) error {
			raw := fmt.Sprintf(`[{"range": {"start": {"line": 0, "character": %d}, "end": {"line": 1, "character": 0}}}]`, character)
			return c.received(Message{Method: "textDocument/documentLink", Result: true, Raw: json.RawMessage(raw)}, asked)
		}
		ask := func() Asked {
			return c.Sent("textDocument/documentLink", json.RawMessage(`{"textDocument": {"uri": "file:///a"}}`))
		}
		asked := ask()
		if err := answer(asked, end+1); err != nil {
			t.Errorf("%s: %v", encoding, err)
		}
		if err := answer(asked, end+2); err == nil {
			t.Errorf("%s: a range behind the line passes", encoding)
		}
		edit(3, `[{"text": ""}]`)
		if err := answer(asked, end+1); err != nil {
			t.Errorf("%s: about the version before: %v", encoding, err)
		}
		if err := answer(ask(), end+1); err == nil {
			t.Errorf("%s: a range of the version before passes", encoding)
		}
	}
}
