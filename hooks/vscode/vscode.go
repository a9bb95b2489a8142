// Package vscode owns the payloads and answers of VS Code's agent hooks. It is
// pure. It must not know memories, files or other agents.
package vscode

import "manicule/hooks/event"

// Agent is the positional word of this agent.
const Agent = "vscode"

// Parse reads a payload.
func Parse(o event.Value) event.Event {
	e := event.FromSnake(Agent, o)
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

// Render writes an answer. A prompt takes no context: what became of it is
// said to the person.
func Render(e event.Event, text string) []byte {
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
