package memory

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
)

// Removed lists the memory files, relative to the root, that git's index has and the workspace does not: they were deleted
// without git, and git brings them back.
func Removed(place *workspace.Workspace) (names []string) {
	inIndex(place, func(repo *gittree.Repo, memories string) { names = repo.Missing(place.Root, memories) })
	return names
}

// LeftOut lists the memory files, relative to the root, that a sparse checkout leaves out.
func LeftOut(place *workspace.Workspace) (names []string) {
	inIndex(place, func(repo *gittree.Repo, memories string) { names = repo.LeftOut(memories) })
	return names
}

// LeavesOut returns whether a sparse checkout leaves out the file at one of some paths, relative to the root, or one below it: it is
// not checked out, and there all the same. Git's index is read once, when that is first asked.
func LeavesOut(place *workspace.Workspace) func(paths ...string) bool {
	leaves := sync.OnceValue(func() (leaves func(string) bool) {
		leaves = func(string) bool { return false }
		inIndex(place, func(repo *gittree.Repo, _ string) { leaves = repo.LeavesOut() })
		return leaves
	})
	return func(paths ...string) bool { return slices.ContainsFunc(paths, leaves()) }
}

// inIndex calls f with the repository and the folder of the memories in its index, if there is a repository.
func inIndex(place *workspace.Workspace, f func(repo *gittree.Repo, memories string)) {
	below, err := filepath.Rel(place.Root, place.MemoriesDir())
	if err != nil || place.GitDir == "" {
		return
	}
	repo := gittree.Open(place.GitDir, place.GitCommonDir, place.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	f(repo, filepath.ToSlash(below))
}

// RemovedByHand counts the files that [Removed] lists, of which neither Manicule removed the memory nor another file has it.
// It is for a workspace whose memories were read.
func RemovedByHand(ctx context.Context, w *Workspace) (n int, err error) {
	if w.git.Merging() { // git has not written what it merges
		return 0, nil
	}
	for _, name := range Removed(w.place) {
		if path.Ext(name) != ".json" {
			continue
		}
		uuid := strings.TrimSuffix(path.Base(name), ".json")
		if _, ok := w.View().Get(uuid); ok {
			continue
		}
		tombstones, err := w.state.Tombstones().Of(ctx, uuid)
		if err != nil {
			return 0, fmt.Errorf("look for what was forgotten: %w", err)
		}
		if len(tombstones) == 0 {
			n++
		}
	}
	return n, nil
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

// maxMoved bounds the commits in which a folder that is gone is looked for.
const maxMoved = 500

// MovedFolders returns a function that says where a folder went, by the last of git's commits that had it and the checked-out one;
// "" if that is not known.
func MovedFolders(place *workspace.Workspace) func(folder string) string {
	known := map[string]string{}
	return func(folder string) string {
		to, ok := known[folder]
		if !ok && place.GitDir != "" {
			to = movedFolder(place, folder)
			known[folder] = to
		}
		return to
	}
}

func movedFolder(place *workspace.Workspace, folder string) string {
	repo := gittree.Open(place.GitDir, place.GitCommonDir, place.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	head := gitinfo.Head(place.GitDir, place.GitCommonDir)
	now, ok := repo.Tree(head)
	if !ok {
		return ""
	}
	var was gittree.Tree
	repo.Commits(head, func(id string) bool {
		t, ok := repo.Tree(id)
		if ok && t.Has(folder) {
			was = t
		}
		return !ok || t.Has(folder)
	}, maxMoved)
	return was.MovedFolder(folder, now)
}
