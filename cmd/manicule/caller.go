package main

import (
	"manicule/hooks/learn"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/services"
)

// callers are the environment variables by which agents mark the shells that
// they run commands in.
func callers() []struct{ variable, agent string } {
	return []struct{ variable, agent string }{
		{"CLAUDECODE", "claude-code"},
		{"CURSOR_AGENT", "cursor"},
		{"GEMINI_CLI", "gemini"},
		{"CODEX_SANDBOX", "codex"},
		{"OPENCODE", "opencode"},
	}
}

// agent is the coding agent whose shell this command runs in, "" for a
// person's.
func (c *shell) agent() string {
	for _, x := range callers() {
		if c.getenv(x.variable) != "" {
			return x.agent
		}
	}
	return ""
}

// byAgent makes a draft of what an agent wants remembered from its shell. It is
// marked as one from outside where its session has read text of strangers.
func (c *cli) byAgent(w *services.Workspace, d *memory.Draft) {
	if name := c.agent(); name != "" {
		d.Agent, d.Tool = true, name
		if name == "claude-code" && d.Session == "" {
			d.Session = c.getenv("CLAUDE_CODE_SESSION_ID")
		}
	}
	if d.Agent {
		d.Tainted = c.suspect(w.Place(), d.Session)
	}
}

// suspect reports whether what an agent wants remembered may be text of strangers.
func (c *cli) suspect(p *workspace.Workspace, session string) bool {
	yes, err := learn.Suspect(p, session, c.now())
	if err != nil {
		c.warn("warning: %v; the draft counts as from outside", err)
	}
	return yes
}

// onlyPeople refuses what an agent may not decide: what it writes is a draft
// until a person accepts it.
func (c *shell) onlyPeople(act string) error {
	name := c.agent()
	if name == "" {
		return nil
	}
	return &codeError{exitRefused, &memory.UserError{Msg: name + " may not " + act + " memories: a person decides",
		Hint: "Ask the person to run it in their own terminal; `manicule remember` keeps a draft for them to review."}}
}
