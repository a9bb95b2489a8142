// Package vscode owns everything about VS Code's own agent: its hook payloads and
// answers, its configuration files and its transcripts. It is pure. It must not know memories, the
// disk or other agents.
package vscode

import "manicule/hooks/agent/spec"

const id = "vscode"

// Agent describes VS Code's agent.
func Agent() spec.Agent {
	servers := spec.InRepository(".vscode/mcp.json")
	return spec.Agent{
		ID:   id,
		Wire: spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: spec.SessionStart},
		Hooks: spec.Hooks{
			Private: spec.InHome(".copilot/hooks/manicule-vscode.json"), Shared: spec.InRepository(".github/hooks/manicule-vscode.json"),
			EmptyJSON: true, Events: events,
		},
		Servers: spec.Servers{Private: servers, Shared: servers, Entries: spec.Under(spec.Typed("stdio"), "servers")},
		// The folder of this name holds the editor's extension.
		Package:    spec.Package{Dir: "copilot"},
		Transcript: spec.Transcript{Format: format()},
		Loads:      spec.Loads{Files: []string{".github/copilot-instructions.md", ".github/instructions/**/*.instructions.md", "AGENTS.md"}},
		Clients:    []string{"visual-studio-code", "vscode"},
	}
}

func events(command string) []spec.Registration {
	var out []spec.Registration
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "SubagentStart"} {
		seconds := spec.QuickSeconds
		if event == "UserPromptSubmit" {
			seconds = spec.PromptSeconds
		}
		out = append(out, spec.On(event, spec.Object{{"type", "command"}, {"command", command}, {"windows", spec.PowerShell(command)}, {"timeout", seconds}}))
	}
	return out
}
