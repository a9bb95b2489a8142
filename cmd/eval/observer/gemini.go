package observer

import (
	"encoding/json"
	"time"
)

// fromGemini reads a transcript of Gemini CLI, which writes a message again when it has grown.
func fromGemini(data []byte) []*conversation {
	type message struct {
		ID      string          `json:"id"`
		Session string          `json:"sessionId"`
		At      time.Time       `json:"timestamp"`
		Start   time.Time       `json:"startTime"`
		Type    string          `json:"type"`
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			ID     string         `json:"id"`
			Name   string         `json:"name"`
			Args   map[string]any `json:"args"`
			Status string         `json:"status"`
			Shown  any            `json:"resultDisplay"`
		} `json:"toolCalls"`
	}
	c := &conversation{}
	last := map[string]message{}
	var order []string
	each(data, func(raw []byte) {
		var m message
		switch {
		case json.Unmarshal(raw, &m) != nil:
		case m.Session != "" && c.id == "":
			c.id = m.Session
			c.add(hookLine{Event: "SessionStart", At: m.Start, Source: "startup"})
		case m.ID != "":
			if _, seen := last[m.ID]; !seen {
				order = append(order, m.ID)
			}
			last[m.ID] = m
		}
	})
	for _, id := range order {
		m := last[id]
		text := plainText(m.Content)
		switch {
		case m.Type == "user" && text != "":
			c.add(hookLine{Event: "UserPromptSubmit", At: m.At, Prompt: text})
		case m.Type == "gemini" && text != "":
			c.add(hookLine{Event: "x_AssistantText", At: m.At, Text: text})
		}
		for _, call := range m.Calls {
			h := hookLine{Tool: call.Name, ID: call.ID, Input: call.Args}
			if call.Name == "run_shell_command" {
				h.Tool = "Bash"
			}
			shown, _ := call.Shown.(string)
			c.call(m.At, m.At, h, shown, call.Status == "error")
		}
	}
	if c.id == "" {
		return nil
	}
	return []*conversation{c}
}
