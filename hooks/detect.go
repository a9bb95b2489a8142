package hooks

import (
	"strings"

	"manicule/hooks/claude"
	"manicule/hooks/codex"
	"manicule/hooks/copilot"
	"manicule/hooks/crush"
	"manicule/hooks/cursor"
	"manicule/hooks/event"
	"manicule/hooks/gemini"
	"manicule/hooks/opencode"
	"manicule/hooks/vscode"
	"manicule/hooks/windsurf"
)

// codec is one agent's wire format. The zero codec answers nothing.
type codec struct {
	agent  string
	parse  func(event.Value) event.Event
	render func(event.Event, string) []byte
}

func (c codec) empty() []byte {
	if c.render == nil {
		return nil
	}
	return c.render(event.Event{}, "")
}

func codecs() []codec {
	return []codec{
		{claude.Agent, claude.Parse, claude.Render},
		{cursor.Agent, cursor.Parse, cursor.Render},
		{codex.Agent, codex.Parse, codex.Render},
		{gemini.Agent, gemini.Parse, gemini.Render},
		{copilot.Agent, copilot.Parse, copilot.Render},
		{vscode.Agent, vscode.Parse, vscode.Render},
		{opencode.Agent, opencode.Parse, opencode.Render},
		{windsurf.Agent, windsurf.Parse, windsurf.Render},
		{crush.Agent, crush.Parse, crush.Render},
	}
}

// Agents lists the positional words that Run knows.
func Agents() []string {
	var out []string
	for _, c := range codecs() {
		out = append(out, c.agent)
	}
	return out
}

func codecFor(agent string) codec {
	for _, c := range codecs() {
		if c.agent == agent {
			return c
		}
	}
	return codec{}
}

// detect picks the format of a payload. Agents run the hooks that were
// installed for others, with their own payloads, so clear evidence in the
// payload outweighs the word of the command line (HOOKS.md section 12).
func detect(word string, v event.Value) codec {
	if agent := evidence(v); agent != "" {
		return codecFor(agent)
	}
	return codecFor(word)
}

// foreign marks the payload of an agent that has no format here; it gets no answer.
const foreign = "foreign"

func evidence(v event.Value) string {
	name := v.Str("hook_event_name")
	_, stamped := v.Number("timestamp")
	switch {
	case v.Str("client") == opencode.Agent:
		return opencode.Agent
	case v.Has("cursor_version"):
		return cursor.Agent
	case v.Has("agent_action_name"):
		return windsurf.Agent
	case v.Has("conversationId") && (v.Has("stepIdx") || v.Has("toolCall") || v.Has("invocationNum")), // Antigravity
		v.Has("clineVersion"), v.Has("hookName"), // Cline
		v.Has("sessionId") && v.Has("toolInput") && v.Has("workspaceRoot"): // Grok Build
		return foreign
	case v.Has("turn_id") && v.Has("model"):
		return codex.Agent
	case v.Has("toolArgs"), v.Has("sessionId") && stamped, v.Get("tool_result").Has("result_type"):
		return copilot.Agent
	case geminiOnly(name):
		return gemini.Agent
	case v.Has("tool_name") && editorTool(v.Str("tool_name")) && v.Get("tool_input").Has("filePath"):
		return vscode.Agent
	case strings.Contains(strings.ReplaceAll(v.Str("transcript_path"), `\`, "/"), "/.claude/projects/"):
		return claude.Agent
	}
	return ""
}

func geminiOnly(name string) bool {
	switch name {
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return true
	}
	return false
}

func editorTool(name string) bool {
	switch name {
	case "read_file", "replace_string_in_file", "create_file", "multi_replace_string_in_file", "insert_edit_into_file":
		return true
	}
	return false
}
