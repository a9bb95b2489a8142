package gitinfo

import (
	"fmt"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// Branch returns the name of the current branch; "" outside git, on a detached HEAD
// and during a rebase.
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

// maxBranches is how many branches [Branches] returns.
const maxBranches = 2_000

// Branches returns the tips of the branches by their names: local ones, and those that only the
// remote has, as of the last fetch.
func Branches(gitDir, commonDir string) (map[string]string, error) {
	if gitDir == "" {
		return nil, nil
	}
	refs, err := open(gitDir, commonDir).Refs()
	if err != nil {
		return nil, fmt.Errorf("list git's branches: %w", err)
	}
	const remote = "refs/remotes/origin/"
	out := map[string]string{}
	for _, local := range []bool{true, false} {
		for _, ref := range refs {
			name := ref.Name()
			short := name.Short()
			if !local {
				short = strings.TrimPrefix(string(name), remote)
			}
			if ref.Type() != plumbing.HashReference || name.IsBranch() != local || !local && !strings.HasPrefix(string(name), remote) {
				continue
			}
			if _, known := out[short]; !known && len(out) < maxBranches {
				out[short] = ref.Hash().String()
			}
		}
	}
	return out, nil
}
