package observer

import (
	"encoding/json"
	"time"
)

// fromCopilot reads a transcript of Copilot, of whose calls the outputs are absent.
func fromCopilot(data []byte) []*conversation {
	type line struct {
		Type string    `json:"type"`
		At   time.Time `json:"timestamp"`
		Data struct {
			Session string          `json:"sessionId"`
			Content string          `json:"content"`
			Call    string          `json:"toolCallId"`
			Tool    string          `json:"toolName"`
			Args    json.RawMessage `json:"arguments"`
			Success *bool           `json:"success"`
		} `json:"data"`
	}
	c := &conversation{}
	open := map[string]hookLine{}
	each(data, func(raw []byte) {
		var l line
		if json.Unmarshal(raw, &l) != nil {
			return
		}
		switch d := l.Data; l.Type {
		case "session.start":
			c.id = d.Session
			c.add(hookLine{Event: "SessionStart", At: l.At, Source: "startup"})
		case "user.message":
			c.add(hookLine{Event: "UserPromptSubmit", At: l.At, Prompt: d.Content})
		case "assistant.message":
			if d.Content != "" {
				c.add(hookLine{Event: "x_AssistantText", At: l.At, Text: d.Content})
			}
		case "tool.execution_start":
			h := hookLine{At: l.At, Tool: d.Tool, ID: d.Call, Input: map[string]any{}}
			_ = json.Unmarshal(d.Args, &h.Input) // a call without arguments has none
			if d.Tool == "run_in_terminal" || d.Tool == "bash" {
				h.Tool = "Bash"
			}
			open[d.Call] = h
		case "tool.execution_complete":
			if h, ok := open[d.Call]; ok {
				delete(open, d.Call)
				c.call(h.At, l.At, h, "", d.Success != nil && !*d.Success)
			}
		}
	})
	if c.id == "" {
		return nil
	}
	return []*conversation{c}
}
