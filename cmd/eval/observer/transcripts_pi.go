package observer

import (
	"encoding/json"
	"maps"
	"time"
)

// piTools are Claude Code's names of Pi's tools.
var piTools = map[string]string{"read": "Read", "bash": "Bash", "find": "Glob", "grep": "Grep", "edit": "Edit", "write": "Write", "ls": "LS"}

// fromPi reads a transcript of Pi: the session, then its messages.
func fromPi(data []byte) []*conversation {
	type block struct {
		Type      string         `json:"type"`
		Text      string         `json:"text"`
		ID        string         `json:"id"`
		Name      string         `json:"name"`
		Arguments map[string]any `json:"arguments"`
	}
	type line struct {
		Type    string    `json:"type"`
		ID      string    `json:"id"`
		Cwd     string    `json:"cwd"`
		At      time.Time `json:"timestamp"`
		Message struct {
			Role    string          `json:"role"`
			Call    string          `json:"toolCallId"`
			Failed  bool            `json:"isError"`
			Content json.RawMessage `json:"content"`
		} `json:"message"`
	}
	c := &conversation{}
	open := map[string]hookLine{}
	each(data, func(raw []byte) {
		var l line
		if json.Unmarshal(raw, &l) != nil {
			return
		}
		if l.Type == "session" && c.id == "" {
			c.id, c.root = l.ID, l.Cwd
			c.add(hookLine{Event: "SessionStart", At: l.At, Source: "startup"})
		}
		if l.Type != "message" {
			return
		}
		if l.Message.Role == "toolResult" {
			if o, ok := open[l.Message.Call]; ok {
				delete(open, l.Message.Call)
				c.call(o.At, l.At, o, plainText(l.Message.Content), l.Message.Failed)
			}
			return
		}
		var blocks []block
		if json.Unmarshal(l.Message.Content, &blocks) != nil {
			return
		}
		for _, b := range blocks {
			switch {
			case b.Type == "text" && b.Text != "" && l.Message.Role == "user":
				c.add(hookLine{Event: "UserPromptSubmit", At: l.At, Prompt: b.Text})
			case b.Type == "text" && b.Text != "":
				c.add(hookLine{Event: "x_AssistantText", At: l.At, Text: b.Text})
			case b.Type == "toolCall":
				open[b.ID] = piCall(b.ID, b.Name, b.Arguments, l.At)
			}
		}
	})
	if c.id == "" {
		return nil
	}
	return []*conversation{c}
}

func piCall(id, name string, arguments map[string]any, at time.Time) hookLine {
	in := maps.Clone(arguments)
	tool := piTools[name]
	switch tool {
	case "":
		tool = name
	case "Read", "Edit", "Write":
		in["file_path"] = in["path"]
		delete(in, "path")
		in["old_string"], in["new_string"] = in["oldText"], in["newText"]
		if edits, ok := in["edits"].([]any); ok && len(edits) > 0 { // the first one stands for all
			if e, ok := edits[0].(map[string]any); ok {
				in["old_string"], in["new_string"] = e["oldText"], e["newText"]
			}
		}
		for _, k := range []string{"oldText", "newText", "edits"} {
			delete(in, k)
		}
		if tool != "Edit" {
			delete(in, "old_string")
			delete(in, "new_string")
		}
	}
	return hookLine{At: at, Tool: tool, Input: in, ID: id}
}
