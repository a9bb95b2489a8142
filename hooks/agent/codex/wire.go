package codex

import (
	"regexp"
	"strconv"
	"strings"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
)

// parse reads a payload. Codex reads files through its shell, so the targets of a call
// come from the command line.
func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	switch e.Name {
	case "SessionStart":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.SourceOf(o.Str("source"))
	case "UserPromptSubmit":
		e.Kind, e.Answers = event.Prompt, true
		e.Prompt = o.Str("prompt")
	case "PreToolUse":
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{call(o)}
	case "PostToolUse":
		e.Kind = event.PostTool
		c := call(o)
		c.Outcome, c.Error = outcome(o.Get("tool_response"), c)
		c.Result(o.Get("tool_response"))
		background(&c, o.Get("tool_response"))
		e.Calls = []event.Call{c}
	case "PreCompact":
		e.Kind = event.PreCompact
	case "Stop":
		e.Kind, e.Text = event.Stop, o.Str("last_assistant_message")
	case "SessionEnd":
		e.Kind = event.SessionEnd
	}
	return e
}

// call reads the tool call. The command of apply_patch contains the patch. Some models run it in
// their shell; Codex applies that patch itself, and reports no end of it.
func call(o event.Value) event.Call {
	c := event.ToolCall(o)
	if c.Class == event.Shell && strings.HasPrefix(strings.TrimSpace(c.Command), "apply_patch") {
		if targets := event.PatchTargets(c.Command); len(targets) > 0 {
			c.Class, c.Targets, c.Command = event.Edit, targets, ""
		}
	}
	if c.Class == event.Edit && len(c.Targets) == 0 {
		c.Targets = event.PatchTargets(o.Get("tool_input").Str("command", "input"))
	}
	return c
}

// outcome determines how a call ended. Codex reports a failed command as one that ran,
// mostly without its exit code, so the printed text must tell.
func outcome(response event.Value, c event.Call) (event.Outcome, string) {
	output := response.Str("output")
	if output == "" {
		output = response.Text()
	}
	for _, v := range []event.Value{response, response.Get("metadata")} {
		if code, err := strconv.Atoi(v.Small("exit_code")); err == nil {
			if code == 0 {
				return event.Succeeded, ""
			}
			return event.Failed, output
		}
	}
	if code, rest, ok := exit(output); ok {
		if code == 0 {
			return event.Succeeded, ""
		}
		return event.Failed, rest
	}
	if response.Cut() || response.Get("output").Cut() { // how it ended may stand behind what was kept
		return event.Unknown, ""
	}
	if c.Class == event.Shell && !event.Shows(c.Command) && event.LooksFailed(output) {
		return event.Failed, output
	}
	return event.Unknown, ""
}

// background records that a command goes on after the time that the agent waits for it, which is no result. A call that
// writes to it, or asks after it, tells its end.
func background(c *event.Call, response event.Value) {
	output := response.Str("output")
	if output == "" {
		output = response.Text()
	}
	head, _, _ := strings.Cut(output, "\nOutput:\n")
	m := runningLine().FindStringSubmatch(head)
	switch {
	case m != nil && c.Outcome != event.Failed:
		c.Background, c.Outcome = m[1], event.Unknown
	case c.Class != event.Shell && c.Background != "":
		if code, rest, ok := exit(output); ok {
			c.Outcome, c.Error = event.Succeeded, ""
			ended := event.Succeeded
			if code != 0 {
				ended = event.Failed
			}
			c.Ends(ended, rest)
		}
	}
}

// runningLine matches what Codex writes before the output of a command that goes on.
func runningLine() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^Process running with session ID (\d+)\s*$`)
}

// exitLine matches the exit code that Codex writes before an output.
func exitLine() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:Process exited with code|Exit code:) (\d+)\s*$`)
}

// exit splits an output into its exit code and the rest.
func exit(output string) (code int, rest string, ok bool) {
	head, rest, found := strings.Cut(output, "\nOutput:\n")
	if !found {
		if head, rest, found = strings.Cut(output, "\nFinal output:\n"); !found {
			return 0, "", false
		}
	}
	m := exitLine().FindStringSubmatch(head)
	if m == nil {
		return 0, "", false
	}
	code, err := strconv.Atoi(m[1])
	return code, strings.TrimSpace(rest), err == nil
}

// render writes the answer that adds text to the model's context.
func render(e event.Event, text string) []byte {
	if text == "" {
		return nil
	}
	switch e.Name {
	case "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse":
		return event.Specific(e.Name, text)
	}
	return nil
}

func evidence(v event.Value) spec.Evidence {
	return spec.When(v.Has("turn_id") && v.Has("model"), spec.Strong)
}
