package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/sandbox"
)

// buildFloor builds the static program that the hooks are compared with.
func buildFloor(ctx context.Context, box *sandbox.Sandbox) (string, error) {
	dir := filepath.Join(box.Dir, "floor")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("write the static program: %w", err)
	}
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte(floorSource), 0o644); err != nil {
		return "", fmt.Errorf("write the static program: %w", err)
	}
	out := filepath.Join(dir, "floor.exe")
	_, err := sandbox.Go(ctx, []string{"CGO_ENABLED=0"}, "build", "-ldflags", "-s -w", "-o", out, main)
	return out, err
}

// timed runs a process from start to exit and returns its output.
func timed(cmd *exec.Cmd, in []byte) (time.Duration, []byte, error) {
	var out, said bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(in), &out, &said
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	if err != nil {
		return took, nil, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, said.Bytes())
	}
	return took, out.Bytes(), nil
}

// hookBench measures the programs that answer hooks.
type hookBench struct{ *bench }

// program is a program that answers hooks.
type program struct {
	name, path string
	env        []string
}

// programs lists the programs that answer hooks, the one that agents call first:
// manicule-hook, `manicule hook` where it becomes that program, and where it doesn't.
func (h hookBench) programs() []program {
	alone := program{"manicule hook, alone", h.box.Bin, []string{"MANICULE_HOOK_COMPLETE=1"}}
	small := filepath.Join(filepath.Dir(h.box.Bin), "manicule-hook"+filepath.Ext(h.box.Bin))
	if _, err := os.Stat(small); err != nil {
		return []program{alone}
	}
	return []program{{"manicule-hook", small, nil}, {"manicule hook", h.box.Bin, nil}, alone}
}

// hookTimes are the times of one program.
type hookTimes struct{ start, hit, miss, both, prompt sample }

// hooks measures the agent's events. Every run has a session of its own, which starts
// with a brief as a real one does. The tool event follows, alternately on a file with
// memories and on one without, and a question. The programs take turns with the static
// program on the same input.
func (h hookBench) hooks(ctx context.Context, w *workspace) error {
	evalkit.Progress("hooks at %d memories", w.size)
	programs := h.programs()
	times := make([]hookTimes, len(programs))
	var floor sample
	from := evalkit.Load()
	for i := -10; i < h.n; i++ { // the first ten warm up
		least, err := h.least(ctx, w, "bench", toolEvent(w, "bench", w.quiet[0]))
		if err != nil {
			return err
		}
		if i >= 0 {
			floor = append(floor, least)
		}
		for k, p := range programs {
			if err := h.session(ctx, w, p, i, &times[k]); err != nil {
				return err
			}
		}
		if err := h.forgetSessions(); err != nil {
			return err
		}
	}
	h.addTimes(w, "static program, same input", floor, nil, "", from)
	for k, p := range programs {
		t := times[k]
		target := ""
		if k == 0 {
			target = "median 10, p99 25"
			h.ratio = max(h.ratio, t.both.times(floor))
		}
		h.addTimes(w, "PreToolUse, "+p.name, t.both, floor, target, from)
		h.addTimes(w, "– on a file with memories", t.hit, floor, "", from)
		h.addTimes(w, "– on a file without", t.miss, floor, "", from)
		h.addTimes(w, "UserPromptSubmit, "+p.name, t.prompt, floor, "", from)
		h.addTimes(w, "SessionStart, "+p.name, t.start, floor, "", from)
	}
	return nil
}

// forgetSessions removes the sessions' logs. Hundreds of sessions that go on at the same
// time would be measured otherwise, where a machine has a few. It also removes the record of
// late answers: after three of them, which a busy machine brings, hooks do less for ten minutes.
func (h hookBench) forgetSessions() error {
	state := filepath.Join(h.box.Dir, "home", "state", "manicule", "*")
	logs, err := filepath.Glob(filepath.Join(state, "sessions", "*"))
	if err != nil {
		return fmt.Errorf("list the sessions: %w", err)
	}
	late, err := filepath.Glob(filepath.Join(state, "hook-breaker.json"))
	if err != nil {
		return fmt.Errorf("list the late answers: %w", err)
	}
	for _, log := range append(logs, late...) {
		if err := os.Remove(log); err != nil {
			return fmt.Errorf("remove a session: %w", err)
		}
	}
	return nil
}

// session measures the three events of one session; those of a negative i are dropped.
func (h hookBench) session(ctx context.Context, w *workspace, p program, i int, t *hookTimes) error {
	session := fmt.Sprintf("bench-%d-%s", i+10, strings.ReplaceAll(p.name, " ", "_")) // two names differ in this alone
	start, err := h.event(ctx, w, p, session, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}, true)
	if err != nil {
		return err
	}
	path, known := w.pickFile().path, true
	if i%2 != 0 {
		path, known = w.quiet[(i+10)%len(w.quiet)], false
	}
	took, err := h.event(ctx, w, p, session, toolEvent(w, session, path), known)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("why does %s in %s fail?", w.words[(i+10)%len(w.words)], w.pickFile().path)
	asked, err := h.event(ctx, w, p, session, map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text}, true)
	if err != nil || i < 0 {
		return err
	}
	t.both, t.start, t.prompt = append(t.both, took), append(t.start, start), append(t.prompt, asked)
	if known {
		t.hit = append(t.hit, took)
	} else {
		t.miss = append(t.miss, took)
	}
	return nil
}

// toolEvent returns the event before a file is read.
func toolEvent(w *workspace, session, path string) map[string]any {
	return map[string]any{
		"hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Read", "tool_use_id": "toolu_" + session,
		"tool_input": map[string]any{"file_path": filepath.Join(w.root, filepath.FromSlash(path))},
	}
}

func payload(w *workspace, session string, fields map[string]any) ([]byte, error) {
	fields["session_id"], fields["cwd"] = session, w.root
	fields["transcript_path"] = filepath.Join(w.root, "..", "home", session+".jsonl")
	in, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("write an event: %w", err)
	}
	return in, nil
}

// event measures one hook and checks that it answers where it should.
func (h hookBench) event(ctx context.Context, w *workspace, p program, session string, fields map[string]any, known bool) (time.Duration, error) {
	took, _, err := h.costOf(ctx, w, p, session, fields, known)
	return took, err
}

// costOf is event, and also returns the processor time.
func (h hookBench) costOf(ctx context.Context, w *workspace, p program, session string, fields map[string]any, known bool) (took, cpu time.Duration, err error) {
	in, err := payload(w, session, fields)
	if err != nil {
		return 0, 0, err
	}
	cmd := h.box.Command(ctx, w.root, p.path, "hook", "claude-code")
	cmd.Env = slices.Concat(cmd.Env, p.env, []string{"MANICULE_HOOKS_ARMS=false"}) // each session is to be told all
	took, out, err := timed(cmd, in)
	if err != nil {
		return 0, 0, err
	}
	name := fields["hook_event_name"]
	switch said := bytes.Contains(out, []byte("☞")); {
	case name == "UserPromptSubmit" || said == known:
	case said:
		return 0, 0, fmt.Errorf("%s spoke where nothing is known: %s", name, out)
	default: // a single timeout is a result, frequent ones are a fault
		if h.silent++; h.silent > 2+len(h.programs())*h.n/20 {
			return 0, 0, fmt.Errorf("%s is silent where something is known, %d times by now", name, h.silent)
		}
	}
	return took, cpuOf(cmd), nil
}

func (h hookBench) least(ctx context.Context, w *workspace, session string, fields map[string]any) (time.Duration, error) {
	in, err := payload(w, session, fields)
	if err != nil {
		return 0, err
	}
	took, _, err := timed(h.box.Command(ctx, w.root, h.floor), in)
	return took, err
}
