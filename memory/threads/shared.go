package threads

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// shared reads the threads that files share. A damaged one must not hide the others.
func (l *List) shared() []thread.Thread { return thread.SharedOf(l.place, l.log) }

// withID returns the threads that id is short for.
func (l *List) withID(ctx context.Context, id string) ([]thread.Thread, error) {
	own, err := l.rows.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	var shared []thread.Thread
	for _, t := range l.shared() {
		if file.Abbreviates(id, t.Memory.UUID) {
			shared = append(shared, t)
		}
	}
	return thread.WithShared(own, shared), nil
}

// errAgentsShare is returned to an agent that would share a thread.
func errAgentsShare() error {
	return &memory.UserError{Msg: "a person decides what the team is told", Hint: "Leave the thread without sharing it, and say that it may be worth it."}
}

// shareNew writes a new thread as a file.
func (l *List) shareNew(t thread.Thread) (Result, error) {
	if t.Agent != "" {
		return Result{}, errAgentsShare()
	}
	if known, ok := saysSame(l.shared(), t); ok {
		return Result{Thread: known, Accepted: true, Same: true}, nil
	}
	t = asShared(t)
	return Result{Thread: t, Accepted: true}, l.write(t)
}

// saysSame finds an open shared thread that says the same.
func saysSame(shared []thread.Thread, t thread.Thread) (known thread.Thread, ok bool) {
	for _, known := range shared {
		if known.State == thread.StateOpen && known.Kind == t.Kind && known.Memory.DedupeKey() == t.Memory.DedupeKey() {
			return known, true
		}
	}
	return known, false
}

// asShared returns a thread as its file has it.
func asShared(t thread.Thread) thread.Thread {
	t.Shared, t.Branch, t.Session, t.Version = true, "", "", t.Memory.Lineage.Version
	t.Memory.Visibility = file.Team
	t.Created, t.Updated = t.Memory.CreatedAt.Time, t.Memory.UpdatedAt.Time
	return t
}

// write writes the file of a shared thread.
func (l *List) write(t thread.Thread) error {
	m, err := thread.SharedFile(t)
	if err != nil {
		return err
	}
	if err := thread.WriteFile(l.place, m); err != nil {
		return err
	}
	l.wrote(m)
	return nil
}

// Share makes a thread of this machine one of the team, as a file that git carries. What may come from strangers, and what
// nobody wrote, is not shared.
func (l *List) Share(ctx context.Context, id string) (Result, error) {
	t, err := l.Get(ctx, id)
	switch {
	case err != nil:
		return Result{}, err
	case t.Shared:
		return Result{Thread: t, Accepted: true, Same: true}, nil
	case t.Memory.Trust.Tainted:
		return Result{}, &memory.UserError{Msg: "thread " + t.Memory.ShortID() + " may come from outside, so it is not shared", Hint: "Write what is true of it in your own words: `manicule thread add TEXT --share`."}
	}
	own := t
	t.Memory = t.Memory.Clone()
	vouch(&t, t.Memory, l.maker.Author())
	t.Memory.UpdatedAt = file.At(l.now())
	if known, ok := saysSame(l.shared(), t); ok {
		return Result{Thread: known, Accepted: true, Same: true}, nil
	}
	if own.State == thread.StateParked && own.Resolution == sharedAsFile { // and the file was not written
		t.State, t.Resolution = thread.StateOpen, ""
	}
	// First of all it is parked: so a change since it was read is noticed, which the file would hide.
	parked := own
	parked.State, parked.Resolution = thread.StateParked, sharedAsFile
	parked, err = l.rows.Set(ctx, parked)
	if errors.Is(err, store.ErrThreadChanged) {
		return Result{Thread: own, Code: "conflict", Reason: fmt.Sprintf("thread %s was changed meanwhile. Look at it again", own.Memory.ShortID())}, nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("park the thread that is shared: %w", err)
	}
	t = asShared(t)
	if err := l.write(t); err != nil {
		parked.State, parked.Resolution = own.State, own.Resolution
		_, undo := l.rows.Set(context.WithoutCancel(ctx), parked)
		return Result{}, errors.Join(err, undo)
	}
	return Result{Thread: t, Accepted: true}, nil
}

// sharedAsFile is the resolution of a thread of this machine that was shared.
const sharedAsFile = "shared as a file"

// changeShared writes the next version of a shared thread. Writers queue; of two that read the same version the
// second is told.
func (l *List) changeShared(ctx context.Context, t thread.Thread) (Result, error) {
	unlock, err := memory.LockEdits(ctx, l.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	for _, now := range l.shared() {
		if now.Memory.UUID != t.Memory.UUID {
			continue
		}
		if now.Version != t.Version || !now.Updated.Equal(t.Updated) {
			return Result{Thread: now, Code: "conflict", Reason: fmt.Sprintf("thread %s was changed meanwhile. Look at it again", t.Memory.ShortID())}, nil
		}
		m, err := l.maker.Successor(now.Memory, "edit", "")
		if err != nil {
			return Result{}, err
		}
		m.What, m.Why, m.Tags, m.Trust = t.Memory.What, t.Memory.Why, t.Memory.Tags, t.Memory.Trust
		file.KeepAuthor(m, now.Memory)
		t.Memory, t.Version, t.Updated = m, m.Lineage.Version, m.UpdatedAt.Time
		return Result{Thread: t, Accepted: true}, l.write(t)
	}
	return Result{}, &memory.UserError{Msg: "thread " + t.Memory.ShortID() + " is no longer shared: its file is gone", Err: memory.ErrNotFound, Hint: "`manicule thread list` shows what waits."}
}
