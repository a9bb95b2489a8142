// Package claudecode owns everything about Claude Code: its hook payloads and
// answers, its configuration files, its transcripts and its plugin. It is pure. It
// must not know memories, the disk or other agents.
package claudecode

import "manicule/hooks/agent/spec"

const id = "claude-code"

// Agent describes Claude Code.
func Agent() spec.Agent {
	return spec.Agent{
		ID:   id,
		Home: ".claude",
		Wire: spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: spec.SessionStart},
		Env:  spec.Env{Project: "CLAUDE_PROJECT_DIR", Shell: []string{"CLAUDECODE"}, Session: "CLAUDE_CODE_SESSION_ID", ServerProject: "CLAUDE_PROJECT_DIR"},
		Hooks: spec.Hooks{
			Private: spec.InRepository(".claude/settings.local.json"), Shared: spec.InRepository(".claude/settings.json"),
			Events: events,
		},
		Servers: spec.Servers{
			Private: spec.File{Path: ".claude.json", Home: true, Env: "CLAUDE_CONFIG_DIR"}, Shared: spec.InRepository(".mcp.json"),
			Entries: servers, Keep: true,
		},
		Package:    spec.Package{Plugin: plugin, Hooks: "hooks/hooks.json", Servers: ".mcp.json"},
		Transcript: spec.Transcript{Format: format(), Subagents: "subagents/agent-*.jsonl"},
		// Since version 2.1.277 AGENTS.md is read if there is no CLAUDE.md.
		Loads: spec.Loads{
			Files: []string{"**/CLAUDE.md", "**/CLAUDE.local.md", ".claude/rules/**/*.md"},
			Else:  []string{"AGENTS.md"}, Instead: []string{"CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"},
		},
		Clients:  []string{"claude-code"},
		Authors:  []string{"noreply@anthropic.com", "claude code", "claude <", "claude opus", "claude sonnet", "claude haiku", "claude fable"},
		Restarts: true,
	}
}

func events(command string) []spec.Registration {
	sync := spec.Object{{"type", "command"}, {"command", command}, {"timeout", spec.QuickSeconds}}
	prompt := spec.Object{{"type", "command"}, {"command", command}, {"timeout", spec.PromptSeconds}}
	async := spec.Object{{"type", "command"}, {"command", command}, {"timeout", spec.AsyncSeconds}, {"async", true}}
	return []spec.Registration{
		spec.Grouped("SessionStart", "", sync),
		spec.Grouped("UserPromptSubmit", "", prompt),
		spec.Grouped("PreToolUse", "Read|Edit|Write|NotebookEdit|Grep|Glob|ExitPlanMode|AskUserQuestion", sync),
		spec.Grouped("PostToolBatch", "", sync),
		spec.Grouped("PostToolUse", "*", async),
		spec.Grouped("PostToolUseFailure", "*", sync),
		spec.Grouped("Stop", "", sync),
		spec.Grouped("SessionEnd", "", sync),
	}
}

func servers(program, project string) []spec.Entry {
	path := []string{"projects", project, "mcpServers", spec.Server}
	if project == "" { // the shared file is of one project
		path = path[2:]
	}
	return []spec.Entry{{Path: path, Value: spec.Typed("stdio")(program)}}
}
