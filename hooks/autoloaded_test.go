package hooks

import (
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// TestNeverWhatTheAgentHas: a memory that was imported from a file which this agent
// loads by itself reaches it neither in the brief nor in a nudge; another agent gets it.
func TestNeverWhatTheAgentHas(t *testing.T) {
	from := func(name string, m *file.Memory) *file.Memory {
		m.Trust.Origin, m.Provenance = file.Import, &file.Provenance{Import: &file.ImportOrigin{File: name}}
		m.Confidence, m.Pinned = .9, len(m.Scope) == 0 // others of a document are only counted
		return m
	}
	w := newWorld(t)
	both := from("AGENTS.md", mem("b", file.Convention, "Imported from the rules of everybody"))
	both.Provenance.Import.Also = []string{"CLAUDE.md"}
	edited := from("CLAUDE.md", mem("e", file.Convention, "Changed by a person since"))
	edited.Lineage.ChangeKind = "edit"
	w.roots[w.root] = []*file.Memory{
		from("CLAUDE.md", mem("c", file.Convention, "Imported from the rules of Claude")), edited, both,
		from("AGENTS.md", mem("a", file.Convention, "Imported from the rules of all agents")),
		from("src/auth/CLAUDE.md", mem("n", file.Gotcha, "Imported from nested rules", "src/auth/**")),
		from("docs/adr/1.md", mem("d", file.Decision, "Imported from a record", "src/auth/**")),
	}
	must.Write(t, filepath.Join(w.root, "CLAUDE.md"), "Rules.\n")
	w.as("claude-code", map[string]any{"hook_event_name": "SessionStart", "session_id": "s0", "source": "startup"}) // the first is told more
	brief := w.as("claude-code", map[string]any{"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
	for text, want := range map[string]bool{"rules of Claude": false, "Changed by a person": true, "rules of all agents": true, "rules of everybody": false} {
		if strings.Contains(brief, text) != want {
			t.Errorf("Claude Code is told %q: %t\n%s", text, !want, brief)
		}
	}
	if !strings.Contains(brief, "keeps 4 memories") {
		t.Errorf("what Claude Code has anyway is counted: %s", brief)
	}
	read := w.as("claude-code", map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Read", "tool_use_id": "r1", "tool_input": map[string]any{"file_path": filepath.Join(w.root, "src/auth/x.ts")}})
	if strings.Contains(read, "gotcha") || !strings.Contains(read, "1 decision") {
		t.Errorf("nested rules are repeated: %s", read)
	}
	other := w.as("codex", map[string]any{"hook_event_name": "SessionStart", "session_id": "s2", "source": "startup", "turn_id": "1", "model": "m"})
	if !strings.Contains(other, "rules of Claude") || strings.Contains(other, "rules of all agents") {
		t.Errorf("Codex is told: %s", other)
	}
	must.Write(t, filepath.Join(w.root, "CLAUDE.md"), "@AGENTS.md\n")
	if brief := w.as("claude-code", map[string]any{"hook_event_name": "SessionStart", "session_id": "s3", "source": "startup"}); strings.Contains(brief, "rules of all agents") {
		t.Errorf("what CLAUDE.md brings in is repeated: %s", brief)
	}
}

// TestNotWhatStandsInTheRules: a memory that somebody wrote, or that was exported into the rules, is not told again where the
// agent's rule file says it word for word.
func TestNotWhatStandsInTheRules(t *testing.T) {
	w := newWorld(t)
	pinned := func(id, what string) *file.Memory {
		m := mem(id, file.Convention, what)
		m.Pinned = true
		return m
	}
	w.roots[w.root] = []*file.Memory{
		pinned("a", "Amounts are integers of cents"), pinned("b", "Jobs are idempotent."), pinned("c", "Dates are stored in UTC"), pinned("d", "Use bun, never npm"),
		pinned("e", "Use bun for the tools"), mem("f", file.Convention, "Jobs are idempotent", "src/auth/**"),
	}
	must.Write(t, filepath.Join(w.root, "CLAUDE.md"), "# Rules\n\n- Amounts are integers of cents (pinned, important)\n- jobs are idempotent — the queue delivers twice\n* Logs are English. Dates are stored in `UTC`.\n\nUse **bun**, never npm\n")
	w.as("claude-code", map[string]any{"hook_event_name": "SessionStart", "session_id": "s0", "source": "startup"}) // the first is told more
	brief := w.as("claude-code", map[string]any{"hook_event_name": "SessionStart", "session_id": "s1", "source": "startup"})
	for text, want := range map[string]bool{"cents": false, "idempotent": false, "UTC": false, "never npm": false, "for the tools": true} {
		if strings.Contains(brief, text) != want {
			t.Errorf("Claude Code is told %q: %t\n%s", text, !want, brief)
		}
	}
	read := w.as("claude-code", map[string]any{"hook_event_name": "PreToolUse", "session_id": "s1", "tool_name": "Read", "tool_use_id": "r1", "tool_input": map[string]any{"file_path": filepath.Join(w.root, "src/auth/x.ts")}})
	if !strings.Contains(read, "1 convention") {
		t.Errorf("a memory of a place is not told there: %s", read)
	}
	w.roots[w.root] = []*file.Memory{
		pinned("a", "Format C++ with the house style"), pinned("b", "Retry while the code != 429"), pinned("c", "Keep batches < 100"),
		pinned("d", "Never push on Fridays"), pinned("e", "Deploy by hand"), pinned("g", "Quote every path"),
	}
	must.Write(t, filepath.Join(w.root, "CLAUDE.md"), "- Format C with the house style\n- Retry while the code == 429\n- Keep batches > 100\n<!-- Never push on Fridays\n-->\n- ~~Deploy by hand~~\n> + Quote every *path*!\n")
	brief = w.as("claude-code", map[string]any{"hook_event_name": "SessionStart", "session_id": "s3", "source": "startup"})
	for text, want := range map[string]bool{"C++": true, "!= 429": true, "< 100": true, "Fridays": true, "by hand": true, "Quote": false} {
		if strings.Contains(brief, text) != want {
			t.Errorf("Claude Code is told %q: %t\n%s", text, !want, brief)
		}
	}
	w.roots[w.root] = []*file.Memory{pinned("a", "Amounts are integers of cents")}
	other := w.as("codex", map[string]any{"hook_event_name": "SessionStart", "session_id": "s2", "source": "startup", "turn_id": "1", "model": "m"})
	if !strings.Contains(other, "cents") {
		t.Errorf("Codex, which does not load the file, is told: %s", other)
	}
}
