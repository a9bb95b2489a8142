//go:build unix

package leader

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"manicule/indexer/must"
)

// listening makes the folder of a socket and listens there.
func listening(t *testing.T, socket string) *net.UnixListener {
	t.Helper()
	must.OK(t, os.MkdirAll(filepath.Dir(socket), 0o700))
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	must.OK(t, err)
	return ln
}

// TestDeadSocket: what a killed leader left is replaced, and the new socket is its
// owner's alone.
func TestDeadSocket(t *testing.T) {
	lock, socket := place(t)
	ln := listening(t, socket)
	ln.SetUnlinkOnClose(false)
	must.OK(t, ln.Close())
	if err := Ask(t.Context(), socket, "hello", nil, nil); !errors.Is(err, ErrNone) {
		t.Errorf("a dead leader: %v", err)
	}
	e, led := stand(t, lock, socket, "lsp", nil)
	defer e.Close()
	await(t, led)
	if err := ask(t, socket, "hello", nil, nil); err != nil {
		t.Error(err)
	}
	for name, mode := range map[string]os.FileMode{socket: 0o600, lock: 0o600, filepath.Dir(socket): 0o700, filepath.Dir(lock): 0o700} {
		if st, err := os.Stat(name); err != nil || st.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, st.Mode(), err)
		}
	}
}

// TestNoSocket: where there can be no socket a process leads without, until it
// steps back.
func TestNoSocket(t *testing.T) {
	lock, socket := place(t)
	must.OK(t, os.MkdirAll(filepath.Join(socket, "full"), 0o700))
	e, led := stand(t, lock, socket, "lsp", nil)
	await(t, led)
	if !e.Leading() {
		t.Error("it does not lead")
	}
	next, second := stand(t, lock, socket, "mcp", nil)
	defer next.Close()
	e.Close()
	await(t, second)
}

// TestOddLeaders: the caller continues without where a leader speaks another protocol
// or nonsense, and takes no answer for another question.
func TestOddLeaders(t *testing.T) {
	const hello = `{"id":1,"result":{"protocol":1,"role":"lsp"}}` + "\n"
	for name, c := range map[string]struct {
		answers []string
		none    bool
		text    string
	}{
		"another protocol": {[]string{`{"id":1,"result":{"protocol":2}}` + "\n"}, true, "protocol 2"},
		"no protocol":      {[]string{`{"id":1,"result":{}}` + "\n"}, true, "protocol 0"},
		"another greeting": {[]string{`{"id":2,"result":{"protocol":1}}` + "\n"}, true, "instead of 1"},
		"no JSON":          {[]string{"what?\n"}, true, "understand"},
		"silence":          {nil, true, "hear"},
		"another answer":   {[]string{hello, `{"id":7,"result":"x"}` + "\n"}, false, "instead of 2"},
		"a fault":          {[]string{hello, `{"id":2,"error":"no idea"}` + "\n"}, false, "no idea"},
		"another kind":     {[]string{hello, `{"id":2,"result":[1]}` + "\n"}, false, "understand"},
		"gone":             {[]string{hello}, false, "hear"},
		"an answer":        {[]string{hello, `{"id":2,"result":"x"}` + "\n"}, false, ""},
	} {
		_, socket := place(t)
		ln := listening(t, socket)
		var served sync.WaitGroup
		served.Go(func() {
			for {
				conn, err := ln.Accept()
				if err != nil {
					return
				}
				in := bufio.NewReader(conn)
				for _, a := range append(c.answers, "") {
					if _, err := in.ReadBytes('\n'); err != nil {
						break
					}
					if _, err := io.WriteString(conn, a); err != nil {
						break
					}
				}
				_ = conn.Close() // the other end may be gone
			}
		})
		// A busy machine may take longer than anybody waits for a greeting.
		var got string
		var err error
		right := func() bool {
			if c.text == "" {
				return err == nil && got == "x"
			}
			return err != nil && strings.Contains(err.Error(), c.text) && errors.Is(err, ErrNone) == c.none
		}
		for end := time.Now().Add(20 * time.Second); !right() && time.Now().Before(end); {
			err = Ask(t.Context(), socket, "what", nil, &got)
		}
		if !right() {
			t.Errorf("%s: %q, %v; want %q, none: %v", name, got, err, c.text, c.none)
		}
		if err := ln.Close(); err != nil {
			t.Error(err)
		}
		served.Wait()
	}
}

// TestOurs: within a process there is no other user, and a connection that can't be
// looked at is nobody's we know.
func TestOurs(t *testing.T) {
	a, b := net.Pipe()
	if err := errors.Join(checkPeer(a), a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	_, socket := place(t)
	ln := listening(t, socket)
	defer func() { _ = ln.Close() }()
	c, err := net.Dial("unix", socket)
	must.OK(t, err)
	if err := checkPeer(c); err != nil {
		t.Error(err)
	}
	must.OK(t, c.Close())
	if checkPeer(c) == nil {
		t.Error("a closed connection is taken for ours")
	}
}

// TestFollowerWaitsOnTheConnection: a process that does not lead connects once and waits for the
// leader to hang up, instead of trying the lock again and again.
func TestFollowerWaitsOnTheConnection(t *testing.T) {
	lock, socket := place(t)
	ln := listening(t, socket)
	must.OK(t, os.MkdirAll(filepath.Dir(lock), 0o700))
	release, ok, err := Hold(lock)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	follower, led := stand(t, lock, socket, "mcp", nil)
	defer follower.Close()
	must.OK(t, ln.SetDeadline(time.Now().Add(20*time.Second)))
	c, err := ln.Accept()
	if err != nil {
		t.Fatalf("the follower does not connect: %v", err)
	}
	if follower.Leading() {
		t.Error("two lead")
	}
	release()
	must.OK(t, errors.Join(c.Close(), ln.Close()))
	await(t, led)
}

// TestSocketIsBack: a leader whose socket was removed under it, as by a logout or by who cleans the folder of temporary
// files, can be asked again.
func TestSocketIsBack(t *testing.T) {
	lock, socket := place(t)
	led := make(chan struct{})
	e := campaign(t.Context(), &Election{lock: lock, socket: socket, look: time.Millisecond, onLead: func() { close(led) }})
	defer e.Close()
	await(t, led)
	for _, gone := range []string{socket, filepath.Dir(socket)} {
		must.OK(t, ask(t, socket, "hello", nil, nil))
		must.OK(t, os.RemoveAll(gone))
	}
	if err := ask(t, socket, "hello", nil, nil); err != nil {
		t.Errorf("after its folder was removed: %v", err)
	}
	if !e.Leading() {
		t.Error("it leads no more")
	}
}

// TestCacheDeleted: when somebody deletes the cache while processes run, the lock with it, a second one leads. The first
// one does not take its socket away when it ends, and who waits for the leadership gets it.
func TestCacheDeleted(t *testing.T) {
	lock, socket := place(t)
	first, led := stand(t, lock, socket, "lsp", nil)
	await(t, led)
	must.OK(t, ask(t, socket, "hello", nil, nil))
	deleteCache(t, lock)
	second, led := stand(t, lock, socket, "mcp", nil)
	await(t, led)
	var h Hello
	for end := time.Now().Add(20 * time.Second); h.Role != "mcp" && time.Now().Before(end); {
		must.OK(t, ask(t, socket, "hello", nil, &h))
	}
	first.Close()
	if err := Ask(t.Context(), socket, "hello", nil, &h); err != nil || h.Role != "mcp" {
		t.Errorf("after the first one's end: %+v, %v", h, err)
	}
	third := make(chan struct{})
	follower := campaign(t.Context(), &Election{lock: lock, socket: socket, look: time.Millisecond, onLead: func() { close(third) }})
	defer follower.Close()
	deleteCache(t, lock)
	second.Close()
	await(t, third)
}

// deleteCache deletes the folder of a lock. Who wants to lead makes it again at any time, also while it is being deleted.
func deleteCache(t *testing.T, lock string) {
	t.Helper()
	var err error
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if err = os.RemoveAll(filepath.Dir(lock)); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// TestLockAfterAFault: a process that could not lock leads once it can.
func TestLockAfterAFault(t *testing.T) {
	lock, socket := place(t)
	if err := os.WriteFile(filepath.Dir(lock), nil, 0o600); err != nil { // a file in place of the folder
		t.Fatal(err)
	}
	led := make(chan struct{})
	e := campaign(t.Context(), &Election{lock: lock, socket: socket, look: time.Millisecond, onLead: func() { close(led) }})
	defer e.Close()
	must.OK(t, os.Remove(filepath.Dir(lock)))
	await(t, led)
}
