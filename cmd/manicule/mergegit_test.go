package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/indexer/must"
	"manicule/memory/file"
)

// clones are the repositories of some people who change the same memories.
type clones struct {
	t        *testing.T
	dir      string
	env      []string
	rng      *rand.Rand
	names    []string
	minute   int
	replaced map[string]bool            // texts that somebody who had read them wrote over, or deleted
	wrote    map[string]map[string]bool // texts by uuid
	deletes  bool                       // memories are deleted, too
	marked   int                        // how often a deletion against an edit was told
}

func (c *clones) path(name string) string { return filepath.Join(c.dir, name) }

func (c *clones) git(name string, args ...string) error {
	cmd := exec.Command("git", append([]string{"-c", "user.name=" + name, "-c", "user.email=x@example.com"}, args...)...)
	cmd.Dir, cmd.Env = c.path(name), c.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %s in %s: %w\n%s", strings.Join(args, " "), name, err, out)
	}
	return nil
}

func (c *clones) must(err error) {
	c.t.Helper()
	must.OK(c.t, err)
}

func (c *clones) memories(name string) map[string]*file.Memory {
	out := map[string]*file.Memory{}
	paths, err := filepath.Glob(filepath.Join(c.path(name), ".manicule", "memories", "*", "*.json"))
	c.must(err)
	for _, p := range paths {
		data, err := os.ReadFile(p)
		c.must(err)
		m, err := file.Parse(data)
		if err != nil {
			c.t.Fatalf("%s in %s is no memory any more: %v\n%s", p, name, err, data)
		}
		out[m.UUID] = m
	}
	return out
}

// edit changes a memory in one clone, as `manicule edit` does, and commits.
func (c *clones) edit(name string) {
	all := c.memories(name)
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	m := all[ids[c.rng.IntN(len(ids))]]
	c.minute++
	if c.deletes && len(ids) > 1 && c.rng.IntN(5) == 0 {
		c.delete(name, m)
		return
	}
	hash, err := m.Hash()
	c.must(err)
	m.Lineage = file.Lineage{Version: m.Lineage.Version + 1, Parent: hash, ChangeKind: "edit", By: name}
	m.UpdatedAt = file.At(time.Date(2026, 3, 1, 9, c.minute, 0, 0, time.UTC))
	if c.rng.IntN(4) == 0 {
		m.Tags = append(m.Tags, fmt.Sprintf("tag%d", c.minute))
	} else {
		c.replaced[m.What] = true
		m.What = fmt.Sprintf("%s says in minute %d what to do", name, c.minute)
		c.wrote[m.UUID][m.What] = true
	}
	_, err = file.Write(filepath.Join(c.path(name), ".manicule", "memories"), m)
	c.must(err)
	c.must(c.git(name, "commit", "-q", "-a", "-m", "edit"))
}

// delete removes a memory with all that it says, as `manicule forget` does, and commits.
func (c *clones) delete(name string, m *file.Memory) {
	for _, v := range m.Versions() {
		c.replaced[v.What] = true
	}
	paths, err := filepath.Glob(filepath.Join(c.path(name), ".manicule", "memories", "*", m.UUID+".json"))
	c.must(err)
	for _, p := range paths {
		c.must(os.Remove(p))
	}
	c.must(c.git(name, "commit", "-q", "-a", "-m", "delete"))
}

// bring has one clone take what another has, in one of git's ways.
func (c *clones) bring(from, to string) {
	c.must(c.git(to, "fetch", "-q", c.path(from), "main"))
	switch c.rng.IntN(5) {
	case 0:
		c.finish(to, c.git(to, "rebase", "-q", "FETCH_HEAD"), "rebase", "--continue")
	case 1:
		c.finish(to, c.git(to, "merge", "-q", "--squash", "FETCH_HEAD"))
		if c.git(to, "diff", "--cached", "--quiet") != nil {
			c.must(c.git(to, "commit", "-q", "-m", "squashed"))
		}
	case 2:
		err := c.git(to, "cherry-pick", "FETCH_HEAD")
		if err != nil && c.git(to, "diff", "--quiet", "--diff-filter=U") != nil {
			c.finish(to, err, "cherry-pick", "--continue")
		} else if err != nil { // a merge, or nothing that is new
			if skipped := c.git(to, "cherry-pick", "--skip"); skipped != nil && !strings.Contains(err.Error(), "is a merge") {
				c.t.Fatal(errors.Join(err, skipped))
			}
		}
	default:
		c.finish(to, c.git(to, "merge", "-q", "--no-edit", "FETCH_HEAD"), "commit", "-q", "--no-edit")
	}
}

// finish ends an operation of git that stopped, as somebody does who only goes on: something of Manicule looks at the
// memories, all is added, and git continues. Nothing but a deletion may stop it.
func (c *clones) finish(name string, stopped error, goOn ...string) {
	for range 60 {
		if stopped == nil {
			return
		}
		if !c.deletes {
			c.t.Fatal(stopped)
		}
		sync := exec.Command("manicule", "sync", "--quiet")
		sync.Dir, sync.Env = c.path(name), c.env
		if out, err := sync.CombinedOutput(); err != nil {
			c.t.Fatalf("sync: %v\n%s", err, out)
		}
		for _, m := range c.memories(name) {
			if slices.ContainsFunc(m.Versions(), func(v file.Version) bool { return v.Deleted }) {
				c.marked++
			}
		}
		c.must(c.git(name, "add", "-A"))
		if len(goOn) == 0 {
			return
		}
		if stopped = c.git(name, append([]string{"-c", "core.editor=true"}, goOn...)...); stopped == nil {
			return
		}
		if c.git(name, "diff", "--quiet", "--diff-filter=U") == nil { // nothing is left of this commit
			stopped = c.git(name, goOn[0], "--skip")
		}
	}
	c.t.Fatalf("git does not end: %v", stopped)
}

// TestClonesMerge has two or three people change the same memories apart, 100 times each, and bring
// each other's changes in by merge, rebase, squash and cherry-pick: every merge goes through,
// every file stays a memory, and no text is lost that nobody replaced.
func TestClonesMerge(t *testing.T) {
	if testing.Short() {
		t.Skip("some hundred processes of git")
	}
	for _, run := range []struct {
		seed    uint64
		people  int
		deletes bool
		always  bool // not only in the torture
	}{{1, 3, false, true}, {2, 3, false, false}, {3, 3, true, true}, {4, 3, true, false}, {5, 2, false, true}, {6, 2, false, false}, {8, 2, true, true}, {9, 2, true, false}} {
		if !run.always && !*torturePairs {
			continue
		}
		seed := run.seed
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := &clones{t: t, dir: dir, rng: rand.New(rand.NewPCG(seed, 7)), names: []string{"ada", "bob", "eve"}[:run.people], deletes: run.deletes,
				replaced: map[string]bool{}, wrote: map[string]map[string]bool{},
				env: append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_STATE_HOME="+dir+"/state", "XDG_CACHE_HOME="+dir+"/cache", "GIT_CONFIG_NOSYSTEM=1")}
			c.must(os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte(gitIsQuick), 0o600))
			c.must(os.Mkdir(c.path("ada"), 0o755))
			c.must(c.git("ada", "init", "-q", "-b", "main"))
			for i := range 4 {
				m := &file.Memory{Format: 1, UUID: fmt.Sprintf("0198f0c2-7a41-7c3e-9d7a-3f1f5d0b9a%02d", i), Type: file.Gotcha, Layer: file.AreaContext,
					What: fmt.Sprintf("the first text of memory %d", i), Visibility: file.Project, Importance: file.Medium, Confidence: 1,
					Trust: file.Trust{Origin: file.UserTaught}, Lineage: file.Lineage{Version: 1, ChangeKind: "create"},
					CreatedAt: file.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)), UpdatedAt: file.At(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))}
				c.wrote[m.UUID] = map[string]bool{m.What: true}
				_, err := file.Write(filepath.Join(c.path("ada"), ".manicule", "memories"), m)
				c.must(err)
			}
			c.init("ada")
			c.must(c.git("ada", "add", "-A"))
			c.must(c.git("ada", "commit", "-q", "-m", "first"))
			for _, name := range c.names[1:] {
				c.must(c.git("ada", "clone", "-q", c.path("ada"), c.path(name)))
				c.init(name)
			}
			for edits := 0; edits < 25; {
				if c.rng.IntN(3) > 0 {
					c.edit(c.names[c.rng.IntN(run.people)])
					edits++
					continue
				}
				pair := c.rng.Perm(run.people)
				c.bring(c.names[pair[0]], c.names[pair[1]])
			}
			for _, name := range c.names[1:] {
				c.finish("ada", c.git("ada", "pull", "-q", "--no-rebase", "--no-edit", c.path(name), "main"), "commit", "-q", "--no-edit")
			}
			versions, all := 0, c.memories("ada")
			for id, texts := range c.wrote {
				m := all[id]
				if m == nil { // deleted
					m = &file.Memory{}
				}
				for text := range texts {
					kept := slices.ContainsFunc(m.Versions(), func(v file.Version) bool { return v.What == text })
					if !kept && !c.replaced[text] {
						t.Errorf("%q is lost", text)
					}
				}
				versions += len(m.Conflict)
			}
			if versions == 0 && !run.deletes || run.deletes && c.marked == 0 {
				t.Error("nothing collided: the test shows nothing")
			}
		})
	}
}

// init registers the merge driver, without git's hooks, which would sync after each
// step.
func (c *clones) init(name string) {
	c.t.Helper()
	cmd := exec.Command("manicule", "init")
	cmd.Dir, cmd.Env = c.path(name), c.env
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("init: %v\n%s", err, out)
	}
	c.must(c.git(name, "config", "core.hooksPath", "/dev/null"))
}
