package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// errLimit means that the operating system watches no more folders.
var errLimit = errors.New("limit of watched folders reached")

// attachAll attaches every target.
func (w *Watcher) attachAll() error {
	for _, target := range w.targets {
		if _, err := w.attach(target); err != nil {
			return err
		}
	}
	w.prune()
	return nil
}

// attach watches a target with everything below it, and its parent folder, which tells
// when the target is moved. If the target does not exist, it watches the nearest
// existing folder above. It returns the files in newly watched folders.
func (w *Watcher) attach(target string) ([]string, error) {
	for {
		dir := nearest(target)
		if dir == target {
			if _, err := w.watch(filepath.Dir(target)); err != nil {
				return nil, err
			}
			return w.addTree(target)
		}
		if _, err := w.watch(dir); err != nil {
			return nil, err
		}
		// The next folder down may have appeared between the check and the watch.
		if nearest(target) == dir {
			return nil, nil
		}
	}
}

// nearest returns the deepest existing folder at or above a path.
func nearest(path string) string {
	for !isFolder(path) {
		parent := filepath.Dir(path)
		if parent == path {
			return path
		}
		path = parent
	}
	return path
}

// isFolder follows a symbolic link, because a target may be one.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// addTree watches a folder and those below it, and returns what it found in newly
// watched ones. It watches before it reads, so that nothing is missed in between.
func (w *Watcher) addTree(root string) ([]string, error) {
	var found []string
	if w.skips(root) {
		return nil, nil
	}
	queue := []string{root}
	for len(queue) > 0 {
		dir := queue[0]
		queue = queue[1:]
		added, err := w.watch(dir)
		if err != nil {
			return nil, err
		}
		for _, entry := range entries(dir) {
			path := filepath.Join(dir, entry.Name())
			if added {
				found = append(found, path)
			}
			if entry.IsDir() && !w.skips(path) {
				queue = append(queue, path)
			}
		}
	}
	return found, nil
}

func (w *Watcher) skips(dir string) bool { return w.options.Skip != nil && w.options.Skip(dir) }

// entries lists a folder. A folder that vanished or can't be read has no entries; its
// removal is an event of its own.
func entries(dir string) []fs.DirEntry {
	list, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	return list
}

// watch adds one folder and says whether it was new. Only reaching a limit is an
// error; Status reports a folder that can't be watched for another reason.
func (w *Watcher) watch(dir string) (added bool, err error) {
	if w.watched[dir] {
		return false, nil
	}
	err = w.source.Add(dir)
	switch {
	case err == nil:
		w.watched[dir] = true
		w.setStatus(ModeEvents, w.Status().Reason)
		return true, nil
	case isLimit(err):
		return false, fmt.Errorf("%w: %s: %w", errLimit, dir, err)
	case !errors.Is(err, fs.ErrNotExist):
		w.setStatus(ModeEvents, fmt.Errorf("watch %s: %w", dir, err))
	}
	return false, nil
}

func isLimit(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// unwatchTree ends the watches at and below a path that was moved or removed. The
// watch of a moved folder would continue to report the old name.
func (w *Watcher) unwatchTree(path string) {
	for dir := range w.watched {
		if within(path, dir) {
			w.unwatch(dir)
		}
	}
}

// prune ends watches on folders above a target that are no longer needed.
func (w *Watcher) prune() {
	needed := make(map[string]bool)
	for _, target := range w.targets {
		if isFolder(target) {
			needed[filepath.Dir(target)] = true
		} else {
			needed[nearest(target)] = true
		}
	}
	for dir := range needed {
		if !w.watched[dir] {
			// Folders came or went since they were attached. The existing watches will
			// still report that.
			return
		}
	}
	for dir := range w.watched {
		if !needed[dir] && !w.isWatched(dir) {
			w.unwatch(dir)
		}
	}
}

func (w *Watcher) unwatch(dir string) {
	delete(w.watched, dir)
	_ = w.source.Remove(dir) // the system ends the watch of a removed folder itself, so this may find none
	w.setStatus(ModeEvents, w.Status().Reason)
}
