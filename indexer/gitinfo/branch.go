package gitinfo

import (
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// Branch is the name of the branch that is checked out, "" outside of git, on a
// detached HEAD and in the middle of a rebase.
func Branch(gitDir, commonDir string) string {
	if gitDir == "" {
		return ""
	}
	ref, err := open(gitDir, commonDir).Ref(plumbing.HEAD)
	if err != nil || ref == nil || ref.Type() != plumbing.SymbolicReference || !ref.Target().IsBranch() {
		return ""
	}
	return ref.Target().Short()
}

// DefaultBranch is the branch that the others of a repository leave from, and
// the commits at which it stands: here and, as far as was fetched, at the remote
// repository. It is the one that a clone began with, else the one that
// init.defaultBranch names, else main or master; "" where none of them is there.
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
	for _, short := range []string{option(commonDir, getenv, "init", "defaultBranch"), "main", "master"} {
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

// tipsOf are the commits of a branch, here and at the remote repository.
func tipsOf(d *dotgit.DotGit, short string) []string {
	var out []string
	for _, name := range []plumbing.ReferenceName{plumbing.NewBranchReferenceName(short), plumbing.NewRemoteReferenceName("origin", short)} {
		if ref, err := d.Ref(name); err == nil && ref != nil && ref.Type() == plumbing.HashReference {
			out = append(out, ref.Hash().String())
		}
	}
	return out
}
