// Package opencode owns everything about OpenCode. OpenCode has no command hooks, so
// a plugin stands in for them; the package defines the messages between that plugin
// and Manicule. It is pure. It must not know memories, the disk or other agents.
package opencode

import (
	_ "embed"

	"manicule/hooks/agent/spec"
)

const id = "opencode"

// plugin is the source of OpenCode's plugin, from which the copy in extensions is
// generated.
//
//go:embed manicule.js
var plugin string

// Agent describes OpenCode.
func Agent() spec.Agent {
	hooks, servers := spec.InRepository(".opencode/plugins/manicule.js"), spec.InRepository(".opencode/opencode.json")
	return spec.Agent{
		ID:        id,
		Home:      ".config/opencode",
		Wire:      spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: probe},
		Env:       spec.Env{Shell: []string{"OPENCODE"}},
		Hooks:     spec.Hooks{Private: hooks, Shared: hooks, Plugin: plugin},
		Servers:   spec.Servers{Private: servers, Shared: servers, Entries: spec.Under(server, "mcp")},
		Loads:     spec.Loads{Above: []string{"AGENTS.md"}, Else: []string{"CLAUDE.md"}, Instead: []string{"AGENTS.md"}},
		Clients:   []string{"opencode"},
		Authors:   []string{"opencode"},
		Unmarked:  true,
		StartOnly: true, EndsAtRest: true,
	}
}

func server(program string) spec.Object {
	return spec.Object{{"type", "local"}, {"command", []string{program, spec.WordMCP}}, {"enabled", true}}
}
