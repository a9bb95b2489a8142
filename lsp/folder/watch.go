package folder

import (
	"context"
	"fmt"
	"path/filepath"

	"manicule/indexer/watch"
)

// watchMemories watches the memory folder of a root with the operating system's file
// events.
func watchMemories(ctx context.Context, root string, changed func()) error {
	w, err := watch.Open([]string{filepath.Join(root, ".manicule")}, watch.Options{
		Changed: func([]string) { changed() },
		Rescan:  func(error) { changed() },
	})
	if err != nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	changed() // for changes from before the watch
	<-ctx.Done()
	return w.Close()
}

// watch schedules a sync of the memories when their files change.
func (f *Folder) watch(ctx context.Context) {
	if err := f.opts.Watch(ctx, f.Memories.Root(), f.SyncSoon); err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("watch memories", "root", f.Root, "err", err)
	}
}

// SyncSoon schedules a sync of the memories, once for all calls until it starts.
func (f *Folder) SyncSoon() {
	select {
	case f.sync <- struct{}{}:
	default:
	}
}

func (f *Folder) syncLoop(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-f.sync:
		}
		// Subscribers are notified of a change, this folder among them.
		if _, err := f.Memories.Sync(ctx); err != nil && ctx.Err() == nil {
			f.opts.Log.Warn("read memories", "root", f.Root, "err", err)
		}
		if f.OpenThreads.Load(ctx) { // some are files
			f.opts.Events.Changed()
		}
	}
}
