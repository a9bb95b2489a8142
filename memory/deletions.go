package memory

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
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

// merging reports whether git has stopped in a worktree and left files for a person, as far as a file in its folder says so. It
// looks at no index; see [Git.Merging].
func merging(gitDir string) bool {
	switch gitinfo.Operation(gitDir) {
	case "merge", "rebase", "cherry-pick", "revert":
		return true
	}
	_, err := os.Lstat(filepath.Join(gitDir, "SQUASH_MSG")) // a squashed merge has no state of its own
	return err == nil
}

// markDeletions notes in the files of memories, which one side of an unfinished merge changed and the other deleted,
// who deleted them. A file that somebody has written since is left alone: that is a decision.
func (g *Merges) markDeletions(ctx context.Context) error {
	if !g.git.Merging() || gitWrites(g.git.Dir()) { // what it leaves is seen next time
		return nil
	}
	repo, done := g.git.open()
	defer done()
	var errs []error
	for _, u := range repo.Unmerged() {
		if !isMerged(u.Path) || ctx.Err() != nil {
			continue
		}
		ours, deleted := u.Deleted()
		if !deleted {
			if err := g.setApart(ctx, repo, u); err != nil {
				errs = append(errs, fmt.Errorf("take another memory out of %s: %w", u.Path, err))
			}
			continue
		}
		if err := g.markDeletion(ctx, repo, u, ours); err != nil {
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

// gitWrites reports whether a command of git is changing the index, and files with it.
func gitWrites(gitDir string) bool {
	_, err := os.Lstat(filepath.Join(gitDir, "index.lock"))
	return err == nil
}

// markDeletion notes who deleted one memory or shared thread. ours is true if our side of the merge did.
func (g *Merges) markDeletion(ctx context.Context, repo *gittree.Repo, u gittree.Unmerged, ours bool) error {
	left, err := repo.Blob(u.Ours + u.Theirs) // one of them is ""
	if err != nil {
		return err
	}
	m, err := file.Parse(left)
	if err != nil {
		return nil // reported as a broken file
	}
	if same, err := isVersion(g.git.at(u.Path), m); err != nil || !same {
		return err
	}
	by, ok := g.git.deleterOf(repo, m.UUID, ours)
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
	unlock, err := LockEdits(ctx, g.place)
	if err != nil {
		return err
	}
	defer unlock()
	if !isThread(u.Path) {
		if err := g.state.Versions().Put(ctx, g.place.WorktreeID, before); err != nil {
			g.log.Warn("keep the earlier version", "uuid", m.UUID, "err", err)
		}
	}
	if same, err := isVersion(g.git.at(u.Path), before); err != nil || !same || !g.git.waits(repo, u) {
		return err // decided meanwhile
	}
	return g.writer.writeMerged(ctx, u.Path, m)
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
