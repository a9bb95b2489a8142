package memory

import (
	"context"
	"fmt"
	"os"
	"path"
	"strings"

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
func (g *Git) Mistaken(ctx context.Context) []Mistaken {
	if !g.Merging() {
		return nil
	}
	repo, done := g.open()
	defer done()
	var out []Mistaken
	for _, u := range repo.Unmerged() {
		if ctx.Err() != nil {
			break
		}
		if m, ok := g.mistaken(repo, u); ok {
			out = append(out, m)
		}
	}
	return out
}

func (g *Git) mistaken(repo *gittree.Repo, u gittree.Unmerged) (m Mistaken, ok bool) {
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
		for _, tip := range g.sideOf(repo, ours) {
			at := placeIn(repo, tip, filePaths(base.UUID))
			if at == "" {
				continue
			}
			if _, err := os.Lstat(g.at(at)); err == nil {
				return m, false // somebody took it back
			}
			by, _ := g.deleterOf(repo, base.UUID, !ours)
			return Mistaken{Memory: changed, Path: at, Changed: tip, Deleted: by, For: u.Path, FileFor: g.at(u.Path)}, true
		}
	}
	return m, false
}

// setApart writes the file of a memory, into which git merged another one, as the one side has it that has it at all.
func (g *Merges) setApart(ctx context.Context, repo *gittree.Repo, u gittree.Unmerged) error {
	id := nameID(u.Path)
	if !file.ValidUUID(id) || isMemory(g.git.at(u.Path), id) {
		return nil
	}
	if base := memoryIn(repo, u.Base); base != nil && base.UUID == id || base == nil && u.Ours != "" && u.Theirs != "" {
		return nil // git took no other memory for this one: both sides wrote it
	}
	var blobs []string
	for _, ours := range []bool{true, false} {
		tips := g.git.sideOf(repo, ours)
		if len(tips) == 0 {
			return nil // git is at work: it names the other side after the index
		}
		for _, tip := range tips {
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
	unlock, err := LockEdits(ctx, g.place)
	if err != nil {
		return err
	}
	defer unlock()
	if isMemory(g.git.at(u.Path), id) || !g.git.waits(repo, u) {
		return nil // decided meanwhile
	}
	if err := g.writer.writeMerged(ctx, u.Path, m); err != nil {
		return fmt.Errorf("write the side that has it: %w", err)
	}
	return nil
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
