package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"manicule/indexer/must"
	"manicule/lsp/lsptest"
	"manicule/memory/file"
)

// TestThreeWriters has a hook, a command and a server write at once, each in
// its own processes: nothing may be lost and everything must agree after.
func TestThreeWriters(t *testing.T) {
	wholeFormOnly(t)
	const each = 20
	p := newPlace(t)
	p.must(p.run("", "init"))

	var wg sync.WaitGroup
	errs := make([]error, 3)
	for i, write := range []func(n int) error{
		func(n int) error { return p.run("", "remember", fmt.Sprintf("command %d", n), "--scope", "src/**") },
		func(n int) error {
			event, err := json.Marshal(map[string]any{"session_id": "s-1", "cwd": p.root, "hook_event_name": "UserPromptSubmit",
				"permission_mode": "default", "prompt": fmt.Sprintf("/remember hook %d", n)})
			return errors.Join(err, p.run(string(event), "hook", "claude-code"))
		},
	} {
		wg.Go(func() {
			for n := range each {
				errs[i] = errors.Join(errs[i], write(n))
			}
		})
	}
	editor := lsptest.Start(t, p.root, p.serve)
	editor.Initialize(lsptest.Full())
	wg.Go(func() {
		for n := range each {
			_, err := editor.Call("workspace/executeCommand", map[string]any{"command": "manicule.remember",
				"arguments": []any{map[string]any{"uri": editor.URI("src/a.go"), "text": fmt.Sprintf("server %d", n)}}})
			errs[2] = errors.Join(errs[2], err)
		}
	})
	wg.Wait()
	for _, err := range errs {
		p.must(err)
	}
	editor.Shutdown()

	want := map[string]bool{}
	for n := range each {
		for _, who := range []string{"command", "hook", "server"} {
			want[fmt.Sprintf("%s %d", who, n)] = true
		}
	}
	p.wantFiles(want)
	p.wantList(want)
	// What the database says without a look at the files.
	p.must(os.Rename(filepath.Join(p.root, ".manicule"), filepath.Join(p.root, "aside")))
	p.must(os.Rename(filepath.Join(p.root, "aside"), filepath.Join(p.root, ".manicule")))
	p.must(p.run("", "doctor"))
	p.must(p.run("", "sync", "import"))
	p.wantList(want)
}

// TestManyWriters has many hooks and commands at the same moment, each with
// the time that it really has: what says that it stored a memory has stored it.
// A hook whose time is up says nothing, which only a very busy machine may make
// of any; whether its memory is there is then not known.
func TestManyWriters(t *testing.T) {
	wholeFormOnly(t)
	if slowedDown {
		t.Skip("its deadlines are those of a program that runs at full speed")
	}
	const each = 20
	late := 0
	p := newPlace(t)
	p.env = append(p.env, envPatient+"=", envBudget+"=")
	p.must(p.run("", "init"))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var lost []string
	want := map[string]bool{}
	did := func(what string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			lost = append(lost, what+": "+err.Error())
			return
		}
		want[what] = true
	}
	for n := range each {
		wg.Go(func() {
			what := fmt.Sprintf("command %d", n)
			did(what, p.run("", "remember", what, "--scope", "src/**"))
		})
		wg.Go(func() {
			what := fmt.Sprintf("hook %d", n)
			event, err := json.Marshal(map[string]any{"session_id": fmt.Sprint("s-", n), "cwd": p.root,
				"hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": "/remember " + what})
			if err != nil {
				did(what, err)
				return
			}
			out, err := p.output(string(event), "hook", "claude-code")
			if err == nil && out == "" {
				mu.Lock()
				late++
				mu.Unlock()
				return
			}
			if err == nil && !strings.Contains(out, "has stored") {
				err = fmt.Errorf("it answered %q", out)
			}
			did(what, err)
		})
	}
	wg.Wait()
	for _, l := range lost {
		t.Error(l)
	}
	p.env = append(p.env, envPatient+"=1m", envBudget+"="+hookBudget)
	if late > 0 {
		t.Logf("the time of %d of %d hooks was up", late, each)
		for what := range p.files() {
			if strings.HasPrefix(what, "hook ") {
				want[what] = true
			}
		}
	}
	if late > each/2 {
		t.Errorf("the time of %d of %d hooks was up", late, each)
	}
	p.wantFiles(want)
	p.wantList(want)
}

// place is a repository with a home, in which the program is run.
type place struct {
	t    testing.TB
	root string
	env  []string
	in   []string // a command that starts the program, as for a namespace of its own
}

func newPlace(t testing.TB) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must.OK(t, err)
	p := &place{t: t, root: filepath.Join(dir, "repo"), env: append(os.Environ(), envPatient+"=1m", envBudget+"="+hookBudget, "TMPDIR="+dir)}
	for k, v := range homeVars(filepath.Join(dir, "home")) {
		p.env = append(p.env, k+"="+v)
	}
	p.must(makeHome(filepath.Join(dir, "home")))
	p.must(os.MkdirAll(filepath.Join(p.root, "src"), 0o755))
	p.must(os.WriteFile(filepath.Join(p.root, "src", "a.go"), []byte("package a\n"), 0o644))
	return p
}

func (p *place) must(err error) {
	p.t.Helper()
	must.OK(p.t, err)
}

func (p *place) command(args ...string) *exec.Cmd {
	args = slices.Concat(p.in, []string{"manicule"}, args)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = p.root, p.env
	return cmd
}

func (p *place) run(stdin string, args ...string) error {
	_, err := p.output(stdin, args...)
	return err
}

func (p *place) output(stdin string, args ...string) (string, error) {
	var out, complaint bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &complaint
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("manicule %s: %w\n%s%s", strings.Join(args, " "), err, out.String(), complaint.String())
	}
	return out.String(), nil
}

// serve connects an editor to a real language server process.
func (p *place) serve(_ context.Context, conn io.ReadWriteCloser) error {
	cmd := p.command("lsp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(in, conn) // ends with the connection
		_ = in.Close()           // the server may be gone already
	}()
	_, _ = io.Copy(conn, out) // ends with the server
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("manicule lsp: %w\n%s", err, complaint.String())
	}
	return nil
}

// wantFiles holds the memory files against what was written.
func (p *place) wantFiles(want map[string]bool) {
	p.t.Helper()
	compare(p.t, "file", p.files(), want)
}

// files is what the memory files say.
func (p *place) files() map[string]bool {
	p.t.Helper()
	got := map[string]bool{}
	p.must(filepath.WalkDir(filepath.Join(p.root, ".manicule", "memories"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" {
			return err
		}
		m, err := file.Read(path)
		if err != nil {
			return err
		}
		got[m.What] = true
		return nil
	}))
	return got
}

func (p *place) wantList(want map[string]bool) {
	p.t.Helper()
	out, err := p.output("", "list", "--json")
	p.must(err)
	var list struct {
		Total    int `json:"total"`
		Memories []struct {
			Memory struct {
				What string `json:"what"`
			} `json:"memory"`
		} `json:"memories"`
	}
	p.must(json.Unmarshal([]byte(out), &list))
	got := map[string]bool{}
	for _, m := range list.Memories {
		got[m.Memory.What] = true
	}
	if list.Total != len(want) {
		p.t.Errorf("list has %d memories, want %d", list.Total, len(want))
	}
	compare(p.t, "listed memory", got, want)
}

func compare(t testing.TB, what string, got, want map[string]bool) {
	t.Helper()
	for k := range want {
		if !got[k] {
			t.Errorf("no %s says %q", what, k)
		}
	}
	for k := range got {
		if !want[k] {
			t.Errorf("unexpected %s: %q", what, k)
		}
	}
}
