package main

import (
	"bufio"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"manicule/indexer/lockfile"
	"manicule/indexer/must"
)

// TestWaitForAFirstIndex: what another process has not read yet may be there. A command waits for a first index instead of
// saying that it is not.
func TestWaitForAFirstIndex(t *testing.T) {
	wholeFormOnly(t)
	p := newPlace(t)
	must.Write(t, filepath.Join(p.root, "src", "b.go"), "package a\n\nfunc Open() { Close() }\n\nfunc Close() {}\n")
	p.must(p.run("", "init"))
	status, err := p.output("", "status", "--json")
	must.OK(t, err)
	var paths struct {
		Memories string `json:"memories_db"`
	}
	if err := json.Unmarshal([]byte(status), &paths); err != nil || paths.Memories == "" {
		t.Fatalf("%v: no database in %s", err, status)
	}
	lock := lockfile.New(filepath.Join(filepath.Dir(paths.Memories), "graph.lock"))
	must.OK(t, lock.Lock())
	cmd := p.command("graph", "src/b.go#Open")
	complaint, err := cmd.StderrPipe()
	must.OK(t, err)
	var out strings.Builder
	cmd.Stdout = &out
	must.OK(t, cmd.Start())
	line, err := bufio.NewReader(complaint).ReadString('\n')
	must.OK(t, lock.Unlock())
	_, _ = io.Copy(io.Discard, complaint)
	if werr := cmd.Wait(); werr != nil || err != nil {
		t.Fatalf("%v, %v: %s", werr, err, line)
	}
	if !strings.Contains(line, "for the first time") || !strings.Contains(out.String(), "Close") {
		t.Errorf("said %q, answered %q", line, out.String())
	}
}
