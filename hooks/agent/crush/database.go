package crush

import (
	"regexp"
	"strings"
	"time"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// messages reads the latest messages of a conversation, as of Crush's schema 20260127. Larger ones
// hold files and pictures.
const messages = `SELECT id, role, CASE WHEN length(parts) <= 262144 THEN parts ELSE '' END, is_summary_message, created_at
	FROM (SELECT rowid AS n, * FROM messages WHERE session_id = ? ORDER BY n DESC LIMIT 40) ORDER BY n`

// happened finds what a person asked, how calls ended, the last words of a turn, and summaries.
// Results of calls name no input: it is in the message before.
func happened(list []spec.Message) (out []event.Happened) {
	inputs := map[string]event.Value{}
	for _, m := range list {
		v, err := event.ScanString(`{"parts":` + m.Parts + `}`)
		if err != nil {
			continue // too large, or of another version
		}
		tell := func(e event.Event) {
			e.Agent = id
			key := m.ID
			if len(e.Calls) > 0 { // a message may have the results of several calls
				key += "/" + e.Calls[0].ID
			}
			out = append(out, event.Happened{ID: key, Time: time.Unix(m.Seconds, 0), Event: e})
		}
		var text strings.Builder
		finish := ""
		for _, part := range v.Get("parts").Items() {
			data := part.Get("data")
			switch part.Str("type") {
			case "text":
				text.WriteString(data.Str("text"))
			case "tool_call":
				inputs[data.Str("id")] = data.Get("input")
			case "tool_result":
				tell(event.Event{Kind: event.PostTool, Name: "tool_result", Calls: []event.Call{result(data, inputs[data.Str("tool_call_id")])}})
			case "finish":
				finish = data.Str("reason")
			}
		}
		switch {
		case finish == "":
		case m.Summary:
			if finish == "end_turn" {
				tell(event.Event{Kind: event.PreCompact, Name: "summary"})
			}
		case m.Role == "user":
			tell(event.Event{Kind: event.Prompt, Name: "user", Prompt: text.String(), PromptFrom: author(text.String())})
		case m.Role == "assistant" && finish == "end_turn":
			tell(event.Event{Kind: event.Stop, Name: finish, Text: text.String()})
		}
	}
	return out
}

// author returns "" for a person, and the agent for what it asks of itself after a summary.
func author(prompt string) string {
	if strings.HasPrefix(prompt, "The previous session was interrupted because it got too long") {
		return id
	}
	return ""
}

// result reads how a call ended. A shell's exit code stands at the end of what it printed; without
// one it was 0.
func result(data, input event.Value) event.Call {
	c := event.NewCall(data.Str("name"), data.Str("tool_call_id"), input)
	content := data.Str("content")
	printed, _, _ := strings.Cut(content, "\n\n<cwd>")
	c.Bytes, c.Outcome = len(content), event.Succeeded
	m := exitCode().FindStringSubmatchIndex(printed)
	switch {
	case data.True("is_error"):
		c.Outcome, c.Error = event.Failed, content
	case c.Class == event.Shell && m != nil:
		c.Outcome, c.Error = event.Failed, strings.TrimSpace(printed[:m[0]])
	}
	return c
}

func exitCode() *regexp.Regexp { return regexp.MustCompile(`(?m)^Exit code [1-9][0-9]*\s*\z`) }
