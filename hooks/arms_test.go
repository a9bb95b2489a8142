package hooks

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"manicule/hooks/eventlog"
	"manicule/indexer/must"
	"manicule/memory/ledger"
)

// inArm is the first session that belongs to an arm.
func (w *world) inArm(arm ledger.Arm) string {
	for i := 0; ; i++ {
		if id := fmt.Sprint("session-", i); ledger.ArmOf(filepath.Base(w.state), id) == arm {
			return id
		}
	}
}

// armed gives one event to a hook that assigns arms.
func (w *world) armed(arms bool, session string, ev map[string]any) string {
	w.tb.Helper()
	ev["session_id"], ev["cwd"] = session, w.root
	in, err := json.Marshal(ev)
	must.OK(w.tb, err)
	var out bytes.Buffer
	opt := w.options("claude-code", string(in), &out)
	opt.Arms = arms
	Run(context.Background(), opt)
	return out.String()
}

// TestArms: a session in the off arm is told nothing, one in the passive arm the brief, and the log
// says so; the setting and the first sessions are without arms.
func TestArms(t *testing.T) {
	for _, tt := range []struct {
		name         string
		arm          ledger.Arm
		others       int
		arms         bool
		brief, nudge bool
		logged       string
	}{
		{"off", ledger.Off, ledger.ArmsFrom, true, false, false, "off"},
		{"passive", ledger.Passive, ledger.ArmsFrom, true, true, false, "passive"},
		{"full", ledger.Full, ledger.ArmsFrom, true, true, true, "full"},
		{"an early session", ledger.Off, ledger.ArmsFrom - 1, true, true, true, ""},
		{"switched off", ledger.Off, ledger.ArmsFrom, false, true, true, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			for i := range tt.others {
				must.OK(t, eventlog.Append(w.state, eventlog.Record{Time: 1, Session: fmt.Sprint("earlier", i), Kind: "session_start"}))
			}
			session := w.inArm(tt.arm)
			start := w.armed(tt.arms, session, map[string]any{"hook_event_name": "SessionStart", "source": "startup"})
			read := w.armed(tt.arms, session, tool("Read", "file_path", filepath.Join(w.root, "src/auth/x.ts")))
			if got := strings.Contains(start, "☞"); got != tt.brief {
				t.Errorf("at the start: %q", start)
			}
			if got := strings.Contains(read, "☞"); got != tt.nudge {
				t.Errorf("at a read: %q", read)
			}
			asked := w.armed(tt.arms, session, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": "/remember Tokens expire after an hour"})
			if !strings.Contains(asked, "stored") {
				t.Errorf("when asked to remember: %q", asked)
			}
			records, _, err := eventlog.ReadLog(w.state, eventlog.SafeName(session))
			if err != nil || len(records) != 3 || records[0].Facts["arm"] != tt.logged {
				t.Errorf("logged %+v, %v", records, err)
			}
		})
	}
}
