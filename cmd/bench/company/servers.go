package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// answers is the table of what a server answered.
func answers() *evalkit.Table {
	return evalkit.NewTable("request", "first, ms", "again, ms", "s of processor time", "KB", "resident MB", "error")
}

// ask makes a request twice.
func (m *measure) ask(table *evalkit.Table, name string, pid int, request func() (json.RawMessage, error)) json.RawMessage {
	before := processorTime(pid)
	var times [2]time.Duration
	var out json.RawMessage
	var err error
	for i := range times {
		start := time.Now()
		out, err = request()
		times[i] = time.Since(start)
	}
	said := ""
	if err != nil {
		said = strings.ReplaceAll(err.Error(), "\n", " ")
		said = said[:min(len(said), 100)]
	}
	used := (processorTime(pid) - before) / 2
	resident := evalkit.Megabytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS")
	table.Add(name, fmt.Sprintf("%.0f", ms(times[0])), fmt.Sprintf("%.0f", ms(times[1])), fmt.Sprintf("%.2f", used.Seconds()),
		fmt.Sprintf("%.1f", float64(len(out))/1024), fmt.Sprintf("%.0f", resident), said)
	evalkit.Progress("%s", strings.Join(table.Rows[len(table.Rows)-1], "  "))
	return out
}

// processorTime is what a process has used so far, in the units of Linux; 0 elsewhere.
func processorTime(pid int) time.Duration {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// tools asks an MCP server for everything that it has.
func (m *measure) tools(ctx context.Context) (err error) {
	a, err := wire.StartAgent(m.box.Manicule(ctx, m.w.Root, "mcp"), "claude-code")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	table := answers()
	tool := func(name string, args map[string]any) {
		text, _ := json.Marshal(args)
		m.ask(table, name+" "+string(text), a.PID(), func() (json.RawMessage, error) {
			out, err := a.Tool(name, args)
			return json.RawMessage(out), err
		})
	}
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		m.ask(table, method, a.PID(), func() (json.RawMessage, error) { return a.Ask(method, map[string]any{}) })
	}
	busy, symbol := m.w.Busy, m.w.Symbols[0]
	tool("stats", map[string]any{})
	tool("context", map[string]any{"task": "make the retry of the queue safe", "paths": []string{busy}})
	tool("context", map[string]any{"task": "make the retry of the queue safe", "estimate": 10, "contents": 8000, "resume": true})
	tool("recall", map[string]any{"paths": []string{busy}})
	tool("recall", map[string]any{"paths": []string{path.Dir(busy)}})
	tool("recall", map[string]any{"ids": m.w.IDs[:10]})
	tool("search", map[string]any{"query": "redis deadlock"})
	tool("search", map[string]any{"query": "retry of the queue", "code": true})
	tool("impact", map[string]any{"targets": []string{symbol}})
	tool("impact", map[string]any{"diff": "HEAD~20"})
	tool("graph", map[string]any{"target": symbol})
	tool("graph", map[string]any{"target": path.Dir(busy)})
	tool("session", map[string]any{})
	tool("build", map[string]any{})
	tool("remember", map[string]any{"what": "The retry of part 7 holds a lock that is never released", "type": "gotcha", "paths": []string{busy}})
	tool("update", map[string]any{"id": m.w.IDs[3], "what": "A retry of part 8 holds a lock that is never released"})
	tool("confirm", map[string]any{"id": m.w.IDs[4]})
	for _, topic := range []string{"MEMORY.md", "conventions.md", "gotchas.md", "procedures.md", "decisions.md", "CURRENT.md"} {
		m.ask(table, "resource "+topic, a.PID(), func() (json.RawMessage, error) {
			return a.Ask("resources/read", map[string]any{"uri": "manicule://topic/" + topic})
		})
	}
	m.ask(table, "resource memory", a.PID(), func() (json.RawMessage, error) {
		return a.Ask("resources/read", map[string]any{"uri": "manicule://memory/" + m.w.IDs[0]})
	})
	for _, what := range []string{m.w.IDs[0][:6], ""} {
		m.ask(table, fmt.Sprintf("completion of %q", what), a.PID(), func() (json.RawMessage, error) {
			return a.Ask("completion/complete", map[string]any{
				"ref":      map[string]any{"type": "ref/resource", "uri": "manicule://memory/{id}"},
				"argument": map[string]any{"name": "id", "value": what},
			})
		})
	}
	for name, args := range map[string]map[string]string{
		"ask": {"question": "why does the retry fail"}, "onboard": {}, "handoff": {}, "plan": {"task": "make the retry safe"},
	} {
		m.ask(table, "prompt "+name, a.PID(), func() (json.RawMessage, error) {
			return a.Ask("prompts/get", map[string]any{"name": name, "arguments": args})
		})
	}
	m.rest(ctx, table, a.PID())
	fmt.Print(evalkit.Section{Title: fmt.Sprintf("MCP at %d memories", m.w.Size), Table: table})
	return nil
}

// resting is how long a server needs to give back what it doesn't use.
const resting = 12 * time.Second

func (m *measure) rest(ctx context.Context, table *evalkit.Table, pid int) {
	select {
	case <-time.After(resting):
	case <-ctx.Done():
	}
	resident := evalkit.Megabytes(fmt.Sprintf("/proc/%d/status", pid), "VmRSS")
	table.Add("at rest", "", "", "", "", fmt.Sprintf("%.0f", resident), "")
	evalkit.Progress("at rest %.0f MB", resident)
}

// requests asks a language server for everything that it has.
func (m *measure) requests(ctx context.Context) (err error) {
	cmd := m.box.Manicule(ctx, m.w.Root, "lsp")
	cmd.Stderr = os.Stderr
	c, err := wire.Start(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	table := answers()
	call := func(name, method string, params any) json.RawMessage {
		return m.ask(table, name, c.PID(), func() (json.RawMessage, error) {
			var out json.RawMessage
			err := c.Call(ctx, method, params, &out)
			return out, err
		})
	}
	begin := time.Now()
	if err := c.Call(ctx, "initialize", m.client(), nil); err != nil {
		return err
	}
	if err := c.Notify("initialized", struct{}{}); err != nil {
		return err
	}
	name := filepath.Join(m.w.Root, filepath.FromSlash(m.w.Busy))
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("open the file with most memories: %w", err)
	}
	if err := c.Open(name, languageOf(m.w.Busy), string(text)); err != nil {
		return err
	}
	if _, err := c.Hover(ctx, name, wire.Position{}); err != nil {
		return err
	}
	table.Add("initialize → first hover", fmt.Sprintf("%.0f", ms(time.Since(begin))), "", "", "", "", "")
	uri := wire.URI(name)
	document := map[string]any{"uri": uri}
	first := map[string]any{"start": wire.Position{}, "end": wire.Position{}}
	whole := map[string]any{"start": wire.Position{}, "end": wire.Position{Line: strings.Count(string(text), "\n")}}
	lenses := call("codeLens", "textDocument/codeLens", map[string]any{"textDocument": document})
	var at []wire.Lens
	_ = json.Unmarshal(lenses, &at)
	line := wire.Position{}
	if len(at) > 0 {
		line = at[len(at)/2].Range.Start
		call(fmt.Sprintf("codeLens/resolve, one of %d", len(at)), "codeLens/resolve", at[len(at)/2])
	}
	call("hover on the first line", "textDocument/hover", map[string]any{"textDocument": document, "position": wire.Position{}})
	call("hover on a lens", "textDocument/hover", map[string]any{"textDocument": document, "position": line})
	call("inlayHint", "textDocument/inlayHint", map[string]any{"textDocument": document, "range": whole})
	call("codeAction on the first line", "textDocument/codeAction", map[string]any{"textDocument": document, "range": first, "context": map[string]any{"diagnostics": []any{}}})
	call("codeAction on a lens", "textDocument/codeAction", map[string]any{"textDocument": document, "range": map[string]any{"start": line, "end": line}, "context": map[string]any{"diagnostics": []any{}}})
	call("diagnostic", "textDocument/diagnostic", map[string]any{"textDocument": document})
	call("workspace/diagnostic", "workspace/diagnostic", map[string]any{"previousResultIds": []any{}})
	call("documentSymbol", "textDocument/documentSymbol", map[string]any{"textDocument": document})
	call("documentLink", "textDocument/documentLink", map[string]any{"textDocument": document})
	call("definition", "textDocument/definition", map[string]any{"textDocument": document, "position": line})
	call("references", "textDocument/references", map[string]any{"textDocument": document, "position": line, "context": map[string]any{}})
	call("completion", "textDocument/completion", map[string]any{"textDocument": document, "position": line})
	call("workspace/symbol, no text", "workspace/symbol", map[string]any{"query": ""})
	call("workspace/symbol", "workspace/symbol", map[string]any{"query": "redis"})
	for _, by := range []string{"file", "module", "type", "state"} {
		call("manicule/tree by "+by, "manicule/tree", map[string]any{"by": by})
	}
	for _, method := range []string{"overview", "candidates", "stale", "log", "coverage", "threads"} {
		call("manicule/"+method, "manicule/"+method, map[string]any{})
	}
	call("manicule/memory", "manicule/memory", map[string]any{"uuid": m.w.IDs[m.w.Size/2]})
	call("manicule/history", "manicule/history", map[string]any{"uuid": m.w.IDs[m.w.Size/2]})
	call("manicule/sessionSummary", "manicule/sessionSummary", map[string]any{"session": "past-500"})
	call("manicule/search", "manicule/search", map[string]any{"text": "redis deadlock"})
	call("manicule/outline", "manicule/outline", map[string]any{"textDocument": document})
	call("manicule/graph", "manicule/graph", map[string]any{"textDocument": document, "position": line})
	call("manicule/impact", "manicule/impact", map[string]any{"textDocument": document, "position": line})
	call("manicule/showAt", "manicule/showAt", map[string]any{"textDocument": document, "rev": "HEAD~100"})
	memory := func(command string, more ...any) {
		call(command, "workspace/executeCommand", map[string]any{"command": command, "arguments": append([]any{m.w.IDs[m.w.Size/2]}, more...)})
	}
	memory("manicule.memoryActions")
	memory("manicule.pinMemory")
	memory("manicule.confirmMemory")
	memory("manicule.editMemory", map[string]any{"importance": "high", "quiet": true})
	m.rest(ctx, table, c.PID())
	fmt.Print(evalkit.Section{Title: fmt.Sprintf("Language server at %d memories", m.w.Size), Table: table})
	return nil
}

// client is an editor with our plugin.
func (m *measure) client() map[string]any {
	return map[string]any{
		"processId": nil, "rootUri": wire.URI(m.w.Root),
		"workspaceFolders":      []map[string]string{{"uri": wire.URI(m.w.Root), "name": "company"}},
		"initializationOptions": map[string]any{"extensions": true, "clientLists": true},
		"capabilities": map[string]any{
			"textDocument": map[string]any{
				"hover":      map[string]any{"contentFormat": []string{"markdown"}},
				"diagnostic": map[string]any{},
				"codeAction": map[string]any{"codeActionLiteralSupport": map[string]any{"codeActionKind": map[string]any{"valueSet": []string{"quickfix", "refactor"}}}},
			},
			"workspace": map[string]any{"diagnostics": map[string]any{"refreshSupport": true}},
		},
	}
}
