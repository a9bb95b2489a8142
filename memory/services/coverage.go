package services

import (
	"cmp"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/coverage"
	"manicule/memory/importer"
	"manicule/memory/recipe"
)

// churnFiles is how many files a report is made of: those that changed most.
const churnFiles = 5000

// CoverageOptions narrow a report.
type CoverageOptions struct {
	Below  string                // a folder, relative to the root; "" for all
	Depth  int                   // as [coverage.Of] has it
	Counts func(memory.Hit) bool // whether a memory counts; nil: all do
}

// Coverage tells which part of the changes of the last months was in files with memories of their own: not one of a large part of the files. Files that are gone,
// those that programs write, and those that tell agents something don't count. ok is false without a history, which [Workspace.UpdateHistory] reads.
func Coverage(ctx context.Context, w *Workspace, o CoverageOptions) (r coverage.Report, ok bool, err error) {
	past := w.GitHistory()
	if past == nil {
		return r, false, nil
	}
	churn := past.Churn(withoutBumps)
	files := slices.SortedFunc(maps.Keys(churn), func(a, b string) int { return cmp.Or(churn[b]-churn[a], strings.Compare(a, b)) })
	there := map[string]int{}
	for _, f := range files {
		if err := ctx.Err(); err != nil {
			return r, false, err
		}
		if len(there) == churnFiles {
			break
		}
		if ofAgents(f) || Recorded(f) || o.Below != "" && !strings.HasPrefix(f, o.Below+"/") {
			continue
		}
		if info, err := os.Lstat(filepath.Join(w.Root(), filepath.FromSlash(f))); err == nil && info.Mode().IsRegular() {
			there[f] = churn[f]
		}
	}
	if len(there) == 0 {
		return r, false, nil
	}
	view, about := w.View(), map[string][]string{}
	for f := range there {
		for _, h := range view.ForPath(f, false) {
			if h.Match > memory.MatchProject && (o.Counts == nil || o.Counts(h)) {
				about[f] = append(about[f], h.Memory.UUID)
			}
		}
	}
	return coverage.Of(there, o.Depth, covered(about, len(there))), true, nil
}

// covered reports of a file whether one of the memories about it covers it: files are those of the report that memories are about, of
// so many.
func covered(about map[string][]string, files int) func(file string) bool {
	reach := map[string]int{}
	for _, uuids := range about {
		for _, uuid := range uuids {
			reach[uuid]++
		}
	}
	most := max(manyFiles, files/fewPart)
	return func(file string) bool {
		return slices.ContainsFunc(about[file], func(uuid string) bool { return reach[uuid] <= most })
	}
}

// A memory that is about more than manyFiles of a report, and more than one in fewPart of them, says as little about each as one about
// the whole project: with “src/**” every file below src was covered.
const (
	manyFiles = 20
	fewPart   = 4
)

// Past is what a repository has of its past.
type Past int

const (
	// NoPast is without a commit, or without git.
	NoPast Past = iota
	// OneCommit has nothing before its only commit, which changed no file: it brought all of them.
	OneCommit
	// OneShallow is one commit of a shallow clone, where git lacks what was before.
	OneShallow
	// SomePast has several commits.
	SomePast
)

// PastOf looks how much of its past a workspace's repository has.
func PastOf(w *Workspace) Past {
	p := w.Place()
	head := gitinfo.Head(p.GitDir, p.GitCommonDir)
	if p.GitDir == "" || head == "" {
		return NoPast
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	commits := repo.Commits(head, func(string) bool { return false }, 2)
	switch {
	case len(commits) > 1:
		return SomePast
	case w.Git().Shallow():
		return OneShallow
	}
	return OneCommit
}

// Recorded reports whether a file writes down what happened elsewhere: recordings for tests, the versions of what the
// project needs, and the log of its changes. There is nothing to remember of it.
func Recorded(file string) bool {
	if recipe.LockFile(file) || changelog(file) {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch part {
		case "testdata", "fixtures", "__fixtures__", "__snapshots__", "snapshots", "cassettes":
			return true
		}
	}
	return false
}

// ofAgents reports whether a file is for agents, as memories are: rules, skills, and what sets agents up.
func ofAgents(file string) bool {
	if importer.IsRuleFile(file) {
		return true
	}
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch part {
		case workspace.Folder, ".agents", ".aide", ".claude", ".claude-plugin", ".clinerules", ".codex", ".continue", ".crush", ".cursor", ".gemini", ".kiro", ".opencode", ".roo", ".serena", ".windsurf":
			return true
		}
	}
	switch path.Base(file) {
	case ".mcp.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json":
		return true
	}
	if below, ok := strings.CutPrefix(file, ".github/"); ok {
		switch first, _, _ := strings.Cut(below, "/"); first {
		case "agents", "chatmodes", "hooks", "instructions", "mcp.json", "prompts", "skills":
			return true
		}
	}
	return file == ".vscode/mcp.json"
}

// manyManifests is from how many manifests of one name on a commit is a release of a monorepo, or an update of all its packages.
const manyManifests = 5

// withoutBumps returns the files of a commit without the manifests in which it only changed versions: it also changed what they were
// resolved to, or those of many packages at once. There is nothing to remember of that.
func withoutBumps(files []string) []string {
	bump, named := false, map[string]int{}
	for _, f := range files {
		base := path.Base(f)
		if manifest(base) {
			named[base]++
		}
		bump = bump || recipe.LockFile(f) || named[base] == manyManifests
	}
	if !bump || len(named) == 0 {
		return files
	}
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return manifest(path.Base(f)) })
}

// manifest reports whether a file of a name says what a package needs, and which version it has itself.
func manifest(base string) bool {
	switch base {
	case "package.json", "lerna.json", "Cargo.toml", "go.mod", "pyproject.toml", "composer.json", "Gemfile", "Directory.Packages.props":
		return true
	}
	return strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt")
}

// changelog reports whether a file lists the changes of each release. HISTORY.md and NEWS.md may tell something else.
func changelog(file string) bool {
	name, ext, _ := strings.Cut(strings.ToLower(path.Base(file)), ".")
	switch ext {
	case "", "md", "mdx", "rst", "txt", "adoc":
		return name == "changelog" || name == "changes"
	}
	return false
}
