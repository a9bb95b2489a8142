package memory

import (
	"context"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/memory/file"
)

// The files of two memories are much alike. Where one side of a merge deletes a memory and adds another, git takes that
// for a file that was renamed, and merges what the other side changed in the deleted memory into the new one.

// Mistaken is a memory that one side of an unfinished merge deleted and the other changed, where git took its file for
// that of another memory: it is gone from the merge.
type Mistaken struct {
	Memory  *file.Memory   // as the changed side has it
	Path    string         // of its file on that side, relative to the workspace
	Changed string         // a commit that has the file
	Deleted gittree.Commit // who deleted it, empty if nobody knows
	For     string         // the file of the other memory, relative to the workspace
	FileFor string         // the same, absolute
}

// Mistaken lists the memories that an unfinished merge took for others and that are not there.
func (w *Workspace) Mistaken(ctx context.Context) []Mistaken {
	p := w.place
	if p.GitDir == "" || !merging(p.GitDir) {
		return nil
	}
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { _ = repo.Close() }() // nothing was written
	var out []Mistaken
	for _, u := range repo.Unmerged() {
		if ctx.Err() != nil {
			break
		}
		if m, ok := w.mistaken(repo, u); ok {
			out = append(out, m)
		}
	}
	return out
}

func (w *Workspace) mistaken(repo *gittree.Repo, u gittree.Unmerged) (m Mistaken, ok bool) {
	if u.Base == "" || u.Ours == "" || u.Theirs == "" || !isMerged(u.Path) {
		return m, false
	}
	base := memoryIn(repo, u.Base)
	if base == nil || base.UUID == nameID(u.Path) {
		return m, false
	}
	was, err := base.Hash()
	if err != nil {
		return m, false
	}
	for _, blob := range []string{u.Ours, u.Theirs} {
		changed := memoryIn(repo, blob)
		if changed == nil || changed.UUID != base.UUID {
			continue
		}
		if is, err := changed.Hash(); err != nil || is == was {
			return m, false
		}
		ours := blob == u.Ours
		for _, tip := range w.sideOf(repo, ours) {
			at := placeIn(repo, tip, filePaths(base.UUID))
			if at == "" {
				continue
			}
			if _, err := os.Lstat(w.at(at)); err == nil {
				return m, false // somebody took it back
			}
			by, _ := w.deleterOf(repo, base.UUID, !ours)
			return Mistaken{Memory: changed, Path: at, Changed: tip, Deleted: by, For: u.Path, FileFor: w.at(u.Path)}, true
		}
	}
	return m, false
}

// setApart writes the file of a memory, into which git merged another one, as the one side has it that has it at all.
func (w *Workspace) setApart(ctx context.Context, repo *gittree.Repo, u gittree.Unmerged) error {
	id := nameID(u.Path)
	if !file.ValidUUID(id) || w.isMemory(u.Path, id) {
		return nil
	}
	var blobs []string
	for _, ours := range []bool{true, false} {
		for _, tip := range w.sideOf(repo, ours) {
			if t, known := repo.Tree(tip); known && t.Blob(u.Path) != "" {
				blobs = append(blobs, t.Blob(u.Path))
				break
			}
		}
	}
	if len(blobs) != 1 {
		return nil // of both sides, or of none that is known
	}
	m := memoryIn(repo, blobs[0])
	if m == nil || m.UUID != id {
		return nil
	}
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return err
	}
	defer unlock()
	if w.isMemory(u.Path, id) || !w.waits(repo, u) {
		return nil // decided meanwhile
	}
	if err := w.write(ctx, u.Path, m); err != nil {
		return fmt.Errorf("write the side that has it: %w", err)
	}
	return nil
}

// isMemory reports whether a file is that memory alone, or gone: what nobody has to take apart.
func (w *Workspace) isMemory(name, id string) bool {
	data, err := file.ReadBytes(w.at(name))
	if err != nil {
		return true
	}
	m, err := file.Parse(data)
	return err == nil && m.UUID == id && !file.HoldsMarkers(data)
}

// sideOf returns the commits of one side of an unfinished merge.
func (w *Workspace) sideOf(repo *gittree.Repo, ours bool) []string {
	if !ours {
		return w.pendingCommits(repo)
	}
	return slices.DeleteFunc([]string{gitinfo.Head(w.place.GitDir, w.place.GitCommonDir)}, func(id string) bool { return id == "" })
}

// memoryIn reads a memory in a blob, nil if it is none.
func memoryIn(repo *gittree.Repo, blob string) *file.Memory {
	data, err := repo.Blob(blob)
	if err != nil {
		return nil
	}
	m, err := file.Parse(data)
	if err != nil {
		return nil
	}
	return m
}

// nameID is the id that the name of a memory's file states.
func nameID(name string) string { return strings.TrimSuffix(path.Base(name), ".json") }
