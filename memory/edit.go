package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"manicule/indexer/lockfile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// editTimeout is how long a change waits for those of other processes. The lock is not fair, a change takes a third of a
// second under load, and the one that has the lock may wait for memories.db itself. Waiting is better than asking the person
// to repeat it.
const editTimeout = 40 * time.Second

// busyEdits says why a change waits.
const busyEdits = "another process is changing memories"

// LockEdits serializes changes of existing files of a workspace across processes. The lock does not lie in the cache, which a person
// may delete at any time: the next process would have a lock of its own, and one of two changes would be lost. Programs of earlier
// versions, such as a server that runs on after an update, know the one in the cache alone, so that is taken as well.
func LockEdits(ctx context.Context, place *workspace.Workspace) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, editTimeout) // for both
	defer cancel()
	state, err := lockIn(ctx, place.StateDir(), editLock(place.WorktreeID), busyEdits)
	if err != nil {
		return nil, err
	}
	cache, err := lockIn(ctx, place.CacheDir(), earlierEditLock, busyEdits)
	if err != nil {
		state()
		return nil, err
	}
	return func() { cache(); state() }, nil
}

// editLock is the name of the lock of a worktree's changes.
func editLock(worktree string) string { return "edit-" + worktree + ".lock" }

// earlierEditLock is its name in the cache folder. Who takes both takes it last.
const earlierEditLock = "edit.lock"

// lockDecisions serializes decisions about drafts, which the worktrees of a repository share. Two people, or one in two windows,
// may decide about the same one: the second is told so. Whoever holds it may take [LockEdits], not the other way round.
func lockDecisions(ctx context.Context, place *workspace.Workspace) (unlock func(), err error) {
	return lockIn(ctx, place.StateDir(), "review.lock", "another process is deciding about drafts")
}

// lockIn takes a lock of a folder. busy says who has it, if that takes too long.
func lockIn(ctx context.Context, dir, name, busy string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}, nil // nothing to lock: one person uses a read-only home
	}
	l := lockfile.New(filepath.Join(dir, name))
	ctx, cancel := context.WithTimeout(ctx, editTimeout)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, &UserError{Msg: busy, Err: err, Hint: "Try again in a moment."}
		}
		if errors.Is(err, context.Canceled) {
			return nil, fmt.Errorf("wait for %s: %w", name, err) // another one may hold it
		}
		return func() {}, nil // a file system without locks
	}
	return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
}

// Edits are what a person changes about memories that exist. Each is a new version. It is safe for concurrent use by goroutines
// and processes.
type Edits struct {
	place   *workspace.Workspace
	rows    *store.Memories
	usage   store.Usage
	gate    *gate.Gate
	maker   *Maker
	checks  *checks
	wording *wording
	history *History
	writer  *fileWriter
	get     func(ctx context.Context, id string) (h Hit, quarantined bool, err error) // see [Workspace.GetAny]
	sync    func(ctx context.Context) (changed bool, err error)
	now     func() time.Time
	log     *slog.Logger
}

// editKind is the change_kind of an edit by a person.
const editKind = "edit"

// saysAlike reports whether two versions differ only in what each version has of its own.
func saysAlike(was, is *file.Memory) (bool, error) {
	is = is.Clone()
	is.Lineage, is.UpdatedAt = was.Lineage, was.UpdatedAt
	a, err := was.Hash()
	if err != nil {
		return false, err
	}
	b, err := is.Hash()
	return a == b, err
}

// Change changes an active memory as a new version; change receives a copy. kind is a change_kind of
// docs/memory.schema.json. The id may be abbreviated. An edit without a note that changes nothing
// writes no version.
func (e *Edits) Change(ctx context.Context, id string, change func(*file.Memory) error, kind, note string) (Result, error) {
	return e.ChangeInsisting(ctx, id, change, kind, note, false)
}

// ChangeInsisting is Change with the option to insist on words that read like orders.
func (e *Edits) ChangeInsisting(ctx context.Context, id string, change func(*file.Memory) error, kind, note string, insist bool) (Result, error) {
	unlock, err := LockEdits(ctx, e.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	old, quarantined, err := e.get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	m, err := e.maker.Successor(old.Memory, kind, note)
	if err != nil {
		return Result{}, err
	}
	if err := change(m); err != nil {
		return Result{}, err
	}
	if !slices.Equal(m.Scope, old.Memory.Scope) {
		if err := e.maker.settleScope(ctx, m); err != nil {
			return Result{}, err
		}
	}
	m.UUID, m.CreatedAt = old.Memory.UUID, old.Memory.CreatedAt
	file.KeepAuthor(m, old.Memory)
	e.maker.vouch(m, old.Memory, kind)
	if m.Visibility != file.Personal {
		m.LeaveBranch() // git keeps the branches of what is shared
	}
	if kind == editKind && note == "" && !quarantined {
		same, err := saysAlike(old.Memory, m)
		if err != nil {
			return Result{}, err
		}
		if same {
			return Result{Accepted: true, Memory: old.Memory, Path: old.Path, Code: "unchanged", Reason: "nothing was changed: it is as that says already"}, nil
		}
	}
	if gate.Clean(m.What) == "" {
		return Refusal(noText())
	}
	if err := e.checks.junk(m, old.Memory, insist); err != nil {
		return Refusal(err)
	}
	if string(m.Details) != string(old.Memory.Details) || m.Type != old.Memory.Type {
		if err := checkDetails(m); err != nil {
			return Refusal(err)
		}
	}
	if err := e.wording.check(ctx, m, previousWording(old, quarantined), insist); err != nil {
		return Refusal(err)
	}
	if err := checkRelations(ctx, e.rows, m, old.Memory); err != nil {
		return Refusal(err)
	}
	if err := checkNamed(ctx, e.rows, m, old.Memory); err != nil {
		return Refusal(err)
	}
	r, err := e.writer.replace(ctx, old, m)
	if insist || m.What == old.Memory.What {
		return r, err
	}
	return advised(r, err)
}

// Pin sets or removes the pin.
func (e *Edits) Pin(ctx context.Context, id string, on bool) (Result, error) {
	return e.Change(ctx, id, func(m *file.Memory) error { m.Pinned = on; return nil }, "pin", "")
}

// Confirm records that a person found the memory true. It resolves a dispute.
func (e *Edits) Confirm(ctx context.Context, id string) (Result, error) {
	return e.Change(ctx, id, func(m *file.Memory) error {
		if m.Trust.Deprecated != nil {
			return &gate.Rejection{Code: gate.Malformed, Reason: "a person took it out of use", Hint: "`manicule edit " + m.ShortID() + " --undeprecate` first, if it holds again."}
		}
		e.maker.Verify(m)
		return nil
	}, "verify", "")
}
