package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAskingHoldsNothing: while a person is asked, other processes can write to state.db.
func TestAskingHoldsNothing(t *testing.T) {
	p := newPlace(t)
	const text = "The cache is cold after a deploy, wait for the warm line"
	p.must(p.run("", "init"))
	p.must(p.run("", "remember", text, "--type", "gotcha"))
	cmd := p.command("remember", text+" in its log", "--type", "gotcha", "--again", "ask")
	in, err := cmd.StdinPipe()
	p.must(err)
	out, err := cmd.StdoutPipe()
	p.must(err)
	p.must(cmd.Start())
	var said strings.Builder
	for b := make([]byte, 1<<10); !strings.Contains(said.String(), "eave it? "); {
		n, err := out.Read(b)
		said.Write(b[:n])
		if err != nil {
			t.Fatalf("it did not ask: %v\n%s", err, said.String())
		}
	}
	fds := fmt.Sprintf("/proc/%d/fd", cmd.Process.Pid)
	list, err := os.ReadDir(fds)
	p.must(err)
	for _, e := range list {
		if to, err := os.Readlink(filepath.Join(fds, e.Name())); err == nil && strings.HasPrefix(filepath.Base(to), "state.db") {
			t.Errorf("it asks, and has %s open", to)
		}
	}
	_, err = in.Write([]byte("l\n"))
	p.must(err)
	p.must(in.Close())
	p.must(cmd.Wait())
}
