package memory

import (
	"context"
	"errors"
	"fmt"

	"manicule/memory/file"
)

// RememberAll writes many memories of a person at once, as an import does: each
// passes the same gate as in Remember, and the databases are written once.
// Results are in the order of the drafts. A chunk whose import key is known,
// or whose text is already remembered, is answered as a duplicate.
func (w *Workspace) RememberAll(ctx context.Context, drafts []Draft) ([]Result, error) {
	if _, err := w.Refresh(ctx); err != nil {
		return nil, err
	}
	keys, err := w.rows.ImportKeys(ctx)
	if err != nil {
		return nil, err
	}
	b := &batch{w: w, imported: keys, texts: map[string]*file.Memory{}}
	out := make([]Result, len(drafts))
	err = func() error {
		for i, d := range drafts {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("remember %d of %d: %w", i, len(drafts), err)
			}
			var err error
			if out[i], err = b.add(ctx, d); err != nil {
				return err
			}
		}
		return nil
	}()
	// What was written is noted, also when the rest was not.
	ctx = context.WithoutCancel(ctx)
	if err := w.state.KeepAll(ctx, w.place.WorktreeID, b.written); err != nil {
		w.log.Warn("note memories in state.db", "err", err)
	}
	for _, m := range b.written {
		w.announce(m)
	}
	_, rerr := w.Refresh(ctx)
	return out, errors.Join(err, rerr)
}

type batch struct {
	w        *Workspace
	imported map[string]bool
	texts    map[string]*file.Memory // by dedupe key
	written  []*file.Memory
}

func (b *batch) add(ctx context.Context, d Draft) (Result, error) {
	if d.Agent {
		return Result{}, fmt.Errorf("%q is an agent's: it can't be written in a batch", d.What)
	}
	if d.Import != nil && b.imported[d.Import.Key] {
		return Result{Accepted: true, Deduped: true, Code: "duplicate", Reason: "it was imported before"}, nil
	}
	m, err := b.w.build(ctx, d)
	if err != nil {
		return rejected(err)
	}
	if err := b.w.gate.Check(m); err != nil {
		return rejected(err)
	}
	if err := b.w.words(ctx, m, nil, d.Insist); err != nil {
		return rejected(err)
	}
	key := m.DedupeKey()
	same := b.texts[key]
	if same == nil {
		row, ok, err := b.w.rows.ByDedupeKey(ctx, key)
		if err != nil {
			return Result{}, err
		}
		if ok {
			if same, err = row.Memory(); err != nil {
				return Result{}, err
			}
		}
	}
	if same != nil {
		return Result{Accepted: true, Memory: same, Deduped: true, MergedInto: same.UUID, Code: "duplicate", Reason: "the same is already remembered"}, nil
	}
	b.w.written(ctx, m)
	r, err := b.w.put(m, "")
	if err != nil || !r.Accepted {
		return r, err
	}
	b.texts[key] = m
	if d.Import != nil {
		b.imported[d.Import.Key] = true
	}
	b.written = append(b.written, m)
	return r, nil
}
