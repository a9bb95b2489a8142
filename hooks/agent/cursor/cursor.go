// Package cursor owns everything about Cursor, the editor and its command line agent:
// its hook payloads and answers, its configuration files, its rule file and its
// transcripts. It is pure. It must not know memories, the disk or other agents.
package cursor

import "manicule/hooks/agent/spec"

const id = "cursor"

// Agent describes Cursor.
func Agent() spec.Agent {
	hooks, servers := spec.InRepository(".cursor/hooks.json"), spec.InRepository(".cursor/mcp.json")
	return spec.Agent{
		ID:      id,
		Home:    ".cursor",
		Wire:    spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: probe},
		Env:     spec.Env{Project: "CURSOR_PROJECT_DIR", Shell: []string{"CURSOR_AGENT"}},
		Hooks:   spec.Hooks{Private: hooks, Shared: hooks, Version: true, EmptyJSON: true, Events: events},
		Servers: spec.Servers{Private: servers, Shared: servers, Entries: spec.Under(spec.Stdio, "mcpServers")},
		// Reports conflict on which hooks' text reaches the model.
		Rule:       spec.Rule{File: spec.InRepository(".cursor/rules/manicule.mdc"), Head: "---\ndescription: Memories of this codebase\nalwaysApply: true\n---\n"},
		Transcript: spec.Transcript{Format: format()},
		Loads:      spec.Loads{Files: []string{".cursor/rules/**/*.mdc", ".cursorrules", "**/AGENTS.md"}},
		Clients:    []string{"cursor"},
		Authors:    []string{"cursor agent", "cursoragent", "cursor <"},
		Unseen:     true,
	}
}

func events(command string) []spec.Registration {
	plain := spec.Object{{"command", command}, {"timeout", spec.QuickSeconds}}
	tools := spec.Object{{"command", command}, {"matcher", "Read|Write|Grep|Shell|Delete"}, {"timeout", spec.QuickSeconds}}
	return []spec.Registration{
		spec.On("sessionStart", plain),
		spec.On("beforeSubmitPrompt", spec.Object{{"command", command}, {"timeout", spec.PromptSeconds}}),
		spec.On("postToolUse", tools),
		spec.On("postToolUseFailure", tools),
		// Results of servers contain text of others. The event before the call decides on a
		// permission, so a fault there would block the call.
		spec.On("afterMCPExecution", plain),
		spec.On("preCompact", plain),
	}
}
