package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"manicule/indexer/must"
)

// TestPassingReadFault reads edited memories with too few open files allowed, as a
// busy machine has it. What could not be read then is there a moment later.
func TestPassingReadFault(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	if _, err := exec.LookPath("prlimit"); err != nil {
		t.Skip("there is no prlimit to limit the open files with")
	}
	p := newPlace(t)
	p.must(p.run("", "init"))
	want := map[string]bool{}
	for i := range 4 {
		what := fmt.Sprintf("memory number %d", i)
		p.must(p.run("", "remember", what, "--scope", "src/**"))
		want[what] = true
	}
	p.wantList(want)
	names, err := filepath.Glob(filepath.Join(p.root, ".manicule", "memories", "*", "*.json"))
	if err != nil || len(names) != len(want) {
		t.Fatalf("%v, %v", names, err)
	}
	failed := 0
	for limit := 5; limit < 24; limit++ {
		for _, name := range names { // edited in place, so that each has to be read again
			data, err := os.ReadFile(name)
			p.must(err)
			p.must(os.WriteFile(name, append(data, '\n'), 0o644))
		}
		cmd := p.command("list", "--json")
		path, err := exec.LookPath("manicule")
		p.must(err)
		cmd = exec.Command("prlimit", append([]string{"--nofile=" + strconv.Itoa(limit), path}, cmd.Args[1:]...)...)
		cmd.Dir, cmd.Env = p.root, p.env
		if out, err := cmd.Output(); err != nil || strings.Count(string(out), "memory number") < len(want) {
			failed++
		}
		p.wantList(want)
	}
	if failed == 0 {
		t.Error("no limit was low enough to fail: the test shows nothing")
	}
}

// TestBadDisks runs commands while the disk of the cache, of the state or of the
// repository is full or can't be written to. What is in files is read, a hook
// answers, and what could not be done is said.
func TestBadDisks(t *testing.T) {
	wholeFormOnly(t)
	if err := exec.Command("unshare", "-m", "true").Run(); err != nil {
		t.Skipf("no mounts can be made here: %v", err)
	}
	read := []string{"list", "search alpha", "recall src/a.go", "status", "review", "verify", "stats", "onboard", "export"}
	for name, c := range map[string]struct {
		on    string // a variable of the folder that gets a disk of its own, or "repo"
		setup string // runs in the folder
		write int    // the exit code of remember
	}{
		"cache full, cold":       {"XDG_CACHE_HOME", "mount -t tmpfs -o size=64k d .; cd $PWD; head -c 1m /dev/zero > fill || true", 0},
		"cache full, warm":       {"XDG_CACHE_HOME", "mount -t tmpfs -o size=8m d .; manicule list --root $R; cd $PWD; head -c 9m /dev/zero > fill || true", 0},
		"cache read-only, cold":  {"XDG_CACHE_HOME", "mount -t tmpfs -o ro,size=64k d .", 0},
		"cache read-only, warm":  {"XDG_CACHE_HOME", "mount -t tmpfs -o size=8m d .; manicule list --root $R; mount -o remount,ro d .", 0},
		"state full, cold":       {"XDG_STATE_HOME", "mount -t tmpfs -o size=64k d .; cd $PWD; head -c 1m /dev/zero > fill || true", 0},
		"state full, warm":       {"XDG_STATE_HOME", "mount -t tmpfs -o size=8m d .; manicule remember --root $R 'something before' --scope 'lib/**'; cd $PWD; head -c 9m /dev/zero > fill || true", 0},
		"state read-only, warm":  {"XDG_STATE_HOME", "mount -t tmpfs -o size=8m d .; manicule remember --root $R 'something before' --scope 'lib/**'; mount -o remount,ro d .", 0},
		"both read-only, cold":   {"XDG_STATE_HOME", "mount -t tmpfs -o ro d .; mount -t tmpfs -o ro d $XDG_CACHE_HOME", 0},
		"repository full":        {"repo", "mkdir ../c; cp -a . ../c; mount -t tmpfs -o size=300k d .; cd $PWD; cp -a ../c/. .; cd $PWD; head -c 1m /dev/zero > fill || true", 1},
		"repository can't write": {"repo", "mkdir ../c; cp -a . ../c; mount -t tmpfs -o size=8m d .; cd $PWD; cp -a ../c/. .; mount -o remount,ro d .", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.must(p.run("", "init"))
			p.must(p.run("", "remember", "alpha is first", "--scope", "src/**"))
			var b strings.Builder
			dir := "$" + c.on
			if c.on == "repo" {
				dir = p.root
			}
			fmt.Fprintf(&b, "set -e; R=%q; mkdir -p \"%s\"; cd \"%s\"; { %s; } >/dev/null 2>&1; cd / && cd %q; set +e\n", p.root, dir, dir, c.setup, p.root)
			b.WriteString("did() { echo \"= $? $1\"; }\n")
			for _, r := range read {
				fmt.Fprintf(&b, "manicule %s </dev/null; did %q\n", r, r)
			}
			fmt.Fprintf(&b, "echo '{\"session_id\":\"s\",\"cwd\":%q,\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"tool_input\":{\"file_path\":%q}}' | manicule hook claude-code; did hook\n",
				p.root, filepath.Join(p.root, "src", "a.go"))
			b.WriteString("manicule remember 'written on a bad disk' --scope 'src/**'; did remember\nmanicule list; did again\n")
			cmd := exec.Command("unshare", "-m", "sh", "-c", b.String())
			var out, said bytes.Buffer
			cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.root, append(p.env, "PATH="+os.Getenv("PATH")), &out, &said
			if err := cmd.Run(); err != nil {
				t.Fatalf("%v\n%s%s", err, out.String(), said.String())
			}
			codes, answers := map[string]int{}, map[string]string{}
			var before strings.Builder
			for line := range strings.Lines(out.String()) {
				if rest, ok := strings.CutPrefix(line, "= "); ok {
					code, what, _ := strings.Cut(strings.TrimSpace(rest), " ")
					n, err := strconv.Atoi(code)
					must.OK(t, err)
					codes[what], answers[what] = n, before.String()
					before.Reset()
					continue
				}
				before.WriteString(line)
			}
			for _, r := range append(read, "hook", "again") {
				if codes[r] != 0 {
					t.Errorf("%s: exit code %d", r, codes[r])
				}
			}
			for _, r := range []string{"list", "search alpha", "recall src/a.go", "hook", "again"} {
				want := "alpha is first"
				if r == "hook" && strings.Contains(name, "cold") { // nobody has judged its words yet
					want = "1 memory for src/a.go"
				}
				if !strings.Contains(answers[r], want) {
					t.Errorf("%s does not show the memory: %q", r, answers[r])
				}
			}
			if (codes["remember"] == 0) != (c.write == 0) {
				t.Errorf("remember: exit code %d, want %d", codes["remember"], c.write)
			}
			if stored := strings.Contains(answers["again"], "written on a bad disk"); stored != (codes["remember"] == 0) {
				t.Errorf("remember ended with %d, and the memory is there: %v", codes["remember"], stored)
			}
			if codes["remember"] != 0 && !strings.Contains(said.String(), "try:") {
				t.Errorf("the refusal does not say what to do:\n%s", said.String())
			}
			if t.Failed() {
				t.Log(said.String())
			}
		})
	}
}
