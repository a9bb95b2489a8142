// Package agent owns the list of coding agents that Manicule supports, and detects
// which of them sent a payload. Everything about one agent is in one folder below it,
// described by a [spec.Agent]; adding an agent is a folder and a line in [All].
// Nothing is loaded or parsed before an agent is used. The package must not know
// memories or the disk.
package agent

import (
	"manicule/hooks/agent/claudecode"
	"manicule/hooks/agent/codex"
	"manicule/hooks/agent/copilot"
	"manicule/hooks/agent/crush"
	"manicule/hooks/agent/cursor"
	"manicule/hooks/agent/gemini"
	"manicule/hooks/agent/opencode"
	"manicule/hooks/agent/spec"
	"manicule/hooks/agent/vscode"
	"manicule/hooks/agent/windsurf"
)

// List is a list of agents in display order.
type List []spec.Agent

// All lists the supported agents.
func All() List {
	return List{
		claudecode.Agent(),
		cursor.Agent(),
		codex.Agent(),
		gemini.Agent(),
		copilot.Agent(),
		vscode.Agent(),
		opencode.Agent(),
		windsurf.Agent(),
		crush.Agent(),
	}
}

// IDs lists the command-line words of the agents.
func (l List) IDs() []string {
	var out []string
	for _, a := range l {
		out = append(out, a.ID)
	}
	return out
}

// Lookup finds an agent by its ID. If there is none, it returns the zero Agent and false.
func (l List) Lookup(id string) (a spec.Agent, ok bool) {
	for _, a := range l {
		if a.ID == id {
			return a, true
		}
	}
	return spec.Agent{}, false
}

// Lookup finds one of [All] by its ID.
func Lookup(id string) (a spec.Agent, ok bool) { return All().Lookup(id) }
