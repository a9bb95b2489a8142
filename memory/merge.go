package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"manicule/memory/file"
	"manicule/memory/store"
)

// MergeRequest is several memories of which a person makes one: the kept one goes on
// as a new version, the others are archived.
type MergeRequest struct {
	Keep   string // uuid
	Others []string
	// Hashes are of the versions that the person saw, by uuid. Where one is another
	// now, nothing is done.
	Hashes map[string]string
	// Change adds to the kept one what the others have; it gets a copy.
	Change func(kept *file.Memory, others []*file.Memory)
	Note   string
	// Represents are versions that the kept one represents, besides its own and those
	// of the others.
	Represents []store.MergedVersion
}

// Merge makes one memory of several. First state.db keeps what is taken away, in
// one transaction; then the kept one's file is replaced and those of the others
// go. A process that is killed in between leaves memories that say the same, each
// of them whole: the same merge then finishes.
func (w *Workspace) Merge(ctx context.Context, g MergeRequest) (Result, error) {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	kept, others, r, err := w.asSeen(ctx, g)
	if err != nil || r.Code != "" {
		return r, err
	}
	m, err := w.successor(kept.Memory, "merge", g.Note)
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
	if err := w.gate.Check(m); err != nil { // before anything is kept for it
		return rejected(err)
	}
	if err := w.state.Merge(ctx, w.place.WorktreeID, old); err != nil {
		return Result{}, fmt.Errorf("keep what is merged into %s: %w", kept.Memory.ShortID(), err)
	}
	ctx = context.WithoutCancel(ctx) // from here on it is finished
	r, err = w.replace(ctx, kept, m)
	if err == nil && r.Accepted {
		for _, h := range others {
			err = errors.Join(err, w.removeMerged(ctx, h))
		}
	}
	return r, errors.Join(err, w.unmergeStaying(ctx, old, others))
}

// asSeen reads the memories of a merge, and refuses one that was changed since
// the person saw it.
func (w *Workspace) asSeen(ctx context.Context, g MergeRequest) (kept Hit, others []Hit, r Result, err error) {
	for _, id := range append([]string{g.Keep}, g.Others...) {
		h, err := w.Get(ctx, id)
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

// removeMerged removes the file of an archived memory, unless somebody gave it
// another version since: that one is in nothing that was kept of it.
func (w *Workspace) removeMerged(ctx context.Context, h Hit) error {
	if _, err := os.Lstat(h.Path); err == nil && !asRead(h) {
		return &UserError{Msg: fmt.Sprintf("memory %s was changed meanwhile and stays", h.Memory.ShortID()), Hint: "Look again: `manicule consolidate`."}
	}
	return w.removeFile(ctx, h.Path)
}

// unmergeStaying takes the tombstones back of memories whose files could not be
// removed, or were changed: they are active.
func (w *Workspace) unmergeStaying(ctx context.Context, old store.Merged, others []Hit) error {
	staying := store.Merged{Kept: old.Kept}
	for _, h := range others {
		if _, err := os.Lstat(h.Path); !errors.Is(err, fs.ErrNotExist) {
			staying.Archived = append(staying.Archived, h.Memory)
		}
	}
	if len(staying.Archived) == 0 {
		return nil
	}
	return w.state.Unmerge(ctx, staying)
}
