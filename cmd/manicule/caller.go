package main

import (
	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/learn"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/config"
	"manicule/memory/file"
)

// agent is the coding agent whose shell this command runs in, "" for a
// person's.
func (a *app) agent() string { return a.caller().ID }

// caller describes the coding agent whose shell this command runs in, as the
// environment says; the zero Agent stands for a person.
func (a *app) caller() spec.Agent {
	for _, c := range agent.All() {
		if c.Env.Shell != "" && a.getenv(c.Env.Shell) != "" {
			return c
		}
	}
	return spec.Agent{}
}

// byAgent makes a draft of what an agent wants remembered from its shell. It is
// marked as one from outside where its session has read text of strangers.
func (a *app) byAgent(w *memory.Workspace, d *memory.Draft) {
	if c := a.caller(); c.ID != "" {
		d.Agent, d.Tool = true, c.ID
		if c.Env.Session != "" && d.Session == "" {
			d.Session = a.getenv(c.Env.Session)
		}
	}
	if d.Agent {
		d.Tainted = a.suspect(w.Place(), d.Session)
	}
}

// suspect reports whether what an agent wants remembered may be text of strangers.
func (a *app) suspect(p *workspace.Workspace, session string) bool {
	yes, err := learn.Suspect(p, session, a.now())
	if err != nil {
		a.warn("warning: %v; the draft counts as from outside", err)
	}
	return yes
}

// onlyPeople refuses what an agent may not decide: what it writes is a draft
// until a person accepts it.
func (a *app) onlyPeople(act string) error {
	name := a.agent()
	if name == "" {
		return nil
	}
	return &codeError{exitRefused, &memory.UserError{Msg: name + " may not " + act + " memories: a person decides",
		Hint: "Ask the person to run it in their own terminal; `manicule remember` keeps a draft for them to review."}}
}

// visibility is the default for new memories.
func visibility(c *config.Config) file.Visibility {
	return file.Visibility(c.String("remember.visibility"))
}
