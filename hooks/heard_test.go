package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/indexer/sqlfile"
)

// TestCompactionInADatabase: Crush reports no compaction, but its database shows the summary.
func TestCompactionInADatabase(t *testing.T) {
	w := newWorld(t)
	w.mkdir(".crush")
	db, err := sqlfile.Open(t.Context(), sqlfile.Options{Path: filepath.Join(w.root, ".crush", "crush.db"), Busy: time.Second})
	must.OK(t, err)
	defer func() { _ = db.Close() }()
	exec := func(script string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), script); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER, is_summary_message INTEGER DEFAULT 0);
		INSERT INTO messages VALUES ('m1', 's1', 'user', '[{"type":"text","data":{"text":"Let the tokens expire"}},{"type":"finish","data":{"reason":"stop"}}]', 1, 0)`)
	view := func() string {
		t.Helper()
		in, err := json.Marshal(map[string]any{
			"event": "PreToolUse", "session_id": "s1", "cwd": w.root,
			"tool_name": "edit", "tool_input": map[string]any{"file_path": filepath.Join(w.root, "src/auth/x.ts"), "old_string": "a", "new_string": "b"},
		})
		must.OK(t, err)
		var out bytes.Buffer
		Run(context.Background(), w.options("crush", string(in), &out))
		return out.String()
	}
	const continued, nudge = "Before the context was compacted", "3 memories for src/auth/x.ts"
	if got := view(); strings.Contains(got, continued) || !strings.Contains(got, nudge) {
		t.Errorf("at first: %s", got)
	}
	if got := view(); strings.Contains(got, nudge) {
		t.Errorf("said twice: %s", got)
	}
	exec(`INSERT INTO messages VALUES
		('m3', 's1', 'assistant', '[{"type":"tool_call","data":{"id":"c1","name":"edit","input":"{\"file_path\":\"src/auth/x.ts\"}"}},{"type":"finish","data":{"reason":"tool_use"}}]', 2, 0),
		('m4', 's1', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"c1","name":"edit","content":"replaced"}},{"type":"finish","data":{"reason":"stop"}}]', 2, 0);
		INSERT INTO messages VALUES ('m2', 's1', 'assistant', '[{"type":"text","data":{"text":"We were…"}},{"type":"finish","data":{"reason":"end_turn"}}]', 2, 1)`)
	if got := view(); !strings.Contains(got, continued) || !strings.Contains(got, "Let the tokens expire") || !strings.Contains(got, nudge) {
		t.Errorf("after the summary: %s", got)
	}
	if got := view(); strings.Contains(got, continued) || strings.Contains(got, nudge) {
		t.Errorf("said again: %s", got)
	}
	must.Write(t, filepath.Join(w.root, ".crush", "crush.db"), "damaged")
	if got := strings.TrimSpace(view()); got != "{}" {
		t.Errorf("with a damaged database: %s", got)
	}
}
