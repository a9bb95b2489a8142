package windsurf

import (
	"github.com/go-json-experiment/json"

	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"type"`}, Line: readLine}
}

// readLine reads the lines of Cascade's transcripts, which have no times. The type of a
// line names the step.
func readLine(p *transcript.Parser, line []byte) {
	var row struct {
		Type    string `json:"type"`
		Planner struct {
			Response string `json:"response"`
			Thinking string `json:"thinking"`
		} `json:"planner_response"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	switch {
	case row.Type == "user_input":
		p.Tell(transcript.Entry{Kind: transcript.Asked})
	case row.Type == "planner_response":
		p.Tell(transcript.Entry{Kind: transcript.Thought, Text: row.Planner.Thinking})
		p.Tell(transcript.Entry{Kind: transcript.Said, Text: row.Planner.Response})
	case transcript.IsUntrusted(row.Type):
		p.Tell(transcript.Entry{Kind: transcript.Fetched, Text: row.Type})
	}
}
