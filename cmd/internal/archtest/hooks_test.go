package archtest

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// hooksBelow lists which packages of hooks each of them may import. The arrows
// point one way: backend → hooks, mcp → learn → observe, install → agent → one agent → spec
// → event, transcript.
func hooksBelow() map[string]string {
	return map[string]string{
		"event":      "",
		"eventlog":   "",
		"guide":      "",
		"mcpprobe":   "",
		"nudge":      "",
		"transcript": "",
		"phase":      "event",

		"agent/spec":      "event transcript",
		"agent/agenttest": "agent/spec event transcript",
		"agent/*":         "agent/spec event transcript guide",
		"agent":           "agent/* agent/spec event",

		"logrecord":    "event eventlog",
		"conversation": "agent/spec event eventlog logrecord",

		"install":  "agent agent/spec guide",
		"activity": "agent event eventlog",
		"digest":   "agent event eventlog",

		// What reads texts knows no sessions, the record of a session judges nothing, and what is judged of it knows no reports.
		"observe/wording":       "",
		"observe/asking":        "event observe/wording",
		"observe/cmdline":       "event observe/wording",
		"observe/fold":          "agent event eventlog observe/asking observe/cmdline observe/wording",
		"observe/fold/foldtest": "event eventlog observe/fold",
		"observe/failures":      "event eventlog observe/cmdline observe/fold observe/wording",
		"observe/signal":        "event observe/cmdline observe/failures observe/wording",
		"observe/detect":        "event observe/cmdline observe/failures observe/fold observe/signal observe/wording",
		"observe/unfinished":    "event observe/asking observe/cmdline observe/fold observe/wording",
		"observe/outcome":       "event observe/asking observe/cmdline observe/fold observe/unfinished observe/wording",
		"observe/settle":        "event observe/asking observe/cmdline observe/fold observe/outcome observe/unfinished observe/wording",
		"observe": "event observe/asking observe/cmdline observe/detect observe/failures observe/fold observe/outcome observe/settle observe/signal " +
			"observe/unfinished observe/wording",

		"judge":   "event observe/asking observe/cmdline observe/fold observe/wording",
		"reviews": "observe/wording",
		"learn": "agent agent/spec conversation event eventlog judge nudge observe observe/cmdline observe/failures observe/fold observe/signal " +
			"observe/unfinished observe/wording phase transcript",
		"mcp":     "agent event eventlog guide learn nudge observe/wording phase",
		".":       "agent agent/spec conversation digest event eventlog logrecord nudge observe observe/fold phase",
		"setup":   "install",
		"backend": ". digest event eventlog learn nudge phase",
	}
}

// floor is the name of a package in hooksBelow, which has one for all agents.
func floor(dir string) string {
	name := strings.TrimPrefix(strings.TrimPrefix(dir, "hooks"), "/")
	switch {
	case name == "":
		return "."
	case path.Dir(name) == "agent" && hooksBelow()[name] == "":
		return "agent/*"
	}
	return name
}

// TestHooksPointOneWay: an agent knows none of those that use it, and nobody but
// the list of agents knows one agent.
func TestHooksPointOneWay(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range load(t) {
		inside := top(p.dir) == "hooks"
		allowed, known := hooksBelow()[floor(p.dir)]
		if seen[floor(p.dir)] = true; inside && !known {
			t.Errorf("%s is not in hooksBelow: say which packages of hooks it may import", p.dir)
		}
		for im, name := range p.imports {
			dir, ours := strings.CutPrefix(im, module+"/")
			if !ours || top(dir) != "hooks" {
				continue
			}
			switch at := floor(dir); {
			case at == "agent/agenttest":
				t.Errorf("%s/%s imports %s: it is for tests", p.dir, name, im)
			case inside && !slices.Contains(strings.Fields(allowed), at):
				t.Errorf("%s/%s imports %s: hooksBelow allows %q", p.dir, name, im, allowed)
			case !inside && at == "agent/*":
				t.Errorf("%s/%s imports %s: outside of hooks/agent nobody knows one agent; use agent.Lookup", p.dir, name, im)
			}
		}
	}
	for name := range hooksBelow() {
		if !seen[name] {
			t.Errorf("hooksBelow lists %s, which is not there", name)
		}
	}
}

// TestAgentsArePure: what describes an agent is data and pure functions.
func TestAgentsArePure(t *testing.T) {
	for _, p := range load(t) {
		if p.dir != "hooks/agent" && path.Dir(p.dir) != "hooks/agent" {
			continue
		}
		for im, name := range p.imports {
			if slices.Contains([]string{"os", "os/exec", "io/fs", "net", "net/http", "sync"}, im) {
				t.Errorf("%s/%s imports %s: an agent touches nothing and keeps nothing", p.dir, name, im)
			}
			if dir, ours := strings.CutPrefix(im, module+"/"); ours && top(dir) != "hooks" {
				t.Errorf("%s/%s imports %s: an agent knows no memories and no code", p.dir, name, im)
			}
		}
	}
}
