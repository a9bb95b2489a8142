package leader

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/must"
)

// The second user of the tests, and what its process is asked to do.
const (
	nobody    = 65534
	envAct    = "MANICULE_TEST_ACT"
	envSocket = "MANICULE_TEST_SOCKET"
)

func TestMain(m *testing.M) {
	switch act := os.Getenv(envAct); act {
	case "listen":
		os.Exit(impostor(os.Getenv(envSocket)))
	case "ask":
		os.Exit(curious(os.Getenv(envSocket)))
	}
	os.Exit(m.Run())
}

// impostor listens where a leader would, and prints what it is told.
func impostor(socket string) int {
	ln, err := net.Listen("unix", socket)
	if err != nil {
		return 1
	}
	_ = os.Chmod(socket, 0o666) // so that it can be reached at all
	_, _ = os.Stdout.WriteString("ready\n")
	c, err := ln.Accept()
	if err != nil {
		return 1
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	n, _ := io.Copy(os.Stdout, c)
	if n > 0 {
		return 2
	}
	return 0
}

// curious asks a leader, whoever that is, for an answer.
func curious(socket string) int {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return 3
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	_, _ = c.Write([]byte(`{"id":1,"method":"hello"}` + "\n"))
	if n, _ := io.Copy(os.Stdout, c); n > 0 {
		return 2
	}
	return 0
}

// asNobody starts this test binary again as another user.
func asNobody(t *testing.T, act, socket string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can be two users")
	}
	exe, err := os.Open("/proc/self/exe") // by its path another user may not reach it
	must.OK(t, err)
	t.Cleanup(func() { _ = exe.Close() }) // it was only read
	cmd := exec.CommandContext(t.Context(), "/proc/self/fd/3")
	cmd.ExtraFiles = []*os.File{exe}
	cmd.Dir = "/"
	cmd.Env = []string{envAct + "=" + act, envSocket + "=" + socket}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.Stderr = os.Stderr
	return cmd
}

// TestImpostor has another user listen. Neither in a folder of that user, nor in
// one that is ours, is that process told anything.
func TestImpostor(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "m")
	must.OK(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // what is left is harmless
	theirs, mine := filepath.Join(dir, "theirs"), filepath.Join(dir, "mine")
	cmd := asNobody(t, "listen", filepath.Join(theirs, "x.sock"))
	for _, err := range []error{os.Chmod(dir, 0o755), os.Mkdir(theirs, 0o755), os.Chown(theirs, nobody, nobody), os.Mkdir(mine, 0o700)} {
		must.OK(t, err)
	}
	out, err := cmd.StdoutPipe()
	must.OK(t, err)
	must.OK(t, cmd.Start())
	said := bufio.NewReader(out)
	if line, err := said.ReadString('\n'); line != "ready\n" {
		t.Fatalf("the impostor said %q, %v", line, err)
	}
	err = Ask(t.Context(), filepath.Join(theirs, "x.sock"), "search", "a whole prompt", nil)
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), "another user") {
		t.Errorf("in the folder of another user: %v", err)
	}
	// The same socket in a folder that is as it should be.
	must.OK(t, os.Rename(filepath.Join(theirs, "x.sock"), filepath.Join(mine, "x.sock")))
	err = Ask(t.Context(), filepath.Join(mine, "x.sock"), "search", "a whole prompt", nil)
	if !errors.Is(err, errForeignPeer) || !errors.Is(err, ErrNone) {
		t.Errorf("a process of another user: %v", err)
	}
	heard, _ := io.ReadAll(said)
	if err := cmd.Wait(); err != nil || len(heard) > 0 {
		t.Errorf("the impostor was told %q (%v)", heard, err)
	}
}

// TestStranger has another user ask, in a folder and on a socket that somebody
// has opened to everybody since.
func TestStranger(t *testing.T) {
	lock, socket := place(t)
	cmd := asNobody(t, "ask", socket)
	e, led := stand(t, lock, socket, "lsp", nil)
	defer e.Close()
	await(t, led)
	must.OK(t, ask(t, socket, "hello", nil, nil))
	for name, mode := range map[string]os.FileMode{filepath.Dir(filepath.Dir(socket)): 0o755, filepath.Dir(socket): 0o755, socket: 0o666} {
		must.OK(t, os.Chmod(name, mode))
	}
	if out, err := cmd.Output(); err != nil || len(out) > 0 {
		t.Errorf("a stranger was told %q (%v)", out, err)
	}
	if err := ask(t, socket, "hello", nil, nil); err != nil {
		t.Errorf("the leader's own user, after: %v", err)
	}
}

// TestOpenFolder neither listens nor asks where others could put a socket.
func TestOpenFolder(t *testing.T) {
	lock, socket := place(t)
	e, led := stand(t, lock, socket, "lsp", nil)
	defer e.Close()
	await(t, led)
	must.OK(t, ask(t, socket, "hello", nil, nil))
	must.OK(t, os.Chmod(filepath.Dir(socket), 0o777))
	if err := Ask(t.Context(), socket, "hello", nil, nil); !errors.Is(err, ErrNone) {
		t.Errorf("in a folder that everybody can write to: %v", err)
	}
	other := &Election{socket: filepath.Join(filepath.Dir(socket), "y.sock")}
	if ln, err := other.listen(t.Context()); err == nil {
		t.Errorf("listens on %v", ln.Addr())
	}
}
