package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// withoutLocksName runs a command for which no file can be locked, as on some file systems that a network serves.
const withoutLocksName = "without-locks"

// runWithoutLocks becomes the command that its arguments name.
func runWithoutLocks() int {
	runtime.LockOSThread() // the filter is the thread's, and exec keeps it
	refuse := uint32(unix.SECCOMP_RET_ERRNO | int(unix.ENOLCK))
	const command = 16 + 8 // where struct seccomp_data has the second argument
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FLOCK, Jt: 5},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_FCNTL, Jf: 3},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: command},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.F_SETLK, Jt: 2},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.F_OFD_SETLK, Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		{Code: unix.BPF_RET | unix.BPF_K, K: refuse},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	if err == nil {
		err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no filter can be set:", err)
		return exitNoFilter
	}
	path, err := exec.LookPath(os.Args[1])
	if err == nil {
		err = syscall.Exec(path, os.Args[1:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, err)
	return exitError
}

const exitNoFilter = 77

// TestNoLocks: where files can't be locked, memories are found, told and written all the same, nothing waits, and
// what can't be kept says what to do.
func TestNoLocks(t *testing.T) {
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", "alpha is first", "--scope", "src/**"))
	p.in = []string{withoutLocksName}
	if _, err := p.inTime("", "version"); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == exitNoFilter {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	if out, err := p.inTime("", "remember", "beta is second", "--scope", "src/**"); err != nil {
		t.Errorf("remember: %v\n%s", err, out)
	}
	for _, args := range [][]string{{"list"}, {"recall", "src/a.go"}, {"search", "alpha beta"}} {
		if out, err := p.inTime("", args...); err != nil || !strings.Contains(out, "alpha is first") || !strings.Contains(out, "beta is second") {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
	}
	out, err := p.inTime("", "remember", "a draft of an agent's", "--draft", "--scope", "src/**")
	if err == nil || !strings.Contains(out, "try: That file system has no locks. Set XDG_STATE_HOME") {
		t.Errorf("a draft, which can't be kept: %v\n%s", err, out)
	}
	p.in = nil
	var list bytes.Buffer
	cmd := p.command("list")
	cmd.Stdout = &list
	p.must(cmd.Run())
	if !strings.Contains(list.String(), "beta is second") {
		t.Errorf("with locks again:\n%s", list.String())
	}
}
