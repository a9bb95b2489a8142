package crush

import "manicule/hooks/event"

// parse reads a payload. Crush has one event, before a tool runs, and only for the main
// conversation.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	e.Name = o.Str("event")
	if e.Name == "PreToolUse" {
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{event.ToolCall(o)}
	}
	return e
}

// render writes an answer. Its context reaches the model with the tool's result. Without
// a decision Crush asks the person as usual.
func render(e event.Event, text string) []byte {
	if text == "" || !e.Answers {
		return []byte("{}")
	}
	return append([]byte(`{"version":1,`), event.Answer(event.Text{Key: "context", Value: text})[1:]...)
}

func probe(dir string) map[string]any {
	return map[string]any{"event": "PreToolUse", "cwd": dir, "tool_name": "view", "tool_input": map[string]any{"file_path": dir + "/manicule-probe"}}
}
