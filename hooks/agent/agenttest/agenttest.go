// Package agenttest owns a fictional agent, for tests of code that works with any
// agent, and as a template for a new one: it uses every field of an agent. Only
// tests may import it. It must not know real agents.
package agenttest

import (
	"path/filepath"

	"github.com/go-json-experiment/json"

	"manicule/hooks/agent/spec"
	"manicule/hooks/event"
	"manicule/hooks/transcript"
)

const id = "ferret"

// Agent describes the agent Ferret.
func Agent() spec.Agent {
	hooks, servers := spec.InRepository(".ferret/hooks.json"), spec.InRepository(".ferret/servers.json")
	return spec.Agent{
		ID:      id,
		Wire:    spec.Wire{Parse: parse, Render: render, Evidence: evidence, Probe: probe},
		Env:     spec.Env{Project: "FERRET_PROJECT", Shell: []string{"FERRET"}},
		Hooks:   spec.Hooks{Private: hooks, Shared: hooks, EmptyJSON: true, Events: events},
		Servers: spec.Servers{Private: servers, Shared: servers, Entries: spec.Under(spec.Stdio, "mcpServers")},
		Rule:    spec.Rule{File: spec.InRepository(".ferret/rules/manicule.md")},
		Transcript: spec.Transcript{Format: format(), Path: func(home, session string) string {
			return filepath.Join(home, ".ferret", session+".jsonl")
		}},
		Loads:   spec.Loads{Files: []string{"AGENTS.md"}},
		Clients: []string{id},
		Authors: []string{"ferret agent"},
	}
}

func parse(o event.Value) event.Event {
	e := event.FromSnake(id, o)
	switch e.Name = o.Str("ferret_event"); e.Name {
	case "begin":
		e.Kind, e.Answers = event.SessionStart, true
		e.Source = event.Startup
	case "tool":
		e.Kind, e.Answers = event.PostTool, true
		c := event.ToolCall(o)
		c.Outcome = event.Succeeded
		e.Calls = []event.Call{c}
	}
	return e
}

func render(e event.Event, text string) []byte {
	if text == "" || !e.Answers {
		return []byte("{}")
	}
	return event.Answer(event.Text{Key: "tell", Value: text})
}

func evidence(v event.Value) spec.Evidence { return spec.When(v.Has("ferret_event"), spec.Certain) }

func probe(dir string) map[string]any { return map[string]any{"ferret_event": "begin", "cwd": dir} }

func events(command string) []spec.Registration {
	handler := spec.Object{{"command", command}, {"timeout", spec.QuickSeconds}}
	return []spec.Registration{spec.On("begin", handler), spec.On("tool", handler)}
}

func format() transcript.Format {
	return transcript.Format{Signs: []string{`"words"`}, Line: func(p *transcript.Parser, line []byte) {
		var row struct {
			Words string `json:"words"`
		}
		if json.Unmarshal(line, &row) == nil {
			p.Tell(transcript.Entry{Kind: transcript.Said, Text: row.Words})
		}
	}}
}
