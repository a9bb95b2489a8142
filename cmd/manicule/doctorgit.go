package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"manicule/hooks/setup"
	"manicule/indexer/gitinfo"
	"manicule/memory/services"
)

// checkGit tells what of the clone keeps memories from being shared, merged and found as they should be.
func (dc *doctorCommand) checkGit(_ context.Context, w *services.Workspace) []finding {
	return gitCheck{w: w, setup: dc.setupOf(w.Place())}.run()
}

// gitCheck looks at the clone that a workspace is in.
type gitCheck struct {
	w     *services.Workspace
	setup *setup.Setup
}

func (g gitCheck) run() []finding {
	if g.w.Place().GitTop == "" {
		return []finding{{"git", statusNote, "this is not a git repository: memories are not shared", "Run `git init` to share them."}}
	}
	return slices.Concat(g.hooks(), g.history(), g.merging(), damagedFiles(g.w), g.exposed())
}

func (g gitCheck) hooks() []finding {
	if missing := g.setup.MissingGitHooks(); len(missing) > 0 {
		return []finding{{"git", statusNote, "missing git hooks: " + strings.Join(missing, ", "), "`manicule init` adds them; without them, the next command reads pulled memories."}}
	}
	return []finding{{Check: "git", Status: statusOK, Text: "hooks keep memories and their places current after a commit, pull or checkout"}}
}

// history tells what of git's history can't be read.
func (g gitCheck) history() (out []finding) {
	if g.w.Git().Shallow() {
		out = append(out, finding{"git", statusNote, "this clone is shallow: earlier versions of memories, and where their code was before, are not known", unshallow})
	}
	if what := gitinfo.Unread(g.w.Place().GitCommonDir); what != "" {
		out = append(out, finding{"git", statusNote, "this repository keeps " + what + ", which is not read: branches, earlier versions, and where code was before, are not known",
			"Nothing is lost. Memories are found, told, and compared with the files as they are."})
	}
	return out
}

// merging tells whether git merges memories as memories.
func (g gitCheck) merging() []finding {
	here := setup.Exists(g.w.Place().MemoriesDir())
	switch m := g.setup.MergeDriver(); {
	case !m.Registered && (m.Attributed || here):
		return []finding{{"git", statusNote, "this clone has no merge driver for memories: git merges them as text",
			"`manicule init` registers it."}}
	case m.Registered && !m.Whole && here:
		return []finding{{"git", statusNote, ".manicule/.gitattributes is not that of this version: git merges some files as text, or warns of line ends with core.autocrlf",
			"`manicule init` writes it; commit it."}}
	}
	return nil
}

// exposed tells of personal memories that git does not ignore.
func (g gitCheck) exposed() (out []finding) {
	p := g.w.Place()
	files, rules := g.w.Exposed()
	for _, rel := range files {
		name := relative(p.Root, filepath.Join(p.MemoriesDir(), filepath.FromSlash(rel)))
		out = append(out, finding{"git", statusProblem, "git does not ignore a personal memory: " + name,
			"Run `git rm --cached -- " + name + "` if it is tracked; `git check-ignore -v --no-index` names the rule that includes it."})
	}
	if !rules && setup.Exists(p.MemoriesDir()) {
		out = append(out, finding{"git", statusProblem, ".manicule/.gitignore does not keep personal memories out of git",
			"`manicule init` writes it; remove rules that include them."})
	}
	return out
}

// unshallow is the advice where a shallow clone lacks what is asked for.
const unshallow = "`git fetch --unshallow` brings them."
