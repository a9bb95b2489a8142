package process

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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

// hooks measures the agent's events. Every run has a session of its own, which starts
// with a brief as a real one does. The tool event follows, alternately on a file with
// memories and on one without. The static program runs right after it on the same input.
func (b *bench) hooks(ctx context.Context, w *workspace) error {
	evalkit.Progress("hooks at %d memories", w.size)
	var start, hit, miss, both, floor, prompt sample
	from := evalkit.Load()
	for i := -10; i < b.n; i++ { // the first ten warm up
		session := fmt.Sprintf("bench-%d", i+10)
		s, err := b.event(ctx, w, session, map[string]any{"hook_event_name": "SessionStart", "source": "startup"}, true)
		if err != nil {
			return err
		}
		path, known := w.pickFile().path, true
		if i%2 != 0 {
			path, known = w.quiet[(i+10)%len(w.quiet)], false
		}
		read := toolEvent(w, session, path)
		took, err := b.event(ctx, w, session, read, known)
		if err != nil {
			return err
		}
		least, err := b.least(ctx, w, session, read)
		if err != nil {
			return err
		}
		if i < 0 {
			continue
		}
		both, floor, start = append(both, took), append(floor, least), append(start, s)
		if known {
			hit = append(hit, took)
		} else {
			miss = append(miss, took)
		}
	}
	b.ratio = max(b.ratio, float64(both.median())/float64(floor.median()))
	b.add(w, "PreToolUse, whole process", both, "median 10, p99 25", from)
	b.add(w, "– on a file with memories", hit, "", from)
	b.add(w, "– on a file without", miss, "", from)
	b.add(w, "– static program, same input", floor, "", from)
	b.add(w, "SessionStart, whole process", start, "", from)
	from = evalkit.Load()
	for i := range b.n {
		text := fmt.Sprintf("why does %s in %s fail?", w.words[i%len(w.words)], w.pickFile().path)
		took, err := b.event(ctx, w, "bench-prompt-"+fmt.Sprint(i), map[string]any{"hook_event_name": "UserPromptSubmit", "prompt": text}, true)
		if err != nil {
			return err
		}
		prompt = append(prompt, took)
	}
	b.add(w, "UserPromptSubmit, whole process", prompt, "", from)
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
func (b *bench) event(ctx context.Context, w *workspace, session string, fields map[string]any, known bool) (time.Duration, error) {
	in, err := payload(w, session, fields)
	if err != nil {
		return 0, err
	}
	took, out, err := timed(b.box.Manicule(ctx, w.root, "hook", "claude-code"), in)
	if err != nil {
		return 0, err
	}
	name := fields["hook_event_name"]
	switch said := bytes.Contains(out, []byte("☞")); {
	case name == "UserPromptSubmit" || said == known:
	case said:
		return 0, fmt.Errorf("%s spoke where nothing is known: %s", name, out)
	default: // a single timeout is a result, frequent ones are a fault
		if b.silent++; b.silent > 2+b.n/20 {
			return 0, fmt.Errorf("%s is silent where something is known, %d times by now", name, b.silent)
		}
	}
	return took, nil
}

func (b *bench) least(ctx context.Context, w *workspace, session string, fields map[string]any) (time.Duration, error) {
	in, err := payload(w, session, fields)
	if err != nil {
		return 0, err
	}
	took, _, err := timed(b.box.Command(ctx, w.root, b.floor), in)
	return took, err
}

// commands measures commands that a person or an agent types.
func (b *bench) commands(ctx context.Context, w *workspace) error {
	evalkit.Progress("commands at %d memories", w.size)
	for _, c := range []struct {
		name, target string
		n            int
		args         func(i int) []string
	}{
		{"recall, whole process", "60", b.n, func(int) []string { return []string{"recall", w.pickFile().path} }},
		{"search, whole process", "60", b.n, func(i int) []string {
			return []string{"search", w.words[i%len(w.words)] + " " + w.words[(i*7+3)%len(w.words)]}
		}},
		{"remember, whole process", "150", b.n, func(i int) []string {
			return []string{"remember", fmt.Sprintf("%s (%d)", w.sentence(), i), "--type", "gotcha", "--at", w.symbols[i*13%len(w.symbols)]}
		}},
	} {
		var times sample
		from := evalkit.Load()
		for i := -3; i < max(c.n, 5); i++ {
			took, out, err := timed(b.box.Manicule(ctx, w.root, c.args(i+3)...), nil)
			if err != nil {
				return err
			}
			if len(out) == 0 {
				return fmt.Errorf("%s printed nothing", c.name)
			}
			if i >= 0 {
				times = append(times, took)
			}
		}
		b.add(w, c.name, times, c.target, from)
	}
	return nil
}
