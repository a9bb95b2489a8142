package folder

import (
	"context"
	"path/filepath"
	"slices"

	"manicule/indexer/watch"
)

// gitStops are what git writes or removes, as its last act, where it stops in the middle of a merge or goes on. It may
// leave the file of a memory as it is that one side deleted: no file says so then.
func gitStops(name string) bool {
	return slices.Contains([]string{"MERGE_HEAD", "REBASE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "AUTO_MERGE", "SQUASH_MSG", "rebase-merge", "rebase-apply"}, name)
}

// watchGit schedules a sync where git has stopped for a person, or goes on.
func (f *Folder) watchGit(ctx context.Context) {
	dir := f.Memories.Git().Dir()
	if dir == "" {
		return
	}
	w, err := watch.Open([]string{dir}, watch.Options{
		Skip: func(sub string) bool { return sub != dir },
		Changed: func(paths []string) {
			for _, path := range paths {
				name := filepath.Base(path)
				if gitStops(name) || name == "index" && f.Memories.Git().Merging() { // a stash's stop is in the index alone
					f.SyncSoon()
					return
				}
			}
		},
		Rescan: func(error) { f.SyncSoon() },
	})
	if err != nil {
		f.opts.Log.Warn("watch git", "root", f.Root, "err", err)
		return
	}
	<-ctx.Done()
	if err := w.Close(); err != nil {
		f.opts.LocalLog.Warn("stop watching git", "root", f.Root, "err", err)
	}
}
