package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"manicule/indexer/must"
)

// TestTrustHookProgram: the program for hooks alone is run for hooks, where the
// whole one would be, and never as a server.
func TestTrustHookProgram(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must.OK(t, err)
	in := func(path string) string { return filepath.Join(dir, filepath.FromSlash(path), HookProgram) }
	for _, folder := range []string{"self", "opt", "old", "shop/bin"} {
		must.OK(t, errors.Join(os.MkdirAll(filepath.Dir(in(folder)), 0o700), os.WriteFile(in(folder), nil, 0o700)))
	}
	for i, c := range []struct {
		onPath, program string
		private, want   bool
	}{
		{"opt", HookProgram, false, true},
		{"opt", in("opt"), false, true},
		{"opt", in("self"), false, true}, // beside the program that runs
		{"opt", in("old"), true, true},
		{"opt", in("old"), false, false}, // the repository's choice
		{"shop/bin", HookProgram, false, false},
		{"opt", in("shop/bin"), true, false},
		{"opt", "./" + HookProgram, true, false},
		{"opt", in("none"), true, false},
	} {
		trust := Trust{Roots: []string{filepath.Join(dir, "shop")}, Self: filepath.Join(dir, "self", Server), LookPath: func(name string) (string, error) {
			if filepath.IsAbs(name) {
				_, err := os.Stat(name)
				return name, err
			}
			return filepath.Join(dir, filepath.FromSlash(c.onPath), name), nil
		}}
		path := c.program
		if path == HookProgram {
			path = in(c.onPath)
		}
		for _, shared := range []bool{false, true} {
			line, err := Command("claude-code", c.program, shared)
			must.OK(t, err)
			words, err := trust.Hook("claude-code", line, c.private)
			if (err == nil) != c.want || c.want && !slices.Equal(words, []string{path, "hook", "claude-code"}) {
				t.Errorf("%d: %s: %q, %v", i, line, words, err)
			}
		}
		if words, err := trust.Server([]string{c.program, "mcp"}, c.private); err == nil {
			t.Errorf("%d: as a server: %q", i, words)
		}
	}
}
