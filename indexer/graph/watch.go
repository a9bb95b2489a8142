package graph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"manicule/indexer/ignore"
	"manicule/indexer/watch"
)

// debounce is how long changes of files are collected.
const debounce = 500 * time.Millisecond

// maxPathUpdates is how many changed paths are updated one by one. After more (a
// branch switch, a generator) the whole tree is walked.
const maxPathUpdates = 300

// pollEvery is the interval between scans of all files where they can't be watched:
// long enough for a large tree, and a file that an editor saves is read at once. While
// nothing changes the interval grows to pollSlowest: a scan of terraform's 4,600 files
// took 52 ms of processor time on a busy machine. The figures are judgement.
const (
	pollEvery   = 5 * time.Second
	pollSlowest = 30 * time.Second
)

// errNotWatched means that changes are noticed with a delay.
var errNotWatched = fmt.Errorf("files are polled every %v instead of watched, and every %v while nothing changes", pollEvery, pollSlowest)

// errRemote means that changes of other machines are noticed with a delay.
var errRemote = errors.New("of these files the system reports this machine's changes alone, so they are looked at from time to time, too")

// Watch updates the index as files change, until the context ends. One goroutine calls
// done after each update, and once with errNotWatched if the operating system watches
// no more folders, or errRemote.
func (ix *Index) Watch(ctx context.Context, done func(Report, error)) error {
	changes := make(changeQueue, 1)
	root := watchedRoot(ix.held.o.Root)
	folders, o, err := root.watched(changes)
	if err != nil {
		return err
	}
	if ix.watching != nil {
		ix.watching(&o)
	}
	w, err := watch.Open(folders, o)
	if err != nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	told, toldRemote := false, false
	tell := func() {
		st := w.Status()
		switch {
		case told:
		case st.Mode == watch.ModePolling:
			told = true
			done(Report{}, fmt.Errorf("%w: %w; try: raise %s and start again", errNotWatched, st.Reason, limitName(st.Reason)))
		case st.Remote != "" && !toldRemote:
			toldRemote = true
			done(Report{}, fmt.Errorf("%w: they are on %s", errRemote, st.Remote))
		}
	}
	tell()
	defer func() { _ = w.Close() }()       // nothing is lost with it
	changes.send(fileChanges{whole: true}) // from before the watch
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case c := <-changes:
			tell()                                          // the limit may be reached later
			polling := w.Status().Mode == watch.ModePolling // polling may miss what came and went between two scans
			r, err := ix.updateChanged(ctx, root.relative(fileChanges{c.paths, c.whole || polling}))
			if errors.Is(err, ErrBusy) { // the indexing process sees the change too, or the next one will
				time.AfterFunc(debounce, func() { changes.send(c) })
				continue
			}
			if ctx.Err() == nil {
				done(r, err)
			}
		}
	}
}

// fileChanges are the files that changed, or that the whole tree is to be looked at.
type fileChanges struct {
	paths []string
	whole bool
}

// changeQueue holds what is not handled yet, joined to one.
type changeQueue chan fileChanges

func (q changeQueue) send(c fileChanges) {
	for {
		select {
		case q <- c:
			return
		case old := <-q:
			c.whole = c.whole || old.whole
			c.paths = append(old.paths, c.paths...)
		}
	}
}

// watchedRoot is the top folder of a workspace whose files are watched.
type watchedRoot string

// watched returns what to watch, and how: the tree without what is ignored, and the folder of git's own list of that.
func (root watchedRoot) watched(changes changeQueue) (folders []string, o watch.Options, err error) {
	m, err := ignore.New(string(root))
	if err != nil {
		return nil, o, err
	}
	folders, info := []string{string(root)}, ""
	if exclude := m.Exclude(); exclude != "" {
		info = filepath.Dir(exclude)
		folders = append(folders, info)
	}
	o = watch.Options{
		Debounce:  debounce,
		PollEvery: pollEvery, PollSlowest: pollSlowest,
		Skip: func(dir string) bool {
			rel, err := filepath.Rel(string(root), dir)
			if err != nil || rel == "." || dir == info {
				return false
			}
			rel = filepath.ToSlash(rel)
			return filepath.Base(dir) == ".git" || filepath.Base(dir) == ".manicule" || m.Ignored(rel, true) || isNestedRepo(dir)
		},
		SkipChanged: func(paths []string) bool {
			changed := paths == nil || slices.ContainsFunc(paths, ignore.IsIgnoreFile)
			if changed {
				m.Invalidate()
			}
			return changed
		},
		Changed: func(paths []string) {
			if paths = slices.DeleteFunc(paths, root.isGits); len(paths) > 0 {
				changes.send(fileChanges{paths: paths})
			}
		},
		Rescan: func(error) { changes.send(fileChanges{whole: true}) },
	}
	return folders, o, nil
}

// isGits reports whether a path is in git's own folder, which is watched for info/exclude: each command of git writes there, and
// none of it is indexed.
func (root watchedRoot) isGits(path string) bool {
	rel, err := filepath.Rel(string(root), path)
	if err != nil || ignore.IsIgnoreFile(path) {
		return false
	}
	rel = filepath.ToSlash(rel)
	return strings.HasPrefix(rel, ".git/") || strings.HasPrefix(rel, "../")
}

// limitName names the limit that keeps the system from watching.
func limitName(err error) string {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "fs.inotify.max_user_instances (sysctl) or the limit of open files (ulimit -n)"
	}
	return "fs.inotify.max_user_watches (sysctl)"
}

// relative makes the paths of changes relative to the root. What was changed may be more than they say.
func (root watchedRoot) relative(c fileChanges) fileChanges {
	out := fileChanges{whole: c.whole}
	for _, p := range c.paths {
		r, err := filepath.Rel(string(root), p)
		if err != nil || strings.HasPrefix(r, "..") {
			continue
		}
		r = filepath.ToSlash(r)
		if ignore.IsIgnoreFile(r) {
			out.whole = true
		}
		if st, err := os.Stat(p); err == nil && st.IsDir() || err != nil && languageOf(r) == "" { // a folder, or one that is gone
			out.whole = true
		}
		out.paths = append(out.paths, r)
	}
	return out
}

// updateChanged updates the files that changed, or everything.
func (ix *Index) updateChanged(ctx context.Context, c fileChanges) (Report, error) {
	switch {
	case c.whole || len(c.paths) > maxPathUpdates:
		return ix.Sync(ctx, nil)
	case len(c.paths) == 0:
		return Report{}, nil
	}
	return ix.Update(ctx, c.paths)
}
