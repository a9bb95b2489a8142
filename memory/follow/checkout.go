package follow

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
)

// checkout is the code of a workspace: the files on disk, and those of commits. It knows no anchors.
type checkout struct {
	place *workspace.Workspace
	repo  *gittree.Repo // nil outside of git
}

func newCheckout(p *workspace.Workspace) *checkout {
	c := &checkout{place: p}
	if p.GitDir != "" {
		c.repo = gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	}
	return c
}

// head returns the current commit, or "".
func (c *checkout) head() string {
	return gitinfo.Head(c.place.GitDir, c.place.GitCommonDir)
}

// working returns the current state of the files.
func (c *checkout) working(ctx context.Context) (*working, error) {
	files, err := gittree.NewWorktree(c.place.Root, c.repo)
	if err != nil {
		return nil, fmt.Errorf("look at the files of %s: %w", c.place.Root, err)
	}
	return &working{Worktree: files, ctx: ctx, head: sync.OnceValues(func() (tree gittree.Tree, git bool) {
		if c.repo == nil {
			return tree, false
		}
		head := c.head()
		tree, git = c.repo.Tree(head)
		return tree, git || head == "" // nothing is committed yet
	})}, nil
}

// tree returns the files of a commit.
func (c *checkout) tree(commit string) (gittree.Tree, error) {
	if c.repo == nil {
		return gittree.Tree{}, &memory.UserError{Msg: c.place.Root + " is in no git repository", Err: gittree.ErrAbsent, Hint: "A revision needs one."}
	}
	tree, ok := c.repo.Tree(commit)
	if what := gitinfo.Unread(c.place.GitCommonDir); !ok && what != "" {
		return tree, &memory.UserError{Msg: "the files of " + commit + " can't be read: this repository keeps " + what, Err: gittree.ErrAbsent,
			Hint: "Memories are compared with the files as they are: leave out the revision."}
	}
	if !ok {
		return tree, &memory.UserError{Msg: "git does not have the files of " + commit, Err: gittree.ErrAbsent,
			Hint: "In a shallow clone, `git fetch --unshallow` brings them."}
	}
	return tree, nil
}

// memoryIn reads a memory's file in a commit, from whichever folder it was in.
func (c *checkout) memoryIn(tree gittree.Tree, uuid string) (*file.Memory, bool) {
	for _, folder := range file.Folders() {
		blob := tree.Blob(".manicule/memories/" + folder + "/" + uuid + ".json")
		if blob == "" {
			continue
		}
		data, err := c.repo.Blob(blob)
		if err != nil {
			return nil, false
		}
		m, err := file.Parse(data)
		return m, err == nil
	}
	return nil, false
}

// oldLock is the age from which git's lock is one that a killed process left.
const oldLock = time.Minute

// gitWrites reports whether a command of git is changing the index, and files with it.
func (c *checkout) gitWrites() bool {
	dir := c.place.GitDir
	if dir == "" {
		return false
	}
	st, err := os.Lstat(filepath.Join(dir, "index.lock"))
	return err == nil && time.Since(st.ModTime()) < oldLock
}
