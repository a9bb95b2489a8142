package memory

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// sharedThreads reads the threads that files share. A damaged one is logged: it must not hide the others.
func (w *Workspace) sharedThreads() []thread.Thread {
	list, err := thread.Shared(w.place)
	if err != nil {
		w.log.Warn("read the shared threads", "root", w.place.Root, "err", err)
	}
	return list
}

// threadsWithID returns the threads that id is short for.
func (w *Workspace) threadsWithID(ctx context.Context, id string) ([]thread.Thread, error) {
	own, err := w.state.Thread(ctx, id)
	if err != nil {
		return nil, err
	}
	var shared []thread.Thread
	for _, t := range w.sharedThreads() {
		if file.Abbreviates(id, t.Memory.UUID) {
			shared = append(shared, t)
		}
	}
	return thread.WithShared(own, shared), nil
}

// errAgentsShare is returned to an agent that would share a thread.
func errAgentsShare() error {
	return &UserError{Msg: "a person decides what the team is told", Hint: "Leave the thread without sharing it, and say that it may be worth it."}
}

// shareNew writes a new thread as a file.
func (w *Workspace) shareNew(t thread.Thread) (ThreadResult, error) {
	if t.Agent != "" {
		return ThreadResult{}, errAgentsShare()
	}
	for _, known := range w.sharedThreads() {
		if known.State == thread.StateOpen && known.Kind == t.Kind && known.Memory.DedupeKey() == t.Memory.DedupeKey() {
			return ThreadResult{Thread: known, Accepted: true, Same: true}, nil
		}
	}
	t.Shared, t.Branch, t.Session, t.Version = true, "", "", t.Memory.Lineage.Version
	t.Memory.Visibility = file.Team
	t.Created, t.Updated = t.Memory.CreatedAt.Time, t.Memory.UpdatedAt.Time
	return ThreadResult{Thread: t, Accepted: true}, thread.WriteShared(w.place, t)
}

// ShareThread makes a thread of this machine one of the team, as a file that git carries. What may come from strangers, and what
// nobody wrote, is not shared.
func (w *Workspace) ShareThread(ctx context.Context, id string) (ThreadResult, error) {
	t, err := w.Thread(ctx, id)
	switch {
	case err != nil:
		return ThreadResult{}, err
	case t.Shared:
		return ThreadResult{Thread: t, Accepted: true, Same: true}, nil
	case t.Memory.Trust.Tainted:
		return ThreadResult{}, &UserError{Msg: "thread " + t.Memory.ShortID() + " may come from outside, so it is not shared", Hint: "Write what is true of it in your own words: `manicule thread add TEXT --share`."}
	}
	own := t
	t.Memory = t.Memory.Clone()
	if t.Observed() { // the person who shares it vouches for it
		t.Memory.Trust.Origin, t.Memory.Source = file.UserTaught, ""
	}
	t.Agent, t.Memory.Contributor = "", w.author()
	t.Memory.UpdatedAt = file.At(w.now())
	r, err := w.shareNew(t)
	if err != nil || r.Same {
		return r, err
	}
	own.State, own.Resolution = thread.StateParked, "shared as a file"
	if _, err := w.state.SetThread(ctx, own); err != nil && !errors.Is(err, store.ErrThreadChanged) {
		return r, fmt.Errorf("park the thread that was shared: %w", err)
	}
	return r, nil
}

// changeShared writes the next version of a shared thread. Writers queue; of two that read the same version the
// second is told.
func (w *Workspace) changeShared(ctx context.Context, t thread.Thread) (ThreadResult, error) {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return ThreadResult{}, err
	}
	defer unlock()
	for _, now := range w.sharedThreads() {
		if now.Memory.UUID != t.Memory.UUID {
			continue
		}
		if now.Version != t.Version || !now.Updated.Equal(t.Updated) {
			return ThreadResult{Thread: now, Code: "conflict", Reason: fmt.Sprintf("thread %s was changed meanwhile. Look at it again", t.Memory.ShortID())}, nil
		}
		m, err := w.successor(now.Memory, "edit", "")
		if err != nil {
			return ThreadResult{}, err
		}
		m.What, m.Why, m.Tags, m.Trust = t.Memory.What, t.Memory.Why, t.Memory.Tags, t.Memory.Trust
		m.Conflict = nil // whoever changes it has seen it
		file.KeepAuthor(m, now.Memory)
		t.Memory, t.Version, t.Updated = m, m.Lineage.Version, m.UpdatedAt.Time
		return ThreadResult{Thread: t, Accepted: true}, thread.WriteShared(w.place, t)
	}
	return ThreadResult{}, &UserError{Msg: "thread " + t.Memory.ShortID() + " is no longer shared: its file is gone", Err: ErrNotFound, Hint: "`manicule thread list` shows what waits."}
}
