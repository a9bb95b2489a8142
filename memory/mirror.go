package memory

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
)

// mirror keeps copies of the memories that git does not have: personal ones for good, others until a commit has them.
type mirror struct {
	place *workspace.Workspace
	rows  *store.Memories
	state *store.State
	git   *Git
	log   *slog.Logger
}

// keepPersonal keeps a copy of the current personal memories, including those that a person wrote
// by hand.
func (m *mirror) keepPersonal(ctx context.Context) error {
	rows, err := m.rows.Personal(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	return m.state.Mirrors().Put(ctx, m.place.WorktreeID, rows)
}

// keepVanished makes tombstones of memories whose files vanished and that git has no copy of, so that
// the mirror is the last one. What a commit has needs none.
func (m *mirror) keepVanished(ctx context.Context) error {
	mirrors, err := m.state.Mirrors().Of(ctx, m.place.WorktreeID)
	if err != nil {
		return err
	}
	others, err := m.removed(ctx)
	if err != nil || len(mirrors)+len(others) == 0 {
		return err
	}
	if len(mirrors) > 0 {
		m.note()
	}
	repo, done := m.git.open()
	defer done()
	v := vanishedFiles{m: m, repo: repo}
	if err := v.settle(ctx, m.place.WorktreeID, mirrors, reasonVanished); err != nil {
		return err
	}
	for _, id := range others {
		mirrors, err := m.state.Mirrors().Of(ctx, id)
		if err != nil {
			return err
		}
		if err := v.settle(ctx, id, mirrors, reasonWorktree); err != nil {
			return err
		}
		_ = os.Remove(filepath.Join(m.place.StateDir(), editLock(id))) // an empty file
		_ = os.Remove(m.noteOf(id))                                    // else it is looked at again
	}
	return nil
}

// The reasons of tombstones that nobody asked for.
const (
	reasonVanished = "its file vanished"
	reasonWorktree = "its worktree was removed"
)

// vanishedFor is how long a memory that vanished is told of. It can be restored for longer, and nobody is told for that long of a
// file that a person deleted on purpose.
const vanishedFor = 7 * 24 * time.Hour

// Vanished counts the memories whose files were deleted lately before a commit had them, as by `git clean`, and that can be restored.
func Vanished(ctx context.Context, w *Workspace) (n int, err error) {
	list, err := w.Forgotten().List(ctx)
	if err != nil {
		return 0, err
	}
	since := w.maker.now().Add(-vanishedFor)
	for _, t := range list {
		if (t.Reason == reasonVanished || t.Reason == reasonWorktree) && t.Deleted.After(since) {
			n++
		}
	}
	return n, nil
}

// vanishedFiles decides what becomes of the mirrors of a worktree whose files are gone.
type vanishedFiles struct {
	m    *mirror
	repo *gittree.Repo
}

// settle makes tombstones of those mirrors whose files are gone, and drops those that are needed no more.
func (v vanishedFiles) settle(ctx context.Context, worktree string, mirrors []store.Tombstone, reason string) error {
	head, _ := v.repo.Tree(v.m.git.head())
	for _, t := range mirrors {
		there, err := v.there(ctx, t)
		if err != nil {
			return err
		}
		shared := path.Base(path.Dir(t.Path)) != string(file.Personal)
		switch {
		case there && worktree == v.m.place.WorktreeID && (!shared || head.Blob(path.Join(workspace.Folder, "memories", t.Path)) == ""):
			continue // it is the file's only copy
		case there, shared && (v.stopped(t.UUID) || v.committed(t)):
		default:
			if err := v.keep(ctx, t, reason); err != nil {
				return err
			}
		}
		if err := v.m.state.Mirrors().Drop(ctx, worktree, t.UUID); err != nil {
			return err
		}
	}
	return nil
}

// there reports whether the file of a mirror is in this worktree, or another one that has the memory.
func (v vanishedFiles) there(ctx context.Context, t store.Tombstone) (bool, error) {
	if _, err := os.Lstat(filepath.Join(v.m.place.MemoriesDir(), filepath.FromSlash(t.Path))); !errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	rows, err := v.m.rows.ByUUID(ctx, t.UUID)
	return len(rows) > 0, err
}

// keep makes a tombstone, unless the memory has one: a person forgot it, or a merge archived it.
func (v vanishedFiles) keep(ctx context.Context, t store.Tombstone, reason string) error {
	known, err := v.m.state.Tombstones().Of(ctx, t.UUID)
	if err != nil || len(known) > 0 {
		return err
	}
	t.Reason = reason
	return v.m.state.Tombstones().Put(ctx, t)
}

// stopped reports whether there is a copy of what was written while git waited, which is told of as that.
func (v vanishedFiles) stopped(uuid string) bool {
	return len(treefile.Glob(filepath.Join(stoppedDir(v.m.place), stoppedMemory), uuid+"-*.json")) > 0
}

// committed reports whether a commit that is checked out or that a branch leads to has a memory. What only a stash has may be dropped.
func (v vanishedFiles) committed(t store.Tombstone) bool {
	p := v.m.place
	local, remote, err := gitinfo.Branches(p.GitDir, p.GitCommonDir)
	if err != nil {
		return true // nothing is known; the files have the last word
	}
	tips := slices.Sorted(maps.Values(local))
	tips = append(append([]string{v.m.git.head()}, tips...), slices.Sorted(maps.Values(remote))...)
	tips = slices.Compact(tips)
	var since time.Time
	if m, err := file.Parse(t.JSON); err == nil {
		since = mayHold(m)
	}
	for _, tip := range tips[:min(len(tips), maxRefs)] {
		if len(v.repo.FileVersionsSince(tip, memoryPaths(t.UUID), since, maxDeletionCommits)) > 0 {
			return true
		}
	}
	return false
}

// clocksDiffer is how much clocks are held to differ at most.
const clocksDiffer = 7 * 24 * time.Hour

// mayHold returns since when commits may have a memory: one from before it was written has not. A walk over the whole history of
// each branch takes seconds, and the files of a new memory are what vanishes most.
func mayHold(m *file.Memory) time.Time { return m.CreatedAt.Add(-clocksDiffer) }

// noteOf names the file that says where a worktree is, of which only a hash is known otherwise.
func (m *mirror) noteOf(id string) string {
	return filepath.Join(m.place.StateDir(), "worktrees", id)
}

// note records where this worktree is, so that another one can tell when it was removed.
func (m *mirror) note() {
	name := m.noteOf(m.place.WorktreeID)
	if _, err := os.Lstat(name); err == nil || m.place.GitTop == "" {
		return
	}
	err := os.MkdirAll(filepath.Dir(name), 0o700)
	if err == nil {
		err = atomicfile.Write(name, []byte(m.place.Root+"\n"+m.place.GitPrefix()+"\n"), 0o600)
	}
	if err != nil {
		m.log.Warn("note where the worktree is", "err", err)
	}
}

// removed lists the ids of the repository's worktrees that are gone, of this workspace in them.
func (m *mirror) removed(ctx context.Context) (out []string, err error) {
	entries, err := os.ReadDir(filepath.Dir(m.noteOf("x")))
	if err != nil {
		return nil, nil // no memory was noted
	}
	for _, e := range entries {
		if e.Name() == m.place.WorktreeID || ctx.Err() != nil {
			continue
		}
		data, err := treefile.Read(m.noteOf(e.Name()), 64<<10)
		root, rest, ok := strings.Cut(string(data), "\n")
		if err != nil || !ok || rest != m.place.GitPrefix()+"\n" {
			continue
		}
		if _, err := os.Lstat(root); errors.Is(err, fs.ErrNotExist) {
			out = append(out, e.Name())
		}
	}
	return out, ctx.Err()
}
