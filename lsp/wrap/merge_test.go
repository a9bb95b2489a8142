package wrap

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/lsp/rpc"
)

func TestMergeHover(t *testing.T) {
	const markdown, plain = `{"contents":{"kind":"markdown","value":"ours"},"range":1}`, `{"contents":{"kind":"plaintext","value":"ours"}}`
	for name, tt := range map[string]struct{ child, own, want string }{
		"nothing of ours":          {`{"contents":"x"}`, `null`, ""},
		"nothing of theirs":        {`null`, markdown, markdown},
		"markdown and markdown":    {`{"contents":{"kind":"markdown","value":"theirs\n"},"range":2,"more":[3]}`, markdown, `{"contents":{"kind":"markdown","value":"theirs\n\n---\n\nours"},"range":2,"more":[3]}`},
		"plain and plain":          {`{"contents":{"kind":"plaintext","value":"theirs"}}`, plain, `{"contents":{"kind":"plaintext","value":"theirs\n\n---\n\nours"}}`},
		"plain and markdown":       {`{"contents":{"kind":"plaintext","value":"a < b\n"}}`, markdown, "{\"contents\":{\"kind\":\"markdown\",\"value\":\"```text\\na < b\\n```\\n\\n---\\n\\nours\"}}"},
		"plain with a fence":       {"{\"contents\":{\"kind\":\"plaintext\",\"value\":\"```\"}}", markdown, "{\"contents\":{\"kind\":\"markdown\",\"value\":\"````text\\n```\\n````\\n\\n---\\n\\nours\"}}"},
		"markdown and plain":       {`{"contents":{"kind":"markdown","value":"theirs"}}`, plain, `{"contents":{"kind":"markdown","value":"theirs\n\n---\n\nours"}}`},
		"a marked string":          {`{"contents":"theirs","range":2}`, markdown, `{"contents":["theirs","ours"],"range":2}`},
		"a marked string of code":  {`{"contents":{"language":"go","value":"func"}}`, markdown, `{"contents":[{"language":"go","value":"func"},"ours"]}`},
		"several":                  {`{"contents":[{"language":"go","value":"func"}, "doc"]}`, markdown, `{"contents":[{"language":"go","value":"func"},"doc","ours"]}`},
		"none of several":          {`{"contents":[]}`, markdown, `{"contents":{"kind":"markdown","value":"ours"}}`},
		"an empty string":          {`{"contents":""}`, markdown, `{"contents":{"kind":"markdown","value":"ours"}}`},
		"empty markdown":           {`{"contents":{"kind":"markdown","value":""}}`, plain, `{"contents":{"kind":"plaintext","value":"ours"}}`},
		"no contents":              {`{"range":1}`, markdown, ""},
		"contents of another type": {`{"contents":7}`, markdown, ""},
		"no object":                {`[1]`, markdown, ""},
		"broken":                   {`{"contents":{"kind":"markdown"`, markdown, ""},
		"ours broken":              {`{"contents":"x"}`, `{"contents":7}`, ""},
		"ours empty":               {`{"contents":"x"}`, `{"contents":{"kind":"markdown","value":""}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := mergeHover([]byte(tt.child), []byte(tt.own))
			if string(got) != tt.want || ok != (tt.want != "") {
				t.Errorf("got  %s %t\nwant %s", got, ok, tt.want)
			}
		})
	}
}

func TestMergeCapabilities(t *testing.T) {
	const own = `{"positionEncoding":"utf-8","textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":false}},"hoverProvider":true,
		"codeLensProvider":{"resolveProvider":true},"codeActionProvider":{"codeActionKinds":["quickfix.manicule"]},
		"executeCommandProvider":{"commands":["manicule.show"]},"documentLinkProvider":{},"workspaceSymbolProvider":true,"callHierarchyProvider":true,
		"diagnosticProvider":{"identifier":"manicule","workspaceDiagnostics":true},
		"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},"fileOperations":{"didRename":{"filters":["ours"]}}},"experimental":{"manicule":1}}`
	for name, tt := range map[string]struct{ child, want string }{
		"none": {`{}`, `{"textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":false}},"hoverProvider":true,"codeLensProvider":{"resolveProvider":true},
			"codeActionProvider":{"codeActionKinds":["quickfix.manicule"]},"executeCommandProvider":{"commands":["manicule.show"]},"documentLinkProvider":{},"workspaceSymbolProvider":true,
			"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},"fileOperations":{"didRename":{"filters":["ours"]}}},"experimental":{"manicule":1}}`},
		"all": {
			`{"positionEncoding":"utf-16","textDocumentSync":1,"hoverProvider":{"workDoneProgress":true},"codeLensProvider":{"workDoneProgress":true},"codeActionProvider":{"codeActionKinds":["quickfix"],"resolveProvider":true},
			"executeCommandProvider":{"commands":["run"],"workDoneProgress":true},"documentLinkProvider":{"resolveProvider":true},"workspaceSymbolProvider":{"resolveProvider":true},"renameProvider":true,
			"diagnosticProvider":{"interFileDependencies":true},"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":"id"},"fileOperations":{"didRename":{"filters":["theirs"]},"willDelete":1}},"experimental":{"x":2}}`,
			`{"positionEncoding":"utf-16","textDocumentSync":1,"hoverProvider":{"workDoneProgress":true},"codeLensProvider":{"workDoneProgress":true,"resolveProvider":true},"codeActionProvider":{"codeActionKinds":["quickfix","quickfix.manicule"],"resolveProvider":true},
			"executeCommandProvider":{"commands":["run","manicule.show"],"workDoneProgress":true},"documentLinkProvider":{"resolveProvider":true},"workspaceSymbolProvider":{"resolveProvider":true},"renameProvider":true,
			"diagnosticProvider":{"interFileDependencies":true,"workspaceDiagnostics":true},"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":"id"},"fileOperations":{"didRename":{"filters":["theirs"]},"willDelete":1}},"experimental":{"x":2,"manicule":1}}`,
		},
		"booleans": {
			`{"textDocumentSync":{"openClose":true,"change":0},"hoverProvider":false,"codeLensProvider":null,"codeActionProvider":true,"executeCommandProvider":null,"workspace":{}}`,
			`{"textDocumentSync":{"openClose":true,"change":2,"save":{"includeText":false}},"hoverProvider":true,"codeLensProvider":{"resolveProvider":true},"codeActionProvider":true,"executeCommandProvider":{"commands":["manicule.show"]},
			"documentLinkProvider":{},"workspaceSymbolProvider":true,"workspace":{"workspaceFolders":{"supported":true,"changeNotifications":true},"fileOperations":{"didRename":{"filters":["ours"]}}},"experimental":{"manicule":1}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			child, ok := parseObject([]byte(tt.child))
			if !ok {
				t.Fatal("bad test")
			}
			var got, want any
			merged := mergeCapabilities(child, objectOrEmpty([]byte(own))).json()
			if err := json.Unmarshal(merged, &got); err != nil {
				t.Fatalf("%s: %v", merged, err)
			}
			must.OK(t, json.Unmarshal([]byte(tt.want), &want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// published waits for the diagnostics of a document that are published next.
func (s *session) published(n *int, uri string) string {
	s.t.Helper()
	s.AwaitAfter(*n, "diagnostics", func(f lsptest.Frame) bool { return f.Method == methodPublish && strings.Contains(f.Params, uri) })
	for i, f := range s.Got() {
		if i >= *n && f.Method == methodPublish && strings.Contains(f.Params, uri) {
			*n = i + 1
			return f.Params
		}
	}
	return ""
}

func TestDiagnosticsOfBoth(t *testing.T) {
	own := newOurs()
	s := start(t, own, everything)
	s.begin()
	n := 0
	own.awaitMethod(t, "initialized")
	theirs := func(params string) {
		s.childSays(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":` + params + `}`)
	}
	ours := func(params string) {
		own.say(`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":` + params + `}`)
	}
	want := func(want string) {
		t.Helper()
		if got := s.published(&n, "a"); got != want {
			t.Errorf("published\n%s, want\n%s", got, want)
		}
	}
	ours(`{"uri":"file:///a%20b.go","diagnostics":["o1"],"version":1}`)
	want(`{"uri":"file:///a%20b.go","version":1,"diagnostics":["o1"]}`)
	theirs(`{"version":1,"uri":"file:///a b.go","diagnostics":["t1", "t2"]}`) // another spelling
	want(`{"version":1,"uri":"file:///a b.go","diagnostics":["t1", "t2","o1"]}`)
	ours(`{"uri":"file:///a%20b.go","version":1,"diagnostics":["o2"]}`)
	want(`{"uri":"file:///a b.go","version":1,"diagnostics":["t1", "t2","o2"]}`)
	// Ours of a newer text waits for theirs.
	ours(`{"uri":"file:///a%20b.go","version":2,"diagnostics":["o3"]}`)
	ours(`{"uri":"file:///other.go","diagnostics":["o"]}`)
	if got := s.published(&n, "other"); got != `{"uri":"file:///other.go","diagnostics":["o"]}` { // what came before it has come too
		t.Errorf("published %s", got)
	}
	theirs(`{"version":2,"uri":"file:///a b.go","diagnostics":["t3"]}`)
	want(`{"version":2,"uri":"file:///a b.go","diagnostics":["t3","o3"]}`)
	theirs(`{"version":3,"uri":"file:///a b.go","diagnostics":[]}`)
	want(`{"version":3,"uri":"file:///a b.go","diagnostics":["o3"]}`)
	ours(`{"uri":"file:///a%20b.go","diagnostics":[]}`)
	want(`{"uri":"file:///a b.go","diagnostics":[]}`)
	theirs(`{ "uri":"file:///a b.go","diagnostics":[ ]}`)
	want(`{ "uri":"file:///a b.go","diagnostics":[ ]}`)
	theirs(`{"uri":"file:///a.go","diagnostics":"broken"}`)
	want(`{"uri":"file:///a.go","diagnostics":"broken"}`)
}

// TestDiagnosticsBehind: if the wrapped server publishes nothing newer, ours are shown
// after a delay, without a version.
func TestDiagnosticsBehind(t *testing.T) {
	sent := make(chan string, 1)
	d := newDiagnostics(func(body []byte) { sent <- string(body) })
	d.versions = true
	d.fromChild([]byte("theirs"), []byte(`{"uri":"file:///a","version":1,"diagnostics":["t"]}`))
	if got := <-sent; got != "theirs" {
		t.Errorf("sent %s", got)
	}
	d.fromOwn([]byte(`{"uri":"file:///a","version":2,"diagnostics":["o"]}`))
	for key, p := range d.pushed {
		if !p.wait.Stop() {
			t.Fatal("it does not wait")
		}
		d.publishOverdue(key, p)
	}
	if got := <-sent; got != `{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"file:///a","diagnostics":["t","o"]}}` {
		t.Errorf("sent %s", got)
	}
	d.fromChild([]byte("gone"), []byte(`{"uri":"file:///a","diagnostics":[]}`))
	<-sent
	d.fromOwn([]byte(`{"uri":"file:///a","diagnostics":[]}`))
	<-sent
	if len(d.pushed) > 0 {
		t.Errorf("%v is kept", d.pushed)
	}
}

func TestPulledDiagnostics(t *testing.T) {
	own := newOurs()
	own.capabilities = strings.Replace(own.capabilities, `"hoverProvider":true`, `"hoverProvider":true,"diagnosticProvider":{"workspaceDiagnostics":true}`, 1)
	s := start(t, own, strings.Replace(everything, `"hoverProvider":true`, `"hoverProvider":true,"diagnosticProvider":{"interFileDependencies":true}`, 1))
	s.begin()
	if f := own.awaitMethod(t, "initialize"); !strings.Contains(f.Params, `"diagnostic":{}`) {
		t.Errorf("our server pushes: %s", f.Params)
	}
	const full, unchanged = `{"kind":"full","resultId":"r1","items":["t"]}`, `{"kind":"unchanged","resultId":"r1"}`
	for i, tt := range []struct{ child, own, want string }{
		{full, `{"kind":"full","items":["o1"]}`, `{"kind":"full","resultId":"r1","items":["t","o1"]}`},
		{unchanged, `{"kind":"full","items":["o1"]}`, unchanged},
		{unchanged, `{"kind":"full","items":["o2"]}`, `{"kind":"full","resultId":"r1","items":["t","o2"]}`},
		{unchanged, `{"kind":"full","items":[]}`, full},
		{unchanged, `{"kind":"full","items":[]}`, unchanged},
		{unchanged, `null`, unchanged},
		{`{"kind":"full","items":["t"]}`, `{"kind":"full","items":["o2"]}`, `{"kind":"full","items":["t","o2"]}`},
		{unchanged, `{"kind":"full","items":["o3"]}`, unchanged}, // of what, we can't know
		{`null`, `{"kind":"full","items":["o3"]}`, `null`},
	} {
		s.childAnswers(methodPull, tt.child)
		own.set(methodPull, tt.own)
		if got := s.Result(methodPull, fmt.Sprintf(`{"textDocument":{"uri":"file:///a"},"previousResultId":"r1","n":%d}`, i)); got != tt.want {
			t.Errorf("%d: got %s, want %s", i, got, tt.want)
		}
	}
	if f := own.awaitMethod(t, methodPull); f.Params != `{"textDocument":{"uri":"file:///a"},"n":0}` {
		t.Errorf("our server was asked %s", f.Params)
	}
	own.set("workspace/diagnostic", `{"items":["ours"]}`)
	if got := s.Result("workspace/diagnostic", `{"previousResultIds":[]}`); got != `{"items":["ours"]}` { // the wrapped server has none
		t.Errorf("workspace: %s", got)
	}
}

// FuzzMerge merges any two results. The output is JSON if the input was, and has
// everything that the wrapped server sent.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(`{"contents":{"kind":"markdown","value":"x"}}`), []byte(`{"contents":{"kind":"plaintext","value":"y"}}`))
	f.Add([]byte(`{"contents":["a",{"language":"go","value":"b"}],"range":{}}`), []byte(`{"contents":{"kind":"markdown","value":"☞"}}`))
	f.Add([]byte(`[{"range":1,"data":{"$manicule":null}}]`), []byte(` [ {"command":"manicule.x"}, 1 ] `))
	f.Add([]byte(`{"textDocumentSync":{"change":0},"workspace":{"fileOperations":{}}}`), []byte(`{"codeLensProvider":{"resolveProvider":true},"textDocumentSync":2}`))
	f.Add([]byte(`{"uri":"file:///a","diagnostics":[1],"version":1}`), []byte(`{"uri":"file:///a","diagnostics":[2],"version":2}`))
	f.Add([]byte(`{"kind":"unchanged","resultId":"1"}`), []byte(`{"items":[1]}`))
	f.Add([]byte("{\"\xff\":1,\"\\ud800\":[]}"), []byte(`null`))
	f.Fuzz(func(t *testing.T, child, own []byte) {
		good := json.Valid(child) && json.Valid(own)
		check := func(what string, out []byte) {
			if good && !json.Valid(out) {
				t.Errorf("%s of %q and %q is %q", what, child, own, out)
			}
		}
		if out, ok := mergeHover(child, own); ok {
			check("hover", out)
		}
		if out, ok := joined(child, own); ok {
			check("list", out)
			if before, was := parseArray(child); was && good {
				if after, is := parseArray(out); !is || len(after) <= len(before) {
					t.Errorf("the list of %q and %q is %q", child, own, out)
				}
			}
		}
		if out, ok := mergeReports(child, own); ok {
			check("reports", out)
		}
		check("marked", tagItems(child))
		if ours, ok := untagItem(child); ok {
			check("unmarked", ours)
		}
		if a, ok := parseObject(child); ok {
			if b, ok := parseObject(own); ok {
				check("capabilities", mergeCapabilities(a, b).json())
			}
			check("object", a.json())
		}
		if out, ok := ownParams(child, "utf-8", false); ok {
			check("params", out)
		}
		if out, ok := childParams(child); ok {
			check("params", out)
		}
		d := newDiagnostics(func(body []byte) {
			if string(body) != "body" {
				check("diagnostics", body)
			}
		})
		d.fromChild([]byte("body"), child)
		d.fromOwn(own)
		d.fromChild([]byte("body"), child)
		d.stop()
	})
}

// FuzzRoute sends bytes from each side. They reach the other side unchanged, unless
// they are one of our few messages.
func FuzzRoute(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover","params":{}}`,
		`{"jsonrpc":"2.0","id":"manicule:1","result":null}`,
		`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWatchedFiles","params":{"changes":[{"uri":"file:///a"}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"client/registerCapability","params":{"registrations":[{"method":"x"}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/publishDiagnostics","params":{"uri":"a","diagnostics":[1]}}`,
		`[{"id":1}]`, `{"id":1.5}`, `"`, "{\"jsonrpc\":\"2.0\",\"method\":\"\\ud800\",\"id\":\"\xff\"}",
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if len(body) == 0 {
			return // no frame is empty
		}
		v, err := jsonrpc2.ScanMessageView(body)
		if err != nil {
			v = jsonrpc2.MessageView{}
		}
		method, _ := v.MethodString()
		var toClient, toChild bytes.Buffer
		p := &proxy{
			opts: Options{}.withDefaults(), client: rpc.NewWriter(&toClient), child: rpc.NewWriter(&toChild), exitAsked: make(chan struct{}),
			own:     &ownServer{dead: true, calls: map[int64]func(answer){}},
			pending: map[jsonrpc2.ID]*pendingRequest{}, registered: map[string]int{}, routes: map[string]route{}, childIDs: map[string]bool{}, ownTokens: map[string]bool{},
		}
		p.diagnostics = newDiagnostics(p.toClient)
		p.fromClient(body, &v)
		p.initializing = nil // its answer is another matter
		p.fromChild(body, &v)
		p.child.Close()
		p.client.Close()
		frame := fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
		switch {
		case strings.HasPrefix(method, "manicule/"), strings.HasSuffix(method, "/resolve"), method == "initialize",
			method == "workspace/executeCommand", strings.HasPrefix(method, "workspace/didChange"):
			return
		}
		if toChild.String() != frame {
			t.Errorf("the wrapped server got %q for %q", toChild.String(), body)
		}
		if toClient.String() != frame {
			t.Errorf("the client got %q for %q", toClient.String(), body)
		}
	})
}
