package memory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"manicule/indexer/treefile"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// editTimeout is how long a change of an existing memory waits for the changes
// of other processes. The lock is not handed round in turn, and under load a
// change takes a third of a second: a person would rather wait than say it again.
const editTimeout = 15 * time.Second

// Remember is the one way in which a new memory is written, from wherever it
// comes. What a person says becomes a file at once; what an agent says waits
// as a draft. A memory that is not accepted is no error: the result says why.
func (w *Workspace) Remember(ctx context.Context, d Draft) (Result, error) {
	m, err := w.build(ctx, d)
	if err != nil {
		return rejected(err)
	}
	if d.Agent {
		if err := w.gate.Check(m); err != nil {
			return rejected(err)
		}
		if err := worth(m, nil, false); err != nil {
			return rejected(err)
		}
		if err := w.words(ctx, m, nil, false); err != nil {
			return rejected(err)
		}
		return w.suspect(ctx, m, d, store.StatusDraft)
	}
	return w.accept(ctx, m, d.Insist)
}

// rejected turns a refusal into a result; other errors stay errors.
func rejected(err error) (Result, error) {
	if r, ok := errors.AsType[*gate.Rejection](err); ok {
		return Result{Code: string(r.Code), Reason: r.Reason + ". " + r.Hint}, nil
	}
	if u, ok := errors.AsType[*UserError](err); ok && errors.Is(err, errMalformed) {
		return Result{Code: string(gate.Malformed), Reason: u.Msg + ". " + u.Hint}, nil
	}
	return Result{}, err
}

var errMalformed = errors.New("malformed")

// accept stores a memory as active, unless another says the same.
func (w *Workspace) accept(ctx context.Context, m *file.Memory, insist bool) (Result, error) {
	if err := w.gate.Check(m); err != nil { // first: it normalises what is compared
		return rejected(err)
	}
	if err := worth(m, nil, insist); err != nil {
		return rejected(err)
	}
	if err := w.words(ctx, m, nil, insist); err != nil {
		return rejected(err)
	}
	row, ok, err := w.same(ctx, m)
	if err != nil {
		return Result{}, err
	}
	if ok {
		same, err := row.Memory()
		if err != nil {
			return Result{}, err
		}
		return Result{Accepted: true, Memory: same, Deduped: true, MergedInto: same.UUID, Code: "duplicate",
			Reason: "the same is already remembered", Path: filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(row.Path))}, nil
	}
	w.written(ctx, m)
	return w.store(ctx, m)
}

// patience is how long a write waits for the database that others write: to be
// told of a duplicate, and to note what was written. Neither is worth losing
// the memory for.
const patience = 500 * time.Millisecond

// same finds a memory that says the same. Under load, or with a database that
// others are building again, it gives up: two files are better than none.
func (w *Workspace) same(ctx context.Context, m *file.Memory) (store.Row, bool, error) {
	short, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	row, ok, err := w.rows.ByDedupeKey(short, m.DedupeKey())
	if err != nil && ctx.Err() == nil {
		w.log.Warn("look for a memory that says the same", "err", err)
		return store.Row{}, false, nil
	}
	return row, ok, err
}

// suspect stores a checked memory for review.
func (w *Workspace) suspect(ctx context.Context, m *file.Memory, d Draft, status store.DraftStatus) (Result, error) {
	if row, ok, err := w.rows.ByDedupeKey(ctx, m.DedupeKey()); err != nil {
		return Result{}, err
	} else if ok {
		same, err := row.Memory()
		if err != nil {
			return Result{}, err
		}
		return Result{Accepted: true, Memory: same, Deduped: true, MergedInto: same.UUID, Code: "duplicate", Reason: "the same is already remembered"}, nil
	}
	same, before, merged, err := w.state.PutDraft(ctx, store.DraftRow{Memory: m, Status: status, Reason: "an agent wrote it", Tool: d.Tool, Session: d.Session})
	if err != nil {
		return Result{}, err
	}
	switch {
	case merged && before == store.StatusRejected:
		return Result{Code: "rejected", Reason: "a person rejected the same before. Say what is different now, if anything is.", MergedInto: same}, nil
	case merged:
		return Result{Accepted: true, Memory: m, Draft: true, Deduped: true, MergedInto: same, Code: "duplicate", Reason: "the same waits for a person already: `manicule review`"}, nil
	}
	return Result{Accepted: true, Memory: m, Draft: true, Reason: "it waits for a person: `manicule review`"}, nil
}

// put is where a memory becomes a file, whoever wrote it: it passes the gate or is
// refused. Only a batch writes its files elsewhere, see batch.write. replaces is the file whose next version it is,
// "" for a new one: no other file is ever overwritten.
func (w *Workspace) put(m *file.Memory, replaces string) (Result, error) {
	if err := w.gate.Check(m); err != nil {
		return rejected(err)
	}
	if err := w.room(m, replaces); err != nil {
		return Result{}, err
	}
	dir := w.place.MemoriesDir()
	path, err := file.Write(dir, m)
	if err != nil {
		return Result{}, writeError(err)
	}
	if _, err := file.SweepWritten(dir, w.now().Add(-abandoned)); err != nil {
		w.log.Warn("sweep what killed processes left", "err", err)
	}
	return Result{Accepted: true, Memory: m, Path: path}, nil
}

// room says why a memory's file can't be written where it belongs.
func (w *Workspace) room(m *file.Memory, replaces string) error {
	target := filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(m.RelPath()))
	if _, err := os.Lstat(target); err == nil && target != replaces {
		return &UserError{Msg: target + " is there already and can't be read as this memory", Err: ErrExists,
			Hint: "`manicule doctor` says what is wrong with it; mend it or move it away."}
	}
	if m.Visibility == file.Personal {
		return w.keepPrivate(m)
	}
	return nil
}

// abandoned is how old a temporary file is that nobody writes any more.
const abandoned = 10 * time.Minute

// store puts a new memory and notes it in the databases. The file is the truth:
// when a database can't be written now, a later sync will see it.
func (w *Workspace) store(ctx context.Context, m *file.Memory) (Result, error) {
	before := w.rows.FolderTime(m.RelPath())
	r, err := w.put(m, "")
	if err == nil && r.Accepted {
		w.noted(ctx, m, before)
	}
	return r, err
}

// replace puts the next version of a memory, wherever it is filed now. The
// caller holds the lock of edits.
func (w *Workspace) replace(ctx context.Context, old Hit, m *file.Memory) (Result, error) {
	if err := w.state.Keep(ctx, w.place.WorktreeID, old.Memory); err != nil {
		w.log.Warn("keep the earlier version", "uuid", m.UUID, "err", err)
	}
	w.written(ctx, m)
	before := w.rows.FolderTime(m.RelPath())
	if !asRead(old) {
		return Result{Code: "conflict", Reason: fmt.Sprintf("the file of memory %s was changed meanwhile. Look at it again", m.ShortID())}, nil
	}
	r, err := w.put(m, old.Path)
	if err != nil || !r.Accepted {
		return r, err
	}
	if r.Path != old.Path { // another layer or visibility
		if old.Memory.Visibility == file.Personal && m.Visibility != file.Personal {
			if err := w.state.DropPersonal(ctx, w.place.WorktreeID, m.UUID); err != nil {
				w.log.Warn("drop the copy of a personal memory", "uuid", m.UUID, "err", err)
			}
		}
		if err := w.removeFile(ctx, old.Path); err != nil {
			return Result{}, err
		}
	}
	w.noted(ctx, m, before)
	return r, nil
}

// asRead reports whether a memory's file still holds the version that was read: an
// editor or git takes no lock.
func asRead(h Hit) bool {
	now, err := file.Read(h.Path)
	if err != nil {
		return false
	}
	was, err := h.Memory.Hash()
	if err != nil {
		return false
	}
	is, err := now.Hash()
	return err == nil && is == was
}

// WriteBack puts a memory that the database knows and whose file is gone back
// where it was, as the same version.
func (w *Workspace) WriteBack(m *file.Memory) (Result, error) { return w.put(m, "") }

func (w *Workspace) noted(ctx context.Context, m *file.Memory, before int64) {
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var kept sync.WaitGroup // both wait for the disk
	kept.Go(func() {
		if err := w.state.Keep(ctx, w.place.WorktreeID, m); err != nil {
			w.log.Warn("note a memory in state.db", "uuid", m.UUID, "err", err)
		}
	})
	if err := w.rows.SyncPath(short, m.RelPath(), before); err != nil && short.Err() == nil { // the next sync reads the file
		w.log.Warn("note a memory in memories.db", "uuid", m.UUID, "err", err)
	}
	kept.Wait()
	w.announce(m)
}

// announce tells the journal and the subscribers of writes.
func (w *Workspace) announce(m *file.Memory) {
	w.journal(m)
	for _, f := range w.upserted {
		f(m)
	}
}

func writeError(err error) error {
	u := &UserError{Msg: err.Error(), Err: err, Hint: "Check the space on the disk."}
	if e, ok := errors.AsType[*treefile.Error](err); ok {
		u.Hint = e.Hint
	}
	if errors.Is(err, fs.ErrPermission) {
		u.Hint = "Check that the .manicule folder can be written to."
	}
	return u
}

// lockEdits serialises changes of existing memories between processes.
func (w *Workspace) lockEdits(ctx context.Context) (unlock func(), err error) {
	dir := w.place.CacheDir()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return func() {}, nil // nowhere to lock: a read-only home is used by one person
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
	return func() { _ = l.Unlock() }, nil // the lock goes with the descriptor
}

// Edit changes an active memory as a new version: change gets a copy, kind is
// a change_kind of docs/memory.schema.json. The uuid may be shortened.
func (w *Workspace) Edit(ctx context.Context, id string, change func(*file.Memory) error, kind, note string) (Result, error) {
	return w.EditInsisting(ctx, id, change, kind, note, false)
}

// EditInsisting is Edit for a person who may insist on words that read like orders.
func (w *Workspace) EditInsisting(ctx context.Context, id string, change func(*file.Memory) error, kind, note string, insist bool) (Result, error) {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	old, quarantined, err := w.Any(ctx, id)
	if err != nil {
		return Result{}, err
	}
	m, err := w.successor(old.Memory, kind, note)
	if err != nil {
		return Result{}, err
	}
	if err := change(m); err != nil {
		return Result{}, err
	}
	m.UUID, m.CreatedAt = old.Memory.UUID, old.Memory.CreatedAt
	if err := worth(m, old.Memory, insist); err != nil {
		return rejected(err)
	}
	if err := w.words(ctx, m, spoken(old, quarantined), insist); err != nil {
		return rejected(err)
	}
	return w.replace(ctx, old, m)
}

// successor is the next version of a memory, still unchanged.
func (w *Workspace) successor(old *file.Memory, kind, note string) (*file.Memory, error) {
	parent, err := old.Hash()
	if err != nil {
		return nil, err
	}
	m := old.Clone()
	m.Lineage.Version, m.Lineage.Parent = old.Lineage.Version+1, parent
	m.Lineage.Merged, m.Lineage.By = nil, w.author()
	m.Lineage.ChangeKind, m.Lineage.ChangeNote = kind, note
	m.UpdatedAt = file.At(w.now())
	return m, nil
}

func (w *Workspace) removeFile(ctx context.Context, path string) error {
	rel, err := filepath.Rel(w.place.MemoriesDir(), path)
	if err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	rel = filepath.ToSlash(rel)
	before := w.rows.FolderTime(rel)
	if err := treefile.Unlinked(filepath.Dir(path)); err != nil {
		return writeError(fmt.Errorf("remove %s: %w", path, err))
	}
	if err := file.Remove(w.place.MemoriesDir(), rel); err != nil {
		return writeError(err)
	}
	if err := w.rows.SyncPath(ctx, rel, before); err != nil {
		w.log.Warn("drop a memory from memories.db", "path", rel, "err", err)
	}
	return nil
}

// Forget removes a memory's file and keeps it restorable for 30 days.
func (w *Workspace) Forget(ctx context.Context, id string) error {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	h, _, err := w.Any(ctx, id)
	if err != nil {
		return err
	}
	data, err := h.Memory.Marshal()
	if err != nil {
		return err
	}
	// First the tombstone: nothing is removed that can't be restored.
	if err := w.state.Bury(ctx, store.Tombstone{UUID: h.Memory.UUID, Path: h.Memory.RelPath(), Reason: "forgotten", JSON: data}); err != nil {
		return fmt.Errorf("keep a copy of %s: %w", h.Memory.UUID, err)
	}
	if h.Memory.Visibility == file.Personal {
		if err := w.state.DropPersonal(ctx, w.place.WorktreeID, h.Memory.UUID); err != nil {
			w.log.Warn("drop the copy of a personal memory", "uuid", h.Memory.UUID, "err", err)
		}
	}
	return w.removeFile(ctx, h.Path)
}

// Restore brings a forgotten memory back as a new version.
func (w *Workspace) Restore(ctx context.Context, id string) (Result, error) {
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	list, err := w.state.TombstoneOf(ctx, id)
	if err != nil {
		return Result{}, err
	}
	switch {
	case len(list) == 0:
		return Result{}, &UserError{Msg: fmt.Sprintf("nothing forgotten has the id %q", id), Err: ErrNotFound,
			Hint: "`manicule restore` without an id lists what can be restored; memories are kept for 30 days."}
	case len(list) > 1:
		return Result{}, ambiguous(id, len(list))
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
	m, err := w.successor(old, "restore", "")
	if err != nil {
		return Result{}, err
	}
	if err := w.words(ctx, m, nil, false); err != nil { // it went from quarantine
		return rejected(err)
	}
	r, err := w.store(ctx, m)
	if err != nil || !r.Accepted {
		return r, err
	}
	if err := w.state.Unbury(ctx, m.UUID); err != nil {
		w.log.Warn("remove a tombstone", "uuid", m.UUID, "err", err)
	}
	return r, nil
}

// Pin sets or removes the pin.
func (w *Workspace) Pin(ctx context.Context, id string, on bool) (Result, error) {
	return w.Edit(ctx, id, func(m *file.Memory) error { m.Pinned = on; return nil }, "pin", "")
}

// Confirm records that a person found the memory true. It clears a dispute.
func (w *Workspace) Confirm(ctx context.Context, id string) (Result, error) {
	return w.Edit(ctx, id, func(m *file.Memory) error {
		w.Verified(m)
		return nil
	}, "verify", "")
}

// Verified notes in a memory that the person at this machine found it true now.
func (w *Workspace) Verified(m *file.Memory) {
	at := file.At(w.now())
	m.Trust.VerifiedBy, m.Trust.VerifiedAt, m.Trust.NeedsReview = w.author(), &at, false
	m.Trust.DisputedBy, m.Trust.DisputedAt, m.Trust.DisputeNote = "", nil, ""
}

// Dispute records that a person found the memory wrong.
func (w *Workspace) Dispute(ctx context.Context, id, note string) (Result, error) {
	return w.Edit(ctx, id, func(m *file.Memory) error {
		at := file.At(w.now())
		m.Trust.DisputedBy, m.Trust.DisputedAt, m.Trust.DisputeNote = w.author(), &at, note
		m.Trust.VerifiedBy, m.Trust.VerifiedAt = "", nil
		return nil
	}, "dispute", note)
}

// Adopt takes a whole memory from elsewhere, keeping its uuid and times. Where
// one of that uuid exists, the newer wins only when it descends from the other;
// else both stay as they are and the result says "conflict".
func (w *Workspace) Adopt(ctx context.Context, m *file.Memory) (Result, error) {
	if err := w.gate.Check(m); err != nil {
		return rejected(err)
	}
	rows, err := w.rows.ByUUID(ctx, m.UUID)
	if err != nil {
		return Result{}, err
	}
	if len(rows) == 0 {
		return w.accept(ctx, m, false)
	}
	if err := w.words(ctx, m, nil, false); err != nil {
		return rejected(err)
	}
	unlock, err := w.lockEdits(ctx)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	old, err := w.Get(ctx, m.UUID) // as its file is now
	if err != nil {
		return Result{}, err
	}
	mine := old.Memory
	here := Result{Accepted: true, Memory: mine, Deduped: true, MergedInto: mine.UUID, Code: "duplicate", Reason: "it is already here"}
	mineHash, err := mine.Hash()
	if err != nil {
		return Result{}, err
	}
	theirs, err := m.Hash()
	if err != nil {
		return Result{}, err
	}
	if theirs == mineHash {
		return here, nil
	}
	if older, err := w.state.Descends(ctx, mine.Lineage.Parent, theirs); err != nil || older {
		return here, err
	}
	if newer, err := w.state.Descends(ctx, m.Lineage.Parent, mineHash); err != nil {
		return Result{}, err
	} else if newer {
		return w.replace(ctx, old, m)
	}
	if mine.DedupeKey() == m.DedupeKey() && mine.Why == m.Why {
		return here, nil
	}
	return Result{Memory: mine, Code: "conflict", Reason: fmt.Sprintf(
		"memory %s was changed here and there, and neither version descends from the other; `manicule show %s` shows yours", m.UUID, m.ShortID())}, nil
}

// newID makes a time-ordered uuid (version 7, RFC 9562) from our own clock and
// randomness alone.
func (w *Workspace) newID() (string, error) {
	id, err := uuid.NewRandomFromReader(w.random)
	if err != nil {
		return "", fmt.Errorf("make a uuid: %w", err)
	}
	ms := w.now().UnixMilli()
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = 0x70 | id[6]&0x0f
	return id.String(), nil
}
