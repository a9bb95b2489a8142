// Package logrecord converts agents' events to the records of a session's log. It must not know
// memories, files or the agents.
package logrecord

import (
	"maps"
	"strings"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/memory/secret"
)

// agentType is the fact that names what a subagent is.
const agentType = "agent_type"

// errorBytes is the kept length of an error, below the log's limit.
const errorBytes = 480

// Of converts an event at a time. It keeps the most informative lines of an error,
// because a line of the log has no room for all.
func Of(ev event.Event, now time.Time) eventlog.Record {
	prompt := ev.Prompt
	if text, _ := event.Typed(prompt); text != "" {
		prompt = text
	}
	r := eventlog.Record{
		Time: now.UnixMilli(), Agent: ev.Agent, Kind: string(ev.Kind), Name: ev.Name, Session: ev.Session,
		AgentID: ev.AgentID, Turn: ev.Turn, CWD: ev.CWD, Source: string(ev.Source), Facts: ev.Facts,
		From: ev.PromptFrom,
	}
	if ev.AgentID != "" && ev.AgentType != "" && ev.Kind != event.PostTool { // told once a call
		r.Facts = maps.Clone(ev.Facts)
		if r.Facts == nil {
			r.Facts = map[string]string{}
		}
		r.Facts[agentType] = ev.AgentType
	}
	var cut bool
	r.Prompt, cut = bothEnds(prompt, promptTail)
	r.Cut = r.Cut || cut
	r.Text, cut = bothEnds(ev.Text, wordsTail)
	r.Cut = r.Cut || cut
	if ev.Kind == event.SessionStart || ev.Kind == event.Prompt || ev.Kind == event.Stop || ev.Kind == event.SessionEnd {
		r.Transcript = ev.Transcript
	}
	for _, c := range ev.Calls {
		call := eventlog.Call{Tool: c.Tool, ID: c.ID, Class: string(c.Class), Command: c.Command, Query: c.Query, URL: c.URL,
			Error: event.ErrorSummary(secret.Mask(c.Error), errorBytes), Before: c.Before, After: c.After, Line: c.Line, Bytes: c.Bytes, Found: c.Found,
			Page: c.Page, Fault: string(c.Fault), Showed: c.Showed, Background: c.Background}
		for _, t := range c.Targets {
			call.Paths = append(call.Paths, t.Path)
		}
		if c.Outcome != event.Unknown {
			ok := c.Outcome == event.Succeeded
			call.OK = &ok
		}
		if c.Ended != event.Unknown {
			ended := c.Ended == event.Succeeded
			call.Ended = &ended
		}
		r.Calls = append(r.Calls, call)
	}
	return r
}

// Limits of a prompt and of an agent's last words. What is asked for, and what is left to do, may stand at their end.
const (
	textBytes  = 980  // below the log's limit
	promptTail = 300  // of them, from the end
	wordsTail  = 680  // likewise; an agent says there what is left
	maskBytes  = 8000 // masked at either end, so that no part of a secret is kept
)

// bothEnds cuts a text to its beginning and its end, of which the latter takes some bytes, and masks secrets before.
func bothEnds(s string, tailBytes int) (string, bool) {
	if len(s) <= textBytes {
		return s, false
	}
	const mark = "\n…\n"
	head, tail := secret.Mask(s[:min(len(s), maskBytes)]), secret.Mask(s[max(0, len(s)-maskBytes):])
	head, tail = head[:min(len(head), textBytes-tailBytes-len(mark))], tail[max(0, len(tail)-tailBytes):]
	return strings.ToValidUTF8(head, "") + mark + strings.ToValidUTF8(tail, ""), true
}
