package memory

import (
	"context"
	"errors"
	"fmt"
	"time"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
)

// Remember is the only way to write a new memory. A person's memory becomes a file at once; an
// agent's becomes a draft that waits for review. A refused memory is not an error: the result says
// why.
func (w *Workspace) Remember(ctx context.Context, d Draft) (Result, error) {
	m, err := w.NewMemory(ctx, d)
	if err != nil {
		return Refusal(err)
	}
	if d.Agent {
		if err := w.CheckDraft(ctx, m); err != nil {
			return Refusal(err)
		}
		return advised(w.storeDraft(ctx, m, d, store.StatusDraft))
	}
	if d.Insist {
		return w.accept(ctx, m, d.Insist, d.Again)
	}
	return advised(w.accept(ctx, m, d.Insist, d.Again))
}

// advised adds to the result of a write what its text reads like.
func advised(r Result, err error) (Result, error) {
	if err == nil && r.Accepted && !r.Deduped && r.Memory != nil {
		r.Advice = gate.Advise(r.Memory)
	}
	return r, err
}

// Refusal turns a refusal into a result. Other errors stay errors.
func Refusal(err error) (Result, error) {
	if r, ok := errors.AsType[*gate.Rejection](err); ok {
		return Result{Code: string(r.Code), Reason: r.Reason + ". " + r.Hint}, nil
	}
	if u, ok := errors.AsType[*UserError](err); ok && errors.Is(err, errMalformed) {
		return Result{Code: string(gate.Malformed), Reason: u.Msg + ". " + u.Hint}, nil
	}
	return Result{}, err
}

// noText refuses a memory without words.
func noText() error {
	return &UserError{Msg: "there is no text to remember", Err: errMalformed, Hint: "Say in a sentence what was learned."}
}

var errMalformed = errors.New("malformed")

// accept stores a memory as active, unless another says the same.
func (w *Workspace) accept(ctx context.Context, m *file.Memory, insist bool, how Again) (Result, error) {
	if err := w.checks.fresh(ctx, m, insist); err != nil {
		return Refusal(err)
	}
	found, done, err := w.again(ctx, m, how)
	if err != nil || done {
		return found, err
	}
	w.wording.noteAuthored(ctx, m)
	r, err := w.writer.store(ctx, m, "")
	r.Contradicts, r.AlsoMine = found.Contradicts, found.AlsoMine
	if r.Accepted && r.AlsoMine != "" {
		r.Reason = fmt.Sprintf("memory %s says the same to you alone", r.AlsoMine)
	}
	return r, err
}

// How long a write waits for a busy database to find a duplicate, and to record what was written.
// Neither is worth losing the memory for. Until it is recorded, a hook counts it and can't quote it.
const (
	noteTimeout   = 500 * time.Millisecond
	recordTimeout = time.Second
)

// storeDraft stores a checked memory as a draft.
func (w *Workspace) storeDraft(ctx context.Context, m *file.Memory, d Draft, status store.DraftStatus) (Result, error) {
	k, err := w.dedupe.related(ctx, m)
	if err != nil {
		return Result{}, err
	}
	if k.same != nil {
		w.dedupe.countAgain(ctx, k.same.Memory.UUID)
		return w.proposeAgain(ctx, k.same, m, d)
	}
	conflict(m, k.contradicts)
	reason := ""
	if d.Tool != "" { // of others a draft's origin says all that is known
		reason = "an agent wrote it"
	}
	row := store.DraftRow{Memory: m, Status: status, Reason: withDoubt(reason, m), Tool: d.Tool, Session: d.Session, Key: visibleKey(m)}
	waiting, err := w.drafts.same(ctx, m)
	if err != nil {
		return Result{}, err
	}
	if waiting != nil {
		row.Key = visibleKey(waiting.Memory)
	}
	same, before, merged, err := w.state.PutDraft(ctx, row)
	if err != nil {
		return Result{}, err
	}
	switch {
	case merged && before == store.StatusRejected:
		return Result{Code: "rejected", Reason: "a person rejected the same before. Say what is different now, if anything is.", MergedInto: same}, nil
	case merged:
		if waiting != nil && waiting.Memory.UUID == same {
			err = w.drafts.add(ctx, *waiting, m)
			m = waiting.Memory
		}
		return Result{Accepted: true, Memory: m, Draft: true, Deduped: true, MergedInto: same, Code: "duplicate", Reason: "the same waits for a person already: `manicule review`"}, err
	}
	r := waits(m)
	r.Contradicts = k.contradicts
	if len(k.contradicts) > 0 {
		r.Reason += "; " + contradiction(k.contradicts)
	}
	return r, nil
}

// visibleKey is the dedupe key of a draft. A personal one never says the same as one for all.
func visibleKey(m *file.Memory) string {
	if m.Visibility == file.Personal {
		return m.DedupeKey() + " personal"
	}
	return m.DedupeKey()
}

// proposeAgain answers an agent that says a memory again. What it adds is proposed to a person.
func (w *Workspace) proposeAgain(ctx context.Context, same *Hit, m *file.Memory, d Draft) (Result, error) {
	r := duplicate(same)
	r.Path = ""
	r.Reason += reachBeside(same.Memory, m)
	more := &file.Memory{Tags: m.Tags, Why: m.Why, Relations: m.Relations, Importance: same.Memory.Importance, Visibility: m.Visibility}
	if m.Trust.Tainted || (m.Visibility == file.Personal) != (same.Memory.Visibility == file.Personal) || !adds(same.Memory, more, 1) {
		return r, nil
	}
	p, err := w.Propose(ctx, Change{Act: ActEdit, Memory: same.Memory.UUID, Tool: d.Tool, Session: d.Session, Reason: "said again, with more", Edit: func(to *file.Memory) error {
		more.Importance = to.Importance
		addAgain(to, more, 1)
		return nil
	}})
	if err == nil && p.Accepted && !p.Deduped {
		r.Reason = "the same is already remembered" + reachBeside(same.Memory, m) + "; what is new (tags, a reason, for whom it is) waits for a person: `manicule review`"
	}
	return r, err
}

// Adopt imports a whole memory with its uuid and times. If a memory with that uuid exists, a
// descendant replaces it; if neither version descends from the other, both stay and the result is
// "conflict".
func (w *Workspace) Adopt(ctx context.Context, m *file.Memory) (Result, error) {
	if err := w.gate.Check(m); err != nil {
		return Refusal(err)
	}
	rows, err := w.rows.ByUUID(ctx, m.UUID)
	if err != nil {
		return Result{}, err
	}
	if len(rows) == 0 {
		return w.accept(ctx, m, false, onlyExact)
	}
	if err := w.wording.check(ctx, m, nil, false); err != nil {
		return Refusal(err)
	}
	unlock, err := LockEdits(ctx, w.place)
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
		return w.writer.replace(ctx, old, m)
	}
	if mine.DedupeKey() == m.DedupeKey() && mine.Why == m.Why {
		return here, nil
	}
	return Result{Memory: mine, Code: "conflict", Reason: fmt.Sprintf(
		"memory %s was changed here and there, and neither version descends from the other; `manicule show %s` shows yours", m.UUID, m.ShortID())}, nil
}
