package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"manicule/memory/life"
)

// Recalled counts that memories were recalled.
func (w *Workspace) Recalled(ctx context.Context, uuids []string) error {
	if len(uuids) == 0 {
		return nil
	}
	if err := w.state.Usage().CountRecalls(ctx, uuids); err != nil {
		return err
	}
	return w.noteUses(ctx, uuids, nil)
}

// NoteUses reads from this machine's state how all memories were used, and stores it beside them.
// changed, which may be nil, returns the share of a memory's files that changed since it was written.
func (w *Workspace) NoteUses(ctx context.Context, changed func(Hit) float64) error {
	return w.noteUses(ctx, nil, changed)
}

func (w *Workspace) noteUses(ctx context.Context, only []string, changed func(Hit) float64) error {
	uses, err := w.state.Usage().ByMemory(ctx)
	if err != nil {
		return fmt.Errorf("read how memories were used: %w", err)
	}
	view, stored := w.View(), map[string]life.Use{}
	done, err := w.rows.NoteUses(ctx, only, func(uuid string, was life.Use) life.Use {
		stored[uuid] = was
		u := uses[uuid]
		u.Changed = was.Changed
		if changed == nil {
			return u
		}
		if h, ok := view.Get(uuid); ok {
			u.Changed = changed(h)
		}
		return u
	})
	if err != nil {
		return fmt.Errorf("store how memories were used: %w", err)
	}
	now := w.now()
	// A few uses change little of what subscribers show.
	w.views.change(only == nil, func(v *View, generation uint64) *View { return v.withUses(done, stored, now, generation) })
	return nil
}

// withUses returns a copy of the view with the new uses of some memories, by uuid, and with those that another process stored
// since the view was loaded. All ages count up to now.
func (v *View) withUses(uses, stored map[string]life.Use, now time.Time, generation uint64) *View {
	out := *v
	out.generation, out.entries = generation, slices.Clone(v.entries)
	for i := range out.entries {
		h := &out.entries[i].hit
		h.Now = now
		if u, ok := uses[h.Memory.UUID]; ok {
			h.Use = u
		} else if u, ok := stored[h.Memory.UUID]; ok && u.Encode() != h.Use.Encode() { // what is stored is rounded
			h.Use = u
		}
	}
	return &out
}
