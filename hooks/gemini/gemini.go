// Package gemini owns the hook payloads and answers of Gemini CLI. It is pure.
// It must not know memories, files or other agents.
package gemini

import "manicule/hooks/event"

// Agent is the positional word of this agent.
const Agent = "gemini"

// Parse reads a payload.
func Parse(o event.Value) event.Event {
	e := event.FromSnake(Agent, o)
	switch e.Name {
	case "SessionStart":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.SourceOf(o.Str("source"))
	case "BeforeAgent":
		e.Kind, e.Answers = event.Prompt, true
		e.Prompt = o.Str("prompt")
	case "BeforeTool":
		e.Kind = event.PreTool
		e.Calls = []event.Call{event.ToolCall(o)}
	case "AfterTool":
		e.Kind, e.Answers = event.PostTool, true
		e.Calls = []event.Call{after(o)}
	case "PreCompress":
		e.Kind = event.PreCompact
	case "AfterAgent":
		e.Kind = event.Stop
	case "SessionEnd":
		e.Kind = event.SessionEnd
	}
	return e
}

func after(o event.Value) event.Call {
	c := event.ToolCall(o)
	c.Outcome = event.Succeeded
	c.Result(o.Get("tool_response"))
	if failure := o.Get("tool_response").Get("error"); failure.IsObject() || failure.Text() != "" {
		c.Outcome, c.Error = event.Failed, failure.Text()+failure.Str("message")
	}
	return c
}

// Render writes an answer. Gemini parses stderr when stdout is empty, so an
// empty answer is an empty object.
func Render(e event.Event, text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	switch e.Name {
	case "SessionStart", "BeforeAgent", "AfterTool":
		return event.Specific(e.Name, text)
	}
	return []byte("{}")
}
