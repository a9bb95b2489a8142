package codex

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/hooks/event"
	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"response_item"`}, Line: readLine}
}

// readLine reads the rollouts of Codex. It reads the messages of the model, and skips the
// second copy for the display.
func readLine(p *transcript.Parser, line []byte) {
	var row struct {
		Type      string `json:"type"`
		Timestamp string `json:"timestamp"`
		Payload   struct {
			Type    string         `json:"type"`
			Role    string         `json:"role"`
			Name    string         `json:"name"`
			Call    string         `json:"call_id"`
			Output  jsontext.Value `json:"output"`
			Content jsontext.Value `json:"content"`
			Summary jsontext.Value `json:"summary"`
		} `json:"payload"`
	}
	if json.Unmarshal(line, &row) != nil || row.Type != "response_item" {
		return
	}
	at, x := transcript.Millis(row.Timestamp), row.Payload
	switch x.Type {
	case "message":
		for _, b := range transcript.Blocks(x.Content) {
			switch {
			case x.Role == "user" && !strings.HasPrefix(b.Text, "<"):
				p.Tell(transcript.Entry{Kind: transcript.Asked, Time: at})
			case x.Role == "assistant":
				p.Tell(transcript.Entry{Kind: transcript.Said, Time: at, Text: b.Text})
			}
		}
	case "reasoning":
		for _, b := range append(transcript.Blocks(x.Summary), transcript.Blocks(x.Content)...) {
			p.Tell(transcript.Entry{Kind: transcript.Thought, Time: at, Text: b.Text})
		}
	case "function_call_output", "custom_tool_call_output":
		code, output, ok := exit(text(x.Output))
		switch {
		case !ok || x.Call == "":
		case code != 0:
			p.Tell(transcript.Entry{Kind: transcript.Ended, Time: at, Call: x.Call, Text: cmp.Or(output, "exit code "+strconv.Itoa(code))})
		case event.LooksFailed(output): // the hook got no exit code and may see a success
			p.Tell(transcript.Entry{Kind: transcript.Ended, Time: at, Call: x.Call})
		}
	case "web_search_call":
		p.Tell(transcript.Entry{Kind: transcript.Fetched, Time: at, Text: "web_search"})
	case "function_call", "custom_tool_call":
		if transcript.IsUntrusted(x.Name) {
			p.Tell(transcript.Entry{Kind: transcript.Fetched, Time: at, Text: x.Name})
		}
	}
}

// text returns an output that is a text or a list of parts.
func text(v jsontext.Value) string {
	var parts []string
	for _, b := range transcript.Blocks(v) {
		parts = append(parts, b.Text)
	}
	return strings.Join(parts, "\n")
}
