package gemini

import (
	"regexp"
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
	case "BeforeAgent":
		e.Kind, e.Answers = event.Prompt, true
		e.Prompt = typed(o.Str("prompt"))
	case "BeforeTool":
		e.Kind = event.PreTool
		e.Calls = []event.Call{event.ToolCall(o)}
	case "AfterTool":
		e.Kind, e.Answers = event.PostTool, true
		e.Calls = []event.Call{after(o)}
	case "PreCompress":
		if o.Str("trigger") != automatic {
			e.Kind = event.PreCompact
		}
	case "AfterAgent":
		e.Kind = event.Stop
	case "SessionEnd":
		e.Kind = event.SessionEnd
	}
	return e
}

// automatic is the trigger of a PreCompress event that comes before each request to the
// model, whether or not the conversation is then compressed.
const automatic = "auto"

// What Gemini CLI puts around the text of a hook.
const (
	contextBegin = "<hook_context>"
	contextEnd   = "</hook_context>"
)

// typed is what the person typed of a prompt. Without a terminal Gemini CLI puts what the
// hooks of the session's start said before the first one.
func typed(prompt string) string {
	if strings.HasPrefix(prompt, contextBegin) {
		if _, rest, ok := strings.Cut(prompt, contextEnd); ok {
			return strings.TrimSpace(rest)
		}
	}
	return prompt
}

func after(o event.Value) event.Call {
	c := event.ToolCall(o)
	c.Outcome = event.Succeeded
	response := o.Get("tool_response")
	c.Result(response)
	if failure := response.Get("error"); failure.IsObject() || failure.Text() != "" {
		c.Outcome, c.Error = event.Failed, failure.Text()+failure.Str("message")
	} else if c.Class == event.Shell {
		c.Outcome, c.Error = ran(response.Get("llmContent"), displayed(response.Get("returnDisplay")))
	}
	return c
}

// ran determines how a command ended. Gemini CLI reports one that failed as one that ran,
// and writes the exit code for the model, after the output. What it displays is the output
// alone: such lines at the end of that were written by the command.
func ran(content event.Value, display []string) (event.Outcome, string) {
	text := strings.TrimPrefix(content.Text(), "<untrusted_context>\n")
	_, output, ok := strings.Cut("\n"+text, "\nOutput: ")
	switch {
	case text == "":
		return event.Succeeded, ""
	case !ok, content.Cut(): // it was stopped or goes on, or how it ended stands behind what was kept
		return event.Unknown, ""
	}
	lines := strings.Split(strings.TrimSuffix(strings.TrimSpace(output), "\n</untrusted_context>"), "\n")
	from := len(lines) - len(endLines(lines))
	if own := len(endLines(display)); from+own <= len(lines) {
		from += own
	}
	for _, end := range endLines(lines[from:]) {
		if (end[1] == "Exit Code" || end[1] == "Signal") && end[2] != "0" && end[2] != "(none)" {
			return event.Failed, strings.Join(lines[:from], "\n")
		}
	}
	return event.Succeeded, ""
}

// displayed returns the lines that Gemini CLI displays of a command's output, which is a text or
// lines of styled texts. While it is debugged, it displays what the model gets, and that says
// nothing more.
func displayed(display event.Value) (lines []string) {
	if text := display.Text(); !strings.HasPrefix(text, "Output: ") {
		lines = strings.Split(text, "\n")
	}
	for _, styled := range display.Items() {
		line := ""
		for _, part := range styled.Items() {
			line += part.Str("text")
		}
		lines = append(lines, strings.TrimRight(line, " "))
	}
	for len(lines) > 0 && strings.TrimSpace(lines[len(lines)-1]) == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// endLines returns the matches of [endLine] with which lines end, last first.
func endLines(lines []string) (ends [][]string) {
	for _, line := range slices.Backward(lines) {
		end := endLine().FindStringSubmatch(line)
		if end == nil {
			break
		}
		ends = append(ends, end)
	}
	return ends
}

// endLine matches a line that Gemini CLI writes after an output.
func endLine() *regexp.Regexp {
	return regexp.MustCompile(`^(Exit Code|Signal|Background PIDs|Process Group PGID): (.+)$`)
}

// render writes an answer. Gemini parses stderr if stdout is empty, so an empty answer is
// an empty object.
func render(e event.Event, text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	switch e.Name {
	case "SessionStart", "BeforeAgent", "AfterTool":
		return event.Specific(e.Name, text)
	}
	return []byte("{}")
}

// evidence is an event name that only Gemini CLI uses.
func evidence(v event.Value) spec.Evidence {
	switch v.Str("hook_event_name") {
	case "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress":
		return spec.Likely
	}
	return spec.None
}
