package gitinfo

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// reftableBranch is what HEAD names where git keeps branches as a reftable: no branch can have this
// name, so that programs that know only files find none.
const reftableBranch = "refs/heads/.invalid"

// Branch returns the name of the current branch; "" outside git, on a detached HEAD,
// during a rebase, and where branches are kept in a format that is not read.
func Branch(gitDir string) string {
	if gitDir == "" {
		return ""
	}
	ref := headReference(gitDir)
	if ref == nil || ref.Type() != plumbing.SymbolicReference || !ref.Target().IsBranch() || ref.Target() == reftableBranch {
		return ""
	}
	return ref.Target().Short()
}

// DefaultBranch returns the repository's main branch and its tips: here and, as of the
// last fetch, at the remote. It is the branch that the clone began with, else that of
// init.defaultBranch, else main or master; "" if none of them exists.
func DefaultBranch(gitDir, commonDir string, getenv func(string) string) (name string, tips []string) {
	if gitDir == "" {
		return "", nil
	}
	d := open(gitDir, commonDir)
	const remote = "refs/remotes/origin/"
	if ref, err := d.Ref(remote + "HEAD"); err == nil && ref != nil && ref.Type() == plumbing.SymbolicReference {
		if short, ok := strings.CutPrefix(string(ref.Target()), remote); ok {
			if tips := tipsOf(d, short); len(tips) > 0 {
				return short, tips
			}
		}
	}
	for _, short := range []string{option(gitDir, commonDir, getenv, "init", "defaultBranch"), "main", "master"} {
		if short == "" {
			continue
		}
		if tips := tipsOf(d, short); len(tips) > 0 {
			return short, tips
		}
	}
	return "", nil
}

func open(gitDir, commonDir string) *dotgit.DotGit {
	return dotgit.New(dotgit.NewRepositoryFilesystem(Files(gitDir), Files(commonDir)))
}

// tipsOf returns the commits of a branch, here and at the remote.
func tipsOf(d *dotgit.DotGit, short string) []string {
	var out []string
	for _, name := range []plumbing.ReferenceName{plumbing.NewBranchReferenceName(short), plumbing.NewRemoteReferenceName("origin", short)} {
		if ref, err := d.Ref(name); err == nil && ref != nil && ref.Type() == plumbing.HashReference {
			out = append(out, ref.Hash().String())
		}
	}
	return out
}

// maxBranches is how many local and how many remote branches [Branches] returns.
const maxBranches = 2_000

// Branches returns the tips of the branches by their names: those here, and those at the remote as of
// the last fetch.
func Branches(gitDir, commonDir string) (local, remote map[string]string, err error) {
	local, remote = map[string]string{}, map[string]string{}
	if gitDir == "" {
		return local, remote, nil
	}
	refs, err := open(gitDir, commonDir).Refs()
	if err != nil {
		return nil, nil, fmt.Errorf("list git's branches: %w", err)
	}
	for _, ref := range refs {
		name := ref.Name()
		short, away := strings.CutPrefix(string(name), "refs/remotes/origin/")
		to := remote
		switch {
		case ref.Type() != plumbing.HashReference:
			continue
		case name.IsBranch():
			short, to = name.Short(), local
		case !away:
			continue
		}
		if len(to) < maxBranches {
			to[short] = ref.Hash().String()
		}
	}
	return local, remote, nil
}
