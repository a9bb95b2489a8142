package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// MergeRequest merges several memories into one. The kept memory gets a new version; the others are
// archived.
type MergeRequest struct {
	Keep   string // uuid
	Others []string
	// Hashes are the hashes of the versions that the person saw, by uuid. If one changed since,
	// nothing is merged.
	Hashes map[string]string
	// What, if it is not empty, replaces the kept memory's text. The person has read it.
	What string
	// Change adds to the kept memory what the others have; it receives a copy.
	Change func(kept *file.Memory, others []*file.Memory)
	Note   string
	// Represents are further versions that the kept memory represents.
	Represents []store.MergedVersion
}

// Consolidations merge memories into one. It is safe for concurrent use by goroutines and processes.
type Consolidations struct {
	place  *workspace.Workspace
	rows   store.Consolidations
	gate   *gate.Gate
	maker  *Maker
	writer *fileWriter
	find   *finder
}

// Merge merges several memories. It first records in state.db what the merge removes, in one
// transaction, then replaces the kept memory's file and removes the others. A process killed in
// between leaves complete memories that say the same; repeating the merge finishes it.
func (c *Consolidations) Merge(ctx context.Context, g MergeRequest) (Result, error) {
	unlock, err := LockEdits(ctx, c.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	kept, others, r, err := c.readUnchanged(ctx, g)
	if err != nil || r.Code != "" {
		return r, err
	}
	m, err := c.maker.Successor(kept.Memory, "merge", g.Note)
	if err != nil {
		return Result{}, err
	}
	old := store.Merged{Kept: kept.Memory, Reason: "consolidated into " + kept.Memory.ShortID(), Stands: g.Represents}
	for _, h := range append([]Hit{kept}, others...) {
		old.Stands = append(old.Stands, store.MergedVersion{Hash: g.Hashes[h.Memory.UUID], UUID: h.Memory.UUID})
	}
	for _, h := range others {
		old.Archived = append(old.Archived, h.Memory)
	}
	g.Change(m, old.Archived)
	m.UUID, m.What, m.CreatedAt = kept.Memory.UUID, kept.Memory.What, kept.Memory.CreatedAt
	if g.What != "" {
		m.What = g.What
		c.maker.Verify(m)
	}
	if err := c.gate.Check(m); err != nil { // before anything is recorded
		return Refusal(err)
	}
	if err := c.rows.Merge(ctx, c.place.WorktreeID, old); err != nil {
		return Result{}, fmt.Errorf("keep what is merged into %s: %w", kept.Memory.ShortID(), err)
	}
	ctx = context.WithoutCancel(ctx) // the files and the database must agree from here on
	r, err = c.writer.replace(ctx, kept, m)
	if err == nil && r.Accepted {
		for _, h := range others {
			err = errors.Join(err, c.removeMerged(ctx, h))
		}
	}
	return r, errors.Join(err, c.unmergeStaying(ctx, old, others))
}

// readUnchanged reads the memories of a merge. It reports a conflict if one changed since the person saw
// it.
func (c *Consolidations) readUnchanged(ctx context.Context, g MergeRequest) (kept Hit, others []Hit, r Result, err error) {
	for _, id := range append([]string{g.Keep}, g.Others...) {
		h, err := c.find.get(ctx, id)
		if err != nil && !Unreadable(err) {
			return kept, nil, Result{}, err
		}
		hash := ""
		if err == nil {
			if hash, err = h.Memory.Hash(); err != nil {
				return kept, nil, Result{}, err
			}
		}
		if hash != g.Hashes[id] {
			return kept, nil, Result{Code: "conflict", Reason: fmt.Sprintf("memory %s was changed since. Look again: `manicule consolidate`", id[max(0, len(id)-8):])}, nil
		}
		if id == g.Keep {
			kept = h
		} else {
			others = append(others, h)
		}
	}
	return kept, others, Result{}, nil
}

// removeMerged removes the file of an archived memory, unless the file holds a newer version, of
// which no copy exists.
func (c *Consolidations) removeMerged(ctx context.Context, h Hit) error {
	if _, err := os.Lstat(h.Path); err == nil && !unchanged(h) {
		return &UserError{Msg: fmt.Sprintf("memory %s was changed meanwhile and stays", h.Memory.ShortID()), Hint: "Look again: `manicule consolidate`."}
	}
	return c.writer.removeFile(ctx, h.Path)
}

// unmergeStaying removes the tombstones of memories whose files could not be removed or have
// changed. They stay active.
func (c *Consolidations) unmergeStaying(ctx context.Context, old store.Merged, others []Hit) error {
	staying := store.Merged{Kept: old.Kept}
	for _, h := range others {
		if _, err := os.Lstat(h.Path); !errors.Is(err, fs.ErrNotExist) {
			staying.Archived = append(staying.Archived, h.Memory)
		}
	}
	if len(staying.Archived) == 0 {
		return nil
	}
	return c.rows.Unmerge(ctx, staying)
}
