package memory

import (
	"path/filepath"
	"slices"

	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
)

// Removed counts the memory files that git's index has and the workspace does not: they were deleted
// without git, and git brings them back.
func Removed(place *workspace.Workspace) int {
	below, err := filepath.Rel(place.Root, place.MemoriesDir())
	if err != nil || place.GitDir == "" {
		return 0
	}
	repo := gittree.Open(place.GitDir, place.GitCommonDir, place.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	return repo.Missing(place.Root, filepath.ToSlash(below))
}

// Had reports whether a commit has a file or folder at any of some paths, relative to the root.
func Had(place *workspace.Workspace, commit string, paths []string) bool {
	if place.GitDir == "" {
		return false
	}
	repo := gittree.Open(place.GitDir, place.GitCommonDir, place.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	tree, ok := repo.Tree(commit)
	return ok && slices.ContainsFunc(paths, tree.Has)
}
