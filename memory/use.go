package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"manicule/memory/life"
	"manicule/memory/store"
)

// Uses are how memories were used, as their confidence counts it. It is safe for concurrent use.
type Uses struct {
	rows  *store.Memories
	usage store.Usage
	views *Views
	now   func() time.Time
}

// Recalled counts that memories were recalled.
func (u *Uses) Recalled(ctx context.Context, uuids []string) error {
	if len(uuids) == 0 {
		return nil
	}
	if err := u.usage.CountRecalls(ctx, uuids); err != nil {
		return err
	}
	return u.note(ctx, uuids, nil)
}

// Note reads from this machine's state how all memories were used, and stores it beside them.
// changed, which may be nil, returns the share of a memory's files that changed since it was written.
func (u *Uses) Note(ctx context.Context, changed func(Hit) float64) error {
	return u.note(ctx, nil, changed)
}

func (u *Uses) note(ctx context.Context, only []string, changed func(Hit) float64) error {
	uses, err := u.usage.ByMemory(ctx)
	if err != nil {
		return fmt.Errorf("read how memories were used: %w", err)
	}
	view, stored := u.views.Current(), map[string]life.Use{}
	done, err := u.rows.NoteUses(ctx, only, func(uuid string, was life.Use) life.Use {
		stored[uuid] = was
		use := uses[uuid]
		use.Changed = was.Changed
		if changed == nil {
			return use
		}
		if h, ok := view.Get(uuid); ok {
			use.Changed = changed(h)
		}
		return use
	})
	if err != nil {
		return fmt.Errorf("store how memories were used: %w", err)
	}
	now := u.now()
	// A few uses change little of what subscribers show.
	u.views.change(only == nil, func(v *View, generation uint64) *View { return v.withUses(done, stored, now, generation) })
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
