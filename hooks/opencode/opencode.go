// Package opencode owns the payloads and answers between OpenCode and
// Manicule. OpenCode has no command hooks: the plugin that hooks/install
// writes sends this form, so both ends are ours. It is pure. It must not know
// memories, files or other agents.
package opencode

import "manicule/hooks/event"

// Agent is the positional word of this agent.
const Agent = "opencode"

// Parse reads a payload.
func Parse(o event.Value) event.Event {
	e := event.FromSnake(Agent, o)
	switch e.Name {
	case "session.start":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.SourceOf(o.Str("source"))
	case "chat.message":
		e.Kind, e.Prompt = event.Prompt, o.Str("prompt")
	case "tool.execute.after":
		e.Kind, e.Answers = event.PostTool, true
		c := event.ToolCall(o)
		c.Outcome = event.Succeeded
		e.Calls = []event.Call{c}
	case "session.idle":
		e.Kind = event.Stop
	}
	return e
}

// Render writes an answer: the plugin adds its context to what the model reads.
func Render(e event.Event, text string) []byte {
	if text == "" || !e.Answers {
		return []byte("{}")
	}
	return event.Answer(event.Text{Key: "context", Value: text})
}
