package gemini

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/hooks/transcript"
)

// format describes the lines of its transcripts.
func format() transcript.Format {
	return transcript.Format{Signs: []string{`"gemini"`, `"user"`}, Line: readLine}
}

// record is one record of a Gemini CLI transcript.
type record struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Timestamp string         `json:"timestamp"`
	Content   jsontext.Value `json:"content"`
	Thoughts  jsontext.Value `json:"thoughts"`
	Calls     []struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"toolCalls"`
}

// readLine reads the records of Gemini CLI's JSONL files. Gemini CLI rewrites a record as
// it grows, and several when it replaces the history. Each part of a record is reported
// once.
func readLine(p *transcript.Parser, line []byte) {
	var row struct {
		record
		Set struct {
			Messages []record `json:"messages"`
		} `json:"$set"`
	}
	if json.Unmarshal(line, &row) != nil {
		return
	}
	for _, r := range append(row.Set.Messages, row.record) {
		readRecord(p, r)
	}
}

func readRecord(p *transcript.Parser, row record) {
	at := transcript.Millis(row.Timestamp)
	tell := func(kind transcript.Kind, text, part string) {
		whole := row.ID != "" && (text != "" || kind == transcript.Asked)
		if whole && !p.First(row.ID+"\x00"+string(kind)+"\x00"+part) {
			return
		}
		p.Tell(transcript.Entry{Kind: kind, Time: at, Text: text})
	}
	switch row.Type {
	case "user":
		// The result of a tool comes under the person's name too, without text, and so does what
		// the program and hooks say.
		for _, b := range transcript.Blocks(row.Content) {
			if text := typed(b.Text); text != "" && !strings.HasPrefix(text, "<session_context>") {
				tell(transcript.Asked, "", "")
				break
			}
		}
	case "gemini":
		for _, t := range thoughts(row.Thoughts) {
			tell(transcript.Thought, t, t)
		}
		for _, b := range transcript.Blocks(row.Content) {
			kind := transcript.Said
			if b.Thought {
				kind = transcript.Thought
			}
			tell(kind, b.Text, b.Text)
		}
		for _, c := range row.Calls {
			if transcript.IsUntrusted(c.Name) {
				tell(transcript.Fetched, c.Name, c.ID+c.Name)
			}
		}
	}
}

// thoughts reads the model's thoughts: a text, or a list of subjects with descriptions.
func thoughts(v jsontext.Value) []string {
	var list []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	}
	if v.Kind() != '[' {
		var text string
		if json.Unmarshal(v, &text) != nil {
			return nil
		}
		return []string{text}
	}
	if json.Unmarshal(v, &list) != nil {
		return nil
	}
	var out []string
	for _, t := range list {
		out = append(out, t.Description)
	}
	return out
}
