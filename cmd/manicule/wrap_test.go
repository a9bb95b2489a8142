package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/lsp/lsptest"
	"manicule/lsp/rpc"
)

// envGopls names a gopls for the tests that need one; extensions/testing/run-wrap.sh
// installs it.
const envGopls = "MANICULE_TEST_GOPLS"

// gopls returns a real gopls, or skips the test.
func gopls(t testing.TB) string {
	t.Helper()
	path := os.Getenv(envGopls)
	if path == "" {
		var err error
		if path, err = exec.LookPath("gopls"); err != nil {
			t.Skip("there is no gopls here: extensions/testing/run-wrap.sh installs one and runs this test")
		}
	}
	return path
}

// module is a small Go program with something to say to every request.
func module() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/shop\n\ngo 1.24\n",
		"main.go": `// Command shop sells.
package main

import (
	"fmt"

	"example.com/shop/price"
)

//go:generate echo generated

func main() {
	total := price.Total([]int{1, 2, 3})
	fmt.Println(total)
}
`,
		"price/price.go": `// Package price adds prices up.
package price

// Total is the sum of prices, in cents.
func Total(prices []int) int {
	sum := 0
	for _, p := range prices {
		sum = add(sum, p)
	}
	return sum
}

func add(a, b int) int { return a + b }
`,
		"price/price_test.go": `package price

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]int{1, 2}); got != 3 {
		t.Error(got)
	}
}
`,
	}
}

// newGoPlace is a place with a Go module, in which the go command works offline.
func newGoPlace(t testing.TB) *place {
	t.Helper()
	p := newPlace(t)
	p.must(os.RemoveAll(filepath.Join(p.root, "src")))
	for name, text := range module() {
		path := filepath.Join(p.root, filepath.FromSlash(name))
		p.must(os.MkdirAll(filepath.Dir(path), 0o755))
		p.must(os.WriteFile(path, []byte(text), 0o600))
	}
	out, err := exec.Command("go", "env", "-json", "GOCACHE").Output()
	p.must(err)
	vars := map[string]string{}
	p.must(json.Unmarshal(out, &vars))
	for k, v := range vars {
		p.env = append(p.env, k+"="+v)
	}
	p.env = append(p.env, "GOFLAGS=-mod=mod", "GOPATH="+filepath.Join(filepath.Dir(p.root), "gopath"), "GOPROXY=off", "GOTOOLCHAIN=local", "GOTELEMETRY=off")
	return p
}

// wire starts a server process and a client on it.
func (p *place) wire(cmd *exec.Cmd) *lsptest.Wire {
	p.t.Helper()
	in, err := cmd.StdinPipe()
	p.must(err)
	out, err := cmd.StdoutPipe()
	p.must(err)
	complaint := &strings.Builder{}
	cmd.Stderr = complaint
	p.must(cmd.Start())
	p.t.Cleanup(func() { // after the wire's own
		if err := cmd.Wait(); err != nil {
			p.t.Errorf("%v: %v\n%s", cmd.Args, err, complaint)
		}
	})
	w := lsptest.NewWire(p.t, pipes{out, in})
	w.Patience = 4 * time.Minute // gopls ends when it has analysed the standard library
	return w
}

// pipes are the two ends of a process.
type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.in.Write(b) }
func (p pipes) Close() error                { return p.in.Close() } // the output ends with the process

// server runs a command in the place.
func (p *place) server(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Dir, cmd.Env = p.root, p.env
	return cmd
}

// move is one thing that the recorded client does.
type move struct {
	name, method, params string
	notify               bool
}

// moves are the recorded session between initialized and shutdown. Texts are
// those of [module].
func (p *place) moves() []move {
	doc := func(name string) string { return `"textDocument":{"uri":"` + p.uri(name) + `"}` }
	at := func(name string, line, char int) string {
		return fmt.Sprintf(`{%s,"position":{"line":%d,"character":%d}`, doc(name), line, char)
	}
	open := func(name string) move {
		return move{"open " + name, "textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"go","version":1,"text":%s}}`, p.uri(name), lsptest.JSON(p.t, module()[name])), true}
	}
	whole := `"range":{"start":{"line":0,"character":0},"end":{"line":14,"character":0}}`
	return []move{
		open("main.go"),
		open("price/price.go"),
		{"hover a function with a memory", "textDocument/hover", at("price/price.go", 4, 6) + "}", false},
		{"hover a use", "textDocument/hover", at("main.go", 12, 17) + "}", false},
		{"hover nothing", "textDocument/hover", at("main.go", 3, 0) + "}", false},
		{"hover past the end", "textDocument/hover", at("main.go", 900, 0) + "}", false},
		{"definition", "textDocument/definition", at("main.go", 12, 17) + "}", false},
		{"type definition", "textDocument/typeDefinition", at("main.go", 12, 2) + "}", false},
		{"implementation", "textDocument/implementation", at("main.go", 12, 17) + "}", false},
		{"references", "textDocument/references", at("price/price.go", 4, 6) + `,"context":{"includeDeclaration":true}}`, false},
		{"highlight", "textDocument/documentHighlight", at("price/price.go", 5, 2) + "}", false},
		{"completion", "textDocument/completion", at("main.go", 12, 17) + "}", false},
		{"signature", "textDocument/signatureHelp", at("main.go", 12, 22) + "}", false},
		{"code lens", "textDocument/codeLens", "{" + doc("main.go") + "}", false},
		{"code lens with a memory", "textDocument/codeLens", "{" + doc("price/price.go") + "}", false},
		{"code action", "textDocument/codeAction", "{" + doc("price/price.go") + `,"range":{"start":{"line":4,"character":6},"end":{"line":4,"character":6}},"context":{"diagnostics":[],"triggerKind":1}}`, false},
		{"quick fixes only", "textDocument/codeAction", "{" + doc("main.go") + "," + whole + `,"context":{"diagnostics":[],"only":["quickfix"],"triggerKind":2}}`, false},
		{"prepare rename", "textDocument/prepareRename", at("price/price.go", 12, 6) + "}", false},
		{"rename", "textDocument/rename", at("price/price.go", 12, 6) + `,"newName":"plus"}`, false},
		{"formatting", "textDocument/formatting", "{" + doc("main.go") + `,"options":{"tabSize":4,"insertSpaces":false}}`, false},
		{"document symbols", "textDocument/documentSymbol", "{" + doc("price/price.go") + "}", false},
		{"workspace symbols", "workspace/symbol", `{"query":"Total"}`, false},
		{"semantic tokens", "textDocument/semanticTokens/full", "{" + doc("price/price.go") + "}", false},
		{"semantic tokens of a range", "textDocument/semanticTokens/range", "{" + doc("main.go") + "," + whole + "}", false},
		{"inlay hints", "textDocument/inlayHint", "{" + doc("main.go") + "," + whole + "}", false},
		{"folding", "textDocument/foldingRange", "{" + doc("main.go") + "}", false},
		{"selection", "textDocument/selectionRange", "{" + doc("main.go") + `,"positions":[{"line":12,"character":17}]}`, false},
		{"links", "textDocument/documentLink", "{" + doc("main.go") + "}", false},
		{"calls", "textDocument/prepareCallHierarchy", at("price/price.go", 4, 6) + "}", false},
		{"a command of the server", "workspace/executeCommand", `{"command":"gopls.list_imports","arguments":[{"URI":"` + p.uri("main.go") + `"}]}`, false},
		{"an unknown command", "workspace/executeCommand", `{"command":"nobody.knows","arguments":[]}`, false},
		{"an unknown method", "foo/bar", `{}`, false},
		{"bad params", "textDocument/hover", `[1]`, false},
		{"a mistake is typed", "textDocument/didChange", `{"textDocument":{"uri":"` + p.uri("main.go") + `","version":2},"contentChanges":[{"range":{"start":{"line":12,"character":1},"end":{"line":12,"character":1}},"text":"var é = \"ü\" + 1\n\t"}]}`, true},
		{"diagnostics", "", "", true},
		{"a fix for it", "textDocument/codeAction", "{" + doc("main.go") + "," + whole + `,"context":{"diagnostics":[],"triggerKind":1}}`, false},
		{"hover after characters of two bytes", "textDocument/hover", at("main.go", 13, 17) + "}", false},
		{"formatting of changed text", "textDocument/formatting", "{" + doc("main.go") + `,"options":{"tabSize":4,"insertSpaces":false}}`, false},
		{"save", "textDocument/didSave", "{" + doc("main.go") + "}", true},
		{"close", "textDocument/didClose", "{" + doc("main.go") + "}", true},
		{"symbols of a closed document", "textDocument/documentSymbol", "{" + doc("main.go") + "}", false},
	}
}

func (p *place) uri(name string) string { return "file://" + filepath.Join(p.root, name) }

// client is what the recorded client can do.
func (p *place) client(encoding string) string {
	return `{"processId":null,"clientInfo":{"name":"recorded"},"rootUri":"file://` + p.root + `","workspaceFolders":[{"uri":"file://` + p.root + `","name":"shop"}],
"initializationOptions":{"codelenses":{"test":true},"hints":{"assignVariableTypes":true},"semanticTokens":true},
"capabilities":{"general":{"positionEncodings":["` + encoding + `"]},
"window":{"workDoneProgress":true},
"workspace":{"configuration":true,"symbol":{},"codeLens":{"refreshSupport":true},"didChangeWatchedFiles":{"dynamicRegistration":true},"workspaceFolders":true,"applyEdit":true},
"textDocument":{"hover":{"contentFormat":["markdown","plaintext"]},"publishDiagnostics":{"versionSupport":true,"relatedInformation":true},
"codeAction":{"dataSupport":true,"resolveSupport":{"properties":["edit"]},"codeActionLiteralSupport":{"codeActionKind":{"valueSet":["","quickfix","refactor","source"]}}},
"rename":{"prepareSupport":true},"documentSymbol":{"hierarchicalDocumentSymbolSupport":true},"completion":{"completionItem":{"snippetSupport":true}},
"semanticTokens":{"requests":{"full":true,"range":true},"tokenTypes":["function"],"tokenModifiers":[],"formats":["relative"]}}}}`
}

// session plays the recorded session and returns the answers by the name of the
// move, and all that came.
func (p *place) session(w *lsptest.Wire, encoding string) (answers map[string]lsptest.Frame, all []lsptest.Frame) {
	p.t.Helper()
	w.Answer = p.configuration
	got := map[string]lsptest.Frame{"initialize": w.Call("initialize", p.client(encoding))}
	w.Notify("initialized", "{}")
	for _, s := range p.moves() {
		switch {
		case s.method == "":
			uri := p.uri("main.go")
			got[s.name] = w.Await("diagnostics of the change", func(f lsptest.Frame) bool {
				return f.Method == "textDocument/publishDiagnostics" && strings.Contains(f.Params, uri) && strings.Contains(f.Params, `"version":2`) && strings.Contains(f.Params, "MismatchedTypes")
			})
		case s.notify:
			w.Notify(s.method, s.params)
		default:
			got[s.name] = w.Call(s.method, s.params)
		}
		if s.name == "open price/price.go" {
			p.ready(w)
		}
	}
	got["shutdown"] = w.Call("shutdown", "null")
	w.Send(`{"jsonrpc":"2.0","method":"exit"}`)
	w.Ended()
	return got, w.Got()
}

// configuration answers the servers' questions about it.
func (p *place) configuration(method, params string) string {
	if method != "workspace/configuration" {
		return ""
	}
	var asked struct{ Items []any }
	p.must(json.Unmarshal([]byte(params), &asked))
	return "[" + strings.TrimSuffix(strings.Repeat("null,", len(asked.Items)), ",") + "]"
}

// ready waits until both servers have read the workspace: ours answers for
// itself where there is one.
func (p *place) ready(w *lsptest.Wire) {
	p.t.Helper()
	w.Await("the end of loading", func(f lsptest.Frame) bool {
		return f.Method == "window/showMessage" && strings.Contains(f.Params, "Finished loading") || f.Method == "$/progress" && strings.Contains(f.Params, "Finished loading")
	})
	// Answered by our server alone, with an error where it is not there.
	w.Call("workspace/executeCommand", `{"command":"manicule.status","arguments":[]}`)
}

// unordered reads JSON for a comparison between two runs of gopls: without the order
// of lists, some of which come from maps, and without the ids that hold the time.
func unordered(t *testing.T, raw string) any {
	t.Helper()
	if raw == "" {
		return nil
	}
	var v any
	if err := json.Unmarshal([]byte(raw), &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return sorted(t, v)
}

func sorted(t *testing.T, v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "resultId")
		for k, x := range v {
			v[k] = sorted(t, x)
		}
	case []any:
		if len(v) == 0 {
			return nil // gopls answers null, a list without our items is empty
		}
		for i, x := range v {
			v[i] = sorted(t, x)
		}
		slices.SortFunc(v, func(a, b any) int { return strings.Compare(lsptest.JSON(t, a), lsptest.JSON(t, b)) })
	}
	return v
}

// taken returns an answer without what is ours in it, and how much that was.
func taken(v any) (rest any, n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, ours := range []string{"willRename", "didRename", "fileOperations"} {
			if _, ok := v[ours]; ok && ours != "fileOperations" {
				delete(v, ours)
				n++
			}
		}
		for k, x := range v {
			if s, ok := x.(string); ok && k == "value" {
				if theirs, _, ok := strings.Cut(s, "\n\n---\n\n☞"); ok {
					v[k], n = theirs, n+1
				}
				continue
			}
			rest, m := taken(x)
			v[k], n = rest, n+m
			if k == "codeLensProvider" {
				v[k] = map[string]any{}
				n++
			}
			if k == "fileOperations" && len(v[k].(map[string]any)) == 0 {
				delete(v, k)
			}
		}
		return v, n
	case []any:
		kept := []any{}
		for _, x := range v {
			if isOurs(x) {
				n++
				continue
			}
			rest, m := taken(x)
			kept, n = append(kept, rest), n+m
		}
		return kept, n
	}
	return v, 0
}

// isOurs reports whether an element of a list was added by us.
func isOurs(v any) bool {
	switch v := v.(type) {
	case string: // a command or a kind of code action
		return strings.HasPrefix(v, "manicule.") || strings.Contains(v, ".manicule")
	case map[string]any:
		if v["source"] == "manicule" {
			return true
		}
		for _, k := range []string{"title", "name"} { // of an action, of a symbol
			if s, _ := v[k].(string); strings.HasPrefix(s, "Manicule: ") || strings.HasPrefix(s, "gotcha: ") {
				return true
			}
		}
		data, _ := v["data"].(map[string]any)
		_, marked := data["$manicule"]
		return marked
	}
	return false
}

// TestWrapGopls plays a session against gopls and against gopls behind the
// proxy. Every answer must be equal but for what is ours in it. What passes
// through the proxy is also held against what gopls wrote in the same run, where
// all that has nothing of ours must have the same bytes, in the same order.
func TestWrapGopls(t *testing.T) {
	server := gopls(t)
	offered := []string{"a fix for it", "code action", "initialize"}
	cache := t.TempDir() // what gopls finds out of the standard library, once for all
	remembered := []string{"a fix for it", "code action", "code lens with a memory", "hover a function with a memory", "initialize", "workspace symbols"}
	for _, encoding := range []string{"utf-8", "utf-16"} {
		for memories, want := range map[bool][]string{false: offered, true: remembered} {
			t.Run(fmt.Sprintf("%s/memories=%t", encoding, memories), func(t *testing.T) {
				p := newGoPlace(t)
				p.env = append(p.env, "GOPLSCACHE="+cache)
				if memories {
					p.must(p.run("", "remember", "--type", "gotcha", "Totals overflow above two billion cents", "--at", "price/price.go#Total"))
				}
				alone, _ := p.session(p.wire(p.server(server)), encoding)
				said := filepath.Join(t.TempDir(), "said")
				wrapped, all := p.session(p.wire(p.command("lsp", "--wrap", "sh", "-c", `"$0" | tee "$1"`, server, said)), encoding)
				if len(alone) < 36 || len(wrapped) != len(alone) {
					t.Fatalf("%d answers alone, %d behind the proxy", len(alone), len(wrapped))
				}
				t.Logf("%d answers", len(alone))
				var additions []string
				for _, name := range slices.Sorted(maps.Keys(alone)) {
					a, w := alone[name], wrapped[name]
					theirs, n := taken(unordered(t, w.Params+w.Result+w.Error))
					if n > 0 {
						additions = append(additions, name)
					}
					was, _ := taken(unordered(t, a.Params+a.Result+a.Error)) // nothing is ours; for its spelling
					if was, theirs := lsptest.JSON(t, sorted(t, was)), lsptest.JSON(t, sorted(t, theirs)); was != theirs || (a.Error == "") != (w.Error == "") {
						t.Errorf("%s: without ours, the answer is another one: of gopls\n%s\nthrough the proxy\n%s", name, was, theirs)
					}
				}
				if !slices.Equal(want, additions) {
					t.Errorf("answers with additions: %q, want %q", additions, want)
				}
				p.sameBytes(said, all, wrapped, additions, memories)
			})
		}
	}
}

// sameBytes holds what the client got against what gopls wrote to a file.
func (p *place) sameBytes(said string, all []lsptest.Frame, answers map[string]lsptest.Frame, additions []string, memories bool) {
	p.t.Helper()
	f, err := os.Open(said)
	p.must(err)
	defer func() { p.must(f.Close()) }()
	changed := map[string]bool{} // ids of the answers that have something of ours
	for _, name := range additions {
		changed[answers[name].ID] = true
	}
	var got []string // in the client's order
	for _, m := range all {
		got = append(got, m.Body)
	}
	in, n, same := rpc.NewReader(f), 0, 0
	last := -1
	for {
		body, err := in.Next()
		if err != nil {
			break
		}
		n++
		m := lsptest.ReadFrame(body)
		at := slices.Index(got, m.Body)
		switch {
		case m.Method == "" && changed[m.ID]:
			if at >= 0 {
				p.t.Errorf("nothing was added to %.200s", m.Body)
			}
		case m.Method == "textDocument/publishDiagnostics" && memories && at < 0: // joined with ours
		case at < 0:
			p.t.Errorf("the client did not get the bytes of %.300s", m.Body)
		default:
			same++
			if m.Method == "" && at < last {
				p.t.Errorf("%.200s came out of order", m.Body)
			}
			if m.Method == "" {
				last = at
			}
			got[at] = "" // each is there as often as it was said
		}
	}
	p.t.Logf("gopls wrote %d messages, %d reached the client as they were", n, same)
	if same < 40 {
		p.t.Errorf("only %d of %d messages passed untouched", same, n)
	}
}

// TestWrapExitCode: the process ends as the wrapped server did, and says so.
// Flags after the server's name are the server's.
func TestWrapExitCode(t *testing.T) {
	p := newPlace(t)
	for script, want := range map[string]int{"exit 7": 7, "kill -9 $$": 137, "exit 0": 0} {
		cmd := p.command("lsp", "--stdio", "--wrap", "sh", "-c", `echo "$0 is wrong" >&2; `+script, "--clientProcessId=x")
		_, err := cmd.StdinPipe() // stays open until it ends
		p.must(err)
		var out, said strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &said
		err = cmd.Run()
		text := fmt.Sprintf("--clientProcessId=x is wrong\nmanicule: sh ended by itself with exit code %d\n", want)
		if cmd.ProcessState.ExitCode() != want || said.String() != text || out.Len() > 0 {
			t.Errorf("%s: %v, and said %s%s", script, err, out.String(), said.String())
		}
	}
}
