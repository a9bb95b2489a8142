//go:build unix

package wrap

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"manicule/lsp/lsptest"
)

// spawn has the fake server start a process that outlives it, and returns what
// waits for that one's end.
func (s *session) spawn() (gone func()) {
	s.t.Helper()
	hold := filepath.Join(s.t.TempDir(), "hold")
	if err := syscall.Mkfifo(hold, 0o600); err != nil {
		s.t.Fatal(err)
	}
	opened, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		f, err := os.Open(hold) // when there is a writer
		opened <- err
		if err != nil {
			return
		}
		_, err = io.Copy(io.Discard, f) // until there is none
		ended <- errors.Join(err, f.Close())
	}()
	s.Result("fake/spawn", lsptest.JSON(s.t, map[string]string{"hold": hold}))
	if err := <-opened; err != nil {
		s.t.Fatal(err)
	}
	return func() {
		s.t.Helper()
		select {
		case err := <-ended:
			if err != nil {
				s.t.Error(err)
			}
		case <-time.After(time.Minute):
			s.t.Error("a process lives on")
		}
	}
}

func TestNoOrphans(t *testing.T) {
	for name, end := range map[string]func(s *session){
		"the client goes":          func(s *session) { s.Close() },
		"the client says exit":     func(s *session) { s.Result("shutdown", "null"); s.Send(`{"jsonrpc":"2.0","method":"exit"}`) },
		"the server dies":          func(s *session) { s.Notify("fake/die", `{"code":3}`) },
		"the server ends well":     func(s *session) { s.childSays(`{"jsonrpc":"2.0","method":"x"}`); s.Notify("fake/die", `{"code":0}`) },
		"the editor dies":          func(s *session) { s.Notify("manicule/end", "null") },
		"before it is initialized": func(s *session) { s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, newOurs(), everything)
			if name != "before it is initialized" {
				s.begin()
			}
			gone := s.spawn()
			end(s)
			err := s.ended()
			var ended *ExitError
			if died := errors.As(err, &ended); died != (name == "the server dies" || name == "the server ends well") {
				t.Errorf("Serve returned %v", err)
			}
			gone()
		})
	}
}

// TestStubborn: a server that ignores the end of its input and SIGTERM is killed.
func TestStubborn(t *testing.T) {
	server, client := net.Pipe()
	done := make(chan error, 1)
	opts := Options{
		Command: []string{"sh", "-c", `trap "" TERM; printf 'Content-Length: 14\r\n\r\n{"method":"x"}'; exec 0<&-; while :; do sleep 600; done`},
		Own:     newOurs().serve, Grace: 10 * time.Millisecond,
	}
	go func() { done <- Serve(context.Background(), server, opts) }()
	w := lsptest.NewWire(t, client)
	w.Await("its word", func(f lsptest.Frame) bool { return f.Body == `{"method":"x"}` })
	w.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestSignals: the exit code for a signal is that of shells.
func TestSignals(t *testing.T) {
	server, client := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(context.Background(), server, Options{Command: []string{"sh", "-c", "kill -9 $$"}, Own: newOurs().serve})
	}()
	w := lsptest.NewWire(t, client)
	var ended *ExitError
	if err := <-done; !errors.As(err, &ended) || ended.Code != 137 {
		t.Errorf("Serve returned %v", err)
	}
	w.Ended()
}

// TestContext: the end of the context ends the session and the wrapped server.
func TestContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	server, client := net.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Serve(ctx, server, Options{Command: []string{"sleep", "600"}, Own: newOurs().serve, Grace: 10 * time.Millisecond})
	}()
	w := lsptest.NewWire(t, client)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	w.Ended()
}
