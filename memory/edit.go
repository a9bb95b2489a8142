package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
)

// editTimeout is how long a change waits for those of other processes. The lock is not fair, and
// under load a change takes a third of a second. Waiting is better than asking the person to repeat
// it.
const editTimeout = 15 * time.Second

// LockEdits serializes changes of existing files of a workspace across processes.
func LockEdits(ctx context.Context, place *workspace.Workspace) (unlock func(), err error) {
	dir := place.CacheDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}, nil // nothing to lock: one person uses a read-only home
	}
	l := flock.New(filepath.Join(dir, "edit.lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, editTimeout)
	defer cancel()
	if _, err := l.TryLockContext(ctx, 5*time.Millisecond); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, &UserError{Msg: "another process is changing memories", Err: err, Hint: "Try again in a moment."}
		}
		return func() {}, nil // a file system without locks
	}
	return func() { _ = l.Unlock() }, nil // closing the descriptor releases the lock
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

// Edit changes an active memory as a new version; change receives a copy. kind is a change_kind of
// docs/memory.schema.json. The id may be abbreviated. An edit without a note that changes nothing
// writes no version.
func (w *Workspace) Edit(ctx context.Context, id string, change func(*file.Memory) error, kind, note string) (Result, error) {
	return w.EditInsisting(ctx, id, change, kind, note, false)
}

// EditInsisting is Edit with the option to insist on words that read like orders.
func (w *Workspace) EditInsisting(ctx context.Context, id string, change func(*file.Memory) error, kind, note string, insist bool) (Result, error) {
	unlock, err := LockEdits(ctx, w.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	old, quarantined, err := w.GetAny(ctx, id)
	if err != nil {
		return Result{}, err
	}
	m, err := w.maker.Successor(old.Memory, kind, note)
	if err != nil {
		return Result{}, err
	}
	if err := change(m); err != nil {
		return Result{}, err
	}
	if !slices.Equal(m.Scope, old.Memory.Scope) {
		if err := w.maker.settleScope(ctx, m); err != nil {
			return Result{}, err
		}
	}
	m.UUID, m.CreatedAt = old.Memory.UUID, old.Memory.CreatedAt
	file.KeepAuthor(m, old.Memory)
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
	if err := w.checks.junk(m, old.Memory, insist); err != nil {
		return Refusal(err)
	}
	if string(m.Details) != string(old.Memory.Details) || m.Type != old.Memory.Type {
		if err := checkDetails(m); err != nil {
			return Refusal(err)
		}
	}
	if err := w.wording.check(ctx, m, previousWording(old, quarantined), insist); err != nil {
		return Refusal(err)
	}
	r, err := w.writer.replace(ctx, old, m)
	if insist || m.What == old.Memory.What {
		return r, err
	}
	return advised(r, err)
}

// Pin sets or removes the pin.
func (w *Workspace) Pin(ctx context.Context, id string, on bool) (Result, error) {
	return w.Edit(ctx, id, func(m *file.Memory) error { m.Pinned = on; return nil }, "pin", "")
}

// Confirm records that a person found the memory true. It resolves a dispute.
func (w *Workspace) Confirm(ctx context.Context, id string) (Result, error) {
	return w.Edit(ctx, id, func(m *file.Memory) error {
		if m.Trust.Deprecated != nil {
			return &gate.Rejection{Code: gate.Malformed, Reason: "a person took it out of use", Hint: "`manicule edit " + m.ShortID() + " --undeprecate` first, if it holds again."}
		}
		w.maker.Verify(m)
		return nil
	}, "verify", "")
}

// Edits are the changes of memories that exist.
type Edits struct{}

// Edits makes changes.
func (w *Workspace) Edits() *Edits { return nil }
