package install

import (
	"fmt"
	"path"
	"strings"

	"manicule/hooks/claude"
	"manicule/hooks/codex"
	"manicule/hooks/copilot"
	"manicule/hooks/crush"
	"manicule/hooks/cursor"
	"manicule/hooks/gemini"
	"manicule/hooks/opencode"
	"manicule/hooks/vscode"
	"manicule/hooks/windsurf"
)

// Timeouts that the agents are told: far beyond what a hook takes, and short
// enough that a machine in trouble doesn't keep a person waiting.
const (
	quickSeconds  = 3
	promptSeconds = 10 // a prompt may be a memory, which is worth the wait
	asyncSeconds  = 10
	perSecond     = 1000 // Gemini counts in milliseconds
)

// agent says where an agent's hooks are configured and what ours look like.
type agent struct {
	private, shared Where
	version         bool // the file says "version": 1
	emptyJSON       bool // the agent wants JSON also where the binary is missing
	events          func(command string) []registration
}

// Where is a configuration file: relative to the repository, or to the home
// folder. Env names the variable that puts another folder in the home folder's
// place.
type Where struct {
	Path string
	Home bool
	Env  string
}

// registration is one entry under the name of an event.
type registration struct {
	event string
	entry object
}

func inRepository(p string) Where { return Where{Path: p} }

func agents() map[string]agent {
	return map[string]agent{
		claude.Agent:   {private: inRepository(".claude/settings.local.json"), shared: inRepository(".claude/settings.json"), events: claudeEvents},
		cursor.Agent:   {private: inRepository(".cursor/hooks.json"), shared: inRepository(".cursor/hooks.json"), version: true, emptyJSON: true, events: cursorEvents},
		codex.Agent:    {private: inRepository(".codex/hooks.json"), shared: inRepository(".codex/hooks.json"), events: codexEvents},
		gemini.Agent:   {private: inRepository(".gemini/settings.json"), shared: inRepository(".gemini/settings.json"), emptyJSON: true, events: geminiEvents},
		copilot.Agent:  {private: Where{Path: ".copilot/hooks/manicule.json", Home: true}, shared: inRepository(".github/hooks/manicule.json"), version: true, emptyJSON: true, events: copilotEvents},
		vscode.Agent:   {private: Where{Path: ".copilot/hooks/manicule-vscode.json", Home: true}, shared: inRepository(".github/hooks/manicule-vscode.json"), emptyJSON: true, events: vscodeEvents},
		windsurf.Agent: {private: inRepository(".windsurf/hooks.json"), shared: inRepository(".windsurf/hooks.json"), events: windsurfEvents},
		crush.Agent:    {private: inRepository(".crush.json"), shared: inRepository("crush.json"), emptyJSON: true, events: crushEvents},
		opencode.Agent: {private: inRepository(".opencode/plugins/manicule.js"), shared: inRepository(".opencode/plugins/manicule.js")},
	}
}

// Agents lists the agents that can be installed for.
func Agents() []string {
	return []string{claude.Agent, cursor.Agent, codex.Agent, gemini.Agent, copilot.Agent, vscode.Agent, opencode.Agent, windsurf.Agent, crush.Agent}
}

func lookup(name string) (agent, error) {
	a, ok := agents()[name]
	if !ok {
		return agent{}, fmt.Errorf("the agent %q is not known; known are %s", name, strings.Join(Agents(), ", "))
	}
	return a, nil
}

// File says where an agent's configuration is: for this user, or shared with
// everybody who clones the repository.
func File(name string, shared bool) (Where, error) {
	a, err := lookup(name)
	if err != nil {
		return Where{}, err
	}
	if shared {
		return a.shared, nil
	}
	return a.private, nil
}

// Command is the line to install. binary is the program's name or path; the
// shared form says and does nothing where the program isn't installed.
func Command(name, binary string, shared bool) (string, error) {
	a, err := lookup(name)
	if err != nil {
		return "", err
	}
	program := ShellQuote(binary)
	line := program + " hook " + name
	if !shared {
		return line, nil
	}
	otherwise := ""
	if a.emptyJSON {
		otherwise = "echo '{}'; "
	}
	// "if" rather than "&&" and "||", so that the answer is never followed by the empty one.
	line = "if command -v " + program + " >/dev/null 2>&1; then " + line + " || true; "
	if otherwise != "" {
		line += "else " + otherwise
	}
	return line + "fi", nil
}

// ShellQuote writes a word so that a POSIX shell reads it as it is.
func ShellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ours reports whether a configured command is one that Command wrote, in this
// version or another, from wherever the program was.
func ours(name, command string) bool {
	before, after, ok := strings.Cut(command, " hook "+name)
	if !ok || after != "" && after[0] != ' ' {
		return false
	}
	if _, guarded, ok := strings.Cut(before, "; then "); ok && strings.HasPrefix(before, "if command -v ") {
		before = guarded
	}
	program := strings.ToLower(path.Base(strings.ReplaceAll(strings.Trim(before, `'"& `), `\`, "/")))
	return strings.TrimSuffix(program, ".exe") == "manicule"
}

// grouped is the form in which Claude Code and its followers hold handlers.
func grouped(event, matcher string, handler object) registration {
	var o object
	if matcher != "" {
		o = append(o, field{"matcher", matcher})
	}
	return registration{event, append(o, field{"hooks", []object{handler}})}
}

func claudeEvents(command string) []registration {
	sync := object{{"type", "command"}, {"command", command}, {"timeout", quickSeconds}}
	prompt := object{{"type", "command"}, {"command", command}, {"timeout", promptSeconds}}
	async := object{{"type", "command"}, {"command", command}, {"timeout", asyncSeconds}, {"async", true}}
	return []registration{
		grouped("SessionStart", "", sync),
		grouped("UserPromptSubmit", "", prompt),
		grouped("PreToolUse", "Read|Edit|Write|NotebookEdit|Grep|Glob", sync),
		grouped("PostToolBatch", "", sync),
		grouped("PostToolUse", "*", async),
		grouped("PostToolUseFailure", "*", async),
		grouped("Stop", "", sync),
		grouped("SessionEnd", "", sync),
	}
}

func codexEvents(command string) []registration {
	handler := func(seconds int, async bool) object {
		o := object{{"type", "command"}, {"command", command}, {"timeout", seconds}}
		if async {
			o = append(o, field{"async", true})
		}
		return o
	}
	return []registration{
		grouped("SessionStart", "", handler(quickSeconds, false)),
		grouped("UserPromptSubmit", "", handler(promptSeconds, false)),
		grouped("PreToolUse", "Bash|apply_patch", handler(quickSeconds, false)),
		grouped("PostToolUse", "Bash|apply_patch|mcp__.*", handler(asyncSeconds, true)),
	}
}

func cursorEvents(command string) []registration {
	plain := object{{"command", command}, {"timeout", quickSeconds}}
	return []registration{
		{"sessionStart", plain},
		{"beforeSubmitPrompt", object{{"command", command}, {"timeout", promptSeconds}}},
		{"postToolUse", object{{"command", command}, {"matcher", "Read|Write|Grep|Shell|Delete"}, {"timeout", quickSeconds}}},
		// What servers bring in is text of others. The event before it decides on a
		// permission: a fault there would block the call.
		{"afterMCPExecution", plain},
		{"preCompact", plain},
	}
}

func geminiEvents(command string) []registration {
	timed := func(seconds int) object {
		return object{{"type", "command"}, {"name", "manicule"}, {"command", command}, {"timeout", seconds * perSecond}}
	}
	handler := timed(quickSeconds)
	return []registration{
		grouped("SessionStart", "", handler),
		grouped("BeforeAgent", "", timed(promptSeconds)),
		grouped("AfterTool", "read_file|read_many_files|replace|write_file|grep_search|glob|list_directory|run_shell_command|web_fetch|google_web_search|mcp_.*", handler),
		grouped("PreCompress", "", handler),
		grouped("SessionEnd", "", handler),
	}
}

func copilotEvents(command string) []registration {
	timed := func(matcher string, seconds int) object {
		o := object{{"type", "command"}, {"bash", command}, {"powershell", windows(command)}, {"timeoutSec", seconds}}
		if matcher != "" {
			o = append(o, field{"matcher", matcher})
		}
		return o
	}
	handler := func(matcher string) object { return timed(matcher, quickSeconds) }
	return []registration{
		{"sessionStart", handler("")},
		{"userPromptSubmitted", timed("", promptSeconds)},
		{"postToolUse", handler("view|edit|create|grep|glob|apply_patch|bash|powershell")},
		{"postToolUseFailure", handler("")},
		{"preCompact", handler("")},
	}
}

func vscodeEvents(command string) []registration {
	var out []registration
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"} {
		seconds := quickSeconds
		if event == "UserPromptSubmit" {
			seconds = promptSeconds
		}
		out = append(out, registration{event, object{{"type", "command"}, {"command", command}, {"windows", windows(command)}, {"timeout", seconds}}})
	}
	return out
}

func windsurfEvents(command string) []registration {
	handler := object{{"command", command}, {"powershell", windows(command)}, {"show_output", false}}
	var out []registration
	// The last one makes Windsurf write a transcript at all: only that shows what
	// came in from the web.
	for _, event := range []string{"pre_user_prompt", "post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use", "post_cascade_response_with_transcript"} {
		out = append(out, registration{event, handler})
	}
	return out
}

func crushEvents(command string) []registration {
	return []registration{{"PreToolUse", object{{"name", "manicule"}, {"matcher", "^(view|edit|multiedit|write|grep|glob|ls|bash)$"}, {"command", command}, {"timeout", quickSeconds}}}}
}

// windows is the command for PowerShell, which knows nothing of "command -v".
func windows(command string) string {
	guarded, ok := strings.CutPrefix(command, "if command -v ")
	if !ok {
		if strings.HasPrefix(command, "'") {
			return "& " + command
		}
		return command
	}
	_, line, _ := strings.Cut(guarded, "; then ")
	line, _, _ = strings.Cut(line, " || ")
	program, _, _ := strings.Cut(guarded, " >/dev/null")
	if strings.HasPrefix(line, "'") {
		line = "& " + line
	}
	return "if (Get-Command " + program + " -ErrorAction SilentlyContinue) { " + line + " } else { '{}' }"
}
