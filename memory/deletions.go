package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// git calls no merge driver where one side deleted a file that the other changed: it stops, and leaves the changed
// version. What the driver would have done for memories is done at the next look at their files.

// maxDeletionCommits is how many commits are searched for who deleted a memory.
const maxDeletionCommits = 2000

// merging reports whether git may have stopped in a worktree and left files for a person. It looks at no index.
func merging(gitDir string) bool {
	switch gitinfo.Operation(gitDir) {
	case "merge", "rebase", "cherry-pick", "revert":
		return true
	}
	// A squashed merge has no state of its own; AUTO_MERGE is there wherever git wrote conflicts.
	return slices.ContainsFunc([]string{"SQUASH_MSG", "AUTO_MERGE"}, func(name string) bool {
		_, err := os.Lstat(filepath.Join(gitDir, name))
		return err == nil
	})
}

// Merging reports whether git may have stopped in this worktree and left files for a person.
func (w *Workspace) Merging() bool { return w.place.GitDir != "" && merging(w.place.GitDir) }

// GitDir is git's folder of this worktree, "" without git.
func (w *Workspace) GitDir() string { return w.place.GitDir }

// markDeletions notes in the files of memories, which one side of an unfinished merge changed and the other deleted,
// who deleted them. A file that somebody has written since is left alone: that is a decision.
func (w *Workspace) markDeletions(ctx context.Context) error {
	p := w.place
	if p.GitDir == "" || !merging(p.GitDir) {
		return nil
	}
	if gitWrites(p.GitDir) {
		return nil // what it leaves is seen next time
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	var errs []error
	for _, u := range repo.Unmerged() {
		if !isMerged(u.Path) || ctx.Err() != nil {
			continue
		}
		ours, deleted := u.Deleted()
		if !deleted {
			if err := w.setApart(ctx, repo, u); err != nil {
				errs = append(errs, fmt.Errorf("take another memory out of %s: %w", u.Path, err))
			}
			continue
		}
		if err := w.markDeletion(ctx, repo, u, ours); err != nil {
			errs = append(errs, fmt.Errorf("note that %s was deleted: %w", u.Path, err))
		}
	}
	return errors.Join(errs...)
}

// isMerged reports whether a path, relative to the workspace, is that of a memory or of a shared thread.
func isMerged(name string) bool {
	rel, ok := strings.CutPrefix(name, path.Join(workspace.Folder, "memories")+"/")
	return ok && file.IsMemoryPath(rel) || isThread(name)
}

// isThread reports whether a path, relative to the workspace, is that of a shared thread.
func isThread(name string) bool {
	return path.Dir(name) == path.Join(workspace.Folder, thread.SharedFolder) && file.ValidUUID(nameID(name))
}

// write writes what a merge makes of the file of a memory or a shared thread.
func (w *Workspace) write(ctx context.Context, name string, m *file.Memory) error {
	if isThread(name) {
		return thread.WriteFile(w.place, m)
	}
	rel := strings.TrimPrefix(name, path.Join(workspace.Folder, "memories")+"/")
	folder := w.rows.FolderTime(rel)
	if _, err := file.WriteAt(w.place.MemoriesDir(), rel, m); err != nil {
		return err
	}
	w.record(ctx, m, rel, folder)
	return nil
}

// at is the absolute path of a file of the workspace.
func (w *Workspace) at(name string) string {
	return filepath.Join(w.place.Root, filepath.FromSlash(name))
}

// gitWrites reports whether a command of git is changing the index, and files with it.
func gitWrites(gitDir string) bool {
	_, err := os.Lstat(filepath.Join(gitDir, "index.lock"))
	return err == nil
}

// markDeletion notes who deleted one memory or shared thread. ours is true if our side of the merge did.
func (w *Workspace) markDeletion(ctx context.Context, repo *gittree.Repo, u gittree.Unmerged, ours bool) error {
	left, err := repo.Blob(u.Ours + u.Theirs) // one of them is ""
	if err != nil {
		return err
	}
	m, err := file.Parse(left)
	if err != nil {
		return nil // reported as a broken file
	}
	if same, err := w.isVersion(u.Path, m); err != nil || !same {
		return err
	}
	by, ok := w.deleterOf(repo, m.UUID, ours)
	if !ok {
		return nil
	}
	var base *file.Memory
	if data, err := repo.Blob(u.Base); err == nil {
		base, _ = file.Parse(data) // without it the deletion has the changed words
	}
	before := m.Clone()
	changed, err := file.MarkDeleted(m, base, by.Author, file.At(by.Time.UTC()))
	if err != nil || !changed {
		return err
	}
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return err
	}
	defer unlock()
	if !isThread(u.Path) {
		if err := w.state.Keep(ctx, w.place.WorktreeID, before); err != nil {
			w.log.Warn("keep the earlier version", "uuid", m.UUID, "err", err)
		}
	}
	if same, err := w.isVersion(u.Path, before); err != nil || !same || !w.waits(repo, u) {
		return err // decided meanwhile
	}
	return w.write(ctx, u.Path, m)
}

// waits reports whether git still waits for a decision about a file, and is not about to take one: it holds its index
// while it removes files. `git cherry-pick --skip` may end while somebody looks, and leave the very same file.
func (w *Workspace) waits(repo *gittree.Repo, u gittree.Unmerged) bool {
	return slices.Contains(repo.Unmerged(), u) && !gitWrites(w.place.GitDir)
}

// Unfinished reports whether git still waits for a decision about a memory's file.
func (w *Workspace) Unfinished(h Hit) bool {
	p := w.place
	rel, err := filepath.Rel(w.place.Root, h.Path)
	if err != nil || p.GitDir == "" || !merging(p.GitDir) {
		return false
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	return slices.ContainsFunc(repo.Unmerged(), func(u gittree.Unmerged) bool { return u.Path == filepath.ToSlash(rel) })
}

// isVersion reports whether the file at a path still holds a version, as git left it.
func (w *Workspace) isVersion(name string, m *file.Memory) (bool, error) {
	now, err := file.Read(w.at(name))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	is, err := now.Hash()
	if err != nil {
		return false, err
	}
	was, err := m.Hash()
	return is == was, err
}

// deleterOf returns the commit that deleted a memory on one side of an unfinished merge. ok is false if that side only
// moved it; a commit that nobody finds is empty.
func (w *Workspace) deleterOf(repo *gittree.Repo, uuid string, ours bool) (by gittree.Commit, ok bool) {
	p := w.place
	tips := []string{gitinfo.Head(p.GitDir, p.GitCommonDir)}
	if !ours {
		tips = w.pendingCommits(repo)
	}
	for _, tip := range tips {
		if placeIn(repo, tip, filePaths(uuid)) != "" {
			return by, false
		}
	}
	if !ours {
		if by, ok := w.deleterHere(); ok {
			return by, true
		}
	}
	for _, tip := range tips {
		if v := repo.FileVersions(tip, filePaths(uuid), maxDeletionCommits); len(v) > 0 && v[0].Blob == "" {
			return v[0].Commit, true
		}
	}
	return by, true
}

// deleterHere is who deletes with an operation that brings no commit of this repository that did: whoever takes a commit
// or a stash back in this clone, and the author of a mailed patch.
func (w *Workspace) deleterHere() (by gittree.Commit, ok bool) {
	switch gitinfo.Operation(w.place.GitDir) {
	case "revert":
	case "rebase": // and git am
		return patchAuthor(w.place.GitDir)
	case "":
		if len(squashedCommits(w.place.GitDir)) > 0 {
			return by, false
		}
	default:
		return by, false
	}
	return gittree.Commit{Author: w.Author(), Time: w.now()}, true
}

// patchAuthor is the author of the patch that git am applies.
func patchAuthor(gitDir string) (by gittree.Commit, ok bool) {
	dir := filepath.Join(gitDir, "rebase-apply")
	if _, err := os.Lstat(filepath.Join(dir, "applying")); err != nil {
		return by, false // a rebase
	}
	data, err := treefile.Read(filepath.Join(dir, "author-script"), 4096)
	if err != nil {
		return by, false
	}
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.ReplaceAll(strings.Trim(value, "'"), `'\''`, "'")
		switch key {
		case "GIT_AUTHOR_NAME":
			by.Author = value
		case "GIT_AUTHOR_DATE":
			if at, err := time.Parse("Mon, 2 Jan 2006 15:04:05 -0700", value); err == nil {
				by.Time = at
			}
		}
	}
	return by, by.Author != ""
}

// memoryPaths lists where the file of a memory may lie, relative to the workspace.
func memoryPaths(uuid string) []string {
	var out []string
	for _, l := range file.Layers() {
		for _, below := range []string{"", "shared", "personal"} {
			out = append(out, path.Join(workspace.Folder, "memories", string(l), below, uuid+".json"))
		}
	}
	return out
}

// filePaths lists where the file of a memory or a shared thread may lie, relative to the workspace.
func filePaths(uuid string) []string {
	return append(memoryPaths(uuid), path.Join(workspace.Folder, thread.SharedFolder, uuid+".json"))
}

// pendingCommits returns the commits that an unfinished operation brings. Files of other operations may be left over.
func (w *Workspace) pendingCommits(repo *gittree.Repo) []string {
	gitDir := w.place.GitDir
	var names []string
	switch gitinfo.Operation(gitDir) {
	case "merge":
		names = []string{"MERGE_HEAD"}
	case "rebase":
		names = []string{"REBASE_HEAD", "rebase-merge/stopped-sha", "rebase-apply/original-commit"}
	case "cherry-pick":
		names = []string{"CHERRY_PICK_HEAD"}
	case "revert": // it brings what was before the commit
		for _, id := range hashesIn(gitDir, "REVERT_HEAD") {
			return repo.Parents(id)
		}
	case "":
		if tips := squashedCommits(gitDir); len(tips) > 0 {
			return tips
		}
		return hashesIn(w.place.GitCommonDir, "refs/stash") // kept by `git stash pop` that stopped
	}
	for _, name := range names {
		if tips := hashesIn(gitDir, name); len(tips) > 0 {
			return tips
		}
	}
	return nil
}

// hashesIn returns what a file of git names, one name a line.
func hashesIn(dir, name string) []string {
	data, err := treefile.Read(filepath.Join(dir, filepath.FromSlash(name)), 4096)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// squashedCommits returns the newest commit that a squashed merge brings, as its message names it.
func squashedCommits(gitDir string) []string {
	const maxMessage = 1 << 20
	data, err := treefile.Read(filepath.Join(gitDir, "SQUASH_MSG"), maxMessage)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		if id, ok := strings.CutPrefix(line, "commit "); ok {
			return []string{strings.TrimSpace(id)}
		}
	}
	return nil
}
