package copilot

import (
	"regexp"
	"strings"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload: camelCase without the event's name, or snake_case with it.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	if e.Name == "" || o.Has("sessionId") {
		return camel(e, o)
	}
	switch e.Name {
	case "SessionStart":
		started(&e, o)
	case "UserPromptSubmit":
		e.Kind, e.Prompt = event.Prompt, o.Str("prompt")
	case "PreToolUse":
		e.Kind = event.PreTool
		e.Calls = []event.Call{event.ToolCall(o)}
	case "PostToolUse":
		e.Kind, e.Answers = event.PostTool, true
		r := o.Get("tool_result")
		e.Calls = []event.Call{result(event.ToolCall(o), r.Str("result_type"), r.Get("text_result_for_llm"))}
	case "PostToolUseFailure":
		e.Kind = event.PostToolFailure
		e.Calls = []event.Call{failed(event.ToolCall(o), o)}
	case "PreCompact":
		e.Kind = event.PreCompact
		e.Fact(event.AskedFact, o.Str("custom_instructions"))
	case "Stop":
		e.Kind = event.Stop
	case "SessionEnd":
		e.Kind = event.SessionEnd
	}
	return e
}

// camel determines the event from its fields, because that dialect doesn't name it.
func camel(e event.Event, o event.Value) event.Event {
	e.Session, e.Transcript = o.Str("sessionId"), o.Str("transcriptPath")
	e.AgentID, e.AgentType = o.Str("agentId"), o.Str("agentType", "agentName")
	call := func() event.Call {
		return event.NewCall(o.Str("toolName"), o.Str("toolCallId", "toolUseId"), o.Get("toolArgs"))
	}
	switch {
	case o.Has("toolResult"):
		e.Kind, e.Name, e.Answers = event.PostTool, "postToolUse", true
		r := o.Get("toolResult")
		e.Calls = []event.Call{result(call(), r.Str("resultType"), r.Get("textResultForLlm"))}
	case o.Has("toolName") && o.Has("error"):
		e.Kind, e.Name = event.PostToolFailure, "postToolUseFailure"
		e.Calls = []event.Call{failed(call(), o)}
	case o.Has("toolName"):
		e.Kind, e.Name = event.PreTool, "preToolUse"
		e.Calls = []event.Call{call()}
	case o.Has("transformedPrompt"):
		e.Name = "userPromptTransformed"
	case o.Has("prompt"):
		e.Kind, e.Name, e.Prompt = event.Prompt, "userPromptSubmitted", o.Str("prompt")
	case o.Has("trigger"):
		e.Kind, e.Name = event.PreCompact, "preCompact"
		e.Fact(event.AskedFact, o.Str("customInstructions"))
	case o.Has("stopReason"):
		e.Kind, e.Name = event.Stop, "agentStop"
	case o.Has("source"):
		e.Name = "sessionStart"
		started(&e, o)
	case o.Has("reason"):
		e.Kind, e.Name = event.SessionEnd, "sessionEnd"
	}
	return e
}

func started(e *event.Event, o event.Value) {
	e.Kind, e.Answers, e.Source = event.SessionStart, true, event.SourceOf(o.Str("source"))
}

// result records how a call ended, which Copilot says by a word, and of a command by the last
// line of its text: one that failed is a success of the shell.
func result(c event.Call, kind string, text event.Value) event.Call {
	c.Outcome = event.Succeeded
	if kind != "" && kind != "success" {
		c.Outcome = event.Failed
		return c
	}
	if c.Class != event.Shell {
		return c
	}
	if text.Cut() { // how it ended stands behind what was kept
		c.Outcome = event.Unknown
		return c
	}
	output, last := "", strings.TrimSpace(text.Text())
	if i := strings.LastIndexByte(last, '\n'); i >= 0 {
		output, last = last[:i], last[i+1:]
	}
	if end := exitLine().FindStringSubmatch(last); end == nil || end[1] == "0" {
		return c
	}
	c.Outcome, c.Error = event.Failed, output
	return c
}

// exitLine matches the line that Copilot writes after the output of a command.
func exitLine() *regexp.Regexp {
	return regexp.MustCompile(`^<(?:shellId: \S+ completed|exited) with exit code (-?\d+)>$`)
}

func failed(c event.Call, o event.Value) event.Call {
	c.Outcome, c.Error = event.Failed, o.Str("error")+o.Get("error").Str("message")
	return c
}

// render writes an answer, which is the same in both dialects: context at the top level.
// preToolUse gets none, because a fault there would deny the call.
func render(e event.Event, text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	switch e.Name {
	case "sessionStart", "postToolUse", "SessionStart", "PostToolUse":
		return event.Answer(event.Text{Key: "additionalContext", Value: text})
	}
	return []byte("{}")
}

func evidence(v event.Value) spec.Evidence {
	_, stamped := v.Number("timestamp")
	return spec.When(v.Has("toolArgs") || v.Has("sessionId") && stamped || v.Get("tool_result").Has("result_type"), spec.Strong)
}

// probe is the start of a session in the dialect without event names.
func probe(dir string) map[string]any {
	return map[string]any{"cwd": dir, "source": "new", "timestamp": 0}
}
