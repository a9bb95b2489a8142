package watch

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// How a file system that answers slowly is spared: scans take at most this part of the time there, and come this many
// times more seldom than the first while nothing changes, because events tell what this machine does. The figures are
// judgement.
const (
	scanShare  = 20
	restBeside = 8
)

// work is the worker goroutine: it does everything but drain.
func (w *Watcher) work() {
	defer func() {
		if w.source != nil {
			w.closing = w.source.Close()
		}
	}()
	every, slowest := w.options.PollEvery, w.options.PollSlowest
	if w.remote != "" {
		slowest = max(slowest, restBeside*every)
	}
	var tick <-chan time.Time
	for {
		if tick == nil && (w.source == nil || w.remote != "") { // events don't put a scan off
			tick = w.options.After(every)
		}
		select {
		case <-w.done:
			return
		case <-tick:
			tick = nil
			every = min(2*every, slowest)
			begin := time.Now()
			if w.pollOnce() {
				every = w.options.PollEvery
			}
			if w.remote != "" {
				every = max(every, scanShare*time.Since(begin))
			}
		case <-w.pending.signal:
			select {
			case <-w.done:
				return
			case <-w.options.After(w.options.Debounce):
				w.handle(w.pending.take())
			}
		}
	}
}

// handle updates the watched folders after a batch of events and runs the callbacks.
func (w *Watcher) handle(b batch) {
	if w.source == nil {
		return // polling sees what was collected before it began
	}
	if b.lost != nil {
		w.rescan(b.lost)
		return
	}
	names := slices.Sorted(maps.Keys(b.paths))
	// Removals first: a moved folder keeps its watch, and ending it later would end
	// the watch under its new name.
	for _, name := range names {
		if isRemoval(b.paths[name]) {
			w.unwatchTree(name)
		}
	}
	changed := make(map[string]bool)
	for _, name := range names {
		found, err := w.follow(name, b.paths[name])
		if err != nil {
			w.fallBackToPolling(err)
			return
		}
		for _, path := range append(found, name) {
			if w.isWatched(path) {
				changed[path] = true
			}
		}
	}
	w.prune()
	paths := slices.Sorted(maps.Keys(changed))
	w.note(paths)
	if len(paths) > 0 && w.skipChanged(paths) {
		w.attachAgain(errSkip)
		return
	}
	if len(paths) > 0 {
		w.options.Changed(paths)
	}
}

// errSkip is the reason to look at everything again when other folders are skipped.
var errSkip = errors.New("other folders are watched")

func (w *Watcher) skipChanged(paths []string) bool {
	return w.options.SkipChanged != nil && w.options.SkipChanged(paths)
}

func isRemoval(op fsnotify.Op) bool { return op.Has(fsnotify.Remove) || op.Has(fsnotify.Rename) }

// rescan attaches everything again, since folders may have been missed, and what decides which are skipped, too.
func (w *Watcher) rescan(reason error) {
	w.skipChanged(nil)
	w.attachAgain(reason)
}

func (w *Watcher) attachAgain(reason error) {
	for dir := range w.watched {
		w.unwatch(dir)
	}
	if err := w.attachAll(); err != nil {
		w.fallBackToPolling(err)
		return
	}
	if w.remote != "" {
		w.seen = w.scan()
	}
	w.options.Rescan(reason)
}

// follow watches what an event at name brought. It returns what it found in newly
// watched folders, and the targets that came or went with name. A removed path may
// exist again by now.
func (w *Watcher) follow(name string, op fsnotify.Op) ([]string, error) {
	if !isRemoval(op) && !op.Has(fsnotify.Create) {
		return nil, nil
	}
	var found []string
	for _, target := range w.targets {
		if !within(name, target) {
			continue
		}
		paths, err := w.attach(target)
		if err != nil {
			return nil, err
		}
		found = append(append(found, target), paths...)
	}
	if w.isWatched(name) && isFolder(name) {
		paths, err := w.addTree(name)
		if err != nil {
			return nil, err
		}
		found = append(found, paths...)
	}
	return found, nil
}

// isWatched reports whether a path is a target or below one.
func (w *Watcher) isWatched(path string) bool {
	return slices.ContainsFunc(w.targets, func(target string) bool { return within(target, path) })
}

// within reports whether path is dir or below it.
func within(dir, path string) bool {
	if dir == path {
		return true
	}
	if !strings.HasSuffix(dir, string(filepath.Separator)) {
		dir += string(filepath.Separator)
	}
	return strings.HasPrefix(path, dir)
}
