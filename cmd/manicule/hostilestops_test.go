//go:build linux

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"manicule/memory/file"
)

// writeStopped has a person, a prompt or an editor write while git waits in the middle of a merge, a rebase or the like.
func (c *colleague) writeStopped(kill bool) {
	for range c.rng.IntN(3) {
		c.note(func(n *hostileTally) { n.WrittenStopped++ })
		if c.rng.IntN(4) == 0 { // in place of another process
			c.document(kill)
		} else {
			c.step(kill)
		}
	}
	if c.rng.IntN(6) > 0 {
		return
	}
	c.note(func(n *hostileTally) { n.WrittenStopped++ })
	text := c.text()
	editor, _ := c.language()
	defer editor.Shutdown()
	_, err := editor.Call("workspace/executeCommand", map[string]any{"command": "manicule.remember",
		"arguments": []any{map[string]any{"uri": editor.URI("src/a.go"), "text": text}}})
	c.ended(ended(err), text)
}

// document writes the plan of a build, or the core document that is for this person's agent.
func (c *colleague) document(kill bool) {
	c.note(func(n *hostileTally) { n.Documents++ })
	text := c.text()
	if c.rng.IntN(2) == 0 {
		how, _ := c.try(kill, "", "build", "new", text)
		c.ended(how, text)
		return
	}
	how, _ := c.try(kill, "", "core", "edit", "--agent", c.agentID, "--notes", text)
	c.ended(how, text, c.notes...)
	c.notes = append(c.notes, text)
}

// documents reads all core documents and plans.
func (c *colleague) documents() string {
	var all strings.Builder
	for _, pattern := range []string{"core*.json", "builds/*.md"} {
		names, err := filepath.Glob(filepath.Join(c.root, ".manicule", pattern))
		c.must(err)
		for _, name := range names {
			data, err := os.ReadFile(name)
			c.must(err)
			all.Write(data)
		}
	}
	return all.String()
}

// giveUp gives up what git stopped in, now and then, by its own command and where that refuses by force.
func (c *colleague) giveUp(goOn []string) bool {
	if len(goOn) == 0 || c.h.agreeing || c.rng.IntN(3) > 0 {
		return false
	}
	c.note(func(n *hostileTally) { n.GivenUp++ })
	if c.rng.IntN(2) == 0 {
		c.git("add", "-A")
	}
	what := goOn[0]
	if what == "commit" {
		what = "merge"
	}
	if c.gitCommand(what, "--abort").Run() != nil {
		_ = c.gitCommand(what, "--quit").Run() // a merge may have nothing to quit
		c.git("reset", "-q", "--hard")
	}
	return true
}

// restoreDropped brings back what git dropped, as a person does who is told of it.
func (c *colleague) restoreDropped() {
	out, err := c.output("", "restore", "--json")
	c.must(err)
	var told struct {
		Dropped []struct {
			UUID string `json:"uuid"`
		} `json:"dropped"`
		Files []struct {
			Path string `json:"path"`
		} `json:"files"`
	}
	c.must(json.Unmarshal([]byte(out), &told))
	for _, f := range told.Files {
		c.restoreDocument(f.Path)
	}
	for _, d := range told.Dropped {
		for _, m := range c.files() { // what it says now, the person who restores has seen
			if m.UUID == d.UUID {
				c.ended(acked, "", append(whats(m), resolutions(m)...)...)
			}
		}
		c.note(func(n *hostileTally) { n.Dropped++ })
		c.must(c.run("", "restore", d.UUID))
		for _, m := range c.files() {
			if m.UUID == d.UUID {
				c.back(m)
			}
		}
	}
}

// restoreDocument brings back a core document or a plan that git dropped, or ends the note where it was written since.
func (c *colleague) restoreDocument(path string) {
	c.note(func(n *hostileTally) { n.Dropped++ })
	_, err := c.output("", "restore", path)
	if err == nil {
		return
	}
	if !strings.Contains(err.Error(), "says something else since") {
		c.t.Error(err)
	}
	c.must(c.run("", "restore", "--dismiss", path))
}

// back notes that what a memory or thread says is there again.
func (c *colleague) back(m *file.Memory) {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	for _, text := range append(whats(m), resolutions(m)...) {
		c.h.wrote[text], c.h.over[text] = true, false
	}
}
