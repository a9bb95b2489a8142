package memory

import (
	"context"
	"fmt"
	"slices"

	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Drafts lists the drafts that wait for review, oldest first.
func (w *Workspace) Drafts(ctx context.Context) ([]*file.Memory, error) {
	rows, err := w.reviewable(ctx)
	out := make([]*file.Memory, 0, len(rows))
	for _, r := range rows {
		if !w.finish(ctx, r) {
			out = append(out, r.Memory)
		}
	}
	return out, err
}

// reviewable lists the drafts that a person may judge now: what waits for the acceptance of its work is left
// out.
func (w *Workspace) reviewable(ctx context.Context) ([]store.DraftRow, error) {
	rows, err := w.state.Drafts(ctx)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	units, open, err := w.work.Open(ctx)
	if err != nil {
		return nil, err
	}
	if len(open) > 0 {
		rows = slices.DeleteFunc(rows, func(d store.DraftRow) bool {
			return proposes(d.Memory) == nil && work.WaitsFor(units, d.Memory.Work()) != nil
		})
	}
	return rows, nil
}

// finish completes an acceptance that a crash interrupted after the memory's file was written. It
// reports whether there was one.
func (w *Workspace) finish(ctx context.Context, d store.DraftRow) bool {
	if !file.Exists(w.place.MemoriesDir(), d.Memory.UUID) {
		return false
	}
	if err := w.state.DropDraft(ctx, d.Memory.UUID); err != nil {
		w.log.Warn("drop a draft that has become a memory", "uuid", d.Memory.UUID, "err", err)
	}
	return true
}

// Accept turns a draft into an active memory, or executes what the draft proposes for an existing
// one. The person who accepts it vouches for it.
func (w *Workspace) Accept(ctx context.Context, id string) (Result, error) {
	d, err := w.draft(ctx, id)
	if err != nil {
		return Result{}, err
	}
	m := d.Memory
	if p := proposes(m); p != nil {
		return w.applyProposal(ctx, m, p)
	}
	at := file.At(w.now())
	m.Trust.VerifiedBy, m.Trust.VerifiedAt, m.Trust.NeedsReview = w.Author(), &at, false
	m.UpdatedAt = at
	w.work.LeaveMission(ctx, m)
	r, err := w.accept(ctx, m, false, MergeAgain)
	if err != nil || !r.Accepted {
		return r, err
	}
	return r, w.state.DropDraft(ctx, m.UUID)
}

// EditDraft changes a draft, by a person, before it is reviewed; change receives a copy. The draft passes the
// gate again, with the person's text. A proposal to forget or to confirm a memory can't be edited, because the person who
// accepts it must read what it will do.
func (w *Workspace) EditDraft(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	return w.editDraft(ctx, id, change, true)
}

// RewriteDraft is [Workspace.EditDraft] for an agent or a program.
func (w *Workspace) RewriteDraft(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	return w.editDraft(ctx, id, change, false)
}

func (w *Workspace) editDraft(ctx context.Context, id string, change func(*file.Memory) error, byPerson bool) (Result, error) {
	d, err := w.draft(ctx, id)
	if err != nil {
		return Result{}, err
	}
	p := proposes(d.Memory)
	if p != nil && p.Act != ActEdit {
		return Result{}, &UserError{Msg: fmt.Sprintf("draft %s proposes to %s a memory: its text can't be changed", d.Memory.ShortID(), p.Act), Hint: "Withdraw it and propose a new one, or reject it."}
	}
	m, details := d.Memory.Clone(), d.Memory.Details
	if err := change(m); err != nil {
		return Result{}, err
	}
	m.Details = details // they say what acceptance does
	m.UUID, m.CreatedAt, m.UpdatedAt = d.Memory.UUID, d.Memory.CreatedAt, file.At(w.now())
	if gate.Clean(m.What) == "" {
		return Refusal(noText())
	}
	if err := w.gate.Check(m); err != nil {
		return Refusal(err)
	}
	judged := m
	if byPerson {
		judged = m.Clone()
		judged.Trust.VerifiedAt = new(file.At(w.now()))
	}
	if err := w.checks.junk(judged, d.Memory, false); err != nil {
		return Refusal(err)
	}
	if err := w.wording.check(ctx, m, d.Memory, false); err != nil {
		return Refusal(err)
	}
	d.Memory, d.Reason = m, withDoubt(d.Reason, judged)
	if d.Key, err = draftKey(m); err != nil {
		return Result{}, err
	}
	same, status, merged, err := w.state.PutDraft(ctx, d)
	switch {
	case err != nil:
		return Result{}, err
	case merged && status == store.StatusRejected:
		return Result{Code: "rejected", Reason: "a person rejected the same before", MergedInto: same}, nil
	case merged:
		return Result{Code: "duplicate", Reason: "another draft says the same. `manicule review reject` drops one of them", MergedInto: same}, nil
	}
	r := Result{Accepted: true, Memory: m, Draft: true, Advice: gate.Advise(judged)}
	if doubt, doubtful := isDoubtful(judged); doubtful {
		r.Doubt = string(doubt.Code)
	}
	return r, nil
}

// Reject rejects a draft, so that it is not proposed again.
func (w *Workspace) Reject(ctx context.Context, id, reason string) error {
	d, err := w.draft(ctx, id)
	if err != nil {
		return err
	}
	return w.state.Reject(ctx, d.Memory.UUID, reason)
}

func (w *Workspace) draft(ctx context.Context, id string) (store.DraftRow, error) {
	if err := CheckID(id); err != nil {
		return store.DraftRow{}, err
	}
	rows, err := w.state.Draft(ctx, id)
	if err != nil {
		return store.DraftRow{}, err
	}
	switch len(rows) {
	case 0:
		return store.DraftRow{}, &UserError{Msg: fmt.Sprintf("no draft has the id %q", id), Err: ErrNotFound, Hint: "`manicule review` lists what waits."}
	case 1:
		if w.finish(ctx, rows[0]) {
			return store.DraftRow{}, &UserError{Msg: fmt.Sprintf("draft %s was accepted already", rows[0].Memory.ShortID()), Err: ErrNotFound, Hint: "`manicule show " + rows[0].Memory.ShortID() + "` shows the memory."}
		}
		return rows[0], nil
	}
	all := make([]*file.Memory, len(rows))
	for i, r := range rows {
		all[i] = r.Memory
	}
	return store.DraftRow{}, Ambiguous("memories", id, all)
}
