//go:build unix

package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// settingsOf puts lines after what git's own settings of a clone are.
func (c *clone) settings(lines string) {
	c.file(".git/config", "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"+lines)
}

// inside is a repository in the clone, which git keeps as a submodule of it, with
// settings of its own.
func (c *clone) inside(rel, settings string) {
	c.t.Helper()
	dir := filepath.Join(c.root, rel)
	c.put(filepath.Join(dir, "b.go"), "package b\n")
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "one"}} {
		c.git(append([]string{"-C", rel}, args...)...)
	}
	c.git("add", rel)
	c.git("commit", "-qm", "two")
	c.put(filepath.Join(dir, ".gitattributes"), "*.go filter=evil\n")
	c.put(filepath.Join(dir, ".git/config"), "[core]\n\trepositoryformatversion = 0\n"+settings)
	c.put(filepath.Join(dir, "b.go"), "package c\n") // of the same size, so that git must ask the filter
}

// TestHostileSettings opens clones whose own git settings name programs, and
// files and folders beside them: nothing of that runs, is read out or written.
func TestHostileSettings(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some hundred processes")
	}
	settings := map[string]func(v *victim, evil string){
		"worktree":           func(v *victim, _ string) { v.settings("\tworktree = " + v.outside + "\n") },
		"worktree, relative": func(v *victim, _ string) { v.settings("\tworktree = ../../outside\n") },
		"fsmonitor":          func(v *victim, evil string) { v.settings("\tfsmonitor = " + evil + "\n") },
		"sshCommand": func(v *victim, evil string) {
			v.settings("\tsshCommand = " + evil + "\n[remote \"origin\"]\n\turl = ssh://example.invalid/x\n\tpromisor = true\n\tpartialclonefilter = blob:none\n")
		},
		"hooksPath":           func(v *victim, _ string) { v.settings("\thooksPath = " + v.outside + "\n") },
		"hooksPath, relative": func(v *victim, _ string) { v.settings("\thooksPath = ../outside\n") },
		"hooks": func(v *victim, evil string) {
			v.program(".git/evil/post-index-change", evil)
			v.settings("\thooksPath = .git/evil\n")
		},
		"external diff": func(v *victim, evil string) { v.settings("[diff]\n\texternal = " + evil + "\n") },
		"include":       func(v *victim, _ string) { v.settings("[include]\n\tpath = " + v.outside + "/id_rsa\n") },
		"include of programs": func(v *victim, evil string) {
			v.file("evil.ini", "[core]\n\tfsmonitor = "+evil+"\n[diff]\n\texternal = "+evil+"\n[filter \"evil\"]\n\tclean = "+evil+"\n")
			v.settings("[include]\n\tpath = ../evil.ini\n[includeIf \"gitdir:**\"]\n\tpath = ../evil.ini\n")
		},
		"filter of one worktree": func(v *victim, evil string) {
			v.settings("[extensions]\n\tworktreeConfig = true\n")
			v.file(".git/config.worktree", "[filter \"evil\"]\n\tclean = "+evil+"\n\tprocess = "+evil+"\n[core]\n\tfsmonitor = "+evil+"\n")
		},
		"include that depends on another file": func(v *victim, evil string) {
			v.file("evil.ini", "[filter \"evil\"]\n\tclean = "+evil+"\n\tprocess = "+evil+"\n")
			v.settings("[extensions]\n\tworktreeConfig = true\n[includeIf \"hasconfig:remote.*.url:**\"]\n\tpath = ../evil.ini\n")
			v.file(".git/config.worktree", "[remote \"origin\"]\n\turl = https://example.org/x\n")
		},
		"submodule": func(v *victim, evil string) {
			v.inside("sub", "\tfsmonitor = "+evil+"\n[filter \"evil\"]\n\tclean = "+evil+"\n\trequired = true\n")
		},
		"files beside it": func(v *victim, _ string) {
			v.settings("\tattributesFile = " + v.outside + "/id_rsa\n\texcludesFile = " + v.outside + "/id_rsa\n[diff]\n\torderFile = " + v.outside + "/id_rsa\n[blame]\n\tignoreRevsFile = " + v.outside + "/id_rsa\n")
		},
	}
	for i, name := range slices.Sorted(maps.Keys(settings)) {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			v.file(".manicule/memories/technical/"+uuidOf(1)+".json", memoryJSON(uuidOf(1), "pattern", "technical", "Known", `"scope":["src/**"],`))
			v.file(".gitattributes", "*.go filter=evil\n")
			before := v.snapshot()
			v.program("run.sh", "touch "+v.outside+"/ran; cat")
			settings[name](v, v.root+"/run.sh")
			v.file("src/a.go", "package a\n\n// F is used.\nfunc F() { G(); G() }\n\nfunc G() {}\n")
			commands := [][]string{{"impact", "--diff"}, {"verify", "--diff", "HEAD"}, {"index"}, {"status"}, {"search", "--code", "Secret"}, {"init"}, {"sync"}}
			more := [][]string{{"impact", "--diff", "HEAD"}, {"verify"}, {"doctor"}, {"recall", "src/a.go"}, {"search", "secret"}, {"remember", "Stay mine", "--personal"}, {"init", "--dry-run"}, {"init", "--undo"}}
			for j, args := range more { // each goes with some of the settings, and in the torture with all
				if (i+j)%4 == 0 || *torturePairs {
					commands = append(commands, args)
				}
			}
			for _, args := range commands {
				o := v.run("", args...)
				v.sane(o, "manicule "+strings.Join(args, " "), anyCode...)
				if got := o.out.String() + o.err.String(); strings.Contains(got, "secret.go") || strings.Contains(got, "secret.md") {
					t.Errorf("manicule %s tells of what lies outside:\n%s", strings.Join(args, " "), got)
				}
				if args[0] == "impact" && name != "include" && !strings.Contains(o.out.String(), "src/a.go:4 F") {
					t.Errorf("manicule %s does not know what changed: %d\n%s%s", strings.Join(args, " "), o.code, o.out.String(), o.err.String())
				}
			}
			v.tools()
			v.untouched(before)
		})
	}
}

// program is a file that can be run.
func (c *clone) program(rel, text string) {
	c.file(rel, "#!/bin/sh\n"+text+"\n")
	c.must(os.Chmod(filepath.Join(c.root, rel), 0o755))
}
