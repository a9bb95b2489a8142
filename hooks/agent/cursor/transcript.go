package cursor

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"role"`}, Line: readLine}
}

// readLine reads the lines of Cursor's agent transcripts, which have no times.
func readLine(p *transcript.Parser, line []byte) {
	var row struct {
		Role    string `json:"role"`
		Message struct {
			Content jsontext.Value `json:"content"`
		} `json:"message"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	content := transcript.Blocks(row.Message.Content)
	if row.Role == "user" {
		for _, b := range content {
			if b.Type == "text" {
				p.Tell(transcript.Entry{Kind: transcript.Asked})
				return
			}
		}
	}
	if row.Role != "assistant" {
		return
	}
	for _, b := range content {
		switch b.Type {
		case "text":
			p.Tell(transcript.Entry{Kind: transcript.Said, Text: b.Text})
		case "reasoning", "thinking":
			p.Tell(transcript.Entry{Kind: transcript.Thought, Text: b.Text + b.Thinking})
		case "tool_use", "tool-call":
			if transcript.IsUntrusted(b.Name) {
				p.Tell(transcript.Entry{Kind: transcript.Fetched, Text: b.Name})
			}
		}
	}
}
