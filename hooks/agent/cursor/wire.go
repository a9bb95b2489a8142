package cursor

import (
	"net/url"
	"path"
	"strings"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload. Cursor names no folder in most events, so the first workspace
// root is used.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
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
		c.Outcome, c.Error = outcome(c, o.Str("tool_output"))
	case "postToolUseFailure":
		e.Kind = event.PostToolFailure
		if o.Str("failure_type") != "permission_denied" && !o.True("is_interrupt") { // a person's no is no failure
			c.Outcome, c.Error = event.Failed, o.Str("error_message", "error")
		}
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

// outcome determines how a call ended, of a command by the exit code in its output.
func outcome(c event.Call, output string) (event.Outcome, string) {
	if c.Class != event.Shell || output == "" {
		return event.Succeeded, ""
	}
	result, _ := event.ScanString(output) // what was read of a torn one counts
	if code := result.Small("exitCode"); code == "" || code == "0" {
		return event.Succeeded, ""
	}
	return event.Failed, strings.TrimSpace(result.Str("stdout") + "\n" + result.Str("stderr") + "\n" + result.Str("output"))
}

// own is the name of our server and of its program.
const own = "manicule"

// server names the server of a tool, because the tool's own name does not. Its command or
// address is more reliable than its name in the configuration, which anything can have: a
// server is ours if our program runs it, never by an address. Arguments and the rest of
// an address may hold keys and are left out. The name has no spaces, because the tool's
// name follows after one.
func server(o event.Value) string {
	address, command, name := o.Str("url"), o.Str("command"), o.Str("mcp_server_name", "server")
	if u, err := url.Parse(command); err == nil && u.Host != "" {
		address = command
	}
	known := name // any name is better than none
	switch {
	case address != "":
		if u, err := url.Parse(address); err == nil && u.Host != "" {
			known = u.Hostname()
		}
		return foreign(known)
	case command != "":
		if known = program(command); strings.EqualFold(known, own) {
			return own
		}
		return foreign(known)
	case strings.EqualFold(name, own):
		return own
	}
	return foreign(name)
}

// program returns the program of a command line, without its folder and ".exe".
func program(line string) string {
	line = strings.TrimSpace(line)
	if line == "" {
		return ""
	}
	if q := line[0]; q == '"' || q == '\'' {
		line, _, _ = strings.Cut(line[1:], line[:1])
	} else {
		line = strings.Fields(line)[0]
	}
	base := path.Base(strings.ReplaceAll(line, `\`, "/"))
	if end := len(base) - len(".exe"); end > 0 && strings.EqualFold(base[end:], ".exe") {
		base = base[:end]
	}
	return base
}

// foreign renames another server so that it can't pass for ours.
func foreign(name string) string {
	name = strings.Join(strings.Fields(name), "_")
	if strings.EqualFold(name, own) {
		return "not-" + own
	}
	return name
}

// render writes an answer. Cursor blocks on anything that isn't JSON, so an empty answer
// is an empty object. It never decides a permission.
func render(e event.Event, text string) []byte {
	if text != "" && (e.Name == "sessionStart" || e.Name == "postToolUse") {
		return event.Answer(event.Text{Key: "additional_context", Value: text})
	}
	return []byte("{}")
}

func evidence(v event.Value) spec.Evidence {
	return spec.When(v.Has("cursor_version"), spec.Certain)
}

func probe(dir string) map[string]any {
	return map[string]any{"hook_event_name": "sessionStart", "cursor_version": "0", "workspace_roots": []string{dir}, "cwd": dir}
}
