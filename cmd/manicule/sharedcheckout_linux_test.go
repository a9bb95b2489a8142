package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestColleaguesInOneCheckout: two people of a group work in one checkout. Each changes what the other wrote; a personal memory
// of one is nothing that the other hears of, and no fault.
func TestColleaguesInOneCheckout(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be two people")
	}
	const ann, ben, group = 4001, 4002, 4321
	dir, err := os.MkdirTemp("", "")
	p := &place{t: t, root: filepath.Join(dir, "repo")}
	p.must(err)
	t.Cleanup(func() { p.must(os.RemoveAll(dir)) })
	p.must(os.Chmod(dir, 0o755))
	path, err := exec.LookPath("manicule")
	p.must(err)
	program, err := os.Open(path) // the folder that it is in is the tester's own
	p.must(err)
	t.Cleanup(func() { _ = program.Close() })
	try := func(user uint32, args ...string) (out, said string, err error) {
		cmd := exec.Command("sh", append([]string{"-c", `umask 002; exec "$@"`, "sh", "bash", "-c", `exec -a manicule /proc/self/fd/3 "$@"`, "sh"}, args...)...)
		if args[0] == "git" {
			cmd = exec.Command("sh", "-c", `umask 002; exec "$@"`, "sh", "git", args[1])
		}
		home := filepath.Join(dir, map[uint32]string{ann: "ann", ben: "ben"}[user])
		cmd.Dir, cmd.Env = p.root, []string{"PATH=/usr/bin:/bin", "HOME=" + home, "LANG=C.UTF-8"}
		cmd.ExtraFiles = []*os.File{program}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: group}}
		var o, e bytes.Buffer
		cmd.Stdout, cmd.Stderr = &o, &e
		err = cmd.Run()
		return o.String(), e.String(), err
	}
	as := func(user uint32, args ...string) (out, said string) {
		t.Helper()
		out, said, err := try(user, args...)
		if err != nil {
			t.Fatalf("%d: %v: %v\n%s%s", user, args, err, out, said)
		}
		return out, said
	}
	for name, user := range map[string]int{"ann": ann, "ben": ben, "repo": ann, "repo/src": ann} {
		p.must(os.MkdirAll(filepath.Join(dir, name), 0o755))
		p.must(os.Chown(filepath.Join(dir, name), user, group))
	}
	p.must(os.Chmod(p.root, os.ModeSetgid|0o775))
	as(ann, "git", "init")
	as(ann, "init")
	if _, said, err := try(ben, "init"); err == nil || !strings.Contains(said, "another user ran") {
		t.Errorf("init of the second: %v\n%s", err, said)
	}
	as(ann, "remember", "The pool of lamps deadlocks inside a transaction", "--scope", "src/**")
	as(ann, "remember", "Ann likes lamps", "--scope", "src/**", "--personal")
	as(ben, "remember", "Lamps need a license of the town", "--scope", "src/**")
	as(ben, "remember", "Ben likes lamps", "--scope", "src/**", "--personal")
	for user, own := range map[uint32]string{ann: "Ann likes", ben: "Ben likes"} {
		for range 2 {
			out, said := as(user, "list")
			if strings.Count(out, "\n") != 3 || !strings.Contains(out, own) || said != "" {
				t.Errorf("%d has\n%s%s", user, out, said)
			}
		}
		if out, _ := as(user, "doctor"); strings.Contains(out, "permission denied") {
			t.Errorf("%d is told\n%s", user, out)
		}
	}
	out, _ := as(ben, "recall", "src/a.go")
	before, _, ok := strings.Cut(out, "  gotcha          The pool of lamps")
	if !ok {
		t.Fatalf("Ben has\n%s", out)
	}
	id := before[strings.LastIndex(before, "\n")+1:]
	as(ben, "edit", id, "--what", "The pool of lamps deadlocks outside of transactions")
	if out, _ := as(ann, "list"); !strings.Contains(out, "outside of transactions") {
		t.Errorf("Ann does not see what Ben changed:\n%s", out)
	}
	as(ann, "forget", id)
	if out, _ := as(ben, "list"); strings.Contains(out, "deadlocks") {
		t.Errorf("Ben still has what Ann forgot:\n%s", out)
	}
}
