package memory

import (
	"context"
	"fmt"

	"manicule/memory/file"
)

// Accept turns a draft into an active memory, or executes what the draft proposes for an existing
// one. The person who accepts it vouches for it.
func (w *Workspace) Accept(ctx context.Context, id string) (Result, error) {
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

// Dismiss records whether a person hides a memory on a surface of the editor.
func (w *Workspace) Dismiss(ctx context.Context, uuid, surface string, on bool) error {
	if err := w.state.Dismiss(ctx, uuid, surface, on); err != nil {
		return fmt.Errorf("note that %s is not wanted: %w", uuid, err)
	}
	return nil
}

// Dismissed lists the surfaces on which memories are hidden, by uuid.
func (w *Workspace) Dismissed(ctx context.Context) (map[string][]string, error) {
	return w.state.Dismissed(ctx)
}
