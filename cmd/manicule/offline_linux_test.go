package main

import (
	"os/exec"
	"strings"
	"testing"
)

// TestOffline runs the main flows in a network namespace without interfaces.
func TestOffline(t *testing.T) {
	wholeFormOnly(t)
	unshare := []string{"unshare", "--user", "--map-current-user", "--net"}
	if out, err := exec.Command(unshare[0], append(unshare[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("no namespace of its own: %v %s", err, out)
	}
	out, err := exec.Command(unshare[0], append(unshare[1:], "cat", "/proc/net/route")...).Output()
	if err != nil || strings.Count(string(out), "\n") > 1 {
		t.Skipf("the namespace has routes: %v %s", err, out)
	}
	p := newPlace(t)
	p.in = unshare
	p.must(p.run("", "init"))
	id := p.remember(teamPlanted, "--type", "gotcha", "--at", "src/a.go")
	p.must(p.run("", "remember", minePlanted, "--personal"))
	p.event("SessionStart", map[string]any{"source": "startup"})
	p.event("UserPromptSubmit", map[string]any{"prompt": "who drains the queues?"})
	p.event("SessionEnd", map[string]any{"reason": "exit"})
	for _, args := range [][]string{
		{"index"}, {"sync"}, {"list"}, {"status"}, {"stats"}, {"onboard"}, {"observe"}, {"review"}, {"verify"}, {"search", "who drains the queues"},
		{"recall", "src/a.go"}, {"show", id}, {"edit", id, "--what", editedPlanted}, {"export"}, {"export", "--all", "-o", "all.tar.gz"},
		{"forget", id}, {"restore", id}, {"purge", "--personal", "--yes"}, {"purge", "--workspace", "--memories", "--yes"},
	} {
		p.must(p.run("", args...))
	}
}
