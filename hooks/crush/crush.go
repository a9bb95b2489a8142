// Package crush owns Crush's hook payloads and answers. It is pure. It must not
// know memories, files or other agents.
package crush

import "manicule/hooks/event"

// Agent is the positional word of this agent.
const Agent = "crush"

// Parse reads a payload. Crush has one event, before a tool runs; it is for the
// main conversation only.
func Parse(o event.Value) event.Event {
	e := event.FromSnake(Agent, o)
	e.Name = o.Str("event")
	if e.Name == "PreToolUse" {
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{event.ToolCall(o)}
	}
	return e
}

// Render writes an answer: its context goes to the model with the tool's
// result. Without a decision Crush asks the person as it would have.
func Render(e event.Event, text string) []byte {
	if text == "" || !e.Answers {
		return []byte("{}")
	}
	return append([]byte(`{"version":1,`), event.Answer(event.Text{Key: "context", Value: text})[1:]...)
}
