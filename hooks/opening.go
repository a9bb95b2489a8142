package hooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/memory/secret"
	"manicule/memory/thread"
)

// Start is a session that starts, or would start.
type Start struct {
	Dir     string // absolute
	Agent   string // "" for none that is known
	Session string // whose own work is no earlier session's, "" for none
	// Purpose is what the session is for, "" for what is under way.
	Purpose string
}

// Opening is what a session is told at its start beside the list of memories, and what it was made of.
type Opening struct {
	Text string
	// Waiting are the threads that wait for the session, told or not.
	Waiting thread.Bundle
	// Threads are the short ids of those that are told.
	Threads []string
	// Intent is what lessons were looked for, and Lessons are the uuids of the memories that are quoted as such.
	Intent  string
	Lessons []string
	// Memories are the uuids of all memories that are quoted.
	Memories []string
}

// previewBudget is the time for an opening that somebody asks for and waits for.
const previewBudget = 10 * time.Second

// Preview composes what a session that starts would be told beside the list of memories, as [Run] does at its start. It records
// nothing, and so takes nothing from the session that really starts. What fails is left out, and is the error.
func Preview(ctx context.Context, opt Options, s Start) (Opening, error) {
	opt = opt.withDefaults()
	opt.Getenv = patiently(opt.Getenv, opt.Agents)
	j := newJob(opt)
	j.faults = new([]error)
	j.prepare()
	j.opt.Arms, j.opt.HoldOut = false, false // what an experiment withholds, it withholds from one session
	j.agent, _ = j.opt.Agents.Lookup(s.Agent)
	j.ev = event.Event{Kind: event.SessionStart, Source: event.Startup, Answers: true, Agent: s.Agent, Session: s.Session, CWD: s.Dir}
	j.purpose = s.Purpose
	j.stateDir, _ = j.opt.StateDir(s.Dir)
	text := brief{&j.answering}.bundle(ctx)
	out := j.told
	out.Text = secret.Mask(text)
	for _, m := range j.shown {
		out.Memories = append(out.Memories, m.uuid)
	}
	return out, errors.Join(*j.faults...)
}

// patiently returns an environment in which an event has [previewBudget], and its folder is the one that was asked for.
func patiently(getenv func(string) string, agents agent.List) func(string) string {
	return func(name string) string {
		switch {
		case name == slowEnv:
			return previewBudget.String()
		case slices.ContainsFunc(agents, func(a spec.Agent) bool { return a.Env.Project == name }):
			return ""
		}
		return getenv(name)
	}
}
