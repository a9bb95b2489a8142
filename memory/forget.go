package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Forgotten keeps the memories that were forgotten, for 30 days: a memory is forgotten into it, and restored from it. It is safe for
// concurrent use by goroutines and processes.
type Forgotten struct {
	place   *workspace.Workspace
	rows    *store.Memories
	state   *store.State
	maker   *Maker
	wording *wording
	writer  *fileWriter
	mirror  *mirror
	stopped *Stopped
	get     func(ctx context.Context, id string) (h Hit, quarantined bool, err error) // see [Workspace.GetAny]
	log     *slog.Logger
}

// RestoreFile writes back, as the same version, the missing file of a memory that the database
// still has.
func (f *Forgotten) RestoreFile(m *file.Memory) (Result, error) { return f.writer.put(m, "") }

// Forget removes a memory's file and keeps it restorable for 30 days.
func (f *Forgotten) Forget(ctx context.Context, id string) error {
	return f.ForgetBecause(ctx, id, "forgotten")
}

// ForgetBecause is Forget with a reason, which is kept with the copy.
func (f *Forgotten) ForgetBecause(ctx context.Context, id, reason string) error {
	unlock, err := LockEdits(ctx, f.place)
	if err != nil {
		return err
	}
	defer unlock()
	h, _, err := f.get(ctx, id)
	if err != nil {
		return err
	}
	if err := f.remove(ctx, h, f.writer.homeOf(h.Memory, h.Path), reason); err != nil {
		return err
	}
	f.stopped.forgot(h.Memory)
	return nil
}

// remove removes a memory's file, and keeps a copy that is restored to home.
func (f *Forgotten) remove(ctx context.Context, h Hit, home, reason string) error {
	data, err := h.Memory.Marshal()
	if err != nil {
		return err
	}
	// Write the tombstone first: nothing is removed that can't be restored.
	if err := f.state.Tombstones().Put(ctx, store.Tombstone{UUID: h.Memory.UUID, Path: home, Reason: reason, JSON: data}); err != nil {
		return fmt.Errorf("keep a copy of %s: %w", h.Memory.UUID, err)
	}
	if !unchanged(h) { // the copy is of another version
		err := &UserError{Msg: fmt.Sprintf("the file of memory %s was changed meanwhile, so it stays", h.Memory.ShortID()), Hint: "Look at it again: `manicule show " + h.Memory.ShortID() + "`."}
		return errors.Join(err, f.state.Tombstones().Remove(ctx, h.Memory.UUID))
	}
	if err := f.writer.removeFile(ctx, h.Path); err != nil {
		return err
	}
	if err := f.state.Mirrors().Drop(ctx, f.place.WorktreeID, h.Memory.UUID); err != nil {
		f.log.Warn("drop the copy of a memory", "uuid", h.Memory.UUID, "err", err)
	}
	return nil
}

// List lists what Restore can bring back, what was forgotten last first. What is there again, as after a stash or on
// another branch, is not among it.
func (f *Forgotten) List(ctx context.Context) ([]store.Tombstone, error) {
	if err := f.mirror.keepVanished(ctx); err != nil { // a worktree may have been removed, which changes no file here
		return nil, fmt.Errorf("look for memories whose files vanished: %w", err)
	}
	list, err := f.state.Tombstones().List(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what was forgotten: %w", err)
	}
	out := list[:0]
	for _, t := range list {
		rows, err := f.rows.ByUUID(ctx, t.UUID)
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
func (f *Forgotten) Restore(ctx context.Context, id string) (Result, error) {
	unlock, err := LockEdits(ctx, f.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	if err := f.mirror.keepVanished(ctx); err != nil {
		return Result{}, fmt.Errorf("look for memories whose files vanished: %w", err)
	}
	list, err := f.state.Tombstones().Of(ctx, id)
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
	if rows, err := f.rows.ByUUID(ctx, old.UUID); err != nil {
		return Result{}, err
	} else if len(rows) > 0 {
		return Result{}, &UserError{Msg: "the memory is there already", Hint: "`manicule show " + old.ShortID() + "` shows it."}
	}
	m, err := f.maker.Successor(old, "restore", "")
	if err != nil {
		return Result{}, err
	}
	if err := f.wording.check(ctx, m, nil, false); err != nil { // it may have been in quarantine
		return Refusal(err)
	}
	r, err := f.writer.store(ctx, m, f.writer.formerPath(list[0].Path))
	if err != nil || !r.Accepted {
		return r, err
	}
	if err := f.state.Tombstones().Remove(ctx, m.UUID); err != nil {
		f.log.Warn("remove a tombstone", "uuid", m.UUID, "err", err)
	}
	return r, nil
}
