// Package watch reports changes of files below a few folders. Its events are hints:
// they say where to look again. After an overflow it asks for a full rescan. The
// package must not know what the files are.
//
// Of a file system that other machines change too (NFS, SMB, a folder shared with a
// virtual machine) the system reports only this machine's changes. There the files are
// scanned beside the events.
//
// One goroutine only drains the operating system's queue, because slow work there
// would overflow or deadlock it. Another one does the work and runs the callbacks.
package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// errLost means that some events were lost.
var errLost = errors.New("file events were lost")

// Mode says how changes are noticed.
type Mode string

// The modes of a watcher.
const (
	ModeEvents  Mode = "events"  // the operating system reports changes
	ModePolling Mode = "polling" // the system's limits are reached, so files are scanned periodically
)

// Options configures a watcher. Only Changed and Rescan are required. One goroutine
// calls both, one after the other; they must not call Close.
type Options struct {
	// Changed gets the absolute paths of files and folders that may have been created,
	// written, renamed or removed, sorted, each once.
	Changed func(paths []string)
	// Rescan is called instead when anything may have changed.
	Rescan func(reason error)

	// Skip reports whether a folder is not watched; nil skips none.
	Skip func(dir string) bool
	// SkipChanged reports whether Skip may answer otherwise because these paths changed, any of them if it is nil. All folders
	// are asked about again then. nil is never.
	SkipChanged func(paths []string) bool

	Debounce  time.Duration // how long to collect events; 0 is 50 ms
	PollEvery time.Duration // interval between two scans in polling mode; 0 is one second
	// PollSlowest limits that interval, which doubles while nothing changes, because
	// scanning a large tree takes long. 0 is PollEvery.
	PollSlowest time.Duration

	// After replaces time.After in tests.
	After func(time.Duration) <-chan time.Time

	// Open creates the event source; nil is fsnotify. Tests pass one with limits.
	Open func() (Source, error)
	// Remote names the file system of a folder, or of the nearest one above it, if others than this machine's kernel may
	// change it; nil asks the system.
	Remote func(dir string) string
}

// Source is the part of fsnotify that the watcher uses: Add and Remove watch one
// folder each.
type Source interface {
	Add(dir string) error
	Remove(dir string) error
	Close() error
	Events() <-chan fsnotify.Event
	Errors() <-chan error
}

// Status describes the state of a watcher for a person.
type Status struct {
	Mode    Mode
	Reason  error // why it polls, or the last folder that could not be watched
	Folders int   // number of folders watched by events
	// Remote is the file system, such as "nfs", of which only this machine's changes are events, so that it is scanned as well.
	Remote string
}

// Watcher watches folders with everything below them. It does not follow symbolic
// links below them.
type Watcher struct {
	options Options
	targets []string // absolute
	remote  string   // see Status

	pending pending
	done    chan struct{}
	stop    sync.Once
	running sync.WaitGroup
	closing error

	// Owned by the worker goroutine, and by Open before it starts.
	source  Source
	watched map[string]bool
	seen    map[string]stamp // the last scan, where files are scanned

	mu     sync.Mutex
	status Status // guarded by mu
}

// Open starts to watch folders, which need not exist yet. Every change after Open
// returned is noticed. Reaching a limit of the operating system is no error; see
// Status.
func Open(folders []string, o Options) (*Watcher, error) {
	if o.Changed == nil || o.Rescan == nil {
		return nil, errors.New("watch folders: Changed and Rescan are required")
	}
	w := &Watcher{options: withDefaults(o), done: make(chan struct{}), watched: make(map[string]bool)}
	w.pending.signal = make(chan struct{}, 1)
	for _, folder := range folders {
		target, err := filepath.Abs(folder)
		if err != nil {
			return nil, fmt.Errorf("watch %s: %w", folder, err)
		}
		w.targets = append(w.targets, target)
	}
	for _, target := range w.targets {
		if w.remote = w.options.Remote(target); w.remote != "" {
			break
		}
	}
	w.start()
	w.running.Go(w.work)
	return w, nil
}

// Remote names the file system of a folder if others than this machine may change it, and so without an event here.
func Remote(dir string) string { return remote(nearest(dir)) }

func withDefaults(o Options) Options {
	if o.Debounce <= 0 {
		o.Debounce = 50 * time.Millisecond
	}
	if o.PollEvery <= 0 {
		o.PollEvery = time.Second
	}
	o.PollSlowest = max(o.PollSlowest, o.PollEvery)
	if o.After == nil {
		o.After = time.After
	}
	if o.Open == nil {
		o.Open = openNative
	}
	if o.Remote == nil {
		o.Remote = Remote
	}
	return o
}

// start opens the event source and attaches all targets, or falls back to polling.
func (w *Watcher) start() {
	opened, err := w.options.Open()
	if err != nil {
		w.poll(fmt.Errorf("open the file event queue: %w", err))
		return
	}
	w.source = opened
	w.running.Go(func() { w.pending.drain(opened) })
	w.setStatus(ModeEvents, nil)
	if err := w.attachAll(); err != nil {
		w.poll(err)
	} else if w.remote != "" {
		w.seen = w.scan()
	}
}

// Status returns how changes are currently noticed.
func (w *Watcher) Status() Status {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.status
}

// Close stops the watcher and waits until no callback runs any more.
func (w *Watcher) Close() error {
	w.stop.Do(func() {
		close(w.done)
		w.running.Wait()
	})
	return w.closing
}

func (w *Watcher) setStatus(mode Mode, reason error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = Status{Mode: mode, Reason: reason, Folders: len(w.watched), Remote: w.remote}
}

// native adapts fsnotify to Source.
type native struct{ *fsnotify.Watcher }

func (n native) Events() <-chan fsnotify.Event { return n.Watcher.Events }
func (n native) Errors() <-chan error          { return n.Watcher.Errors }

func openNative() (Source, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return native{watcher}, nil
}
