package event

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// FromSnake reads the members that agents with snake_case payloads share.
func FromSnake(agent string, o Value) Event {
	e := Event{
		Agent: agent, Kind: Other, Name: o.Str("hook_event_name", "hookEventName"),
		Session: o.Str("session_id", "sessionId"), AgentID: o.Str("agent_id"), AgentType: o.Str("agent_type"),
		Turn: o.Str("turn_id", "prompt_id"), CWD: o.Str("cwd"), Transcript: o.Str("transcript_path"),
	}
	for _, key := range []string{"model", "permission_mode", "reason", "trigger", "duration_ms"} {
		e.Fact(key, o.Small(key))
	}
	return e
}

// ToolCall reads the one tool call of a snake_case payload.
func ToolCall(o Value) Call {
	return NewCall(o.Str("tool_name"), o.Str("tool_use_id"), o.Get("tool_input"))
}

// SourceOf reads how a session began. An agent's "new" is a startup, and so is "".
func SourceOf(text string) Source {
	switch s := Source(text); s {
	case Resume, Clear, Compact, Fork:
		return s
	}
	return Startup
}

// Text is one member of an answer that Answer writes.
type Text struct{ Key, Value string }

// Answer writes a JSON object of strings.
func Answer(members ...Text) []byte {
	b := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quote(b, m.Key), ':')
		b = quote(b, m.Value)
	}
	return append(b, '}')
}

// Specific writes the answer format that Claude Code introduced and others adopted:
// context for the model inside hookSpecificOutput.
func Specific(name, context string) []byte {
	inner := Answer(Text{"hookEventName", name}, Text{"additionalContext", context})
	return append(append([]byte(`{"hookSpecificOutput":`), inner...), '}')
}

func quote(b []byte, s string) []byte {
	out, err := jsontext.AppendQuote(b, s)
	if err != nil { // not UTF-8
		return quote(b, strings.ToValidUTF8(s, "\ufffd"))
	}
	return out
}
