package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// TestHookEnds holds that nothing a hook waits for keeps it from ending by its
// deadline with an answer that the agent takes: neither its input nor a file of
// settings that nobody ever writes to the end.
func TestHookEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for deadlines")
	}
	event := `{"session_id":"s","hook_event_name":"UserPromptSubmit","cwd":".","prompt":"flush the cache"}`
	for name, c := range map[string]struct {
		fifo  string // below the test's home
		stdin bool   // that gives nothing
		torn  string // that gives this and goes on
		env   []string
	}{
		"an input that gives nothing":         {stdin: true},
		"an input that stops half-way":        {stdin: true, torn: event[:40]},
		"the user's settings":                 {fifo: "config/manicule/config.toml"},
		"the repository's settings":           {fifo: "repo/.manicule/config.toml"},
		"the agent's settings, for a plugin":  {fifo: "repo/.claude/settings.local.json", env: []string{"CLAUDE_PLUGIN_ROOT=/plugin", "CLAUDE_PROJECT_DIR=REPO"}},
		"where git says that its folder is":   {fifo: "repo/.git"},
		"the database's pointer":              {fifo: "cache/manicule"},
		"the folder of what is known of here": {fifo: "state/manicule"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram(t)
			home := filepath.Dir(p.dir)
			must.Mkdir(t, filepath.Join(p.dir, ".manicule", "memories"))
			if c.fifo != "" {
				at := filepath.Join(home, c.fifo)
				must.Mkdir(t, filepath.Dir(at))
				if err := unix.Mkfifo(at, 0o600); err != nil {
					t.Skip(err)
				}
			}
			for _, agent := range []string{"claude-code", "cursor", "gemini"} {
				p.hookEnds(t, agent, event, c.stdin, c.torn, c.env)
			}
		})
	}
}

func (p program) hookEnds(t *testing.T, agent, event string, blocked bool, torn string, env []string) {
	t.Helper()
	// Far more than the deadline: what is held is that it ends, on any machine.
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	whole := p.command(t, "hook", agent)
	c := exec.CommandContext(ctx, whole.Path, "hook", agent)
	c.Dir = p.dir
	c.Env = append(c.Env, p.env...)
	for _, e := range env {
		c.Env = append(c.Env, string(bytes.ReplaceAll([]byte(e), []byte("REPO"), []byte(p.dir))))
	}
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	r, w, err := os.Pipe()
	must.OK(t, err)
	c.Stdin = r
	must.OK(t, c.Start())
	text := event
	if blocked {
		text = torn
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if !blocked {
		must.OK(t, w.Close())
	}
	err = c.Wait()
	_ = w.Close() // where it is open yet
	_ = r.Close()
	if err != nil || said.Len() > 0 {
		t.Errorf("%s: %v, %q", agent, err, said.String())
	}
	if got := bytes.TrimSpace(out.Bytes()); len(got) > 0 && !bytes.HasPrefix(got, []byte("{")) {
		t.Errorf("%s: it answers %q", agent, got)
	}
}
