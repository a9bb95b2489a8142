//go:build unix

package main

import (
	"encoding/json"
	"errors"
	"io"
	stdnet "net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestForeignSocket puts a socket where a leader's belongs, into a folder that
// another user owned first. Neither a prompt nor a search goes there, and no
// answer comes from there.
func TestForeignSocket(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	p := newPlace(t)
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", "Tokens are refreshed by the worker", "--scope", "src/**"))
	w := p.workspace()
	dir := filepath.Dir(w.Socket())
	p.must(os.MkdirAll(dir, 0o755))
	ln, err := stdnet.Listen("unix", w.Socket())
	p.must(err)
	var mu sync.Mutex
	var heard strings.Builder
	var done sync.WaitGroup
	done.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			done.Go(func() {
				b := make([]byte, 1<<16)
				for {
					n, err := c.Read(b)
					mu.Lock()
					heard.Write(b[:n])
					mu.Unlock()
					if err != nil {
						_ = c.Close() // the other end has gone
						return
					}
					_, _ = io.WriteString(c, `{"id":1,"result":{"protocol":1,"version":"1","pid":1,"role":"lsp","root":"/"}}`+"\n")
				}
			})
		}
	})
	ask := func() {
		out, err := p.output("", "search", "who refreshes the tokens")
		p.must(err)
		if !strings.Contains(out, "Tokens are refreshed by the worker") {
			t.Errorf("the search found:\n%s", out)
		}
		event, err := json.Marshal(map[string]any{"session_id": "s-1", "cwd": p.root, "hook_event_name": "UserPromptSubmit",
			"permission_mode": "default", "prompt": "who refreshes the tokens here?"})
		p.must(errors.Join(err, p.run(string(event), "hook", "claude-code")))
	}
	ask()
	mu.Lock()
	if !strings.Contains(heard.String(), "hello") {
		t.Error("a leader of our own was not asked: the test proves nothing")
	}
	heard.Reset()
	mu.Unlock()
	p.must(os.Chown(dir, 65534, 65534))
	ask()
	p.must(ln.Close())
	done.Wait()
	if heard.Len() > 0 {
		t.Errorf("another user's process heard %s", heard.String())
	}
}
