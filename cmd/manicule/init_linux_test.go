package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestInitAsks holds that on a terminal init offers the agents of the person, the rule files and
// the model, does what is answered, and shows what to know first.
func TestInitAsks(t *testing.T) {
	for _, tc := range []struct {
		name, agents, rules string // what is answered
		yes                 bool
	}{
		{name: "all", agents: "\n", rules: "y\n", yes: true},
		{name: "nothing", agents: "n\n", rules: "what?\nno\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newProgram(t)
			must.Write(t, filepath.Join(p.dir, "CLAUDE.md"), "# Rules\n\n- Never call `Close` twice on a pool: the second call panics.\n- Run `make gen` after you changed a .proto file.\n")
			must.Mkdir(t, filepath.Join(filepath.Dir(p.dir), ".claude"))
			person, c := p.onTerminal(t, "init")
			var seen strings.Builder
			for _, x := range []struct{ question, answer string }{
				{"You use claude-code. Tell it what is remembered here? [Y/n]", tc.agents},
				{"1 rule file (CLAUDE.md): import 2 memories? [Y/n]", tc.rules},
				{"[y/N]", "\n"},
			} {
				readUntil(t, person, x.question, 1, &seen)
				if _, err := person.WriteString(x.answer); err != nil {
					t.Fatal(err)
				}
			}
			readUntil(t, person, "ready: ", 1, &seen)
			if err := c.Wait(); err != nil {
				t.Errorf("init: %v\n%s", err, seen.String())
			}
			_, err := os.Stat(filepath.Join(p.dir, ".claude", "settings.local.json"))
			if wired := err == nil; wired != tc.yes {
				t.Errorf("claude-code is set up: %v, want %v", wired, tc.yes)
			}
			if list := p.run(t, "list"); strings.Contains(list, "make gen") != tc.yes {
				t.Errorf("memories:\n%s", list)
			}
			if shows := strings.Contains(seen.String(), "what to know first"); shows != tc.yes {
				t.Errorf("what to know first is shown: %v, want %v\n%s", shows, tc.yes, seen.String())
			}
		})
	}
}
