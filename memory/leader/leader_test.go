package leader

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
)

func place(t *testing.T) (lock, socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "m") // t.TempDir is too long for a socket on some systems
	must.OK(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "c", "leader.lock"), filepath.Join(dir, "s", "x.sock")
}

func stand(t *testing.T, lock, socket, role string, h Handler) (*Election, <-chan struct{}) {
	t.Helper()
	led := make(chan struct{})
	return Campaign(t.Context(), lock, socket, Hello{Version: "1", Role: role, Root: "/r"}, h, func() { close(led) }), led
}

// await waits until a process leads, for less time than passes between two looks: it is to hear of the end of the other.
func await(t *testing.T, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(20 * time.Second):
		t.Fatal("nobody took over")
	}
}

// ask repeats until the leader listens: it leads a moment before.
func ask(t *testing.T, socket, method string, params, result any) error {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		err := Ask(t.Context(), socket, method, params, result)
		if !errors.Is(err, ErrNone) || time.Now().After(deadline) {
			return err
		}
	}
}

func TestOneLeadsAndAnotherTakesOver(t *testing.T) {
	lock, socket := place(t)
	if err := Ask(t.Context(), socket, "hello", nil, nil); !errors.Is(err, ErrNone) {
		t.Errorf("without a leader: %v", err)
	}
	a, led := stand(t, lock, socket, "lsp", nil)
	await(t, led)
	b, second := stand(t, lock, socket, "mcp", nil)
	var h Hello
	if err := ask(t, socket, "hello", nil, &h); err != nil || h.Role != "lsp" || h.PID != os.Getpid() {
		t.Errorf("hello %+v, %v", h, err)
	}
	if b.Leading() {
		t.Error("two lead")
	}
	a.Close()
	await(t, second)
	if err := ask(t, socket, "hello", nil, &h); err != nil || h.Role != "mcp" {
		t.Errorf("hello %+v, %v", h, err)
	}
	b.Close()
	b.Close() // twice is fine
}

func TestRequests(t *testing.T) {
	lock, socket := place(t)
	e, led := stand(t, lock, socket, "lsp", func(_ context.Context, method string, params json.RawMessage) (any, error) {
		if method == "echo" {
			return params, nil
		}
		return nil, errors.New("unknown method")
	})
	defer e.Close()
	await(t, led)
	var got map[string]int
	if err := ask(t, socket, "echo", map[string]int{"a": 7}, &got); err != nil || got["a"] != 7 {
		t.Errorf("echo %v, %v", got, err)
	}
	if err := ask(t, socket, "nonsense", nil, nil); err == nil {
		t.Error("an unknown method was answered")
	}
	var d net.Dialer
	c, err := d.DialContext(t.Context(), "unix", socket)
	must.OK(t, err)
	if _, err := c.Write([]byte("garbage\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("garbage was answered")
	}
	if err := ask(t, socket, "echo", 1, nil); err != nil {
		t.Errorf("after garbage: %v", err)
	}
	if st, err := os.Stat(socket); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the socket's mode is %v (%v)", st.Mode(), err)
	}
}
