// Package foldtest writes sessions down in lines, for the tests of what reads their record. Only tests may import it.
package foldtest

import (
	"fmt"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe/fold"
)

// Play folds a session that is written one event a line: "ask TEXT", "edit PATH", "run COMMAND", "fail COMMAND", "read PATH",
// "refuse COMMAND", "fetch URL", "stop" (an interruption), "plan" and "noplan" (a plan that is accepted or refused), "todo ITEM",
// "said TEXT". A command fails as it does without its program ("lack"), without its module ("bare"), with an unknown option
// ("misuse"), without a network ("away"); "fail COMMAND => ERROR" says with what. An edit may wait for a permission ("deny PATH").
func Play(lines ...string) *fold.Fold {
	f := fold.New("/repo")
	at := int64(1_000_000)
	add := func(r eventlog.Record) {
		at += 1000
		r.Session, r.Agent, r.CWD, r.Time = "s", "claude-code", "/repo", at
		f.Add(r)
	}
	for i, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		call := func(tool, class, command, fault string, paths ...string) {
			ok := fault == ""
			c := eventlog.Call{ID: fmt.Sprint(i), Tool: tool, Class: class, Command: command, Paths: paths}
			add(eventlog.Record{Kind: string(event.PreTool), Calls: []eventlog.Call{c}})
			c.OK, c.Error = &ok, fault
			add(eventlog.Record{Kind: string(event.PostTool), Calls: []eventlog.Call{c}})
		}
		switch verb {
		case "ask":
			add(eventlog.Record{Kind: string(event.Prompt), Prompt: strings.ReplaceAll(rest, "|", "\n")})
		case "edit":
			call("Edit", "edit", "", "", rest)
		case "deny":
			call("Edit", "edit", "", "Claude requested permissions to write to "+rest+", but you haven't granted it yet.", rest)
		case "read":
			call("Read", "read", "", "", rest)
		case "fetch":
			c := eventlog.Call{ID: fmt.Sprint(i), Tool: "WebFetch", Class: string(event.Web), URL: rest}
			add(eventlog.Record{Kind: string(event.PreTool), Calls: []eventlog.Call{c}})
			add(eventlog.Record{Kind: string(event.PostTool), Calls: []eventlog.Call{c}})
		case "run":
			call("Bash", "shell", rest, "")
		case "fail":
			command, text, told := strings.Cut(rest, " => ")
			if !told {
				text = "something is wrong"
			}
			call("Bash", "shell", command, "Exit code 1\n"+text)
		case "lack":
			call("Bash", "shell", rest, "Exit code 127\nzsh:1: command not found: vitest")
		case "bare":
			call("Bash", "shell", rest, "Exit code 1\n/usr/bin/python3: No module named pytest")
		case "misuse":
			call("Bash", "shell", rest, "Exit code 1\nCACError: Unknown option `--runInBand`\n    at Object.run")
		case "away":
			call("Bash", "shell", rest, "Exit code 1\nssh: connect to host github.com port 22: Operation timed out\nfatal: Could not read from remote repository.")
		case "refuse":
			call("Bash", "shell", rest, "The user doesn't want to proceed with this tool use.")
		case "stop":
			add(eventlog.Record{Kind: string(event.Prompt), Prompt: "[Request interrupted by user]"})
		case "todo":
			add(eventlog.Record{Kind: string(event.PostTool), Calls: []eventlog.Call{{Tool: "TodoWrite", Class: "other", Query: rest}}})
		case "plan", "noplan":
			fault := ""
			if verb == "noplan" {
				fault = "The user doesn't want to proceed with this tool use."
			}
			call("ExitPlanMode", "other", "", fault)
		case "said":
			add(eventlog.Record{Kind: string(event.Stop), Text: strings.ReplaceAll(rest, "|", "\n")})
		default:
			panic(line)
		}
	}
	return f
}
