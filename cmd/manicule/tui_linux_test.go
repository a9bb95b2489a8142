package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/must"

	"golang.org/x/sys/unix"
)

// onTerminal starts `manicule tui` on a terminal of 80×24.
func onTerminal(t *testing.T, p program, env ...string) (person *os.File, c *exec.Cmd) {
	t.Helper()
	person, process := pty(t)
	must.OK(t, unix.IoctlSetWinsize(int(process.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	c = p.command(t, "tui")
	c.Env = append(c.Env, append([]string{"TERM=xterm"}, env...)...)
	c.Stdin, c.Stdout, c.Stderr = process, process, process
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	must.OK(t, c.Start())
	context.AfterFunc(ctx, func() { _ = c.Process.Kill() })
	return person, c
}

func typed(t *testing.T, person *os.File, keys string) {
	t.Helper()
	if _, err := person.WriteString(keys); err != nil {
		t.Fatal(err)
	}
}

// TestTUI reviews on a real terminal: what keys decide is what the commands say afterwards.
func TestTUI(t *testing.T) {
	p := newProgram(t)
	p.run(t, "init")
	must.Write(t, filepath.Join(p.dir, "token.go"), "package token\n\nfunc Validate() {\n\tcheckTheFirst()\n}\n")
	p.run(t, "remember", "validate before the token is stored", "--type", "gotcha", "--at", "token.go#Validate")
	for _, text := range []string{"the retry helper waits between calls", "the cache is never cleared by hand"} {
		p.run(t, "remember", text, "--draft", "--type", "convention")
	}
	opened := filepath.Join(filepath.Dir(p.dir), "opened")
	editor := filepath.Join(filepath.Dir(p.dir), "vi")
	must.OK(t, os.WriteFile(editor, []byte("#!/bin/sh\necho \"$@\" > "+opened+"\n"), 0o755))
	person, c := onTerminal(t, p, "EDITOR="+editor)
	var seen strings.Builder
	readUntil(t, person, "seen 1 time", 1, &seen) // the preview of the first draft
	typed(t, person, "a")
	readUntil(t, person, "accepted: ", 1, &seen)
	readUntil(t, person, "cache is never cleared by hand", 2, &seen) // the cursor is on the next draft
	typed(t, person, "x")
	readUntil(t, person, "rejected: ", 1, &seen)
	typed(t, person, "/validate\r")
	readUntil(t, person, "checkTheFirst", 1, &seen) // the code that it cites
	typed(t, person, "c")
	readUntil(t, person, "confirmed: ", 1, &seen)
	must.Write(t, filepath.Join(p.dir, "token.go"), "package token\n\nfunc Validate() {\n\tcheckTheFirst()\n\tcheckTheSecond()\n\tcheckTheThird()\n}\n")
	typed(t, person, "R")
	readUntil(t, person, "t still true", 1, &seen)
	typed(t, person, "t")
	readUntil(t, person, "still true: validate before", 1, &seen)
	typed(t, person, "o")
	readUntil(t, person, "opened token.go", 1, &seen)
	typed(t, person, "q")
	if err := c.Wait(); err != nil {
		t.Fatalf("%v:\n%s", err, seen.String())
	}
	if got := p.run(t, "review", "list"); !strings.Contains(got, "nothing to review") {
		t.Errorf("left to review:\n%s", got)
	}
	if got := p.run(t, "verify", "--json"); !strings.Contains(got, `"fresh":`) || strings.Contains(got, `"drifted":`) {
		t.Errorf("left to settle:\n%s", got)
	}
	list := p.run(t, "list")
	if !strings.Contains(list, "retry helper") || strings.Contains(list, "the cache is never") {
		t.Errorf("kept:\n%s", list)
	}
	if got, err := os.ReadFile(opened); err != nil || !strings.HasPrefix(string(got), "+3 ") {
		t.Errorf("the editor got %q, %v", got, err)
	}
	if strings.Contains(seen.String(), "\x1b]11;?") || strings.Contains(seen.String(), "\x1b]10;?") {
		t.Error("it asks the terminal for its colours")
	}
}

// TestTUITerminated holds that SIGTERM gives the screen back.
func TestTUITerminated(t *testing.T) {
	p := newProgram(t)
	p.run(t, "init")
	person, c := onTerminal(t, p, "NO_COLOR=1")
	var seen strings.Builder
	readUntil(t, person, "no memories", 1, &seen)
	if strings.Contains(seen.String(), "\x1b[1m") || strings.Contains(seen.String(), "\x1b[31m") {
		t.Errorf("colours without being wanted: %q", seen.String())
	}
	must.OK(t, c.Process.Signal(syscall.SIGTERM))
	readUntil(t, person, "\x1b[?1049l", 1, &seen) // the screen from before
	_ = c.Wait()                                  // the code says it
	if code := c.ProcessState.ExitCode(); code != 143 {
		t.Errorf("exit code %d", code)
	}
}
