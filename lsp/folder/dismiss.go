package folder

import (
	"context"
	"maps"
	"slices"
	"sync/atomic"

	"manicule/memory/file"
)

// The surfaces on which a person can dismiss a memory.
const (
	SurfaceDiagnostic = "diagnostic"
	SurfaceLens       = "lens"
	SurfaceHover      = "hover"
	SurfaceFix        = "fix" // quick fixes over other servers' diagnostics
)

// Surfaces returns all of them.
func Surfaces() []string {
	return []string{SurfaceDiagnostic, SurfaceLens, SurfaceHover, SurfaceFix}
}

// Dismissed are the memories that a person has dismissed in a folder, as last loaded.
type Dismissed struct {
	memories Memories
	opts     *Options
	of       string                   // the folder, for the log
	surfaces atomic.Pointer[surfaces] // nil before the first Load
}

// surfaces are those on which a person has dismissed each memory, by its uuid.
type surfaces = map[string][]string

// Load loads them, and reports whether that changed.
func (d *Dismissed) Load(ctx context.Context) (changed bool) {
	list, err := d.memories.Dismissals().Surfaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			d.opts.Log.Warn("load dismissed memories", "dir", d.of, "err", err)
		}
		return false
	}
	before := d.surfaces.Swap(&list)
	return before == nil || !maps.EqualFunc(*before, list, slices.Equal)
}

// Shows reports whether a memory may be shown on a surface.
func (d *Dismissed) Shows(uuid, surface string) bool {
	list := d.surfaces.Load()
	return list == nil || !slices.Contains((*list)[uuid], surface)
}

// minDismissals is how many dismissals of one type on a surface count against the whole
// type.
const minDismissals = 3

// Types returns the types that a person has dismissed at least minDismissals
// times on a surface.
func (d *Dismissed) Types(surface string) map[file.Type]bool {
	list := d.surfaces.Load()
	if list == nil || len(*list) < minDismissals {
		return nil
	}
	view, counts := d.memories.View(), make(map[file.Type]int)
	for uuid, on := range *list {
		if h, ok := view.Get(uuid); ok && slices.Contains(on, surface) {
			counts[h.Memory.Type]++
		}
	}
	out := make(map[file.Type]bool)
	for t, n := range counts {
		if n >= minDismissals {
			out[t] = true
		}
	}
	return out
}
