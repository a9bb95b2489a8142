package opencode

import (
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
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
		if code := o.Small("exit"); code != "" && code != "0" {
			c.Outcome, c.Error = event.Failed, o.Str("error")
		}
		e.Calls = []event.Call{c}
	case "session.idle":
		e.Kind = event.Stop
	}
	return e
}

// render writes an answer. The plugin adds its context to the model's input.
func render(e event.Event, text string) []byte {
	if text == "" || !e.Answers {
		return []byte("{}")
	}
	return event.Answer(event.Text{Key: "context", Value: text})
}

func evidence(v event.Value) spec.Evidence {
	return spec.When(v.Str("client") == id, spec.Certain)
}

func probe(dir string) map[string]any {
	return map[string]any{"client": id, "hook_event_name": "session.start", "source": "startup", "cwd": dir}
}
