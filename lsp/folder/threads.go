package folder

import (
	"context"
	"slices"

	"manicule/memory/thread"
)

// LoadThreads loads the open threads, and reports whether that changed them.
func (f *Folder) LoadThreads(ctx context.Context) (changed bool) {
	list, err := f.Memories.OpenThreads(ctx)
	if err != nil {
		if ctx.Err() == nil {
			f.opts.Log.Warn("load the threads of sessions", "dir", f.Dir, "err", err)
		}
		return false
	}
	before := f.threads.Swap(&list)
	return before == nil || !slices.EqualFunc(*before, list, func(a, b thread.Thread) bool {
		return a.Memory.UUID == b.Memory.UUID && a.Version == b.Version
	})
}

// Threads returns the open threads with a place in a file, as last loaded, that concern
// the checked-out branch. rel is the file relative to the root.
func (f *Folder) Threads(rel string) []thread.Thread {
	list := f.threads.Load()
	if list == nil {
		return nil
	}
	var out []thread.Thread
	for i := range *list {
		if t := &(*list)[i]; len(t.Memory.Anchors) > 0 && t.Memory.Anchors[0].Path == rel {
			out = append(out, *t)
		}
	}
	if len(out) == 0 {
		return nil // without looking at git
	}
	from := f.Memories.From(f.Memories.Root())
	out = slices.DeleteFunc(out, func(t thread.Thread) bool { return !from.Concerns(&t) })
	from.Rank(out)
	return out
}

// Thread returns an open thread, as last loaded.
func (f *Folder) Thread(uuid string) (thread.Thread, bool) {
	list := f.threads.Load()
	if list == nil {
		return thread.Thread{}, false
	}
	i := slices.IndexFunc(*list, func(t thread.Thread) bool { return t.Memory.UUID == uuid })
	if i < 0 {
		return thread.Thread{}, false
	}
	return (*list)[i], true
}
