// Package crush owns everything about Crush: its hook payloads and answers, its
// configuration file, and the messages in its database. It is pure. It must not know memories, the disk or other
// agents.
package crush

import "manicule/hooks/agent/spec"

const id = "crush"

// Agent describes Crush.
func Agent() spec.Agent {
	private, shared := spec.InRepository(".crush.json"), spec.InRepository("crush.json")
	return spec.Agent{
		ID:       id,
		Home:     ".config/crush",
		Wire:     spec.Wire{Parse: parse, Render: render, Probe: probe},
		Env:      spec.Env{Shell: []string{"CRUSH"}},
		Hooks:    spec.Hooks{Private: private, Shared: shared, EmptyJSON: true, Events: events},
		Servers:  spec.Servers{Private: private, Shared: shared, Entries: servers},
		Database: spec.Database{File: ".crush/crush.db", Messages: messages, Events: happened},
		Loads:    spec.Loads{Files: []string{"AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", ".cursorrules", ".cursor/rules/**/*.mdc", ".github/copilot-instructions.md"}},
		Clients:  []string{"crush"},
		Authors:  []string{"crush@charm"},
	}
}

func events(command string) []spec.Registration {
	return []spec.Registration{spec.On("PreToolUse", spec.Object{
		{"name", "manicule"}, {"matcher", "^(view|edit|multiedit|write|grep|glob|ls|bash|todos|fetch|agentic_fetch|sourcegraph|download|mcp_.*)$"}, {"command", command}, {"timeout", spec.QuickSeconds},
	})}
}

// servers lists two servers: Crush runs several language servers for a file and shows the
// agent their diagnostics. Those that repeat what the hook says once are turned off.
func servers(program, _ string) []spec.Entry {
	return []spec.Entry{
		{Path: []string{"mcp", spec.Server}, Value: spec.Typed("stdio")(program)},
		{Path: []string{"lsp", spec.Server}, Value: spec.Object{{"command", program}, {"args", []string{spec.WordLSP}}, {"init_options", spec.Object{{"diagnostics", false}}}}},
	}
}
