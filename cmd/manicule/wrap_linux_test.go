package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestWrapKilled: nothing outlives the proxy, not even a server that does not
// look at its input and ignores a request to end, and not even where the proxy had no time for anything.
func TestWrapKilled(t *testing.T) {
	p := newPlace(t)
	hold := filepath.Join(t.TempDir(), "hold")
	p.must(syscall.Mkfifo(hold, 0o600))
	cmd := p.command("lsp", "--wrap", "sh", "-c", `trap "" TERM; exec sleep 600 >"$0"`, hold)
	in, err := cmd.StdinPipe()
	p.must(err)
	p.must(cmd.Start())
	f, err := os.Open(hold) // when the server has opened it
	p.must(err)
	p.must(cmd.Process.Kill())
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, f) // until the server has ended
		ended <- errors.Join(err, f.Close())
	}()
	select {
	case err := <-ended:
		p.must(err)
	case <-time.After(time.Minute):
		t.Error("the wrapped server lives on")
	}
	if err := cmd.Wait(); err == nil {
		t.Error("it was not killed")
	}
	_ = in.Close() // Wait did
}
