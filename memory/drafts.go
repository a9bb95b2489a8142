package memory

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/restate"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Drafts are the drafts of a workspace: new memories and changes of some that wait for a person. A decision that changes
// memories is done by [Decisions.Accept]. It is safe for concurrent use by goroutines and processes.
type Drafts struct {
	place  *workspace.Workspace
	rows   draftRows
	work   *work.Register
	maker  *Maker
	checks *checks
	dedupe *deduper
	get    func(ctx context.Context, id string) (Hit, error) // an active memory
	now    func() time.Time
	log    *slog.Logger
}

// draftRows are the drafts of this machine. [store.Drafts] keeps them.
type draftRows interface {
	All(ctx context.Context) ([]store.DraftRow, error)
	Find(ctx context.Context, id string) ([]store.DraftRow, error)
	Put(ctx context.Context, d store.DraftRow) (same string, status store.DraftStatus, merged bool, err error)
	Change(ctx context.Context, was, now *file.Memory) error
	Drop(ctx context.Context, uuid string) error
	Withdraw(ctx context.Context, uuid string) error
	Reject(ctx context.Context, uuid, reason string) error
}

// List lists the drafts that wait for review, oldest first.
func (q *Drafts) List(ctx context.Context) ([]*file.Memory, error) {
	rows, err := q.reviewable(ctx)
	out := make([]*file.Memory, 0, len(rows))
	for _, r := range rows {
		if !q.finish(ctx, r) {
			out = append(out, r.Memory)
		}
	}
	return out, err
}

// reviewable lists the drafts that a person may judge now: what waits for the acceptance of its work is left
// out.
func (q *Drafts) reviewable(ctx context.Context) ([]store.DraftRow, error) {
	rows, err := q.rows.All(ctx)
	if err != nil || len(rows) == 0 {
		return rows, err
	}
	units, open, err := q.work.Open(ctx)
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
func (q *Drafts) finish(ctx context.Context, d store.DraftRow) bool {
	if !file.Exists(q.place.MemoriesDir(), d.Memory.UUID) {
		return false
	}
	if err := q.rows.Drop(ctx, d.Memory.UUID); err != nil {
		q.log.Warn("drop a draft that has become a memory", "uuid", d.Memory.UUID, "err", err)
	}
	return true
}

// Edit changes a draft, by a person, before it is reviewed; change receives a copy. Other decisions about drafts wait for
// it, so it asks nobody. The draft passes the gate again, with the person's text. A proposal to forget or to confirm a memory can't be edited, because the person who
// accepts it must read what it will do.
func (q *Drafts) Edit(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	return q.edit(ctx, id, change, true)
}

// Rewrite is [Drafts.Edit] for an agent or a program.
func (q *Drafts) Rewrite(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	return q.edit(ctx, id, change, false)
}

func (q *Drafts) edit(ctx context.Context, id string, change func(*file.Memory) error, byPerson bool) (Result, error) {
	unlock, err := lockDecisions(ctx, q.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	d, err := q.find(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if err := checkEditable(d.Memory); err != nil {
		return Result{}, err
	}
	m, details := d.Memory.Clone(), d.Memory.Details
	if err := change(m); err != nil {
		return Result{}, err
	}
	if !slices.Equal(m.Scope, d.Memory.Scope) {
		if err := q.maker.settleScope(ctx, m); err != nil {
			return Result{}, err
		}
	}
	m.Details = details // they say what acceptance does
	m.UUID, m.CreatedAt, m.UpdatedAt = d.Memory.UUID, d.Memory.CreatedAt, file.At(q.now())
	if gate.Clean(m.What) == "" {
		return Refusal(noText())
	}
	if err := q.checks.gate.Check(m); err != nil {
		return Refusal(err)
	}
	judged := m
	if byPerson {
		judged = m.Clone()
		judged.Trust.VerifiedAt = new(file.At(q.now()))
	}
	if err := q.checks.junk(judged, d.Memory, false); err != nil {
		return Refusal(err)
	}
	if err := q.checks.wording.check(ctx, m, d.Memory, false); err != nil {
		return Refusal(err)
	}
	d.Memory, d.Reason = m, withDoubt(d.Reason, judged)
	if d.Key, err = draftKey(m); err != nil {
		return Result{}, err
	}
	same, status, merged, err := q.rows.Put(ctx, d)
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

// checkEditable returns an error for a draft that [Drafts.Edit] must not change.
func checkEditable(draft *file.Memory) error {
	if p := proposes(draft); p != nil && p.Act != ActEdit {
		return &UserError{Msg: fmt.Sprintf("draft %s proposes to %s a memory: its text can't be changed", draft.ShortID(), p.Act), Hint: "Withdraw it and propose a new one, or reject it."}
	}
	return nil
}

// Reject rejects a draft, so that it is not proposed again.
func (q *Drafts) Reject(ctx context.Context, id, reason string) error {
	unlock, err := lockDecisions(ctx, q.place)
	if err != nil {
		return err
	}
	defer unlock()
	d, err := q.find(ctx, id)
	if err != nil {
		return err
	}
	return q.rows.Reject(ctx, d.Memory.UUID, reason)
}

// find returns the draft that an id stands for.
func (q *Drafts) find(ctx context.Context, id string) (store.DraftRow, error) {
	id = file.TypedID(id)
	if err := CheckID(id); err != nil {
		return store.DraftRow{}, err
	}
	rows, err := q.rows.Find(ctx, id)
	if err != nil {
		return store.DraftRow{}, err
	}
	switch len(rows) {
	case 0:
		return store.DraftRow{}, &UserError{Msg: fmt.Sprintf("no draft has the id %q", id), Err: ErrNotFound, Hint: "`manicule review` lists what waits."}
	case 1:
		if q.finish(ctx, rows[0]) {
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

// Waiting returns a draft that waits, with all that a decision about it removes.
func (q *Drafts) Waiting(ctx context.Context, id string) (Waiting, error) {
	row, err := q.find(ctx, id)
	if err != nil {
		return Waiting{}, err
	}
	row.Key, err = draftKey(row.Memory)
	return Waiting{row}, err
}

// Withdraw removes a draft that an agent wrote, and reports whether the id names one. own decides
// whether the draft belongs to the caller, because an agent's name proves nothing. The draft does
// not count as rejected, since nobody reviewed it.
func (q *Drafts) Withdraw(ctx context.Context, id string, own func(store.DraftRow) bool) (bool, error) {
	unlock, err := lockDecisions(ctx, q.place)
	if err != nil {
		return false, err
	}
	defer unlock()
	d, err := q.find(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if d.Status != store.StatusDraft || d.Memory.Trust.Origin != file.AgentExplicit || !own(d) {
		return true, &UserError{Msg: fmt.Sprintf("draft %s is not yours to withdraw", d.Memory.ShortID()), Hint: "A person judges it: `manicule review`."}
	}
	return true, q.rows.Withdraw(ctx, d.Memory.UUID)
}

// same returns the draft that says the same as m, nil if there is none.
func (q *Drafts) same(ctx context.Context, m *file.Memory) (*store.DraftRow, error) {
	rows, err := q.rows.All(ctx)
	if err != nil {
		return nil, err
	}
	mine, words := restate.Read(m.What), restate.WordSet(m.What)
	for i, d := range rows {
		old := d.Memory
		if proposes(old) != nil || (old.Visibility == file.Personal) != (m.Visibility == file.Personal) || !mergeable(old, m) || old.Trust.Tainted != m.Trust.Tainted || !covers(old, m) || !restate.MayRelate(words, restate.WordSet(old.What)) {
			continue
		}
		if v, _ := mine.Judge(restate.Read(old.What)); v == restate.Same {
			return &rows[i], nil
		}
	}
	return nil, nil
}

// add adds the tags and the reason of m to a draft that says the same, if the draft still
// waits as it was read.
func (q *Drafts) add(ctx context.Context, d store.DraftRow, m *file.Memory) error {
	now := d.Memory.Clone()
	addAgain(now, m, d.Observations)
	if err := q.checks.gate.Check(now); err != nil {
		return nil // the draft stays as it is, and the new text is its repetition
	}
	return q.rows.Change(ctx, d.Memory, now)
}

// putProposal stores a proposal, if the same does not wait and was not rejected.
func (q *Drafts) putProposal(ctx context.Context, m *file.Memory, row store.DraftRow) (_ Result, err error) {
	if row.Key, err = draftKey(m); err != nil {
		return Result{}, err
	}
	same, before, merged, err := q.rows.Put(ctx, row)
	switch {
	case err != nil:
		return Result{}, err
	case merged && before == store.StatusRejected:
		return Result{Code: "rejected", Reason: "a person rejected the same before. Say what is different now, if anything is.", MergedInto: same}, nil
	case merged:
		return Result{Accepted: true, Memory: m, Draft: true, Deduped: true, MergedInto: same, Code: "duplicate", Reason: "the same waits for a person already: `manicule review`"}, nil
	}
	return Result{Accepted: true, Memory: m, Draft: true, Reason: "it waits for a person: `manicule review`"}, nil
}

// put stores a checked memory as a draft.
func (q *Drafts) put(ctx context.Context, m *file.Memory, d Draft) (Result, error) {
	k, err := q.dedupe.related(ctx, m)
	if err != nil {
		return Result{}, err
	}
	if k.same != nil {
		q.dedupe.countAgain(ctx, k.same.Memory.UUID)
		return q.proposeAgain(ctx, k.same, m, d)
	}
	conflict(m, k.contradicts)
	reason := ""
	if d.Tool != "" { // of others a draft's origin says all that is known
		reason = "an agent wrote it"
	}
	row := store.DraftRow{Memory: m, Status: store.StatusDraft, Reason: withDoubt(reason, m), Tool: d.Tool, Session: d.Session, Key: visibleKey(m)}
	waiting, err := q.same(ctx, m)
	if err != nil {
		return Result{}, err
	}
	if waiting != nil {
		row.Key = visibleKey(waiting.Memory)
	}
	same, before, merged, err := q.rows.Put(ctx, row)
	if err != nil {
		return Result{}, err
	}
	switch {
	case merged && before == store.StatusRejected:
		return Result{Code: "rejected", Reason: "a person rejected the same before. Say what is different now, if anything is.", MergedInto: same}, nil
	case merged:
		if waiting != nil && waiting.Memory.UUID == same {
			err = q.add(ctx, *waiting, m)
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
func (q *Drafts) proposeAgain(ctx context.Context, same *Hit, m *file.Memory, d Draft) (Result, error) {
	r := duplicate(same)
	r.Path = ""
	r.Reason += reachBeside(same.Memory, m)
	more := &file.Memory{Tags: m.Tags, Why: m.Why, Relations: m.Relations, Importance: same.Memory.Importance, Visibility: m.Visibility}
	if m.Trust.Tainted || (m.Visibility == file.Personal) != (same.Memory.Visibility == file.Personal) || !adds(same.Memory, more, 1) {
		return r, nil
	}
	p, err := q.Propose(ctx, Change{Act: ActEdit, Memory: same.Memory.UUID, Tool: d.Tool, Session: d.Session, Reason: "said again, with more", Edit: func(to *file.Memory) error {
		more.Importance = to.Importance
		addAgain(to, more, 1)
		return nil
	}})
	if err == nil && p.Accepted && !p.Deduped {
		r.Reason = "the same is already remembered" + reachBeside(same.Memory, m) + "; what is new (tags, a reason, for whom it is) waits for a person: `manicule review`"
	}
	return r, err
}
