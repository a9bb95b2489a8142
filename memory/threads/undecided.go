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
func (l *List) Undecided() []thread.Thread { return undecided(l.shared()) }

func undecided(list []thread.Thread) []thread.Thread {
	return slices.DeleteFunc(slices.Clone(list), func(t thread.Thread) bool { return len(t.Memory.Conflict) == 0 })
}

// UndecidedOf is Undecided for the thread of one id. It reads that file alone.
func (l *List) UndecidedOf(uuid string) (thread.Thread, bool) {
	t, err := thread.SharedOne(l.place, uuid)
	return t, err == nil && len(t.Memory.Conflict) > 0
}

// OpenAndUndecided returns what Open and Undecided do, and reads the files once. If the open ones can't be read, the undecided ones can.
func (l *List) OpenAndUndecided(ctx context.Context) (open, several []thread.Thread, err error) {
	shared := l.shared()
	open, err = l.open(ctx, shared)
	return open, undecided(shared), err
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
			now.Memory.Lineage.ChangeKind = "resolve" // no copy of an earlier write has to be told of
			l.wrote(now.Memory)
			return nil
		}
		m, err := l.maker.Successor(now.Memory, "resolve", fmt.Sprintf("kept version %d of %d", version, len(versions)))
		if err != nil {
			return err
		}
		m.TakeVersion(kept)
		m.Conflict = nil
		file.KeepAuthor(m, now.Memory)
		now.Memory = m
		return l.write(now)
	}
	return &memory.UserError{Msg: "thread " + id + " is no longer shared: its file is gone", Err: memory.ErrNotFound, Hint: "`manicule thread list` shows what waits."}
}
