package transcript

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// parser reads the lines of one agent's transcripts.
type parser struct {
	turn int
	// signs are parts of the lines that are worth decoding: most are not.
	signs []string
	told  map[string]bool // of records that are written more than once
	read  func(p *parser, line []byte, each func(Entry))
}

func (p *parser) line(line []byte, each func(Entry)) {
	for _, s := range p.signs {
		if bytes.Contains(line, []byte(s)) {
			p.read(p, line, each)
			return
		}
	}
}

// tell passes an entry on.
func (p *parser) tell(each func(Entry), e Entry) {
	if e.Kind == Asked {
		p.turn++
	}
	if e.Text == "" && e.Kind != Asked {
		return
	}
	e.Turn = p.turn
	each(e)
}

// formats are the agents whose transcripts are known, as far as they are
// documented or were described by who read them (HOOKS.md).
func formats() map[string]func() *parser {
	return map[string]func() *parser{
		"claude-code": func() *parser {
			return &parser{signs: []string{`"assistant"`, `"user"`}, read: claude}
		},
		"codex":  func() *parser { return &parser{signs: []string{`"response_item"`}, read: codex} },
		"gemini": func() *parser { return &parser{signs: []string{`"gemini"`, `"user"`}, read: gemini} },
		"copilot": func() *parser {
			return &parser{signs: []string{`"assistant.`, `"tool.execution_start"`, `"user.message"`}, read: copilot}
		},
		"cursor":   func() *parser { return &parser{signs: []string{`"role"`}, read: cursor} },
		"windsurf": func() *parser { return &parser{signs: []string{`"type"`}, read: windsurf} },
	}
}

// block is one part of a message, in the form that Anthropic's API has and
// others took over.
type block struct {
	Type     string `json:"type"`
	Text     string `json:"text"`
	Thinking string `json:"thinking"`
	Thought  bool   `json:"thought"` // of Gemini: the text is no speech
	Name     string `json:"name"`
}

// blocks reads content that is a text or a list of parts.
func blocks(v jsontext.Value) []block {
	switch v.Kind() {
	case '"':
		var s string
		if json.Unmarshal(v, &s) == nil {
			return []block{{Type: "text", Text: s}}
		}
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(v, &list) != nil {
			return nil
		}
		var out []block
		for _, item := range list {
			var b block
			switch {
			case item.Kind() == '"' && json.Unmarshal(item, &b.Text) == nil:
				b.Type = "text"
				out = append(out, b)
			case item.Kind() == '{' && json.Unmarshal(item, &b) == nil:
				out = append(out, b)
			}
		}
		return out
	}
	return nil
}

func millis(stamp string) int64 {
	at, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		return 0
	}
	return at.UnixMilli()
}

// Web reports a tool that brings in text of strangers by its name, whatever the
// agent: a page, a search of the web, a browser, a server that is not ours.
func Web(tool string) bool {
	plain := strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(tool))
	if strings.Contains(plain, "manicule") {
		return false
	}
	for _, sign := range []string{"websearch", "webfetch", "fetchweb", "readurl", "searchweb", "browser", "viewwebdocument", "mcp"} {
		if strings.Contains(plain, sign) {
			return true
		}
	}
	return plain == "fetch" || plain == "web"
}

// claude reads Claude Code's lines. One answer of the model comes in several.
func claude(p *parser, line []byte, each func(Entry)) {
	if bytes.Contains(line, []byte(`"tool_result"`)) {
		return
	}
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Sidechain bool   `json:"isSidechain"`
		Agent     string `json:"agentId"`
		Meta      bool   `json:"isMeta"`
		Summary   bool   `json:"isCompactSummary"` // Claude Code's own, of what was said before
		Message   struct {
			Model   string         `json:"model"`
			Content jsontext.Value `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &row) != nil || row.Meta || row.Message.Model == "<synthetic>" {
		return
	}
	agent := ""
	if row.Sidechain {
		if agent = row.Agent; agent == "" {
			agent = "sidechain"
		}
	}
	at := millis(row.Timestamp)
	switch row.Type {
	case "user":
		if agent == "" && !row.Summary && typed(blocks(row.Message.Content)) {
			p.tell(each, Entry{Kind: Asked, Time: at})
		}
	case "assistant":
		for _, b := range blocks(row.Message.Content) {
			switch b.Type {
			case "text":
				p.tell(each, Entry{Kind: Said, Time: at, Agent: agent, Text: b.Text})
			case "thinking":
				p.tell(each, Entry{Kind: Thought, Time: at, Agent: agent, Text: b.Thinking})
			case "tool_use", "server_tool_use":
				if Web(b.Name) {
					p.tell(each, Entry{Kind: Fetched, Time: at, Agent: agent, Text: b.Name})
				}
			}
		}
	}
}

// typed reports a message with words of a person's: no notice of a task, no output
// of a command, and not what stands for a person who broke off.
func typed(content []block) bool {
	for _, b := range content {
		text := strings.TrimSpace(b.Text)
		if b.Type != "text" || text == "" || strings.HasPrefix(text, "<") || strings.HasPrefix(text, "[Request interrupted") {
			continue
		}
		return true
	}
	return false
}

// codex reads the rollouts of Codex: what the model exchanged, not the second
// copy for the display.
func codex(p *parser, line []byte, each func(Entry)) {
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Payload   struct {
			Type    string         `json:"type"`
			Role    string         `json:"role"`
			Name    string         `json:"name"`
			Content jsontext.Value `json:"content"`
			Summary jsontext.Value `json:"summary"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &row) != nil || row.Type != "response_item" {
		return
	}
	at, x := millis(row.Timestamp), row.Payload
	switch x.Type {
	case "message":
		for _, b := range blocks(x.Content) {
			switch {
			case x.Role == "user" && !strings.HasPrefix(b.Text, "<"):
				p.tell(each, Entry{Kind: Asked, Time: at})
			case x.Role == "assistant":
				p.tell(each, Entry{Kind: Said, Time: at, Text: b.Text})
			}
		}
	case "reasoning":
		for _, b := range append(blocks(x.Summary), blocks(x.Content)...) {
			p.tell(each, Entry{Kind: Thought, Time: at, Text: b.Text})
		}
	case "web_search_call":
		p.tell(each, Entry{Kind: Fetched, Time: at, Text: "web_search"})
	case "function_call", "custom_tool_call":
		if Web(x.Name) {
			p.tell(each, Entry{Kind: Fetched, Time: at, Text: x.Name})
		}
	}
}

// geminiRow is a record of Gemini CLI's.
type geminiRow struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Content   jsontext.Value `json:"content"`
	Thoughts  jsontext.Value `json:"thoughts"`
	Calls     []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"toolCalls"`
}

// gemini reads the records of Gemini CLI's JSONL files. A record is written again
// as it grows, and several together where the history is set anew: what was told
// of one is not told twice.
func gemini(p *parser, line []byte, each func(Entry)) {
	var row struct {
		geminiRow
		Set struct {
			Messages []geminiRow `json:"messages"`
		} `json:"$set"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	for _, r := range append(row.Set.Messages, row.geminiRow) {
		p.gemini(r, each)
	}
}

func (p *parser) gemini(row geminiRow, each func(Entry)) {
	at := millis(row.Timestamp)
	tell := func(kind Kind, text, part string) {
		e := Entry{Kind: kind, Time: at, Text: text}
		if row.ID != "" && (text != "" || kind == Asked) {
			if key := row.ID + "\x00" + string(kind) + "\x00" + part; p.told[key] {
				return
			} else if p.told == nil {
				p.told = map[string]bool{key: true}
			} else {
				p.told[key] = true
			}
		}
		p.tell(each, e)
	}
	switch row.Type {
	case "user":
		// A tool's result comes in the person's name too, without a text.
		for _, b := range blocks(row.Content) {
			if b.Text != "" {
				tell(Asked, "", "")
				break
			}
		}
	case "gemini":
		for _, t := range thoughts(row.Thoughts) {
			tell(Thought, t, t)
		}
		for _, b := range blocks(row.Content) {
			kind := Said
			if b.Thought {
				kind = Thought
			}
			tell(kind, b.Text, b.Text)
		}
		for _, c := range row.Calls {
			if Web(c.Name) {
				tell(Fetched, c.Name, c.ID+c.Name)
			}
		}
	}
}

// thoughts reads what a model has thought: a text, or a list of subjects with
// what is said of them.
func thoughts(v jsontext.Value) []string {
	var list []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	}
	if v.Kind() != '[' {
		var text string
		if json.Unmarshal(v, &text) != nil {
			return nil
		}
		return []string{text}
	}
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	var out []string
	for _, t := range list {
		out = append(out, t.Description)
	}
	return out
}

// copilot reads the events of Copilot CLI.
func copilot(p *parser, line []byte, each func(Entry)) {
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Ephemeral bool   `json:"ephemeral"`
		Agent     string `json:"agentId"`
		Data      struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoningText"`
			Parent    string `json:"parentToolCallId"`
			Tool      string `json:"toolName"`
			Server    string `json:"mcpServerName"`
		} `json:"data"`
	}
	if json.Unmarshal(line, &row) != nil || row.Ephemeral {
		return
	}
	at, d, agent := millis(row.Timestamp), row.Data, row.Agent
	if agent == "" {
		agent = d.Parent
	}
	switch row.Type {
	case "user.message":
		if agent == "" {
			p.tell(each, Entry{Kind: Asked, Time: at})
		}
	case "assistant.message":
		p.tell(each, Entry{Kind: Thought, Time: at, Agent: agent, Text: d.Reasoning})
		p.tell(each, Entry{Kind: Said, Time: at, Agent: agent, Text: d.Content})
	case "assistant.reasoning":
		p.tell(each, Entry{Kind: Thought, Time: at, Agent: agent, Text: d.Content})
	case "tool.execution_start":
		// A server's tools have its name in front; those that Copilot brings are known.
		if foreign := d.Server != "" && !strings.Contains(strings.ToLower(d.Server), "manicule"); foreign || Web(d.Tool) || d.Server == "" && !copilots(d.Tool) {
			p.tell(each, Entry{Kind: Fetched, Time: at, Agent: agent, Text: d.Tool})
		}
	}
}

// copilots reports a tool that Copilot brings itself and that stays on this
// machine. One that is not known here counts as a server's.
func copilots(tool string) bool {
	switch tool {
	case "", "view", "create", "edit", "bash", "powershell", "grep", "glob", "rg", "task", "apply_patch", "report_intent", "update_todo", "ask_user", "skill", "sql", "store_memory", "exit_plan_mode",
		"write_bash", "read_bash", "stop_bash", "list_bash", "write_powershell", "read_powershell", "stop_powershell", "list_powershell", "read_agent", "list_agents", "show_file", "lsp":
		return true
	}
	return strings.Contains(strings.ToLower(tool), "manicule")
}

// cursor reads the lines of Cursor's agent transcripts, which have no times.
func cursor(p *parser, line []byte, each func(Entry)) {
	var row struct {
		Role    string `json:"role"`
		Message struct {
			Content jsontext.Value `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	content := blocks(row.Message.Content)
	if row.Role == "user" {
		for _, b := range content {
			if b.Type == "text" {
				p.tell(each, Entry{Kind: Asked})
				return
			}
		}
	}
	if row.Role != "assistant" {
		return
	}
	for _, b := range content {
		switch b.Type {
		case "text":
			p.tell(each, Entry{Kind: Said, Text: b.Text})
		case "reasoning", "thinking":
			p.tell(each, Entry{Kind: Thought, Text: b.Text + b.Thinking})
		case "tool_use", "tool-call":
			if Web(b.Name) {
				p.tell(each, Entry{Kind: Fetched, Text: b.Name})
			}
		}
	}
}

// windsurf reads the lines of Cascade's transcripts, which have no times. What
// a step was is in its type.
func windsurf(p *parser, line []byte, each func(Entry)) {
	var row struct {
		Type    string `json:"type"`
		Planner struct {
			Response string `json:"response"`
			Thinking string `json:"thinking"`
		} `json:"planner_response"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	switch {
	case row.Type == "user_input":
		p.tell(each, Entry{Kind: Asked})
	case row.Type == "planner_response":
		p.tell(each, Entry{Kind: Thought, Text: row.Planner.Thinking})
		p.tell(each, Entry{Kind: Said, Text: row.Planner.Response})
	case Web(row.Type):
		p.tell(each, Entry{Kind: Fetched, Text: row.Type})
	}
}
