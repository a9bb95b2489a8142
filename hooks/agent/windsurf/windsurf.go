// Package windsurf owns everything about Windsurf's Cascade, now Devin Desktop: its
// hook payloads, its configuration files, its rule file and its transcripts. Its
// hooks only observe: nothing that they print reaches the model. It is pure. It must
// not know memories, the disk or other agents.
package windsurf

import (
	"path/filepath"

	"manicule/hooks/agent/spec"
)

const id = "windsurf"

// Agent describes Windsurf.
func Agent() spec.Agent {
	hooks := spec.InRepository(".windsurf/hooks.json")
	return spec.Agent{
		ID:      id,
		Home:    ".codeium/windsurf",
		Wire:    spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: probe},
		Env:     spec.Env{Project: "DEVIN_PROJECT_DIR"},
		Hooks:   spec.Hooks{Private: hooks, Shared: hooks, Events: events},
		Servers: spec.Servers{Private: spec.InHome(".codeium/windsurf/mcp_config.json"), Entries: spec.Under(spec.Stdio, "mcpServers")},
		Rule:    spec.Rule{File: spec.InRepository(".windsurf/rules/manicule.md"), Head: "---\ntrigger: always_on\ndescription: Memories of this codebase\n---\n"},
		Transcript: spec.Transcript{Format: format(), Path: func(home, session string) string {
			return filepath.Join(home, ".windsurf", "transcripts", session+".jsonl")
		}},
		Loads:    spec.Loads{Files: []string{".windsurfrules", ".windsurf/rules/**/*.md", "**/AGENTS.md"}},
		Clients:  []string{"windsurf"},
		Authors:  []string{"windsurf", "devin-ai", "devin ai"},
		Unseen:   true,
		Unmarked: true,
	}
}

func events(command string) []spec.Registration {
	handler := spec.Object{{"command", command}, {"powershell", spec.PowerShell(command)}, {"show_output", false}}
	var out []spec.Registration
	// The last one makes Windsurf write a transcript, the only source that shows text from
	// the web.
	for _, event := range []string{"pre_user_prompt", "post_read_code", "post_write_code", "post_run_command", "post_mcp_tool_use", "post_cascade_response_with_transcript"} {
		out = append(out, spec.On(event, handler))
	}
	return out
}
