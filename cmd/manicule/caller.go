package main

import (
	"context"
	"slices"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/learn"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/services"
)

// agent returns the coding agent whose shell runs this command, or "" for a person.
func (c *shell) agent() string { return c.caller().ID }

// sessionID returns the session of the coding agent whose shell runs this command, "" for a person or if the agent
// does not name it.
func (c *shell) sessionID() string {
	if id := c.caller().Env.Session; id != "" {
		return c.getenv(id)
	}
	return ""
}

// caller describes the coding agent whose shell runs this command, according to the
// environment. The zero Agent stands for a person.
func (c *shell) caller() spec.Agent {
	for _, known := range agent.All() {
		if slices.ContainsFunc(known.Env.Shell, func(name string) bool { return c.getenv(name) != "" }) {
			return known
		}
	}
	return spec.Agent{}
}

// draftForAgent makes a draft of a memory that an agent writes from its shell. The draft is
// marked as from outside if the agent's session has read untrusted text.
func (c *cli) draftForAgent(ctx context.Context, w *services.Workspace, d *memory.Draft) {
	if caller := c.caller(); caller.ID != "" {
		d.Agent, d.Tool = true, caller.ID
		if caller.Env.Session != "" && d.Session == "" {
			d.Session = c.getenv(caller.Env.Session)
		}
	}
	if d.Agent {
		d.Tainted = c.tainted(ctx, w.Place(), d.Session)
	}
}

// tainted reports whether an agent's text may come from strangers.
func (c *cli) tainted(ctx context.Context, p *workspace.Workspace, session string) bool {
	yes, err := learn.Suspect(ctx, p, session, c.now())
	if err != nil {
		c.warn("warning: %v; the draft counts as from outside", err)
	}
	return yes
}

// requirePersonToShare refuses to an agent to write for the team.
func requirePersonToShare(c *shell) error {
	name := c.agent()
	if name == "" {
		return nil
	}
	return &codeError{exitRefused, &memory.UserError{Msg: name + " may not share threads with the team: a person decides",
		Hint: "Leave it without --share, for the next session on this machine; the person shares it with `manicule thread share ID`."}}
}

// requirePerson refuses a decision to an agent, which may only write drafts.
func (c *shell) requirePerson(act string) error {
	name := c.agent()
	if name == "" {
		return nil
	}
	return &codeError{exitRefused, &memory.UserError{Msg: name + " may not " + act + " memories: a person decides",
		Hint: "Ask the person to run it in their own terminal; `manicule remember` keeps a draft for them to review."}}
}
