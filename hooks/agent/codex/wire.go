package codex

import (
	"strconv"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload. Codex reads files through its shell, so a call's
// targets come from the command line.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	switch e.Name {
	case "SessionStart":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.SourceOf(o.Str("source"))
	case "UserPromptSubmit":
		e.Kind, e.Answers = event.Prompt, true
		e.Prompt = o.Str("prompt")
	case "PreToolUse":
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{call(o)}
	case "PostToolUse":
		e.Kind = event.PostTool
		c := call(o)
		c.Outcome = outcome(o.Get("tool_response"))
		c.Result(o.Get("tool_response"))
		e.Calls = []event.Call{c}
	case "PreCompact":
		e.Kind = event.PreCompact
	case "Stop":
		e.Kind = event.Stop
	case "SessionEnd":
		e.Kind = event.SessionEnd
	}
	return e
}

// call reads the tool call. A patch comes in the command of apply_patch.
func call(o event.Value) event.Call {
	c := event.ToolCall(o)
	if c.Class == event.Edit && len(c.Targets) == 0 {
		c.Targets = event.PatchTargets(o.Get("tool_input").Str("command", "input"))
	}
	return c
}

// outcome reads the exit code, where the response has one: Codex reports a
// command that failed as one that ran.
func outcome(response event.Value) event.Outcome {
	for _, v := range []event.Value{response, response.Get("metadata")} {
		if code, err := strconv.Atoi(v.Small("exit_code")); err == nil {
			if code == 0 {
				return event.Succeeded
			}
			return event.Failed
		}
	}
	return event.Unknown
}

// render writes the answer that puts text before the model.
func render(e event.Event, text string) []byte {
	if text == "" {
		return nil
	}
	switch e.Name {
	case "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse":
		return event.Specific(e.Name, text)
	}
	return nil
}

func evidence(v event.Value) spec.Evidence {
	return spec.When(v.Has("turn_id") && v.Has("model"), spec.Strong)
}
