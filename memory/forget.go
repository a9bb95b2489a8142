package memory

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory/file"
	"manicule/memory/store"
)

// RestoreFile writes back, as the same version, the missing file of a memory that the database
// still has.
func (w *Workspace) RestoreFile(m *file.Memory) (Result, error) { return w.writer.put(m, "") }

// Forget removes a memory's file and keeps it restorable for 30 days.
func (w *Workspace) Forget(ctx context.Context, id string) error {
	return w.ForgetBecause(ctx, id, "forgotten")
}

// ForgetBecause is Forget with a reason, which is kept with the copy.
func (w *Workspace) ForgetBecause(ctx context.Context, id, reason string) error {
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return err
	}
	defer unlock()
	h, _, err := w.GetAny(ctx, id)
	if err != nil {
		return err
	}
	data, err := h.Memory.Marshal()
	if err != nil {
		return err
	}
	// Write the tombstone first: nothing is removed that can't be restored.
	if err := w.state.Tombstones().Put(ctx, store.Tombstone{UUID: h.Memory.UUID, Path: w.writer.homeOf(h.Memory, h.Path), Reason: reason, JSON: data}); err != nil {
		return fmt.Errorf("keep a copy of %s: %w", h.Memory.UUID, err)
	}
	if !unchanged(h) { // the copy is of another version
		err := &UserError{Msg: fmt.Sprintf("the file of memory %s was changed meanwhile, so it stays", h.Memory.ShortID()), Hint: "Look at it again: `manicule show " + h.Memory.ShortID() + "`."}
		return errors.Join(err, w.state.Tombstones().Remove(ctx, h.Memory.UUID))
	}
	if err := w.writer.removeFile(ctx, h.Path); err != nil {
		return err
	}
	if err := w.state.Mirrors().Drop(ctx, w.place.WorktreeID, h.Memory.UUID); err != nil {
		w.log.Warn("drop the copy of a memory", "uuid", h.Memory.UUID, "err", err)
	}
	w.stopped.forgot(h.Memory)
	return nil
}

// Restorable lists what Restore can bring back, what was forgotten last first. What is there again, as after a stash or on
// another branch, is not among it.
func (w *Workspace) Restorable(ctx context.Context) ([]store.Tombstone, error) {
	if err := w.mirror.keepVanished(ctx); err != nil { // a worktree may have been removed, which changes no file here
		return nil, fmt.Errorf("look for memories whose files vanished: %w", err)
	}
	list, err := w.state.Tombstones().List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what was forgotten: %w", err)
	}
	out := list[:0]
	for _, t := range list {
		rows, err := w.rows.ByUUID(ctx, t.UUID)
		if err != nil {
			return nil, err
		}
		if len(rows) == 0 {
			out = append(out, t)
		}
	}
	return out, nil
}

// Restore restores a forgotten memory as a new version.
func (w *Workspace) Restore(ctx context.Context, id string) (Result, error) {
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if err := w.mirror.keepVanished(ctx); err != nil {
		return Result{}, fmt.Errorf("look for memories whose files vanished: %w", err)
	}
	list, err := w.state.Tombstones().Of(ctx, id)
	if err != nil {
		return Result{}, err
	}
	switch {
	case len(list) == 0:
		return Result{}, &UserError{Msg: fmt.Sprintf("nothing forgotten has the id %q", id), Err: ErrNotFound,
			Hint: "`manicule restore` without an id lists what can be restored; memories are kept for 30 days."}
	case len(list) > 1:
		var all []*file.Memory
		for _, t := range list {
			if m, err := file.Parse(t.JSON); err == nil {
				all = append(all, m)
			}
		}
		return Result{}, Ambiguous("memories", id, all)
	}
	old, err := file.Parse(list[0].JSON)
	if err != nil {
		return Result{}, fmt.Errorf("read the tombstone of %s: %w", list[0].UUID, err)
	}
	if rows, err := w.rows.ByUUID(ctx, old.UUID); err != nil {
		return Result{}, err
	} else if len(rows) > 0 {
		return Result{}, &UserError{Msg: "the memory is there already", Hint: "`manicule show " + old.ShortID() + "` shows it."}
	}
	m, err := w.maker.Successor(old, "restore", "")
	if err != nil {
		return Result{}, err
	}
	if err := w.wording.check(ctx, m, nil, false); err != nil { // it may have been in quarantine
		return Refusal(err)
	}
	r, err := w.writer.store(ctx, m, w.writer.formerPath(list[0].Path))
	if err != nil || !r.Accepted {
		return r, err
	}
	if err := w.state.Tombstones().Remove(ctx, m.UUID); err != nil {
		w.log.Warn("remove a tombstone", "uuid", m.UUID, "err", err)
	}
	return r, nil
}
