// Package codex owns everything about OpenAI's Codex CLI: its hook payloads and
// answers, whose schemas allow no additional keys, its configuration files and its
// transcripts. It is pure. It must not know memories, the disk or other agents.
package codex

import "manicule/hooks/agent/spec"

const id = "codex"

// Agent describes Codex.
func Agent() spec.Agent {
	servers := spec.InRepository(".codex/config.toml")
	hooks := spec.InRepository(".codex/hooks.json")
	return spec.Agent{
		ID:         id,
		Home:       ".codex",
		Wire:       spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: spec.SessionStart},
		Env:        spec.Env{Shell: []string{"CODEX_THREAD_ID", "CODEX_SANDBOX"}, Session: "CODEX_THREAD_ID"},
		Hooks:      spec.Hooks{Private: hooks, Shared: hooks, Events: events},
		Servers:    spec.Servers{Private: servers, Shared: servers, Entries: spec.Under(server, "mcp_servers"), TOML: true, Session: "sessionId"},
		Transcript: spec.Transcript{Format: format()},
		Loads:      spec.Loads{Above: []string{"AGENTS.md"}},
		Clients:    []string{"codex"},
		Authors:    []string{"codex"},
		Unseen:     true,
		Restarts:   true,
	}
}

// server is [spec.Stdio] with the variables that say where a user's files are. Codex passes few
// others on, and a server without them would keep its state elsewhere than the hooks do.
func server(program string) spec.Object {
	return append(spec.Stdio(program), spec.Member{"env_vars", []string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"}})
}

func events(command string) []spec.Registration {
	handler := func(seconds int) spec.Object {
		return spec.Object{{"type", "command"}, {"command", command}, {"timeout", seconds}}
	}
	return []spec.Registration{
		spec.Grouped("SessionStart", "", handler(spec.QuickSeconds)),
		spec.Grouped("UserPromptSubmit", "", handler(spec.PromptSeconds)),
		spec.Grouped("PreToolUse", "Bash|apply_patch", handler(spec.QuickSeconds)),
		spec.Grouped("PostToolUse", "Bash|apply_patch|mcp__.*", append(handler(spec.AsyncSeconds), spec.Member{"async", true})),
		spec.Grouped("Stop", "", handler(spec.QuickSeconds)), // what the agent's last words leave to do
	}
}
