package observer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
)

// conversations returns the sessions in a transcript of Claude Code, OpenCode, Codex, Pi, Copilot or Gemini CLI, or in SpecStory's Markdown.
func conversations(data []byte) []*conversation {
	data = bytes.TrimSpace(data)
	switch head := data[:min(len(data), 200)]; {
	case isMarkdown(data):
		return fromMarkdown(data)
	case bytes.HasPrefix(head, []byte("{\n")):
		return fromOpenCode(data)
	case bytes.Contains(head, []byte(`"payload"`)):
		return fromCodex(data)
	case bytes.HasPrefix(head, []byte(`{"type":"session","version"`)):
		return fromPi(data)
	case bytes.Contains(head, []byte(`"session.start"`)):
		return fromCopilot(data)
	case bytes.Contains(head, []byte(`"projectHash"`)):
		return fromGemini(data)
	}
	return fromClaudeCode(data)
}

func (c *conversation) add(l hookLine) {
	l.Session = c.id
	c.lines = append(c.lines, l)
}

// call adds a call and its result.
func (c *conversation) call(began, ended time.Time, l hookLine, output string, failed bool) {
	l.Event, l.At = "PreToolUse", began
	c.add(l)
	l.At, l.Input = ended, maps.Clone(l.Input)
	if l.Event = "PostToolUse"; failed {
		l.Event, l.Error = "PostToolUseFailure", cutMiddle(output)
	} else {
		l.Response = response(l.Tool, output)
	}
	c.add(l)
}

// response is the result of a tool in Claude Code's form.
func response(tool, output string) any {
	if tool == "Bash" {
		if m := apart.FindStringSubmatch(output[:min(len(output), 400)]); m != nil {
			return map[string]any{"stdout": "", "stderr": "", "interrupted": false, "backgroundTaskId": m[1]}
		}
		return map[string]any{"stdout": cutMiddle(output), "stderr": "", "interrupted": false}
	}
	return cutMiddle(output)
}

// apart finds the command that goes on in the background, of which the hook's answer has a field.
var apart = regexp.MustCompile(`(?:running in background|backgrounded by user) with ID: (\w+)`)

// longest is the length from which texts are cut, as in the dataset.
const longest = 12000

func cutMiddle(s string) string {
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest/2], "") + fmt.Sprintf("\n…[%d chars cut]…\n", len(s)-longest) + strings.ToValidUTF8(s[len(s)-longest/2:], "")
}

func each(data []byte, f func(line []byte)) {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if len(line) > 1 {
			f(line)
		}
	}
}

// command finds the parts of a command or skill that a person called. Those of the program itself (/clear) begin
// with the name, and never reach the agent.
var command = regexp.MustCompile(`(?s)^<command-message>.*?</command-message>\s*<command-name>(.*?)</command-name>(?:\s*<command-args>(.*?)</command-args>)?`)

// typed returns what a hook got of a person's message in a transcript of Claude Code, with what a program put before
// it. Notes of the program itself reach no hook.
func typed(text string) (string, bool) {
	if m := command.FindStringSubmatch(text); m != nil {
		return strings.TrimSpace(m[1] + " " + m[2]), true
	}
	return text, !strings.HasPrefix(text, "<") || strings.HasPrefix(text, "<system") || strings.HasPrefix(text, "<task-notification>")
}

// noAnswer is what Claude Code notes in the model's place when a session is opened again; no turn ends with it.
const noAnswer = "No response requested."

// claudeBlock is a part of a message in a transcript of Claude Code.
type claudeBlock struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   map[string]any  `json:"input"`
	For     string          `json:"tool_use_id"`
	Content json.RawMessage `json:"content"`
	Failed  bool            `json:"is_error"`
}

// claudeLine is a line of a transcript of Claude Code.
type claudeLine struct {
	Type      string    `json:"type"`
	Session   string    `json:"sessionId"`
	Cwd       string    `json:"cwd"`
	Branch    string    `json:"gitBranch"`
	At        time.Time `json:"timestamp"`
	Meta      bool      `json:"isMeta"`
	Sidechain bool      `json:"isSidechain"`
	Agent     string    `json:"agentId"`
	Message   struct {
		Content json.RawMessage `json:"content"`
		Stop    string          `json:"stop_reason"`
	} `json:"message"`
}

// prompt returns what a person typed, if a text of the line is that.
func (l *claudeLine) prompt(text string) (string, bool) {
	prompt, ok := typed(text)
	return prompt, ok && l.Type == "user" && !l.Meta
}

// claudeReader reads the conversations of a transcript of Claude Code.
type claudeReader struct {
	byID  map[string]*conversation
	open  map[string]hookLine // calls without a result so far, by their ids
	order []*conversation
}

func fromClaudeCode(data []byte) []*conversation {
	r := &claudeReader{byID: map[string]*conversation{}, open: map[string]hookLine{}}
	each(data, func(raw []byte) {
		var l claudeLine
		if json.Unmarshal(raw, &l) == nil && l.Session != "" && (l.Type == "user" || l.Type == "assistant") {
			r.read(&l)
		}
	})
	r.end()
	return r.order
}

// of returns the conversation of a line.
func (r *claudeReader) of(l *claudeLine) *conversation {
	c := r.byID[l.Session]
	if c == nil {
		c = &conversation{id: l.Session, root: l.Cwd, branch: l.Branch}
		r.byID[l.Session] = c
		r.order = append(r.order, c)
		c.add(hookLine{Event: "SessionStart", At: l.At, Source: "startup", Branch: l.Branch})
	}
	return c
}

func (r *claudeReader) read(l *claudeLine) {
	c := r.of(l)
	if l.Type == "assistant" && !l.Sidechain {
		c.midTurn = l.Message.Stop == "tool_use"
	}
	var text string
	if json.Unmarshal(l.Message.Content, &text) == nil {
		if prompt, ok := l.prompt(text); ok {
			c.add(hookLine{Event: "UserPromptSubmit", At: l.At, Prompt: prompt})
		}
		return
	}
	var blocks []claudeBlock
	if json.Unmarshal(l.Message.Content, &blocks) != nil {
		return
	}
	for _, b := range blocks {
		r.block(c, l, b)
	}
}

func (r *claudeReader) block(c *conversation, l *claudeLine, b claudeBlock) {
	agent := ""
	if l.Sidechain {
		agent = l.Agent
	}
	switch b.Type {
	case "text":
		if l.Type == "assistant" && b.Text != noAnswer {
			c.add(hookLine{Event: "x_AssistantText", At: l.At, Text: b.Text, Agent: agent})
		} else if prompt, ok := l.prompt(b.Text); ok {
			c.add(hookLine{Event: "UserPromptSubmit", At: l.At, Prompt: prompt})
		}
	case "tool_use":
		r.open[b.ID] = hookLine{At: l.At, Session: c.id, Tool: b.Name, Input: b.Input, ID: b.ID, Agent: agent}
	case "tool_result":
		if o, ok := r.open[b.For]; ok {
			delete(r.open, b.For)
			c.call(o.At, l.At, o, plainText(b.Content), b.Failed)
		}
	}
}

// end adds the calls with which a transcript ends while the agent waits for the person.
func (r *claudeReader) end() {
	for _, c := range r.order {
		for _, id := range slices.Sorted(maps.Keys(r.open)) {
			if l := r.open[id]; waitsForPerson(l.Tool) && l.Session == c.id {
				l.Event, l.ID = "PreToolUse", id
				c.add(l)
			}
		}
	}
}

// waitsForPerson reports whether a call has no result before a person answers.
func waitsForPerson(tool string) bool { return tool == "ExitPlanMode" || tool == "AskUserQuestion" }

// plainText is the text of a result: a string, or a list of blocks.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &blocks) // an image has no text
	for _, b := range blocks {
		s += b.Text
	}
	return s
}

func fromOpenCode(data []byte) []*conversation {
	type stamp struct {
		Start int64 `json:"start"`
		End   int64 `json:"end"`
	}
	var d struct {
		Info struct {
			ID        string `json:"id"`
			Directory string `json:"directory"`
			Time      struct {
				Created int64 `json:"created"`
			} `json:"time"`
		} `json:"info"`
		Messages []struct {
			Info struct {
				Role string `json:"role"`
				Time struct {
					Created int64 `json:"created"`
				} `json:"time"`
			} `json:"info"`
			Parts []struct {
				Type      string `json:"type"`
				Text      string `json:"text"`
				ID        string `json:"id"`
				Call      string `json:"callID"`
				Tool      string `json:"tool"`
				Synthetic bool   `json:"synthetic"`
				State     struct {
					Status   string         `json:"status"`
					Input    map[string]any `json:"input"`
					Output   string         `json:"output"`
					Error    string         `json:"error"`
					Metadata struct {
						Exit *int `json:"exit"`
					} `json:"metadata"`
					Time stamp `json:"time"`
				} `json:"state"`
			} `json:"parts"`
		} `json:"messages"`
	}
	if json.Unmarshal(data, &d) != nil {
		return nil
	}
	c := &conversation{id: d.Info.ID, root: d.Info.Directory}
	c.add(hookLine{Event: "SessionStart", At: time.UnixMilli(d.Info.Time.Created).UTC(), Source: "startup"})
	for i, m := range d.Messages {
		at := time.UnixMilli(m.Info.Time.Created).UTC()
		for j, p := range m.Parts {
			switch {
			case p.Type == "text" && m.Info.Role == "user" && !p.Synthetic:
				c.add(hookLine{Event: "UserPromptSubmit", At: at, Prompt: p.Text})
			case p.Type == "text":
				c.add(hookLine{Event: "x_AssistantText", At: at, Text: p.Text})
			case p.Type == "tool" && (p.State.Status == "completed" || p.State.Status == "error"):
				id := fmt.Sprintf("%s-%d-%d", d.Info.ID, i, j) // call ids are REDACTED in part
				output, failed := p.State.Output, p.State.Status == "error"
				if failed {
					output = p.State.Error
				}
				if p.State.Metadata.Exit != nil && *p.State.Metadata.Exit != 0 {
					failed = true
					output = fmt.Sprintf("Exit code %d\n%s", *p.State.Metadata.Exit, output)
				}
				for k, l := range openCodeCalls(p.Tool, p.State.Input) {
					l.ID = fmt.Sprintf("%s-%d", id, k)
					c.call(time.UnixMilli(p.State.Time.Start).UTC(), time.UnixMilli(p.State.Time.End).UTC(), l, output, failed)
				}
			}
		}
	}
	return []*conversation{c}
}

// openCodeTools are Claude Code's names of OpenCode's tools.
var openCodeTools = map[string]string{"read": "Read", "bash": "Bash", "glob": "Glob", "grep": "Grep", "edit": "Edit", "write": "Write", "webfetch": "WebFetch", "websearch": "WebSearch",
	"codesearch": "WebSearch", "task": "Task", "list": "LS", "todowrite": "TodoWrite"}

// patched finds the files of a patch.
var patched = regexp.MustCompile(`(?m)^\*\*\* (Update|Add|Delete) File: (.+)$`)

func openCodeCalls(tool string, in map[string]any) []hookLine {
	if tool == "apply_patch" {
		text, _ := in["patchText"].(string)
		return patchCalls(text)
	}
	name := openCodeTools[tool]
	if name == "" {
		name = tool
	}
	out := map[string]any{}
	for k, v := range in {
		switch k {
		case "filePath":
			k = "file_path"
		case "oldString":
			k = "old_string"
		case "newString":
			k = "new_string"
		}
		out[k] = v
	}
	return []hookLine{{Tool: name, Input: out}}
}

// patchCalls returns an edit for each file of a patch, with its part of the patch.
func patchCalls(text string) []hookLine {
	var out []hookLine
	all := patched.FindAllStringSubmatchIndex(text, -1)
	for i, m := range all {
		name := text[m[4]:m[5]]
		if text[m[2]:m[3]] == "Add" {
			out = append(out, hookLine{Tool: "Write", Input: map[string]any{"file_path": name, "content": ""}})
			continue
		}
		end := len(text)
		if i+1 < len(all) {
			end = all[i+1][0]
		}
		out = append(out, hookLine{Tool: "Edit", Input: map[string]any{"file_path": name, "old_string": "", "new_string": "", "patch": "*** Begin Patch\n" + text[m[0]:end]}})
	}
	return out
}
