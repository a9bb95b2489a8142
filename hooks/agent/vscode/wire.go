package vscode

import (
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	switch e.Name {
	case "SessionStart":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.SourceOf(o.Str("source"))
	case "UserPromptSubmit":
		e.Kind, e.Prompt = event.Prompt, o.Str("prompt")
	case "PreToolUse":
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{event.ToolCall(o)}
	case "PostToolUse":
		e.Kind = event.PostTool
		c := event.ToolCall(o)
		c.Outcome = event.Succeeded
		c.Result(o.Get("tool_response"))
		e.Calls = []event.Call{c}
	case "PreCompact":
		e.Kind = event.PreCompact
	case "Stop":
		e.Kind = event.Stop
	}
	return e
}

// render writes an answer. A prompt accepts no context, so its result is shown to the
// person.
func render(e event.Event, text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	switch e.Name {
	case "SessionStart", "PreToolUse", "PostToolUse":
		return event.Specific(e.Name, text)
	case "UserPromptSubmit":
		return event.Answer(event.Text{Key: "systemMessage", Value: text})
	}
	return []byte("{}")
}

// evidence is a tool of the editor, with the member in which it takes a path.
func evidence(v event.Value) spec.Evidence {
	switch v.Str("tool_name") {
	case "read_file", "replace_string_in_file", "create_file", "multi_replace_string_in_file", "insert_edit_into_file":
		return spec.When(v.Get("tool_input").Has("filePath"), spec.Likely)
	}
	return spec.None
}
