package observer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

// piTools are Claude Code's names of Pi's tools.
var piTools = map[string]string{"read": "Read", "bash": "Bash", "find": "Glob", "grep": "Grep", "edit": "Edit", "write": "Write", "ls": "LS"}

var piExit = regexp.MustCompile(`Command exited with code (\d+)\s*$`)

// fromPi reads one session of Pi.
func fromPi(data []byte) []*conversation {
	type block struct {
		Type string         `json:"type"`
		Text string         `json:"text"`
		ID   string         `json:"id"`
		Name string         `json:"name"`
		Args map[string]any `json:"arguments"`
	}
	type line struct {
		Type    string    `json:"type"`
		ID      string    `json:"id"`
		Cwd     string    `json:"cwd"`
		At      time.Time `json:"timestamp"`
		Message struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
			Call    string          `json:"toolCallId"`
			Failed  bool            `json:"isError"`
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
		m := l.Message
		switch m.Role {
		case "user":
			c.add(hookLine{Event: "UserPromptSubmit", At: l.At, Prompt: plainText(m.Content)})
		case "assistant":
			var blocks []block
			_ = json.Unmarshal(m.Content, &blocks) // what is no list of blocks says nothing
			for _, b := range blocks {
				switch {
				case b.Type == "text" && b.Text != "":
					c.add(hookLine{Event: "x_AssistantText", At: l.At, Text: b.Text})
				case b.Type == "toolCall":
					open[b.ID] = piCall(b.Name, b.Args, l.At)
				}
			}
		case "toolResult":
			o, ok := open[m.Call]
			if !ok {
				return
			}
			delete(open, m.Call)
			o.ID = fmt.Sprintf("%s-%s", c.id, m.Call)
			output := plainText(m.Content)
			if code := piExit.FindStringSubmatch(output); m.Failed && code != nil {
				output = "Exit code " + code[1] + "\n" + output
			}
			c.call(o.At, l.At, o, output, m.Failed)
		}
	})
	if c.id == "" {
		return nil
	}
	return []*conversation{c}
}

func piCall(tool string, args map[string]any, at time.Time) hookLine {
	name := piTools[tool]
	if name == "" {
		name = tool
	}
	in := map[string]any{}
	for k, v := range args {
		switch k {
		case "path":
			k = "file_path"
		case "oldText":
			k = "old_string"
		case "newText":
			k = "new_string"
		}
		in[k] = v
	}
	return hookLine{At: at, Tool: name, Input: in}
}
