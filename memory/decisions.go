package memory

import (
	"context"
	"time"

	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Decisions are what a person decides about what waits: drafts, what they propose for existing memories, and memories of
// which a merge kept several versions. It is safe for concurrent use by goroutines and processes.
type Decisions struct {
	place     *workspace.Workspace
	rows      store.Drafts
	drafts    *Drafts
	maker     *Maker
	work      *work.Register
	saver     *saver
	edits     *Edits
	forgotten *Forgotten
	core      *Core
	find      *finder
	now       func() time.Time
}

// Accept turns a draft into an active memory, or executes what the draft proposes for an existing
// one. The person who accepts it vouches for it.
func (q *Decisions) Accept(ctx context.Context, id string) (Result, error) {
	unlock, err := lockDecisions(ctx, q.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	d, err := q.drafts.find(ctx, id)
	if err != nil {
		return Result{}, err
	}
	m := d.Memory
	if p := proposes(m); p != nil {
		return q.apply(ctx, m, p)
	}
	at := file.At(q.now())
	m.Trust.VerifiedBy, m.Trust.VerifiedAt, m.Trust.NeedsReview = q.maker.Author(), &at, false
	m.UpdatedAt = at
	q.work.LeaveMission(ctx, m)
	r, err := q.saver.save(ctx, m, false, MergeAgain)
	if err != nil || !r.Accepted {
		return r, err
	}
	return r, q.rows.Drop(ctx, m.UUID)
}

// AcceptEdited is Accept for a draft that a person edited first; change receives a copy. If the
// gate refuses the edit, or another draft already says the same, the draft stays as it was and the
// result says why.
func (q *Decisions) AcceptEdited(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	r, err := q.drafts.Edit(ctx, id, func(m *file.Memory) error {
		if err := change(m); err != nil {
			return err
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		return nil
	})
	if err != nil || !r.Accepted {
		return r, err
	}
	return q.Accept(ctx, r.Memory.UUID)
}
