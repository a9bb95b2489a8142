package folder

import (
	"context"
	"maps"
	"slices"

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

// LoadDismissed loads what a person has dismissed, and reports whether that changed.
func (f *Folder) LoadDismissed(ctx context.Context) (changed bool) {
	list, err := f.Memories.Dismissals().Surfaces(ctx)
	if err != nil {
		if ctx.Err() == nil {
			f.opts.Log.Warn("load dismissed memories", "dir", f.Dir, "err", err)
		}
		return false
	}
	before := f.dismissed.Swap(&list)
	return before == nil || !maps.EqualFunc(*before, list, slices.Equal)
}

// Shows reports whether a memory may be shown on a surface.
func (f *Folder) Shows(uuid, surface string) bool {
	list := f.dismissed.Load()
	return list == nil || !slices.Contains((*list)[uuid], surface)
}

// minDismissals is how many dismissals of one type on a surface count against the whole
// type.
const minDismissals = 3

// DismissedTypes returns the types that a person has dismissed at least minDismissals
// times on a surface.
func (f *Folder) DismissedTypes(surface string) map[file.Type]bool {
	list := f.dismissed.Load()
	if list == nil || len(*list) < minDismissals {
		return nil
	}
	view, counts := f.Memories.View(), make(map[file.Type]int)
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
