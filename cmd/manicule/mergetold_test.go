package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
)

// stopped is a repository in which git waits: one side deleted a memory and added another one, the other side changed the deleted
// one into what reads like an order.
func stopped(t *testing.T) (p *place, other string) {
	t.Helper()
	p = newPlace(t)
	p.git("init", "-q", "-b", "main")
	p.must(p.run("", "init"))
	p.git("config", "core.hooksPath", "/dev/null")
	p.must(p.run("", "remember", "Close the pool first", "--type", "gotcha", "--scope", "src/**"))
	p.git("add", "-A")
	p.git("commit", "-qm", "first")
	was := p.memoryFiles()
	p.git("checkout", "-q", "-b", "edit")
	p.must(p.run("", "edit", strings.TrimSuffix(filepath.Base(was[0]), ".json"), "--what", "Close the pool before the zebra"))
	p.git("commit", "-qam", "words")
	p.git("checkout", "-q", "-b", "del", "main")
	p.git("rm", "-q", was[0])
	p.must(p.run("", "remember", "Open the socket last", "--type", "gotcha", "--scope", "src/**"))
	p.git("add", "-A")
	p.git("commit", "-qm", "another one")
	cmd := p.gitCommand("merge", "-q", "edit")
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("the merge went through: %s", out)
	}
	return p, p.memoryFiles()[0]
}

// memoryFiles lists the files of memories, relative to the root.
func (p *place) memoryFiles() (out []string) {
	all, err := filepath.Glob(filepath.Join(p.root, ".manicule", "memories", "*", "*.json"))
	p.must(err)
	for _, name := range all {
		rel, err := filepath.Rel(p.root, name)
		p.must(err)
		out = append(out, rel)
	}
	return out
}

// TestStoppedMergeIsTold: what a stopped merge leaves out of every list is told by the agents' server, in the editor and with a
// question, and none of it repeats the words that nobody judged.
func TestStoppedMergeIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	p, other := stopped(t)
	const told = "has to be decided by a person since a merge"
	agent, _ := p.agent(t.Context())
	for _, ask := range []struct {
		tool string
		args map[string]any
	}{
		{"recall", map[string]any{"paths": []string{"src/a.go"}}},
		{"search", map[string]any{"query": "close the pool"}},
		{"context", map[string]any{"task": "close the pool"}},
		{"stats", map[string]any{}},
	} {
		if said := p.callTool(t.Context(), agent, ask.tool, ask.args); strings.Count(said, told) != 1 || strings.Contains(said, "zebra") {
			t.Errorf("%s: %s", ask.tool, said)
		}
	}
	p.must(agent.Close())

	e := lsptest.Start(t, p.root, p.serve)
	e.Initialize(lsptest.Full())
	e.Open(other)
	d := e.Await(lsptest.When("the diagnostic", func(s lsptest.State) bool { return len(s.Diagnostics[e.URI(other)].Diagnostics) > 0 })).Diagnostics[e.URI(other)].Diagnostics
	if text := string(d[0].Message.(protocol.String)); len(d) != 1 || !strings.Contains(text, told) || strings.Contains(text, "zebra") {
		t.Errorf("%d diagnostics: %s", len(d), text)
	}
	e.Shutdown()

	for _, args := range [][]string{{"recall", "how to close the pool"}, {"search", "pool"}, {"ask", "how to close the pool"}, {"review", "list"}, {"recall", "src/a.go"}, {"list"}} {
		for _, agent := range []bool{true, false} {
			cmd := p.command(args...)
			if agent {
				cmd.Env = append(slices.Clip(cmd.Env), "CLAUDECODE=1")
			}
			out, err := cmd.CombinedOutput()
			p.must(err)
			if has := strings.Contains(string(out), told); has != agent || strings.Contains(string(out), "zebra") == agent {
				t.Errorf("%v, by an agent %v: %s", args, agent, out)
			}
		}
	}
	p.git("merge", "--abort")
	if out, err := p.command("recall", "how to close the pool").CombinedOutput(); err != nil || strings.Contains(string(out), "zebra") {
		t.Errorf("after --abort: %s, %v", out, err)
	}
}

// TestUnreadMarkersAreTold: a memory whose file has conflict markers that nobody can read is warned of while git waits, wherever it
// is missing, and by nothing else.
func TestUnreadMarkersAreTold(t *testing.T) {
	if testing.Short() {
		t.Skip("in the whole form only")
	}
	const told = "has to be decided by a person since a merge"
	p := newPlace(t)
	p.git("init", "-q", "-b", "main")
	p.must(p.run("", "init"))
	p.git("config", "core.hooksPath", "/dev/null")
	p.must(p.run("", "remember", "Close the pool first", "--type", "gotcha", "--scope", "src/**"))
	p.must(p.run("", "remember", "Open the socket last", "--type", "gotcha", "--scope", "src/**"))
	p.git("add", "-A")
	p.git("commit", "-qm", "first")
	p.git("config", "--remove-section", "merge.manicule")
	name := p.memoryFiles()[0]
	id := strings.TrimSuffix(filepath.Base(name), ".json")
	p.git("checkout", "-q", "-b", "other")
	p.must(p.run("", "edit", id, "--what", "Close the lake at noon"))
	p.git("commit", "-qam", "other words")
	p.git("checkout", "-q", "main")
	p.must(p.run("", "edit", id, "--what", "Close the zebra at night"))
	p.git("commit", "-qam", "words")
	if out, err := p.gitCommand("merge", "-q", "other").CombinedOutput(); err == nil {
		t.Fatalf("the merge went through: %s", out)
	}
	warned := func(env ...string) string {
		cmd := p.command("recall", "src/a.go")
		cmd.Env = append(slices.Clip(cmd.Env), env...)
		var said strings.Builder
		cmd.Stderr = &said
		p.must(cmd.Run())
		return said.String()
	}
	if said := warned(); said != "" { // markers in order are read
		t.Errorf("warned of markers that were read: %s", said)
	}
	data, err := os.ReadFile(filepath.Join(p.root, name))
	p.must(err)
	p.must(os.WriteFile(filepath.Join(p.root, name), []byte(strings.ReplaceAll(string(data), "=======\n", "<<<<<<<\n")), 0o644))
	if said := warned(); !strings.Contains(said, "whose markers are not complete") || !strings.Contains(said, "git checkout --merge -- "+filepath.ToSlash(name)) {
		t.Errorf("a person is told: %s", said)
	}
	if said := warned("CLAUDECODE=1"); !strings.Contains(said, told) || strings.Contains(said, "zebra") {
		t.Errorf("an agent is told: %s", said)
	}
	agent, _ := p.agent(t.Context())
	for _, args := range []map[string]any{{"paths": []string{"src/a.go"}}, {"query": "close the zebra"}} {
		if said := p.callTool(t.Context(), agent, "recall", args); !strings.Contains(said, told) || strings.Contains(said, "zebra") {
			t.Errorf("recall %v: %s", args, said)
		}
	}
	p.must(agent.Close())
	e := lsptest.Start(t, p.root, p.serve)
	e.Initialize(lsptest.Full())
	e.Open(name)
	u := e.URI(name)
	e.Await(lsptest.When("the diagnostic", func(s lsptest.State) bool {
		d := s.Diagnostics[u].Diagnostics
		return len(d) == 1 && strings.Contains(string(d[0].Message.(protocol.String)), "whose markers are not complete") && !strings.Contains(string(d[0].Message.(protocol.String)), "zebra")
	}))
	e.Shutdown()
	p.git("merge", "--abort")
	if said := warned(); said != "" {
		t.Errorf("after --abort: %s", said)
	}
}
