package vscode

import (
	"github.com/go-json-experiment/json"

	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"assistant.message"`, `"tool.execution_start"`, `"user.message"`}, Line: readLine}
}

// readLine reads the events of a conversation. Those of its subagents stand among them, without a sign of it.
func readLine(p *transcript.Parser, line []byte) {
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Data      struct {
			Content   string `json:"content"`
			Reasoning string `json:"reasoningText"`
			Tool      string `json:"toolName"`
		} `json:"data"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	at, d := transcript.Millis(row.Timestamp), row.Data
	switch row.Type {
	case "user.message":
		p.Tell(transcript.Entry{Kind: transcript.Asked, Time: at})
	case "assistant.message":
		p.Tell(transcript.Entry{Kind: transcript.Thought, Time: at, Text: d.Reasoning})
		p.Tell(transcript.Entry{Kind: transcript.Said, Time: at, Text: d.Content})
	case "tool.execution_start":
		if transcript.IsUntrusted(d.Tool) {
			p.Tell(transcript.Entry{Kind: transcript.Fetched, Time: at, Text: d.Tool})
		}
	}
}
