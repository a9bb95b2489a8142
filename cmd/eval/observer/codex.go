package observer

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// codexPart is what this program reads of the payload of a line of Codex's transcript.
type codexPart struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Parent    string          `json:"parent_thread_id"`
	Cwd       string          `json:"cwd"`
	Message   string          `json:"message"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Call      string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Git       struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

// codexReader turns the lines of Codex's transcript into events.
type codexReader struct {
	c       *conversation
	open    map[string][]hookLine // calls without a result, by their id
	running map[string]hookLine   // commands that go on, by the number of their terminal
	waits   map[string]string     // calls that wait for a command: the number of its terminal
}

// fromCodex reads one session. What only another session's agent did (a reviewer that decides whether a call may
// run) is none: no person sees it.
func fromCodex(data []byte) []*conversation {
	r := codexReader{c: &conversation{}, open: map[string][]hookLine{}, running: map[string]hookLine{}, waits: map[string]string{}}
	sub := false
	each(data, func(raw []byte) {
		var l struct {
			At      time.Time `json:"timestamp"`
			Type    string    `json:"type"`
			Payload codexPart `json:"payload"`
		}
		if json.Unmarshal(raw, &l) != nil {
			return
		}
		if l.Type == "session_meta" {
			if r.c.id == "" {
				sub = l.Payload.Parent != ""
				r.c.id, r.c.root, r.c.branch = l.Payload.ID, l.Payload.Cwd, l.Payload.Git.Branch
				r.c.add(hookLine{Event: "SessionStart", At: l.At, Source: "startup", Branch: r.c.branch})
			}
			return
		}
		r.part(l.At, l.Payload)
	})
	if r.c.id == "" || sub {
		return nil
	}
	slices.SortStableFunc(r.c.lines, func(a, b hookLine) int { return a.At.Compare(b.At) })
	return []*conversation{r.c}
}

func (r *codexReader) part(at time.Time, p codexPart) {
	switch p.Type {
	case "task_started", "turn_aborted":
		r.c.midTurn = true
	case "task_complete":
		r.c.midTurn = false
	case "user_message":
		r.c.add(hookLine{Event: "UserPromptSubmit", At: at, Prompt: p.Message})
	case "agent_message":
		if p.Message != "" {
			r.c.add(hookLine{Event: "x_AssistantText", At: at, Text: p.Message})
		}
	case "function_call":
		r.called(at, p.Call, p.Name, p.Arguments)
	case "custom_tool_call":
		if p.Name == "exec" {
			for _, m := range codexTool.FindAllStringSubmatch(p.Input, -1) {
				r.called(at, p.Call, m[1], m[2])
			}
			r.began(at, p.Call, patchCalls(unquoted(p.Input)))
			return
		}
		r.called(at, p.Call, p.Name, p.Input)
	case "function_call_output", "custom_tool_call_output":
		r.returned(at, p.Call, codexOutput(p.Output))
	}
}

func (r *codexReader) began(at time.Time, call string, lines []hookLine) {
	for _, l := range lines {
		l.At = at
		r.open[call] = append(r.open[call], l)
	}
}

// called keeps what a hook is told of a call, until its result is there.
func (r *codexReader) called(at time.Time, call, tool, arguments string) {
	switch tool {
	case "exec_command":
		if m := codexCommand.FindStringSubmatch(arguments); m != nil {
			r.began(at, call, []hookLine{{Tool: "Bash", Input: map[string]any{"command": unquoted(m[1])}}})
		}
	case "shell_command", "shell": // of other versions
		if line := codexLine(arguments); line != "" {
			r.began(at, call, []hookLine{{Tool: "Bash", Input: map[string]any{"command": line}}})
		}
	case "write_stdin":
		if m := codexSession.FindStringSubmatch(arguments); m != nil {
			r.waits[call] = m[1]
		}
	case "update_plan":
		var plan []map[string]any
		for _, m := range codexStep.FindAllStringSubmatch(arguments, -1) {
			plan = append(plan, map[string]any{"step": unquoted(m[1]), "status": m[2]})
		}
		if plan != nil {
			r.began(at, call, []hookLine{{Tool: tool, Input: map[string]any{"plan": plan}}})
		}
	case "apply_patch":
		r.began(at, call, patchCalls(arguments))
	}
}

// returned adds the calls that a result is of. A command that goes on has its result when it ends.
func (r *codexReader) returned(at time.Time, call, output string) {
	calls := r.open[call]
	delete(r.open, call)
	if o, ok := r.running[r.waits[call]]; ok {
		delete(r.running, r.waits[call])
		calls = append(calls, o)
	}
	if m := codexRunning.FindStringSubmatch(output); m != nil && len(calls) == 1 {
		r.running[m[1]+m[2]] = calls[0]
		return
	}
	code := "0"
	if m := codexExit.FindStringSubmatch(output); m != nil && len(calls) == 1 {
		code = m[1] + m[2]
	}
	failed := code != "0"
	if failed {
		_, rest, _ := strings.Cut(output, "Output:\n")
		if m := codexPrinted.FindStringSubmatch(output); m != nil {
			rest = unquoted(m[1])
		}
		output = "Exit code " + code + "\n" + rest
	}
	for k, o := range calls {
		o.ID = fmt.Sprintf("%s-%d", call, k)
		r.c.call(o.At, at, o, output, failed)
	}
}

var (
	codexExit    = regexp.MustCompile(`(?m)^(?:Process exited with code|Exit code:) (\d+)$|"chunk_id".*"exit_code":\s*(\d+)`)
	codexRunning = regexp.MustCompile(`(?m)^Process running with session ID (\d+)$|SESSION_ID=(\d+)`)
	codexSession = regexp.MustCompile(`"?session_id"?\s*:\s*(\d+)`)
	codexCommand = regexp.MustCompile(`"?cmd"?\s*:\s*("(?:[^"\\]|\\.)*")`)
	codexPrinted = regexp.MustCompile(`"chunk_id".*?"output"\s*:\s*("(?:[^"\\]|\\.)*")`)
	codexStep    = regexp.MustCompile(`"?step"?\s*:\s*("(?:[^"\\]|\\.)*")\s*,\s*"?status"?\s*:\s*"(\w+)"`)
	// codexTool finds the calls in a script by which later versions of Codex make several at once.
	codexTool = regexp.MustCompile(`tools\.(exec_command|write_stdin|update_plan)\((\{(?:[^"]|"(?:[^"\\]|\\.)*")*?\})\)`)
)

// unquoted is the text of a quoted string, or of one with quoted strings in it: what can't be read stays as it is.
func unquoted(s string) string {
	var out string
	if json.Unmarshal([]byte(s), &out) == nil {
		return out
	}
	return strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`).Replace(s)
}

// codexLine is the command in the arguments of a shell: a line, or a list such as ["bash", "-lc", "go test"].
func codexLine(arguments string) string {
	var in struct {
		Command json.RawMessage `json:"command"`
	}
	if json.Unmarshal([]byte(arguments), &in) != nil {
		return ""
	}
	var line string
	if json.Unmarshal(in.Command, &line) == nil {
		return line
	}
	var words []string
	if json.Unmarshal(in.Command, &words) != nil {
		return ""
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") {
		return words[2]
	}
	return strings.Join(words, " ")
}

// codexOutput is the text of a result: a string, or a list of blocks. Older versions put it with its exit code into an object.
func codexOutput(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		var old struct {
			Output   *string `json:"output"`
			Metadata struct {
				Exit *int `json:"exit_code"`
			} `json:"metadata"`
		}
		if strings.HasPrefix(s, "{") && json.Unmarshal([]byte(s), &old) == nil && old.Output != nil && old.Metadata.Exit != nil {
			return fmt.Sprintf("Exit code: %d\nOutput:\n%s", *old.Metadata.Exit, *old.Output)
		}
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) != nil {
		return string(raw)
	}
	for _, b := range blocks {
		s += b.Text
	}
	return s
}
