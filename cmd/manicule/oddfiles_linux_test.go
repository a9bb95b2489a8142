package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// TestOddOwnFiles puts a pipe, and then a folder, in the place of each file that Manicule keeps on this machine.
// Nothing waits for it; what is in the repository is shown, and what is said to be remembered is there.
func TestOddOwnFiles(t *testing.T) {
	wholeFormOnly(t)
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", "alpha is first", "--scope", "src/**"))
	p.must(p.run("", "remember", "a draft of an agent's", "--draft", "--scope", "src/**"))
	p.must(p.run("", "index"))
	home := filepath.Join(filepath.Dir(p.root), "home")
	session := `{"session_id":"s","cwd":"` + p.root + `","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"` + filepath.Join(p.root, "src", "a.go") + `"}}`
	p.must(p.run(session, "hook", "claude-code"))
	p.must(p.run("", "status"))
	var files []string
	p.must(filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && strings.Contains(path, string(filepath.Separator)+"manicule"+string(filepath.Separator)) {
			files = append(files, path)
		}
		return err
	}))
	if len(files) < 15 {
		t.Fatalf("only %d files are kept: %q", len(files), files)
	}
	aside := filepath.Join(filepath.Dir(home), "aside")
	must.OK(t, os.CopyFS(aside, os.DirFS(home)))
	for _, name := range files {
		for what, put := range map[string]func(string) error{
			"pipe":   func(name string) error { return unix.Mkfifo(name, 0o600) },
			"folder": func(name string) error { return os.Mkdir(name, 0o700) },
		} {
			if strings.HasPrefix(filepath.Base(name), "state.db") && what == "folder" {
				continue // what is in it can't be had
			}
			must.OK(t, os.RemoveAll(home))
			must.OK(t, os.CopyFS(home, os.DirFS(aside)))
			must.OK(t, os.Remove(name))
			must.OK(t, put(name))
			rel, err := filepath.Rel(home, name)
			must.OK(t, err)
			at := what + " at " + rel
			if out, err := p.inTime(session, "hook", "claude-code"); err != nil {
				t.Errorf("%s: hook: %v\n%s", at, err, out)
			}
			if out, err := p.inTime("", "remember", at, "--scope", "src/**"); err != nil {
				t.Errorf("%s: remember: %v\n%s", at, err, out)
			}
			if out, err := p.inTime("", "list"); err != nil || !strings.Contains(out, "alpha is first") || !strings.Contains(out, at) {
				t.Errorf("%s: list: %v\n%s", at, err, out)
			}
			if what == "folder" {
				continue // it keeps nobody waiting
			}
			for _, command := range []string{"review", "status", "doctor"} {
				if out, err := p.inTime("", command); errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %s: %v\n%s", at, command, err, out)
				}
			}
		}
	}
}

// inTime runs a command; the error is of the context if it did not end.
func (p *place) inTime(stdin string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), 30*time.Second) // far more than any takes
	defer cancel()
	whole := p.command(args...)
	cmd := exec.CommandContext(ctx, whole.Path, whole.Args[1:]...)
	var out bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = p.root, p.env, strings.NewReader(stdin), &out, &out
	err := cmd.Run()
	return out.String(), errors.Join(ctx.Err(), err)
}
