package claudecode

import (
	"slices"
	"strings"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	switch e.Name {
	case "SessionStart":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.SourceOf(o.Str("source"))
	case "UserPromptSubmit":
		e.Kind, e.Answers = event.Prompt, true
		e.Prompt, e.PromptFrom = o.Str("prompt"), o.Str("source")
	case "UserPromptExpansion":
		e.Answers = true
		expansion(&e, o)
	case "PreToolUse":
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{event.ToolCall(o)}
	case "PostToolUse":
		e.Kind = event.PostTool
		e.Calls = []event.Call{after(o, event.Succeeded)}
	case "PostToolUseFailure":
		e.Kind, e.Answers = event.PostToolFailure, true
		e.Calls = []event.Call{after(o, event.Failed)}
	case "PostToolBatch":
		e.Kind, e.Answers = event.PostBatch, true
		for _, c := range o.Get("tool_calls").Items() {
			e.Calls = append(e.Calls, inBatch(c))
		}
	case "PreCompact":
		e.Kind = event.PreCompact
		e.Fact(event.AskedFact, o.Str("custom_instructions"))
	case "Stop":
		// Text keeps the agent going. It is given once, and not if a hook already keeps the
		// agent going.
		e.Kind, e.Text, e.Answers = event.Stop, o.Str("last_assistant_message"), !o.True("stop_hook_active")
	case "SessionEnd":
		e.Kind = event.SessionEnd
	}
	return e
}

// expansion converts a slash command that Claude Code expands, such as a plugin's
// /remember, back to the prompt that the person typed.
func expansion(e *event.Event, o event.Value) {
	if o.Str("expansion_type") != "slash_command" {
		return
	}
	e.Kind = event.Prompt
	e.Prompt = "/" + o.Str("command_name") + " " + o.Str("command_args")
}

func after(o event.Value, outcome event.Outcome) event.Call {
	c := event.ToolCall(o)
	c.Outcome, c.Error = outcome, o.Str("error")
	response := o.Get("tool_response")
	c.Result(response)
	if response.True("interrupted") || o.True("is_interrupt") {
		c.Outcome = event.Failed
	}
	return c
}

// inBatch reads a call of a batch. Of one that was not made no other event tells. Of a command the text that the model receives says
// whether it worked; its failure has an event of its own.
func inBatch(o event.Value) event.Call {
	c := event.ToolCall(o)
	switch answer := o.Get("tool_response").Text(); {
	case event.Withheld(answer) || strings.HasPrefix(answer, "The user doesn't want to proceed with this tool use."):
		c.Outcome, c.Error = event.Failed, answer
	case c.Class == event.Shell && answer != "" && !slices.ContainsFunc(failedSigns(), func(s string) bool { return strings.HasPrefix(answer, s) }):
		c.Outcome = event.Succeeded
	}
	return c
}

// failedSigns begin what the model receives of a command that failed.
func failedSigns() []string {
	return []string{"Exit code ", "Error: ", "Command timed out", "<tool_use_error>", "[Request interrupted"}
}

// render writes the answer that adds text to the model's context. It writes nothing if
// there is no text or the event accepts none. It never decides a permission.
func render(e event.Event, text string) []byte {
	if text == "" {
		return nil
	}
	switch e.Name {
	case "SessionStart", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "Stop":
		return event.Specific(e.Name, text)
	}
	return nil
}

// evidence is the folder of the transcript.
func evidence(v event.Value) spec.Evidence {
	return spec.When(strings.Contains(strings.ReplaceAll(v.Str("transcript_path"), `\`, "/"), "/.claude/projects/"), spec.Weak)
}
