// Package copilot owns everything about GitHub's Copilot CLI and cloud agent: their
// hook payloads and answers, in both dialects, their configuration files and their
// transcripts. It is pure. It must not know memories, the disk or other agents.
package copilot

import (
	"path/filepath"

	"manicule/hooks/agent/spec"
)

const id = "copilot"

// Agent describes Copilot CLI.
func Agent() spec.Agent {
	return spec.Agent{
		ID:   id,
		Home: ".copilot",
		Wire: spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: probe},
		Env:  spec.Env{Shell: []string{"COPILOT_CLI"}, Session: "COPILOT_AGENT_SESSION_ID"},
		Hooks: spec.Hooks{
			Private: spec.InHome(".copilot/hooks/manicule.json"), Shared: spec.InRepository(".github/hooks/manicule.json"),
			Version: true, EmptyJSON: true, Events: events,
		},
		Servers: spec.Servers{
			Private: spec.InHome(".copilot/mcp-config.json"), Shared: spec.InRepository(".github/mcp.json"),
			Entries: spec.Under(server, "mcpServers"),
		},
		Transcript: spec.Transcript{Format: format(), Path: func(home, session string) string {
			return filepath.Join(home, ".copilot", "session-state", session, "events.jsonl")
		}},
		Loads:    spec.Loads{Files: []string{".github/copilot-instructions.md", ".github/instructions/**/*.instructions.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md"}},
		Clients:  []string{"github-copilot", "copilot"},
		Authors:  []string{"copilot"},
		Unseen:   true,
		Unmarked: true,
	}
}

func server(program string) spec.Object {
	return append(spec.Typed("local")(program), spec.Member{"tools", []string{"*"}})
}

func events(command string) []spec.Registration {
	timed := func(matcher string, seconds int) spec.Object {
		o := spec.Object{{"type", "command"}, {"bash", command}, {"powershell", spec.PowerShell(command)}, {"timeoutSec", seconds}}
		if matcher != "" {
			o = append(o, spec.Member{"matcher", matcher})
		}
		return o
	}
	handler := func(matcher string) spec.Object { return timed(matcher, spec.QuickSeconds) }
	return []spec.Registration{
		spec.On("sessionStart", handler("")),
		spec.On("userPromptSubmitted", timed("", spec.PromptSeconds)),
		spec.On("postToolUse", handler("view|edit|create|grep|glob|apply_patch|bash|powershell")),
		spec.On("postToolUseFailure", handler("")),
		spec.On("preCompact", handler("")),
	}
}
