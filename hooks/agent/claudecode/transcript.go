package claudecode

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"assistant"`, `"user"`}, Line: readLine}
}

// readLine reads Claude Code's lines. One answer of the model spans several.
func readLine(p *transcript.Parser, line []byte) {
	if bytes.Contains(line, []byte(`"tool_result"`)) {
		return
	}
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Sidechain bool   `json:"isSidechain"`
		Agent     string `json:"agentId"`
		Meta      bool   `json:"isMeta"`
		Summary   bool   `json:"isCompactSummary"` // Claude Code's own summary of earlier messages
		Message   struct {
			Model   string         `json:"model"`
			Content jsontext.Value `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &row) != nil || row.Meta || row.Message.Model == "<synthetic>" {
		return
	}
	agent := ""
	if row.Sidechain {
		if agent = row.Agent; agent == "" {
			agent = "sidechain"
		}
	}
	at := transcript.Millis(row.Timestamp)
	switch row.Type {
	case "user":
		if agent == "" && !row.Summary && typed(transcript.Blocks(row.Message.Content)) {
			p.Tell(transcript.Entry{Kind: transcript.Asked, Time: at})
		}
	case "assistant":
		for _, b := range transcript.Blocks(row.Message.Content) {
			switch b.Type {
			case "text":
				p.Tell(transcript.Entry{Kind: transcript.Said, Time: at, Agent: agent, Text: b.Text})
			case "thinking":
				p.Tell(transcript.Entry{Kind: transcript.Thought, Time: at, Agent: agent, Text: b.Thinking})
			case "tool_use", "server_tool_use":
				if transcript.IsUntrusted(b.Name) {
					p.Tell(transcript.Entry{Kind: transcript.Fetched, Time: at, Agent: agent, Text: b.Name})
				}
			}
		}
	}
}

// typed reports whether a person wrote a message. It is false for notices of tasks,
// output of commands and the placeholder for an interruption.
func typed(content []transcript.Block) bool {
	for _, b := range content {
		text := strings.TrimSpace(b.Text)
		if b.Type != "text" || text == "" || strings.HasPrefix(text, "<") || strings.HasPrefix(text, "[Request interrupted") {
			continue
		}
		return true
	}
	return false
}
