package company

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// server is a running server, and the table of what it answered.
type server struct {
	table *evalkit.Table
	pid   int
	call  func(method string, params any) (json.RawMessage, error)
}

func newServer(pid int, call func(method string, params any) (json.RawMessage, error)) *server {
	return &server{evalkit.NewTable("request", "first, ms", "again, ms", "s of processor time", "KB", "resident MB", "error"), pid, call}
}

// ask makes a request twice.
func (s *server) ask(name, method string, params any) json.RawMessage {
	return s.measure(name, func() (json.RawMessage, error) { return s.call(method, params) })
}

// measure measures what makes a request, twice.
func (s *server) measure(name string, request func() (json.RawMessage, error)) json.RawMessage {
	before := processorTime(s.pid)
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
	used := (processorTime(s.pid) - before) / 2
	s.table.Add(name, fmt.Sprintf("%.0f", ms(times[0])), fmt.Sprintf("%.0f", ms(times[1])), fmt.Sprintf("%.2f", used.Seconds()),
		fmt.Sprintf("%.1f", float64(len(out))/1024), fmt.Sprintf("%.0f", s.resident()), said)
	evalkit.Progress("%s", strings.Join(s.table.Rows[len(s.table.Rows)-1], "  "))
	return out
}

func (s *server) resident() float64 {
	return evalkit.Megabytes(fmt.Sprintf("/proc/%d/status", s.pid), "VmRSS")
}

// resting is how long a server needs to give back what it doesn't use.
const resting = 12 * time.Second

// rest notes the memory that a server keeps.
func (s *server) rest(ctx context.Context) {
	select {
	case <-time.After(resting):
	case <-ctx.Done():
	}
	resident := s.resident()
	s.table.Add("at rest", "", "", "", "", fmt.Sprintf("%.0f", resident), "")
	evalkit.Progress("at rest %.0f MB", resident)
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
	s := newServer(a.PID(), func(method string, params any) (json.RawMessage, error) { return a.Ask(method, params) })
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		s.ask(method, method, map[string]any{})
	}
	for _, c := range m.toolCalls() {
		text, _ := json.Marshal(c.args)
		s.measure(c.tool+" "+string(text), func() (json.RawMessage, error) {
			out, err := a.Tool(c.tool, c.args)
			return json.RawMessage(out), err
		})
	}
	for _, topic := range []string{"MEMORY.md", "conventions.md", "gotchas.md", "procedures.md", "decisions.md", "CURRENT.md"} {
		s.ask("resource "+topic, "resources/read", map[string]any{"uri": "manicule://topic/" + topic})
	}
	s.ask("resource memory", "resources/read", map[string]any{"uri": "manicule://memory/" + m.w.IDs[0]})
	for _, what := range []string{m.w.IDs[0][:6], ""} {
		s.ask(fmt.Sprintf("completion of %q", what), "completion/complete", map[string]any{
			"ref":      map[string]any{"type": "ref/resource", "uri": "manicule://memory/{id}"},
			"argument": map[string]any{"name": "id", "value": what},
		})
	}
	for name, args := range map[string]map[string]string{
		"ask": {"question": "why does the retry fail"}, "onboard": {}, "handoff": {}, "plan": {"task": "make the retry safe"},
	} {
		s.ask("prompt "+name, "prompts/get", map[string]any{"name": name, "arguments": args})
	}
	s.rest(ctx)
	fmt.Print(evalkit.Section{Title: fmt.Sprintf("MCP at %d memories", m.w.Size), Table: s.table})
	return nil
}

// toolCall is a call of an MCP tool.
type toolCall struct {
	tool string
	args map[string]any
}

// toolCalls calls each tool, with what makes it do much.
func (m *measure) toolCalls() []toolCall {
	busy, symbol := m.w.Busy, m.w.Symbols[0]
	return []toolCall{
		{"stats", map[string]any{}},
		{"context", map[string]any{"task": "make the retry of the queue safe", "paths": []string{busy}}},
		{"context", map[string]any{"task": "make the retry of the queue safe", "estimate": 10, "contents": 8000, "resume": true}},
		{"recall", map[string]any{"paths": []string{busy}}},
		{"recall", map[string]any{"paths": []string{path.Dir(busy)}}},
		{"recall", map[string]any{"ids": m.w.IDs[:10]}},
		{"search", map[string]any{"query": "redis deadlock"}},
		{"search", map[string]any{"query": "retry of the queue", "code": true}},
		{"impact", map[string]any{"targets": []string{symbol}}},
		{"impact", map[string]any{"diff": "HEAD~20"}},
		{"graph", map[string]any{"target": symbol}},
		{"graph", map[string]any{"target": path.Dir(busy)}},
		{"session", map[string]any{}},
		{"build", map[string]any{}},
		{"remember", map[string]any{"what": "The retry of part 7 holds a lock that is never released", "type": "gotcha", "paths": []string{busy}}},
		{"update", map[string]any{"id": m.w.IDs[3], "what": "A retry of part 8 holds a lock that is never released"}},
		{"confirm", map[string]any{"id": m.w.IDs[4]}},
	}
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
	s := newServer(c.PID(), func(method string, params any) (out json.RawMessage, err error) {
		err = c.Call(ctx, method, params, &out)
		return out, err
	})
	begin := time.Now()
	d, err := m.openBusy(ctx, c)
	if err != nil {
		return err
	}
	s.table.Add("initialize → first hover", fmt.Sprintf("%.0f", ms(time.Since(begin))), "", "", "", "", "")
	d.askLenses(s)
	d.askEditor(s)
	d.askPanels(s, m.w)
	askCommands(s, m.w.IDs[m.w.Size/2])
	s.rest(ctx)
	fmt.Print(evalkit.Section{Title: fmt.Sprintf("Language server at %d memories", m.w.Size), Table: s.table})
	return nil
}

// openBusy lets an editor start with the file that has most memories, until it shows a hover there.
func (m *measure) openBusy(ctx context.Context, c *wire.Client) (*document, error) {
	if err := c.Call(ctx, "initialize", m.client(), nil); err != nil {
		return nil, err
	}
	if err := c.Notify("initialized", struct{}{}); err != nil {
		return nil, err
	}
	name := filepath.Join(m.w.Root, filepath.FromSlash(m.w.Busy))
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("open the file with most memories: %w", err)
	}
	if err := c.Open(name, languageOf(m.w.Busy), string(text)); err != nil {
		return nil, err
	}
	_, err = c.Hover(ctx, name, wire.Position{})
	return &document{id: map[string]any{"uri": wire.URI(name)}, end: wire.Position{Line: strings.Count(string(text), "\n")}}, err
}

// document is an open document.
type document struct {
	id   map[string]any
	end  wire.Position
	lens wire.Position // the place of one of its lenses
}

// at returns the parameters of a request about the document.
func (d *document) at(more map[string]any) map[string]any {
	out := map[string]any{"textDocument": d.id}
	maps.Copy(out, more)
	return out
}

func span(start, end wire.Position) map[string]any { return map[string]any{"start": start, "end": end} }

// askLenses asks for the lenses of a document, and keeps the place of the middle one.
func (d *document) askLenses(s *server) {
	var all []wire.Lens
	_ = json.Unmarshal(s.ask("codeLens", "textDocument/codeLens", d.at(nil)), &all)
	if len(all) > 0 {
		d.lens = all[len(all)/2].Range.Start
		s.ask(fmt.Sprintf("codeLens/resolve, one of %d", len(all)), "codeLens/resolve", all[len(all)/2])
	}
}

// askEditor makes the requests of the protocol.
func (d *document) askEditor(s *server) {
	none := map[string]any{"diagnostics": []any{}}
	first, lens := wire.Position{}, d.lens
	s.ask("hover on the first line", "textDocument/hover", d.at(map[string]any{"position": first}))
	s.ask("hover on a lens", "textDocument/hover", d.at(map[string]any{"position": lens}))
	s.ask("inlayHint", "textDocument/inlayHint", d.at(map[string]any{"range": span(first, d.end)}))
	s.ask("codeAction on the first line", "textDocument/codeAction", d.at(map[string]any{"range": span(first, first), "context": none}))
	s.ask("codeAction on a lens", "textDocument/codeAction", d.at(map[string]any{"range": span(lens, lens), "context": none}))
	s.ask("diagnostic", "textDocument/diagnostic", d.at(nil))
	s.ask("workspace/diagnostic", "workspace/diagnostic", map[string]any{"previousResultIds": []any{}})
	s.ask("documentSymbol", "textDocument/documentSymbol", d.at(nil))
	s.ask("documentLink", "textDocument/documentLink", d.at(nil))
	s.ask("definition", "textDocument/definition", d.at(map[string]any{"position": lens}))
	s.ask("references", "textDocument/references", d.at(map[string]any{"position": lens, "context": map[string]any{}}))
	s.ask("completion", "textDocument/completion", d.at(map[string]any{"position": lens}))
	s.ask("workspace/symbol, no text", "workspace/symbol", map[string]any{"query": ""})
	s.ask("workspace/symbol", "workspace/symbol", map[string]any{"query": "redis"})
}

// askPanels makes the requests of our plugins' panels.
func (d *document) askPanels(s *server, w *workspace) {
	for _, by := range []string{"file", "module", "type", "state"} {
		s.ask("manicule/tree by "+by, "manicule/tree", map[string]any{"by": by})
	}
	for _, method := range []string{"overview", "candidates", "stale", "log", "coverage", "threads"} {
		s.ask("manicule/"+method, "manicule/"+method, map[string]any{})
	}
	one := w.IDs[w.Size/2]
	s.ask("manicule/memory", "manicule/memory", map[string]any{"uuid": one})
	s.ask("manicule/history", "manicule/history", map[string]any{"uuid": one})
	s.ask("manicule/sessionSummary", "manicule/sessionSummary", map[string]any{"session": "past-500"})
	s.ask("manicule/search", "manicule/search", map[string]any{"text": "redis deadlock"})
	s.ask("manicule/outline", "manicule/outline", d.at(nil))
	s.ask("manicule/graph", "manicule/graph", d.at(map[string]any{"position": d.lens}))
	s.ask("manicule/impact", "manicule/impact", d.at(map[string]any{"position": d.lens}))
	s.ask("manicule/showAt", "manicule/showAt", d.at(map[string]any{"rev": "HEAD~100"}))
}

// askCommands does to a memory what a person does in an editor.
func askCommands(s *server, uuid string) {
	for _, c := range []struct {
		command string
		options []any
	}{
		{"manicule.memoryActions", nil}, {"manicule.pinMemory", nil}, {"manicule.confirmMemory", nil},
		{"manicule.editMemory", []any{map[string]any{"importance": "high", "quiet": true}}},
	} {
		s.ask(c.command, "workspace/executeCommand", map[string]any{"command": c.command, "arguments": append([]any{uuid}, c.options...)})
	}
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
