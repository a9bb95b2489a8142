package hooks

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"manicule/hooks/agent"
	"manicule/hooks/agent/agenttest"
	"manicule/hooks/eventlog"
)

// TestMadeUpAgent answers an agent that is one value more in the list: it is told
// the brief, and then of the memories for a file, by its own hook and by one that
// was installed for another agent. Without it in the list there is no answer.
func TestMadeUpAgent(t *testing.T) {
	w := newWorld(t)
	ask := func(list agent.List, id, event string) string {
		var out bytes.Buffer
		opt := w.options(id, fmt.Sprintf(event, w.root), &out)
		opt.Agents = list
		Run(t.Context(), opt)
		return strings.TrimSpace(out.String())
	}
	list := append(agent.All(), agenttest.Agent())
	const begin, tool = `{"ferret_event":"begin","session_id":"f1","cwd":%[1]q}`,
		`{"ferret_event":"tool","session_id":"f1","cwd":%[1]q,"tool_name":"read_file","tool_input":{"path":"src/auth/x.ts"}}`
	if got := ask(list, "ferret", begin); !strings.HasPrefix(got, `{"tell":"`) {
		t.Errorf("the start of the session is answered with %s", got)
	}
	if got := ask(list, "claude-code", tool); !strings.HasPrefix(got, `{"tell":"`) || !strings.Contains(got, "3 memories for src/auth/x.ts") {
		t.Errorf("the read is answered with %s", got)
	}
	if got := ask(nil, "ferret", begin); got != "" {
		t.Errorf("an unknown agent is answered with %s", got)
	}
	records, _, err := eventlog.Read(w.state, "f1")
	if err != nil || len(records) != 2 || records[0].Agent != "ferret" {
		t.Errorf("the log has %+v, %v", records, err)
	}
}
