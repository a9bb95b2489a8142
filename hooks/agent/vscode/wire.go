package vscode

import (
	"cmp"
	"regexp"
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
		e.Prompt = o.Str("prompt")
	case "PreToolUse":
		e.Kind, e.Answers = event.PreTool, true
		e.Calls = []event.Call{call(o)}
		if c := e.Calls[0]; c.Tool == "runSubagent" {
			name, _, _ := strings.Cut(c.ID, "__vscode-")
			e.Fact(event.SubagentFact, name)
			e.Fact(event.AsksFact, event.Digest(o.Get("tool_input").Str("prompt")))
		}
	case "PostToolUse":
		e.Kind = event.PostTool
		e.Calls = []event.Call{after(o)}
	case "PreCompact":
		e.Kind = event.PreCompact
	case "Stop":
		e.Kind = event.Stop
	case "SubagentStart":
		if evidence(o) >= spec.Strong { // Copilot CLI reads the same folder, and sends no prompt after it
			e.Kind, e.Answers = event.SubagentStart, true
		}
	}
	return e
}

// call reads the tool call. VS Code writes **/ before the globs of its searches, so that a folder of the root is no longer
// their literal prefix.
func call(o event.Value) event.Call {
	c, input := event.ToolCall(o), o.Get("tool_input")
	if c.Class != event.Search || len(c.Targets) != 1 || c.Targets[0].Path != "." {
		return c
	}
	glob := input.Str("includePattern")
	if c.Tool == "file_search" {
		glob = input.Str("query")
	}
	if rest, ok := strings.CutPrefix(glob, "**/"); ok {
		c.Targets[0].Path = cmp.Or(event.GlobFolder(rest), ".")
	}
	return c
}

// after reads a call that has ended. A tool that throws reports no end.
func after(o event.Value) event.Call {
	c := call(o)
	c.Result(o.Get("tool_response"))
	text := withoutContext(o.Get("tool_response").Text())
	c.Bytes = len(text)
	switch {
	case c.Class == event.Shell:
		if o.Get("tool_response").Cut() { // how it ended stands at its end
			break
		}
		c.Outcome, c.Error = ended(c.Command, text)
	case c.Class == event.Edit && text == "": // the same whether the text to replace was there or not
	default:
		c.Outcome = event.Succeeded
	}
	return c
}

// withoutContext removes from a result what hooks added to it, ours among them: VS Code gives it to the hooks that come after.
// Of most tools of its own that is all that it gives.
func withoutContext(text string) string {
	for _, name := range []string{"PreToolUse-context", "PostToolUse-context"} {
		for {
			before, rest, found := strings.Cut(text, "<"+name+">")
			_, behind, closed := strings.Cut(rest, "</"+name+">")
			if !found || !closed {
				break
			}
			text = before + behind
		}
	}
	return strings.TrimSpace(text)
}

// exitLine matches what VS Code writes after the output of a command that failed, if the shell tells it. The code of a program
// that crashed is negative on Windows.
func exitLine() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^Command exited with code -?\d+\s*\z`)
}

// goesOn matches what VS Code writes before the output of a command that has not ended.
func goesOn() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^Note: (?:Command timed out|The command is running|The command produced no new output|This terminal execution was moved)`)
}

// ended determines how a command ended. Without the shell's help VS Code doesn't know it, and the printed text must tell.
func ended(command, text string) (event.Outcome, string) {
	if goesOn().MatchString(text) {
		return event.Unknown, ""
	}
	if at := exitLine().FindStringIndex(text); at != nil {
		return event.Failed, cmp.Or(strings.TrimSpace(text[:at[0]]), text)
	}
	if !event.Shows(command) && event.LooksFailed(text) {
		return event.Failed, text
	}
	return event.Succeeded, ""
}

// render writes an answer. What came of a command to remember or to forget is shown to the person too.
func render(e event.Event, text string) []byte {
	if text == "" {
		return []byte("{}")
	}
	switch e.Name {
	case "SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse":
		out := event.Specific(e.Name, text)
		if strings.HasPrefix(e.Prompt, "/") {
			shown := event.Answer(event.Text{Key: "systemMessage", Value: text})
			out = append(append(shown[:len(shown)-1], ','), out[1:]...)
		}
		return out
	}
	return []byte("{}")
}

// evidence is where the editor keeps its conversations, how it marks the ids of calls, or one of its tools with the member
// in which that takes a path.
func evidence(v event.Value) spec.Evidence {
	transcript := strings.ToLower(strings.ReplaceAll(v.Str("transcript_path"), `\`, "/"))
	if strings.Contains(transcript, "/github.copilot-chat/transcripts/") || strings.Contains(v.Str("tool_use_id"), "__vscode-") {
		return spec.Strong
	}
	switch v.Str("tool_name") {
	case "read_file", "replace_string_in_file", "create_file", "multi_replace_string_in_file", "insert_edit_into_file":
		return spec.When(v.Get("tool_input").Has("filePath"), spec.Likely)
	}
	return spec.None
}
