//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manicule/hooks/agent"
	"manicule/lsp/lsptest"
	"manicule/memory/file"
)

// TestHostileClones has three people with clones of one repository write, edit, delete and settle memories and shared threads,
// by commands, prompts and a server each, while processes, git among them, are killed, and bring each other's work in by merge,
// rebase, cherry-pick and squash. In the end nothing that was acknowledged is lost but by somebody who had it before them, or
// doctor says who changed it and how to get it back, where git decided against it without a stop; all clones agree, every file is sound, and doctor finds no fault.
func TestHostileClones(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred processes of git")
	}
	if slowedDown {
		t.Skip("one goroutine a process: the race detector has nothing to find here")
	}
	h := newHostile(t, *tortureSeed)
	rounds := max(1, *tortureRounds/2) // of three people
	for round := range rounds {
		h.play(round)
		if t.Failed() {
			return
		}
	}
	h.agree()
	data, err := json.Marshal(h.count)
	h.people[0].must(err)
	t.Logf("%d rounds: %s", rounds, data)
	if h.count.Held == 0 || rounds >= 8 && h.count.Stops == 0 {
		t.Error("nothing collided: the test shows nothing")
	}
}

// hostile is what is known of three clones.
type hostile struct {
	t      *testing.T
	rng    *rand.Rand
	people []*colleague
	mu     sync.Mutex      // guards what follows
	wrote  map[string]bool // texts that were acknowledged
	over   map[string]bool // texts that somebody who had them replaced or deleted, or may have
	count  hostileTally

	agreeing bool // all is brought together, and nothing is given up; set while nobody else works
}

type hostileTally struct {
	Acked, Unacked, Kills, Stops, Decided, Marked, Apart, GitKills, Pushes, Held, Told, WrittenStopped, Documents, GivenUp, Dropped int
}

// colleague is one person's.
type colleague struct {
	*place
	h    *hostile
	name string
	rng  *rand.Rand
	bare string

	agentID string   // whose core document this person writes
	notes   []string // that it said
}

func newHostile(t *testing.T, seed uint64) *hostile {
	h := &hostile{t: t, rng: rand.New(rand.NewPCG(seed, 11)), wrote: map[string]bool{}, over: map[string]bool{}}
	for i, name := range []string{"ada", "bob", "eve"} {
		c := &colleague{place: newPlace(t), h: h, name: name, rng: rand.New(rand.NewPCG(seed, uint64(100+i))), agentID: agent.All().IDs()[i]}
		c.env = append(c.env, "GIT_AUTHOR_NAME="+name, "GIT_COMMITTER_NAME="+name, "GIT_EDITOR=true", "MANICULE_TEST_NOW=")
		h.people = append(h.people, c)
		if i == 0 {
			c.bare = filepath.Join(filepath.Dir(c.root), "bare.git")
			c.git("init", "-q", "--bare", "-b", "main", c.bare)
			c.git("init", "-q", "-b", "main")
			c.git("remote", "add", "origin", c.bare)
			c.must(c.run("", "init"))
			for range 4 {
				text := c.text()
				c.must(c.run("", "remember", text, "--scope", "src/**", "--type", "gotcha"))
				h.wrote[text] = true
			}
			for range 2 {
				text := c.text()
				c.must(c.run("", "thread", "add", text, "--share"))
				h.wrote[text] = true
			}
			c.git("add", "-A")
			c.git("commit", "-qm", "first")
			c.git("push", "-q", "-u", "origin", "main")
			continue
		}
		c.bare = h.people[0].bare
		c.must(os.RemoveAll(c.root))
		cmd := exec.Command("git", "clone", "-q", c.bare, c.root)
		cmd.Env = c.env
		c.must(cmd.Run())
		c.must(c.run("", "init"))
	}
	return h
}

// play has everybody work at the same time, then bring the others' work in.
func (h *hostile) play(round int) {
	kill := round%3 != 0
	var all sync.WaitGroup
	for _, c := range h.people {
		all.Go(func() {
			end := c.serve(kill)
			for range 4 + c.rng.IntN(3) {
				c.step(kill)
			}
			c.commit()
			c.integrate(kill)
			end()
			c.commit()
			if c.gitCommand("push", "-q", "origin", "HEAD:main").Run() == nil { // else somebody was quicker
				c.note(func(n *hostileTally) { n.Pushes++ })
			}
		})
	}
	all.Wait()
}

func (c *colleague) note(f func(*hostileTally)) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	f(&c.h.count)
}

// ended notes how a write ended that was to leave a text, and may have replaced others.
func (c *colleague) ended(how result, text string, over ...string) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	if how == acked && text != "" {
		c.h.wrote[text] = true
	}
	if how == acked {
		c.h.count.Acked++
	} else {
		c.h.count.Unacked++
	}
	for _, o := range over { // what was refused may have happened
		c.h.over[o] = true
	}
}

// text is a sentence that is like no other.
func (c *colleague) text() string {
	word := func() string {
		b := make([]byte, 6)
		for i := range b {
			b[i] = "abcdefghijklmnopqrstuvwxyz"[c.rng.IntN(26)]
		}
		return string(b)
	}
	return fmt.Sprintf("the %s has to be %s before its %s is %s", word(), word(), word(), word())
}

// serve starts a server that writes, too. end ends or kills it.
func (c *colleague) serve(kill bool) (end func()) {
	var server *exec.Cmd
	var agent *mcp.ClientSession
	var editor *lsptest.Editor
	var work sync.WaitGroup
	if c.rng.IntN(2) == 0 {
		texts := []string{c.text(), c.text()}
		editor, server = c.language()
		work.Go(func() {
			for _, text := range texts {
				_, err := editor.Call("workspace/executeCommand", map[string]any{"command": "manicule.remember",
					"arguments": []any{map[string]any{"uri": editor.URI("src/a.go"), "text": text}}})
				c.ended(ended(err), text)
			}
		})
	} else {
		agent, server = c.agent(c.t.Context())
		work.Go(func() {
			for range 3 {
				_, _ = agent.CallTool(c.t.Context(), &mcp.CallToolParams{Name: "recall", Arguments: map[string]any{"paths": []string{"src/a.go"}}}) // it may be killed
			}
		})
	}
	work.Wait() // what is written later would be part of a merge's commit, which a rebase leaves out
	return func() {
		switch {
		case kill && c.rng.IntN(2) == 0:
			c.note(func(n *hostileTally) { n.Kills += sent(server, syscall.SIGKILL) })
			if agent != nil {
				_ = agent.Close() // it is dead
			}
		case agent != nil:
			_ = agent.Close() // it ends on its own
		default:
			editor.Shutdown()
		}
	}
}

// try runs a command, and may kill it.
func (c *colleague) try(kill bool, stdin string, args ...string) (result, string) {
	cmd := c.command(args...)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout = strings.NewReader(stdin), &out
	c.must(cmd.Start())
	if kill && c.rng.IntN(4) == 0 {
		c.note(func(n *hostileTally) { n.Kills++ })
		timer := time.AfterFunc(time.Duration(c.rng.IntN(150))*time.Millisecond, func() { _ = cmd.Process.Kill() }) // it may be over
		defer timer.Stop()
	}
	err := cmd.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return acked, out.String()
	case ok && !exit.Exited():
		return unknown, out.String()
	}
	return turnedDown, out.String()
}

// step is one act of a person.
func (c *colleague) step(kill bool) {
	switch c.rng.IntN(12) {
	case 0, 1:
		text := c.text()
		how, _ := c.try(kill, "", "remember", text, "--scope", "src/**", "--type", "gotcha")
		c.ended(how, text)
	case 2:
		text := c.text()
		in, err := json.Marshal(map[string]any{"session_id": "s-" + c.name, "cwd": c.root, "hook_event_name": "UserPromptSubmit", "permission_mode": "default", "prompt": "/remember " + text})
		c.must(err)
		if how, out := c.try(kill, string(in), "hook", "claude-code"); how == acked && strings.Contains(out, "has stored") {
			c.ended(acked, text)
		}
	case 3, 4, 5, 11:
		if m := c.any("memories/*"); m != nil {
			text := c.text()
			how, _ := c.try(kill, "", "edit", m.UUID, "--what", text)
			c.ended(how, text, m.What)
		}
	case 6, 10:
		if m := c.any("memories/*"); m != nil {
			how, _ := c.try(kill, "", "forget", m.UUID)
			c.ended(how, "", whats(m)...)
		}
	case 7:
		c.decide(kill)
	case 8:
		text := c.text()
		how, _ := c.try(kill, "", "thread", "add", text, "--share")
		c.ended(how, text)
	case 9:
		if m := c.any("sessions"); m != nil {
			text, was := c.text(), resolutions(m)
			if c.rng.IntN(4) == 0 {
				c.ended(acked, "", append(was, whats(m)...)...)
				c.must(os.Remove(filepath.Join(c.root, ".manicule", "sessions", m.UUID+".json")))
				return
			}
			how, _ := c.try(kill, "", "thread", []string{"park", "done", "reopen"}[c.rng.IntN(3)], m.UUID, "--why", text)
			c.ended(how, text, was...)
		}
	}
}

// any picks a memory or a thread of a folder below .manicule, nil if there is none.
func (c *colleague) any(folder string) *file.Memory {
	all, err := filepath.Glob(filepath.Join(c.root, ".manicule", folder, "*.json"))
	c.must(err)
	if len(all) == 0 {
		return nil
	}
	among := len(all)
	if c.rng.IntN(2) == 0 {
		among = min(among, 4) // the same as others
	}
	m, err := file.Read(all[c.rng.IntN(among)])
	if err != nil {
		c.t.Errorf("%s: %v", c.name, err)
	}
	return m
}

func whats(m *file.Memory) (out []string) {
	for _, v := range m.Versions() {
		out = append(out, v.What)
	}
	return out
}

// resolutions lists what a thread says of how it was settled, of which one sentence may hold several.
func resolutions(m *file.Memory) (out []string) {
	return regexp.MustCompile(`the [a-z]{6} has to be [a-z]{6} before its [a-z]{6} is [a-z]{6}`).FindAllString(string(m.Extra), -1)
}

// decide settles one of the memories or threads that have several versions.
func (c *colleague) decide(kill bool) {
	var all []*file.Memory
	for _, m := range c.files() {
		if len(m.Conflict) > 0 {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return
	}
	slices.SortFunc(all, func(x, y *file.Memory) int { return strings.Compare(x.UUID, y.UUID) })
	m := all[c.rng.IntN(len(all))]
	n := 1 + c.rng.IntN(len(m.Conflict)+1)
	args, over := []string{"resolve", m.UUID, "--keep", fmt.Sprint(n)}, slices.Delete(whats(m), n-1, n)
	if m.Versions()[n-1].Deleted {
		over = append(whats(m), resolutions(m)...)
	}
	if len(m.Extra) == 0 && c.rng.IntN(3) == 0 { // no thread
		args, over = []string{"resolve", m.UUID, "--both"}, nil
		for _, v := range m.Conflict {
			if v.Deleted { // it said what it was before
				over = append(over, v.What)
			}
		}
	}
	how, _ := c.try(kill, "", args...)
	c.ended(how, "", over...)
	c.note(func(n *hostileTally) { n.Decided++ })
}

// files reads all memories and shared threads.
func (c *colleague) files() (out []*file.Memory) {
	c.must(filepath.WalkDir(filepath.Join(c.root, ".manicule"), func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(filepath.Join(c.root, ".manicule"), path)
		if err != nil || d.IsDir() || filepath.Ext(path) != ".json" || strings.Contains(rel, ".tmp") || !strings.HasPrefix(rel, "memories/") && !strings.HasPrefix(rel, "sessions/") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, err := file.Parse(data)
		if err != nil {
			c.t.Errorf("%s: %s: %v\n%s", c.name, path, err, data)
			return nil
		}
		out = append(out, m)
		return nil
	}))
	return out
}

// commit commits all.
func (c *colleague) commit() {
	c.git("add", "-A")
	if c.gitCommand("diff", "--cached", "--quiet").Run() != nil {
		c.git("commit", "-qm", "work")
	}
}

// integrate brings in what others pushed, in one of git's ways.
func (c *colleague) integrate(kill bool) {
	c.git("fetch", "-q", "origin", "main")
	way := c.rng.IntN(6)
	if kill && c.rng.IntN(4) == 0 {
		c.killGit(way)
	}
	switch way {
	case 0, 1:
		c.finish(kill, c.gitCommand("rebase", "-q", "FETCH_HEAD").Run(), "rebase", "--continue")
	case 2:
		c.finish(kill, c.gitCommand("cherry-pick", "FETCH_HEAD").Run(), "cherry-pick", "--continue")
	case 3:
		c.finish(kill, c.gitCommand("merge", "-q", "--squash", "FETCH_HEAD").Run())
		c.commit()
	}
	c.git("fetch", "-q", "origin", "main")
	c.finish(kill, c.gitCommand("merge", "-q", "--no-edit", "FETCH_HEAD").Run(), "commit", "-q", "--no-edit")
}

// killGit kills git in the middle of it, and cleans up as people do.
func (c *colleague) killGit(way int) {
	args := []string{"merge", "-q", "--no-edit", "FETCH_HEAD"}
	if way < 2 {
		args = []string{"rebase", "-q", "FETCH_HEAD"}
	}
	cmd := c.gitCommand(args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with the merge driver
	c.must(cmd.Start())
	timer := time.AfterFunc(time.Duration(c.rng.IntN(120))*time.Millisecond, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }) // it may be over
	_ = cmd.Wait()                                                                                                                           // it is killed, or stopped
	timer.Stop()
	c.note(func(n *hostileTally) { n.GitKills++ })
	for _, lock := range []string{"index.lock", "HEAD.lock", "refs/heads/main.lock", "ORIG_HEAD.lock"} {
		_ = os.Remove(filepath.Join(c.root, ".git", lock)) // there may be none
	}
	for _, abort := range [][]string{{"rebase", "--abort"}, {"merge", "--abort"}} {
		_ = c.gitCommand(abort...).Run() // nothing may be under way
	}
	_ = os.RemoveAll(filepath.Join(c.root, ".git", "rebase-merge")) // what was begun and can't be aborted
	c.git("checkout", "-q", "-f", "main")
	c.git("reset", "-q", "--hard")
	c.git("clean", "-fdq")
}

var keepsIt = regexp.MustCompile("`git (checkout [0-9a-f]+ -- [^` ]+)` keeps it")

// finish ends what git stopped: something of Manicule looks, some of it is decided, the rest added.
func (c *colleague) finish(kill bool, stopped error, goOn ...string) {
	for range 80 {
		if stopped == nil {
			return
		}
		if c.gitCommand("diff", "--quiet", "--diff-filter=U").Run() == nil && len(goOn) > 0 && goOn[0] != "rebase" {
			if _, err := os.Stat(filepath.Join(c.root, ".git", "CHERRY_PICK_HEAD")); err == nil { // nothing that is new
				_ = c.gitCommand("cherry-pick", "--skip").Run()
				return
			}
			if goOn[0] == "cherry-pick" { // a merge can't be picked
				return
			}
		}
		c.note(func(n *hostileTally) { n.Stops++ })
		if kill && c.rng.IntN(2) == 0 {
			c.try(kill, "", "sync", "--quiet")
		}
		said, err := c.output("", "resolve", "--json")
		c.must(err)
		for _, m := range c.files() {
			if _, deleted := m.Deletion(); deleted {
				c.note(func(n *hostileTally) { n.Marked++ })
			}
		}
		for _, keep := range keepsIt.FindAllStringSubmatch(said, -1) {
			c.note(func(n *hostileTally) { n.Apart++ })
			c.git(strings.Fields(keep[1])...)
		}
		if c.rng.IntN(2) == 0 {
			c.decide(false)
		}
		if c.writeStopped(kill); c.giveUp(goOn) {
			return
		}
		c.git("add", "-A")
		if len(goOn) == 0 {
			return
		}
		if stopped = c.gitCommand(goOn...).Run(); stopped == nil {
			return
		}
		if c.gitCommand("diff", "--quiet", "--diff-filter=U").Run() == nil && c.gitCommand("diff", "--cached", "--quiet").Run() == nil { // nothing is left of this commit
			if goOn[0] == "commit" {
				c.t.Fatalf("%s: the merge can't be committed", c.name)
			}
			stopped = c.gitCommand(goOn[0], "--skip").Run()
		}
	}
	out, _ := c.gitCommand("status").CombinedOutput()
	c.t.Fatalf("%s: git does not end: %v\n%s", c.name, stopped, out)
}

// agree brings all clones to one state, and holds it against what was acknowledged.
func (h *hostile) agree() {
	h.agreeing = true
	for _, c := range h.people {
		c.restoreDropped()
	}
	for range 2 {
		for _, c := range h.people {
			c.commit()
			c.git("fetch", "-q", "origin", "main")
			c.finish(false, c.gitCommand("merge", "-q", "--no-edit", "FETCH_HEAD").Run(), "commit", "-q", "--no-edit")
			c.commit()
			c.git("push", "-q", "origin", "HEAD:main")
		}
	}
	var first string
	for i, c := range h.people {
		out, err := c.gitCommand("rev-parse", "HEAD:.manicule").Output()
		c.must(err)
		if i == 0 {
			first = string(out)
		} else if string(out) != first {
			h.t.Errorf("%s does not have what ada has", c.name)
		}
		c.sound()
	}
	h.lost(h.people[0])
}

// lost looks for what was acknowledged.
func (h *hostile) lost(c *colleague) {
	var all strings.Builder
	for _, m := range c.files() {
		data, err := m.Marshal()
		c.must(err)
		all.Write(data)
	}
	texts := all.String() + c.documents()
	var told []byte
	for _, p := range h.people { // not who deleted it: they know
		out, _ := p.command("doctor").Output() // it ends with 5 where it finds something
		told = append(told, out...)
	}
	for text := range h.wrote {
		switch {
		case h.over[text]:
		case strings.Contains(texts, text):
			h.count.Held++
		case bytes.Contains(told, []byte("“"+text+"”")): // git decided, without a stop
			h.count.Told++
		default:
			h.t.Errorf("%q is lost\n%s", text, c.whereLost(text))
		}
	}
}

// whereLost is what git's history says of a text.
func (c *colleague) whereLost(text string) string {
	out, _ := c.gitCommand("log", "--all", "-m", "--format=%h %an %p %s", "--name-status", "-S", text).CombinedOutput()
	return string(out)
}

// sound holds lists against files, and asks doctor.
func (c *colleague) sound() {
	said, err := c.output("", "list", "--limit", "0", "--json")
	c.must(err)
	for _, m := range c.files() {
		if len(m.Extra) == 0 && !strings.Contains(said, m.UUID) {
			c.t.Errorf("%s does not list %s", c.name, m.UUID)
		}
	}
	var answer struct{ Findings []finding }
	out, _ := c.command("doctor", "--json").Output() // it ends with 5 where it finds something
	c.must(json.Unmarshal(out, &answer))
	for _, f := range answer.Findings {
		if f.Status == statusProblem && slices.Contains([]string{"memories", "threads", "memories.db", "state.db", "settings", "git"}, f.Check) {
			c.t.Errorf("%s: doctor: %s: %s", c.name, f.Check, f.Text)
		}
	}
}
