package process

import (
	"context"
	"fmt"
	"path/filepath"

	"manicule/cmd/internal/evalkit"
)

// The past of a workspace. A short measurement has fewer sessions.
const (
	pastSessions = 1000
	pastThreads  = 40
)

// past measures the start of a session where earlier ones have left something: each asked, edited,
// and ended with a failing check, and people left threads.
func (h hookBench) past(ctx context.Context, w *workspace) error {
	sessions := min(pastSessions, 10*h.n)
	evalkit.Progress("%d sessions at %d memories", sessions, w.size)
	program := h.programs()[0]
	for i := range pastThreads {
		args := []string{"thread", "add", fmt.Sprintf("Part %d of the move to %s is not done", i, w.words[i%len(w.words)]), "--at", w.symbols[i%len(w.symbols)]}
		if out, err := h.box.Manicule(ctx, w.root, args...).CombinedOutput(); err != nil {
			return fmt.Errorf("manicule thread add: %w\n%s", err, out)
		}
	}
	for i := range sessions {
		session, path := fmt.Sprintf("past-%d", i), filepath.Join(w.root, filepath.FromSlash(w.pickFile().path))
		tool := func(name string, input, response map[string]any) map[string]any {
			return map[string]any{"hook_event_name": "PostToolUse", "tool_name": name, "tool_use_id": "toolu_" + session + name, "tool_input": input, "tool_response": response}
		}
		for _, e := range []map[string]any{
			{"hook_event_name": "UserPromptSubmit", "prompt": fmt.Sprintf("Make the retry of part %d in %s safe", i, filepath.Base(path))},
			tool("Edit", map[string]any{"file_path": path, "old_string": "a", "new_string": "b"}, map[string]any{"filePath": path}),
			tool("Bash", map[string]any{"command": fmt.Sprintf("go test ./services -run Part%d", i)}, map[string]any{"stdout": "--- FAIL: TestPart\nFAIL", "exit_code": 1}),
			{"hook_event_name": "SessionEnd", "reason": "exit"},
		} {
			in, err := payload(w, session, e)
			if err != nil {
				return err
			}
			if _, _, err := timed(h.box.Command(ctx, w.root, program.path, "hook", "claude-code"), in); err != nil {
				return err
			}
		}
	}
	if out, err := h.box.Manicule(ctx, w.root, "observe").CombinedOutput(); err != nil {
		return fmt.Errorf("manicule observe: %w\n%s", err, out)
	}
	programs := h.programs()
	times, rows := make([]sample, len(programs)), make([]cpuRow, len(programs))
	from := evalkit.Load()
	for i := -10; i < h.n; i++ {
		for k, p := range programs {
			start := map[string]any{"hook_event_name": "SessionStart", "source": "startup"}
			session := fmt.Sprintf("new-%d-%d", i+10, k)
			took, cpu, err := h.costOf(ctx, w, p, session, start, true)
			if err != nil {
				return err
			}
			in, err := payload(w, session, start)
			if err != nil {
				return err
			}
			floor := h.box.Command(ctx, w.root, h.floor)
			if _, _, err := timed(floor, in); err != nil {
				return err
			}
			if i >= 0 {
				times[k] = append(times[k], took)
				rows[k].cpu, rows[k].floor = append(rows[k].cpu, cpu), append(rows[k].floor, cpuOf(floor))
			}
			end, err := payload(w, session, map[string]any{"hook_event_name": "SessionEnd", "reason": "exit"})
			if err != nil {
				return err
			}
			if _, _, err := timed(h.box.Command(ctx, w.root, program.path, "hook", "claude-code"), end); err != nil { // as one person works
				return err
			}
		}
	}
	for k, p := range programs {
		target := ""
		if k == 0 {
			target = "median 15"
		}
		rows[k].size, rows[k].what = w.size, fmt.Sprintf("SessionStart after %d sessions, %s", sessions, p.name)
		h.cpu = append(h.cpu, rows[k])
		h.addTimes(w, fmt.Sprintf("SessionStart after %d sessions, %s", sessions, p.name), times[k], nil, target, from)
	}
	return nil
}
