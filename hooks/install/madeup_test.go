package install

import (
	"strings"
	"testing"

	"manicule/hooks/agent"
	"manicule/hooks/agent/agenttest"
	"manicule/indexer/must"
)

// TestMadeUp installs for an agent that is one value more in the list.
func TestMadeUp(t *testing.T) {
	a := agenttest.Agent()
	const mine = "{\n  // mine\n  \"a\": 1\n}\n"
	added, err := addHooks(a, []byte(mine), command(a, Server, true))
	if err != nil || strings.Count(string(added), "hook ferret || true; else echo '{}'; fi") != 2 {
		t.Errorf("%v\n%s", err, added)
	}
	if back, _, err := removeHooks(a, added); err != nil || string(back) != mine {
		t.Errorf("taken out again (%v):\n%s", err, back)
	}
	added, err = addServers(a, []byte(mine), Server, "")
	if got := servers(a, added, ""); err != nil || len(got) != 1 || strings.Join(got[0], " ") != "manicule mcp" {
		t.Errorf("%v: %q in\n%s", err, got, added)
	}
	if back, _, err := removeServers(a, added, ""); err != nil || string(back) != mine {
		t.Errorf("taken out again (%v):\n%s", err, back)
	}
	files, err := packages(append(agent.All(), a), "1.2.3-dev")
	must.OK(t, err)
	for _, name := range []string{"ferret/.ferret/hooks.json", "ferret/.ferret/servers.json", "ferret/.ferret/rules/manicule.md"} {
		if len(files[name]) == 0 {
			t.Errorf("the package lacks %s", name)
		}
	}
}
