package memory

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory/store"
)

// Waiting is a draft as it waited before somebody decided about it. [Decisions.TakeBack] brings it
// back.
type Waiting struct{ row store.DraftRow }

// UUID is that of the draft.
func (d Waiting) UUID() string { return d.row.Memory.UUID }

// Text is that of the draft, for a person to change; an error says that [Drafts.Edit] must not change it.
func (d Waiting) Text() (string, error) { return d.row.Memory.What, checkEditable(d.row.Memory) }

// TakeBack undoes the decision about a draft: it waits again as it did before, and the memory that
// it became is gone. It refuses once that memory was changed, and where the draft proposed a change
// that was made.
func (q *Decisions) TakeBack(ctx context.Context, d Waiting) error {
	unlock, err := LockEdits(ctx, q.place)
	if err != nil {
		return err
	}
	defer unlock()
	id := d.row.Memory.ShortID()
	done, err := q.rows.TakeBackRejection(ctx, d.row)
	if err != nil || done {
		return err
	}
	h, _, err := q.find.any(ctx, d.UUID())
	switch {
	case errors.Is(err, ErrNotFound):
		return &UserError{Msg: fmt.Sprintf("the decision about %s can't be taken back", id), Err: err,
			Hint: "`manicule history` has the earlier versions of a memory that was changed; `manicule restore` brings back what was forgotten."}
	case err != nil:
		return err
	case h.Memory.Lineage.Version > d.row.Memory.Lineage.Version:
		return &UserError{Msg: fmt.Sprintf("memory %s was changed since it was accepted", id), Hint: "`manicule forget " + id + "` removes it."}
	}
	// Whatever happens in between, the text stays: as the memory, the tombstone or the draft.
	if err := q.forgotten.remove(ctx, h, h.Memory.RelPath(), "the acceptance was taken back"); err != nil {
		return err
	}
	return q.rows.TakeBackAcceptance(ctx, d.row)
}
