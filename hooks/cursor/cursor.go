// Package cursor owns the hook payloads and answers of Cursor, the editor and
// its command line agent. It is pure. It must not know memories, files or
// other agents.
package cursor

import (
	"net/url"
	"path"
	"strings"

	"manicule/hooks/event"
)

// Agent is the positional word of this agent.
const Agent = "cursor"

// Parse reads a payload. Cursor names no folder on most events: the first
// workspace root stands in for it.
func Parse(o event.Value) event.Event {
	e := event.FromSnake(Agent, o)
	if id := o.Str("conversation_id"); id != "" {
		e.Session = id
	}
	e.Turn = o.Str("generation_id")
	if e.Roots = o.Strings("workspace_roots"); e.CWD == "" && len(e.Roots) > 0 {
		e.CWD = e.Roots[0]
	}
	switch e.Name {
	case "sessionStart":
		e.Kind, e.Answers, e.Source = event.SessionStart, true, event.Startup
	case "sessionEnd":
		e.Kind = event.SessionEnd
	case "beforeSubmitPrompt":
		e.Kind, e.Prompt = event.Prompt, o.Str("prompt")
	case "stop":
		e.Kind = event.Stop
	case "preCompact":
		e.Kind = event.PreCompact
	default:
		tool(&e, o)
	}
	return e
}

func tool(e *event.Event, o event.Value) {
	c := event.ToolCall(o)
	switch e.Name {
	case "preToolUse":
		e.Kind = event.PreTool
	case "postToolUse":
		e.Kind, e.Answers = event.PostTool, true
		c.Outcome = event.Succeeded
	case "postToolUseFailure":
		e.Kind = event.PostToolFailure
		c.Outcome, c.Error = event.Failed, o.Str("error_message", "error")
	case "beforeReadFile":
		e.Kind, c = event.PreTool, event.NewCall("Read", "", o)
	case "afterFileEdit":
		e.Kind, c = event.PostTool, event.NewCall("Edit", "", o)
		c.Outcome = event.Succeeded
	case "beforeShellExecution":
		e.Kind, c = event.PreTool, event.NewCall("Shell", "", o)
	case "beforeMCPExecution", "afterMCPExecution":
		c = event.NewCall("MCP:"+server(o)+" "+o.Str("tool_name"), "", event.Value{})
		if e.Kind = event.PreTool; e.Name == "afterMCPExecution" {
			e.Kind = event.PostTool
		}
	case "afterShellExecution":
		e.Kind, c = event.PostTool, event.NewCall("Shell", "", o)
	default:
		return
	}
	e.Calls = []event.Call{c}
}

// server names the server of a tool, whose own name says nothing of it: ours, or
// what runs it, or where it is. Arguments and the rest of an address may hold
// keys.
func server(o event.Value) string {
	text := o.Str("command", "url")
	if strings.Contains(strings.ToLower(text), "manicule") {
		return "manicule"
	}
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Hostname()
	}
	if words := strings.Fields(text); len(words) > 0 {
		return path.Base(strings.ReplaceAll(words[0], `\`, "/"))
	}
	return ""
}

// Render writes an answer. Cursor blocks on anything that isn't JSON, so an
// empty answer is an empty object, and a permission is never decided.
func Render(e event.Event, text string) []byte {
	if text != "" && (e.Name == "sessionStart" || e.Name == "postToolUse") {
		return event.Answer(event.Text{Key: "additional_context", Value: text})
	}
	return []byte("{}")
}
