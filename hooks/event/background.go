package event

import (
	"strconv"
	"strings"
)

// Notice is what a program that runs an agent tells it, in place of a prompt, of a command that went on in the
// background.
type Notice struct {
	ID      string // the agent's name of the command
	Call    string // id of the call that began it, "" if the notice doesn't say
	Outcome Outcome
}

// NoticeOf reads the notice of a command's end, as Claude Code writes it. ok is false for any other text, and for a
// command that goes on or was stopped: no result will come of that.
func NoticeOf(prompt string) (n Notice, ok bool) {
	text := strings.TrimSpace(prompt)
	if !strings.HasPrefix(text, "<task-notification>") {
		return n, false
	}
	n.ID, n.Call = element(text, "task-id"), element(text, "tool-use-id")
	n.Outcome = endOf(element(text, "status"), exitCode(element(text, "summary")))
	return n, n.ID != "" && n.Outcome != Unknown
}

// exitCode is the number at the end of "… failed with exit code 2" or "… completed (exit code 0)", "" where there is none.
func exitCode(summary string) string {
	_, code, ok := strings.Cut(strings.TrimSuffix(summary, ")"), "exit code ")
	if _, err := strconv.ParseUint(code, 10, 32); !ok || err != nil {
		return ""
	}
	return code
}

// background records that a shell call's command goes on without its result, or what another call tells of such a
// command.
func (c *Call) background(response Value) {
	if c.Class == Shell {
		if c.Background = response.Str("backgroundTaskId"); c.Background != "" && c.Outcome == Succeeded {
			c.Outcome = Unknown // it was started
		}
		return
	}
	switch plain(c.Tool) {
	case "bashoutput", "taskoutput":
	default:
		return
	}
	from := response
	if task := response.Get("task"); task.IsObject() {
		from = task
	}
	status, code := from.Str("status"), from.Small("exitCode")
	printed := from.Str("output")
	if printed == "" {
		printed = strings.TrimSpace(from.Str("stdout") + "\n" + from.Str("stderr"))
	}
	if text := response.Text(); text != "" {
		status, code = element(text, "status"), element(text, "exit_code")
		printed = strings.TrimSpace(element(text, "output") + element(text, "stdout") + "\n" + element(text, "stderr"))
	}
	c.Ends(endOf(status, code), printed)
}

// Ends records how the command in the background ended that the call asked after, and what it printed. It is
// [Unknown] of one that goes on.
func (c *Call) Ends(outcome Outcome, printed string) {
	if c.Ended = outcome; outcome == Failed {
		c.Error = printed
	}
}

// endOf is how a command in the background ended. One that was stopped has no result.
func endOf(status, code string) Outcome {
	switch {
	case status != "completed" && status != "failed":
		return Unknown
	case code == "0":
		return Succeeded
	case code != "" && code != "null", status == "failed":
		return Failed
	}
	return Unknown
}

// element is the text of an element in what a program wrote, "" if it has none.
func element(text, name string) string {
	_, rest, ok := strings.Cut(text, "<"+name+">")
	if !ok {
		return ""
	}
	inside, _, _ := strings.Cut(rest, "</"+name+">")
	return strings.TrimSpace(inside)
}
