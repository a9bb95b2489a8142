package gemini

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

// render writes an answer. Gemini parses stderr if stdout is empty, so an empty answer is
// an empty object.
func render(e event.Event, text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	switch e.Name {
	case "SessionStart", "BeforeAgent", "AfterTool":
		return event.Specific(e.Name, text)
	}
	return []byte("{}")
}

// evidence is an event name that only Gemini CLI uses.
func evidence(v event.Value) spec.Evidence {
	switch v.Str("hook_event_name") {
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return spec.Likely
	}
	return spec.None
}
