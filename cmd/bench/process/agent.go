package process

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/wire"
)

// toolBench measures the MCP server.
type toolBench struct{ *bench }

// agent measures requests to an MCP server.
type agent struct{ *wire.Agent }

// startAgent starts a server and completes the handshake. env is added to the sandbox's
// environment.
func (t toolBench) startAgent(ctx context.Context, dir string, env ...string) (*agent, error) {
	cmd := t.box.Manicule(ctx, dir, "mcp", "--structured")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stderr = os.Stderr
	a, err := wire.StartAgent(cmd, "bench")
	if err != nil {
		return nil, err
	}
	return &agent{a}, nil
}

// call calls a tool. A tool error is returned as an error.
func (a *agent) call(tool string, args map[string]any) (time.Duration, error) {
	took, _, err := a.answer(tool, args)
	return took, err
}

// answer calls a tool and returns its structured content.
func (a *agent) answer(tool string, args map[string]any) (time.Duration, string, error) {
	start := time.Now()
	content, err := a.Tool(tool, args)
	return time.Since(start), content, err
}

// tools measures the MCP server: calls one after the other, as an agent makes them, and
// the memory afterwards.
func (t toolBench) tools(ctx context.Context, w *workspace) error {
	evalkit.Progress("MCP server at %d memories", w.size)
	if err := t.toolsAt(ctx, w, w.root, w.symbols, "MCP"); err != nil {
		return err
	}
	if err := t.toolsWithModel(ctx, w); err != nil {
		return err
	}
	if t.tree == "" {
		return nil
	}
	root := filepath.Join(t.box.Dir, fmt.Sprintf("tree-%d", w.size))
	evalkit.Progress("MCP server at %d memories in a copy of %s", w.size, t.tree)
	if err := os.CopyFS(root, os.DirFS(t.tree)); err != nil {
		return fmt.Errorf("copy %s: %w", t.tree, err)
	}
	if err := os.CopyFS(filepath.Join(root, ".manicule"), os.DirFS(filepath.Join(w.root, ".manicule"))); err != nil {
		return fmt.Errorf("copy the memories: %w", err)
	}
	symbols, err := declared(root)
	if err != nil {
		return err
	}
	return errors.Join(t.toolsAt(ctx, w, root, symbols, "MCP, "+filepath.Base(t.tree)), os.RemoveAll(root))
}

// firstWait bounds the first reading of the code.
const firstWait = 10 * time.Minute

// toolsAt measures the tools in one folder.
func (t toolBench) toolsAt(ctx context.Context, w *workspace, root string, symbols []string, name string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*firstWait)
	defer cancel()
	a, err := t.startAgent(ctx, root)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	docs := w.busiest(opened)
	if _, err := a.call("recall", map[string]any{"paths": []string{docs[0].path}}); err != nil {
		return err
	}
	if _, err := a.call("search", map[string]any{"query": w.words[0]}); err != nil {
		return err
	}
	t.recordMemory(ctx, w, a, name+" server without a code graph")
	for end := time.Now().Add(firstWait); ; { // the code is read for the first time
		_, err := a.call("impact", map[string]any{"targets": []string{symbols[0]}})
		if err == nil {
			break
		}
		if !strings.Contains(err.Error(), "still being read") || time.Now().After(end) {
			return err
		}
	}
	for _, c := range []struct {
		tool, target string
		args         func(i int) map[string]any
	}{
		{"recall", "p50 10", func(i int) map[string]any {
			return map[string]any{"paths": []string{docs[i%len(docs)].path}}
		}},
		{"search", "p50 20", func(i int) map[string]any {
			return map[string]any{"query": w.words[i%len(w.words)] + " " + w.words[(i*7+3)%len(w.words)] + " " + w.words[(i*31+11)%len(w.words)]}
		}},
		{"impact", "p50 15", func(i int) map[string]any {
			return map[string]any{"targets": []string{symbols[i*7919%len(symbols)]}}
		}},
		{"context", "", func(i int) map[string]any {
			return map[string]any{"task": "change " + w.words[i%len(w.words)] + " and " + w.words[(i*13+5)%len(w.words)], "paths": []string{docs[i%len(docs)].path}}
		}},
	} {
		var times sample
		from := evalkit.Load()
		for i := range t.n {
			took, err := a.call(c.tool, c.args(i))
			if err != nil {
				if strings.Contains(err.Error(), "ambiguous") || strings.Contains(err.Error(), "not in the code graph") || strings.Contains(err.Error(), "no symbol") {
					continue // a pattern found it, the grammar did not
				}
				return err
			}
			times = append(times, took)
		}
		if len(times) < t.n/2 {
			return fmt.Errorf("%s answered only %d of %d calls", c.tool, len(times), t.n)
		}
		t.add(w, name+": "+c.tool, times, c.target, from)
	}
	t.recordMemory(ctx, w, a, fmt.Sprintf("%s server after %d calls", name, 4*t.n))
	return nil
}

// small is the model with which memory and searches of the server are measured.
const small = "all-MiniLM-L6-v2-int8"

// resting is how long a server needs to return unused memory.
const resting = 12 * time.Second

// toolsWithModel measures the cost of a model: the server's memory after it has embedded
// all memories, its memory after searches in a process that found the vectors, and the
// time of a search.
func (t toolBench) toolsWithModel(ctx context.Context, w *workspace) (err error) {
	if t.models == "" {
		return nil
	}
	evalkit.Progress("MCP server at %d memories with %s", w.size, small)
	ctx, cancel := context.WithTimeout(ctx, 2*firstWait)
	defer cancel()
	remove, err := t.install()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	const env = "MANICULE_EMBEDDING_MODEL=" + small
	question := func(i int) map[string]any {
		return map[string]any{"query": w.words[i%len(w.words)] + " " + w.words[(i*7+3)%len(w.words)] + " " + w.words[(i*31+11)%len(w.words)]}
	}
	first, err := t.startAgent(ctx, w.root, env)
	if err != nil {
		return err
	}
	err = untilEmbedded(ctx, first, question)
	if err == nil {
		t.recordMemoryAtRest(ctx, w, first, resting, "MCP server with int8, that made all vectors", "250")
	}
	if err = errors.Join(err, first.Close()); err != nil {
		return err
	}
	a, err := t.startAgent(ctx, w.root, env)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := untilEmbedded(ctx, a, question); err != nil {
		return err
	}
	var times sample
	from := evalkit.Load()
	for i := range t.n {
		took, err := a.call("search", question(i))
		if err != nil {
			return err
		}
		times = append(times, took)
	}
	t.add(w, "MCP: search, with int8, warm", times, "p50 20", from)
	t.recordMemoryAtRest(ctx, w, a, quiet, fmt.Sprintf("MCP server with int8, right after %d searches", t.n), "")
	t.recordMemoryAtRest(ctx, w, a, resting, "– when it has rested", "250")
	return nil
}

// untilEmbedded searches until all memories have vectors.
func untilEmbedded(ctx context.Context, a *agent, question func(int) map[string]any) error {
	for i := 0; ; i++ {
		_, text, err := a.answer("search", question(i))
		if err != nil {
			return err
		}
		if strings.Contains(text, "only words were searched") {
			return fmt.Errorf("the model does not work: %s", text)
		}
		if !strings.Contains(text, "no vector yet") {
			return nil
		}
		select {
		case <-time.After(quiet):
		case <-ctx.Done():
			return errors.New("the vectors are never all there")
		}
	}
}

// recordMemory records the memory of a server that was idle for a moment.
func (t toolBench) recordMemory(ctx context.Context, w *workspace, a *agent, what string) {
	t.recordMemoryAtRest(ctx, w, a, quiet, what, "80")
}

// recordMemoryAtRest records the memory of a server that was idle for a while.
func (t toolBench) recordMemoryAtRest(ctx context.Context, w *workspace, a *agent, rest time.Duration, what, target string) {
	select {
	case <-time.After(rest):
	case <-ctx.Done():
		return
	}
	resident, own, err := memoryOf(a.PID())
	if err != nil {
		evalkit.Progress("%v", err) // only Linux reports it
		return
	}
	t.memory = append(t.memory, footprint{w.size, what, resident, own, target})
	evalkit.Progress("  %-45s %.0f MB, %.0f of them its own", what, resident, own)
}

// declared finds Go functions with a pattern and returns them as FILE#Symbol.
func declared(root string) ([]string, error) {
	pattern := regexp.MustCompile(`(?m)^func (?:\(\w+ \*?(\w+)\) )?(\w+)\(`)
	var out []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/vendor/") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		for _, m := range pattern.FindAllStringSubmatch(string(text), -1) {
			symbol := strings.TrimPrefix(m[1]+"."+m[2], ".")
			out = append(out, filepath.ToSlash(rel)+"#"+symbol)
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fmt.Errorf("%s has no functions of Go", root)
	}
	if err != nil {
		return nil, fmt.Errorf("look for functions: %w", err)
	}
	return out, nil
}
