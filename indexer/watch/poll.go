package watch

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// stamp is what polling compares of a file.
type stamp struct {
	modified int64
	size     int64
	mode     os.FileMode
}

func stampOf(info os.FileInfo) stamp {
	if info.IsDir() {
		return stamp{mode: info.Mode()} // a folder's entries say more than its time
	}
	return stamp{modified: info.ModTime().UnixNano(), size: info.Size(), mode: info.Mode()}
}

// note has the next scan pass over what events told.
func (w *Watcher) note(paths []string) {
	if w.remote == "" {
		return
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			for known := range w.seen {
				if within(path, known) {
					delete(w.seen, known)
				}
			}
		case info.IsDir() && w.skips(path):
		case slices.Contains(w.targets, path): // a scan has what is below it
		default:
			w.seen[path] = stampOf(info)
		}
	}
}

// poll switches to polling for good.
func (w *Watcher) poll(reason error) {
	if w.source != nil {
		w.closing = w.source.Close()
		w.source = nil
	}
	w.watched = make(map[string]bool)
	w.seen = w.scan()
	w.setStatus(ModePolling, reason)
}

// fallBackToPolling switches to polling after events were lost.
func (w *Watcher) fallBackToPolling(reason error) {
	w.poll(reason)
	w.options.Rescan(reason)
}

// errRemote is the reason to look at everything again when something changed without an event.
var errRemote = errors.New("another machine changed files")

// pollOnce scans all files and reports whether anything changed since the last scan, or the last event.
func (w *Watcher) pollOnce() bool {
	now := w.scan()
	if w.source != nil {
		if maps.Equal(w.seen, now) {
			return false
		}
		w.rescan(errRemote) // folders that came, or came again, have to be watched
		return true
	}
	changed := make(map[string]bool)
	for path, s := range now {
		if old, ok := w.seen[path]; !ok || old != s {
			changed[path] = true
		}
	}
	for path := range w.seen {
		if _, ok := now[path]; !ok {
			changed[path] = true
		}
	}
	w.seen = now
	if len(changed) > 0 {
		paths := slices.Sorted(maps.Keys(changed))
		w.skipChanged(paths) // for the next scan
		w.options.Changed(paths)
	}
	return len(changed) > 0
}

// scan reads the stamps of everything at and below the targets.
func (w *Watcher) scan() map[string]stamp {
	all := make(map[string]stamp)
	queue := slices.Clone(w.targets)
	for len(queue) > 0 {
		dir := queue[0]
		queue = queue[1:]
		for _, entry := range entries(dir) {
			path := filepath.Join(dir, entry.Name())
			info, err := entry.Info()
			if err != nil {
				continue // it vanished between the two calls
			}
			if info.IsDir() {
				if w.skips(path) {
					continue
				}
				queue = append(queue, path)
			}
			all[path] = stampOf(info)
		}
	}
	return all
}
