package observer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"
)

// markdownAside begins a request that Claude Code sends by itself, for a proposal of what the person could type next.
const markdownAside = "[SUGGESTION MODE"

// historyFolder is where the public tool SpecStory keeps transcripts as Markdown.
const historyFolder = ".specstory/history/"

// Parts of a transcript as SpecStory writes it.
var (
	markdownDate    = regexp.MustCompile(`(?m)^##? .*?(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d)?)`)
	markdownSession = regexp.MustCompile(`(?m)^<!-- .*? Session ([0-9A-Za-z-]+) \((\d{4}-\d\d-\d\d)[ _](\d\d[:-]\d\d(?:[:-]\d\d)?)`)
	// Its first versions wrote dates as the person's machine does.
	markdownLocal   = regexp.MustCompile(`(?m)^## .*\((\d+/\d+/\d+,? \d+:\d\d:\d\d(?: [AP]M)?)\)[ \t\r]*$`)
	markdownSpeaker = regexp.MustCompile(`^_\*\*(User|Agent|Assistant)\b(?: \((?:.* )?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)Z\))?.*\*\*_$`)
	markdownTool    = regexp.MustCompile(`^<tool-use data-tool-type="\w*" data-tool-name="(\w+)">`)
	markdownSummary = regexp.MustCompile(`<summary>Tool use: \*\*\w+\*\*(?: • (.*?))?</summary>`)
	markdownPath    = regexp.MustCompile(`"(?:relativeWorkspacePath|targetFile|path|file_path|effectiveUri)": "([^"]+)"`)
	markdownCommand = regexp.MustCompile("(?m)^`([^`\n]+)`[ \\t]*$")
	markdownFailed  = regexp.MustCompile(`^(?:Error: )?(?:Exit code [1-9]|Process exited with code [1-9])`) // as Claude Code and Codex have it
	markdownRun     = regexp.MustCompile("(?s)```bash\n([^`]+)\n```\\s*\n```\n([^`]*)\n```$")
	markdownWrote   = regexp.MustCompile(`(?m)^(?:The file|File created successfully at:) (/\S+)`)
	markdownThought = regexp.MustCompile(`(?s)<think>.*?(?:</think>|$)`)
	// An agent's list, as boxes or as Copilot prints it.
	markdownBox  = regexp.MustCompile(`(?m)^- \[(.)\] (?:🌡️ )?(.+?)\s*$`)
	markdownItem = regexp.MustCompile(`map\[(?:description:(.*?) )?id:\d+ status:([\w-]+) title:(.*?)\](?: map\[|\])`)
	// A call that older versions write among the agent's words, without a mark of its own.
	markdownLook = regexp.MustCompile(`^(?:Read file: \S|Edit file: \S|Tool use: \*\*\w+\*\*|<summary>(?:Listed|Searched|Edit file|Tool use)\b)`)
)

// markdownNameless heads a part of an agent's turn in some versions, which name nobody there. One part is one act: without
// words it is a call that was not written down.
const markdownNameless = "_****_"

// markdownTools are the names of tools in the form of Claude Code.
var markdownTools = map[string]string{
	"run_terminal_cmd": "Bash", "run_terminal_command_v2": "Bash", "Bash": "Bash", "exec_command": "Bash", "shell_command": "Bash", "edit_file": "Edit", "edit_file_v2": "Edit", "search_replace": "Edit", "MultiEdit": "Edit", "apply_patch": "Edit",
	"Edit": "Edit", "edit_file_v2_search_replace": "Edit", "replace_string_in_file": "Edit", "multi_replace_string_in_file": "Edit", "copilot_replaceString": "Edit", "copilot_multiReplaceString": "Edit", "copilot_createFile": "Write", "create_file": "Write", "copilot_readFile": "Read", "run_in_terminal": "Bash", "write": "Write", "Write": "Write", "read_file": "Read", "read_file_v2": "Read", "Read": "Read",
}

// isMarkdown reports whether a transcript is one of SpecStory's.
func isMarkdown(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 600)], []byte("SpecStory"))
}

// fromMarkdown reads a transcript of SpecStory. It has no results that say whether a command failed.
func fromMarkdown(data []byte) []*conversation {
	c := &conversation{}
	at, ok := c.markdownBegan(data)
	if !ok {
		return nil
	}
	c.add(hookLine{Event: "SessionStart", At: at, Source: "startup"})
	who, text, aside, nameless := "", []string(nil), false, false
	say := func() {
		words := strings.TrimSpace(markdownThought.ReplaceAllString(strings.Join(text, "\n"), ""))
		text = nil
		lost := nameless && words == "" && !aside
		nameless = false
		switch {
		case lost:
			at = at.Add(time.Second)
			c.call(at, at, hookLine{Tool: "Grep", ID: fmt.Sprint(c.id, len(c.lines)), Input: map[string]any{"pattern": ""}}, "", false)
		case words == "" || strings.Trim(words, "-\n ") == "":
		case who == "User" && strings.HasPrefix(words, markdownAside):
			aside = true
		case aside && who != "User": // no part of the conversation
		case who == "User":
			aside = false
			if prompt, ok := markdownPrompt(words); ok {
				c.add(hookLine{Event: "UserPromptSubmit", At: at, Prompt: prompt})
			}
		case who != "":
			words, command, output := markdownLastCommand(words)
			if words != "" {
				c.add(hookLine{Event: "x_AssistantText", At: at, Text: cutMiddle(words)})
			}
			if command != "" {
				at = at.Add(time.Second)
				c.call(at, at, hookLine{Tool: "Bash", ID: fmt.Sprint(c.id, len(c.lines)), Input: map[string]any{"command": command}}, output, false)
			}
		}
	}
	lines := strings.Split(string(data), "\n")
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r ")
		if m := markdownSpeaker.FindStringSubmatch(line); m != nil {
			say()
			who = m[1]
			at = at.Add(time.Second)
			if t, err := time.Parse("2006-01-02 15:04:05", m[2]); err == nil && t.After(at) {
				at = t
			}
			continue
		}
		if who != "" && line == markdownNameless {
			say()
			who, nameless = "Agent", true
			continue
		}
		if who != "" && who != "User" && markdownLook.MatchString(strings.TrimPrefix(strings.TrimSpace(line), "<details>")) {
			nameless = false
			i = c.markdownLook(lines, i, &text, say, &at)
			continue
		}
		m := markdownTool.FindStringSubmatch(line)
		if m == nil {
			if line != "---" {
				text = append(text, line)
			}
			continue
		}
		nameless = false
		say()
		body := []string{line}
		for i++; i < len(lines) && !strings.HasSuffix(strings.TrimSpace(lines[i]), "</tool-use>"); i++ {
			body = append(body, lines[i])
		}
		at = at.Add(time.Second)
		c.markdownCall(m[1], strings.Join(body, "\n"), at)
	}
	say()
	return []*conversation{c}
}

// markdownBegan names the conversation, and returns when it began.
func (c *conversation) markdownBegan(data []byte) (time.Time, bool) {
	var day, clock string
	if m := markdownSession.FindSubmatch(data); m != nil {
		c.id, day, clock = string(m[1]), string(m[2]), strings.ReplaceAll(string(m[3]), "-", ":")
	} else if m := markdownDate.FindSubmatch(data); m != nil { // one without a number is named after its beginning
		day, clock = string(m[1]), string(m[2])
		c.id = strings.ReplaceAll(day+"T"+clock, ":", "")
	} else if m := markdownLocal.FindSubmatch(data); m != nil {
		for _, form := range []string{"1/2/2006, 3:04:05 PM", "2006/1/2 15:04:05", "1/2/2006, 15:04:05", "2/1/2006, 15:04:05"} {
			if at, err := time.Parse(form, string(m[1])); err == nil {
				c.id = at.Format("2006-01-02T150405")
				return at, true
			}
		}
	}
	at, err := time.Parse("2006-01-02 15:04:05", day+" "+(clock + ":00")[:min(8, len(clock)+3)])
	return at, err == nil
}

// markdownLook adds the call that stands on line i among an agent's words, and returns its last line: a block of details goes to
// its end, anything else is one line. A change has its path; of all else nothing is known but that something was done.
func (c *conversation) markdownLook(lines []string, i int, text *[]string, say func(), at *time.Time) int {
	line := strings.TrimSpace(lines[i])
	if n := len(*text); n > 0 && strings.TrimSpace((*text)[n-1]) == "<details>" {
		*text = (*text)[:n-1]
	}
	say()
	if strings.Contains(line, "<summary>") {
		for i+1 < len(lines) && strings.TrimSpace(lines[i]) != "</details>" && !markdownSpeaker.MatchString(strings.TrimRight(lines[i+1], "\r ")) {
			i++
		}
	}
	*at = at.Add(time.Second)
	h := hookLine{Tool: "Grep", ID: fmt.Sprint(c.id, len(c.lines)), Input: map[string]any{"pattern": ""}}
	if _, name, ok := strings.Cut(line, "Edit file: "); ok {
		name, _, _ = strings.Cut(name, "</summary>")
		h.Tool, h.Input = "Edit", map[string]any{"file_path": strings.ReplaceAll(strings.TrimSpace(name), `\`, "/"), "old_string": "", "new_string": ""}
	}
	c.call(*at, *at, h, "", false)
	return i
}

// markdownPrompt returns what a hook got of a person's words. Notes of the program and its own commands reach none.
func markdownPrompt(words string) (string, bool) {
	for _, note := range []string{"<local-command-", "<command-name>/"} {
		if strings.HasPrefix(words, note) {
			return "", false
		}
	}
	if strings.HasPrefix(words, "<command-message>") {
		return typed(words)
	}
	return words, true
}

// markdownCall adds a call of a tool, if its text says what it did.
func (c *conversation) markdownCall(name, body string, at time.Time) {
	if list, ok := markdownList(name, body); ok {
		c.call(at, at, hookLine{Tool: "TodoWrite", ID: fmt.Sprint(c.id, len(c.lines)), Input: map[string]any{"todos": list}}, "", false)
		return
	}
	tool := markdownTools[name]
	about := ""
	if m := markdownSummary.FindStringSubmatch(body); m != nil {
		about = html.UnescapeString(m[1])
	}
	input := map[string]any{}
	_, object, _ := strings.Cut(about, ": ")
	switch tool {
	case "Bash":
		text, output := markdownShell(body)
		if text = cmp.Or(text, object); text == "" {
			return
		}
		input["command"] = html.UnescapeString(text)
		output = html.UnescapeString(strings.Trim(strings.TrimSuffix(strings.TrimSpace(output), "</details>"), "`\n "))
		output = strings.TrimPrefix(output, "text\n") // the language of the block
		c.call(at, at, hookLine{Tool: tool, ID: fmt.Sprint(c.id, len(c.lines)), Input: input}, output, markdownFailed.MatchString(output))
		return
	case "Edit", "Write", "Read":
		if m := markdownPath.FindStringSubmatch(body); m != nil {
			object = m[1]
		} else if m := markdownWrote.FindStringSubmatch(body); m != nil && object == "" {
			object = m[1]
		}
		object = strings.ReplaceAll(strings.ReplaceAll(html.UnescapeString(object), `\\`, "/"), `\`, "/")
		if object == "" {
			return
		}
		input["file_path"] = object
		if tool == "Edit" {
			input["old_string"], input["new_string"] = "", ""
		}
	default:
		tool = "Grep"
		input["pattern"] = object
	}
	c.call(at, at, hookLine{Tool: tool, ID: fmt.Sprint(c.id, len(c.lines)), Input: input}, "", false)
}

// markdownList returns the list of what is to do that a call makes, in the form of Claude Code. Calls that set the state of one
// item don't say which state: they are no lists.
func markdownList(name, body string) (list []any, ok bool) {
	add := func(text, status string) { list = append(list, map[string]any{"content": text, "status": status}) }
	switch strings.ToLower(name) {
	case "todowrite", "todo_write", "update_plan", "checklist_write":
		if _, result, found := strings.Cut(body, "Result:"); found {
			var r struct {
				FinalTodos []struct{ Content, Status string }
			}
			from, to := strings.IndexByte(result, '{'), strings.LastIndexByte(result, '}')
			if from >= 0 && to > from && json.Unmarshal([]byte(html.UnescapeString(result[from:to+1])), &r) == nil {
				for _, t := range r.FinalTodos {
					add(t.Content, t.Status)
				}
			}
		}
		for _, m := range markdownBox.FindAllStringSubmatch(body, -1) {
			state := "in_progress"
			switch m[1] {
			case " ":
				state = "pending"
			case "x", "X":
				state = "completed"
			}
			add(m[2], state)
		}
	case "manage_todo_list":
		rest := body
		for m := markdownItem.FindStringSubmatchIndex(rest); m != nil; m = markdownItem.FindStringSubmatchIndex(rest) {
			add(rest[m[6]:m[7]], strings.ReplaceAll(rest[m[4]:m[5]], "-", "_"))
			rest = rest[m[7]+1:] // the next item begins in what was matched
		}
	}
	return list, len(list) > 0
}

// markdownLastCommand separates the command with which an agent's words end from them: older versions write it into the words,
// and what it printed below it. One without is advice.
func markdownLastCommand(words string) (before, command, output string) {
	if m := markdownRun.FindStringSubmatchIndex(words); m != nil && !strings.Contains(words[m[2]:m[3]]+words[m[4]:m[5]], "```") {
		return strings.TrimSpace(words[:m[0]]), strings.TrimSpace(words[m[2]:m[3]]), words[m[4]:m[5]]
	}
	return words, "", ""
}

// markdownShell returns the command of a call and what it printed: the command stands in a block of its own, or on a line in
// backquotes.
func markdownShell(body string) (command, output string) {
	if _, rest, ok := strings.Cut(body, "```bash\n"); ok {
		command, output, _ = strings.Cut(rest, "\n```")
		return command, output
	}
	if m := markdownCommand.FindStringSubmatchIndex(body); m != nil {
		return body[m[2]:m[3]], body[m[1]:]
	}
	return "", ""
}

// folderOf returns the folder of a repository's name in the paths of a conversation, or "".
func (c *conversation) folderOf(repo string) string {
	for _, l := range c.lines {
		if p, ok := l.Input["file_path"].(string); ok {
			if at := strings.Index(p, "/"+repo+"/"); at >= 0 {
				return p[:at+1+len(repo)]
			}
		}
	}
	return ""
}
