package threads

import (
	"context"
	"fmt"
	"os"
	"slices"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// Undecided lists the shared threads of which a merge kept several versions, or that one side of it deleted.
func (l *List) Undecided() []thread.Thread {
	return slices.DeleteFunc(l.shared(), func(t thread.Thread) bool { return len(t.Memory.Conflict) == 0 })
}

// Resolve ends a conflict between versions of a shared thread: it keeps one, or deletes the file as one side of the merge did.
func (l *List) Resolve(ctx context.Context, t thread.Thread, version int) error {
	id := t.Memory.ShortID()
	versions := t.Memory.Versions()
	if version < 1 || version > len(versions) {
		return &memory.UserError{Msg: fmt.Sprintf("thread %s has no version %d", id, version), Hint: fmt.Sprintf("It has %d; `manicule resolve` lists them.", len(versions))}
	}
	unlock, err := memory.LockEdits(ctx, l.place)
	if err != nil {
		return err
	}
	defer unlock()
	seen, err := t.Memory.Hash()
	if err != nil {
		return err
	}
	for _, now := range l.shared() {
		if now.Memory.UUID != t.Memory.UUID {
			continue
		}
		if is, err := now.Memory.Hash(); err != nil || is != seen {
			return &memory.UserError{Msg: fmt.Sprintf("thread %s was changed meanwhile", id), Hint: "Look at it again: `manicule resolve`."}
		}
		kept := versions[version-1]
		if kept.Deleted {
			if err := os.Remove(thread.SharedPath(l.place, t.Memory.UUID)); err != nil {
				return fmt.Errorf("delete thread %s: %w", id, err)
			}
			return nil
		}
		m, err := l.memories.Successor(now.Memory, "resolve", fmt.Sprintf("kept version %d of %d", version, len(versions)))
		if err != nil {
			return err
		}
		m.TakeVersion(kept)
		m.Conflict = nil
		file.KeepAuthor(m, now.Memory)
		now.Memory = m
		return thread.WriteShared(l.place, now)
	}
	return &memory.UserError{Msg: "thread " + id + " is no longer shared: its file is gone", Err: memory.ErrNotFound, Hint: "`manicule thread list` shows what waits."}
}
