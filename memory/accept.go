package memory

import (
	"context"

	"manicule/memory/file"
)

// Accept turns a draft into an active memory, or executes what the draft proposes for an existing
// one. The person who accepts it vouches for it.
func (w *Workspace) Accept(ctx context.Context, id string) (Result, error) {
	unlock, err := lockDecisions(ctx, w.place)
	if err != nil {
		return Result{}, err
	}
	defer unlock()
	d, err := w.drafts.find(ctx, id)
	if err != nil {
		return Result{}, err
	}
	m := d.Memory
	if p := proposes(m); p != nil {
		return w.applyProposal(ctx, m, p)
	}
	at := file.At(w.now())
	m.Trust.VerifiedBy, m.Trust.VerifiedAt, m.Trust.NeedsReview = w.maker.Author(), &at, false
	m.UpdatedAt = at
	w.work.LeaveMission(ctx, m)
	r, err := w.accept(ctx, m, false, MergeAgain)
	if err != nil || !r.Accepted {
		return r, err
	}
	return r, w.state.Drafts().Drop(ctx, m.UUID)
}

// AcceptEdited is Accept for a draft that a person edited first; change receives a copy. If the
// gate refuses the edit, or another draft already says the same, the draft stays as it was and the
// result says why.
func (w *Workspace) AcceptEdited(ctx context.Context, id string, change func(*file.Memory) error) (Result, error) {
	r, err := w.drafts.Edit(ctx, id, func(m *file.Memory) error {
		if err := change(m); err != nil {
			return err
		}
		m.Layer = m.Type.DefaultLayer(m.Scope != nil || len(m.Anchors) > 0)
		return nil
	})
	if err != nil || !r.Accepted {
		return r, err
	}
	return w.Accept(ctx, r.Memory.UUID)
}
