package watch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"manicule/indexer/must"

	"github.com/fsnotify/fsnotify"
)

const deadline = 20 * time.Second

// recorder collects what a watcher says.
type recorder struct {
	t       *testing.T
	changed chan []string
	rescans chan error
}

func newRecorder(t *testing.T) *recorder {
	return &recorder{t: t, changed: make(chan []string, 1000), rescans: make(chan error, 1000)}
}

func (r *recorder) options() Options {
	return Options{
		Changed:  func(paths []string) { r.changed <- paths },
		Rescan:   func(err error) { r.rescans <- err },
		Debounce: time.Millisecond,
	}
}

func (r *recorder) open(o Options, folders ...string) *Watcher {
	r.t.Helper()
	w, err := Open(folders, o)
	must.OK(r.t, err)
	r.t.Cleanup(func() {
		if err := w.Close(); err != nil {
			r.t.Error(err)
		}
	})
	return w
}

// await waits until all the paths were named.
func (r *recorder) await(paths ...string) {
	r.t.Helper()
	missing := slices.Clone(paths)
	timeout := time.After(deadline)
	for len(missing) > 0 {
		select {
		case got := <-r.changed:
			missing = slices.DeleteFunc(missing, func(p string) bool { return slices.Contains(got, p) })
		case <-timeout:
			r.t.Fatalf("nothing was said of %q", missing)
		}
	}
}

func (r *recorder) awaitRescan() error {
	r.t.Helper()
	select {
	case err := <-r.rescans:
		return err
	case <-time.After(deadline):
		r.t.Fatal("no rescan")
		return nil
	}
}

func write(t *testing.T, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	must.Write(t, name, "x")
	return name
}

func mkdir(t *testing.T, parts ...string) string {
	t.Helper()
	name := filepath.Join(parts...)
	must.Mkdir(t, name)
	return name
}

func TestFilesAndFolders(t *testing.T) {
	dir := mkdir(t, t.TempDir(), "memories")
	sub := mkdir(t, dir, "technical")
	old := write(t, sub, "old.json")
	r := newRecorder(t)
	w := r.open(r.options(), dir)

	r.await(write(t, sub, "a.json"))
	r.await(write(t, old))

	temporary := write(t, sub, ".a.tmp")
	must.OK(t, os.Rename(temporary, filepath.Join(sub, "a.json")))
	r.await(filepath.Join(sub, "a.json"))

	deep := mkdir(t, dir, "new", "deep", "er")
	r.await(write(t, deep, "b.json"))
	r.await(write(t, deep, "c.json"))

	must.OK(t, os.Remove(old))
	r.await(old)

	moved := filepath.Join(dir, "moved")
	must.OK(t, os.Rename(filepath.Join(dir, "new"), moved))
	r.await(filepath.Join(moved, "deep", "er", "b.json"))
	r.await(write(t, moved, "deep", "er", "d.json"))

	must.OK(t, os.RemoveAll(moved))
	r.await(moved)
	mkdir(t, moved, "deep")
	r.await(write(t, moved, "deep", "again.json"))

	if s := w.Status(); s.Mode != ModeEvents || s.Reason != nil {
		t.Errorf("status %+v", s)
	}
}

func TestTargetAppears(t *testing.T) {
	root := t.TempDir()
	target := filepath.Join(root, "a", ".manicule", "memories")
	r := newRecorder(t)
	w := r.open(r.options(), target)

	mkdir(t, target, "technical")
	r.await(write(t, target, "technical", "a.json"))
	r.await(write(t, target, "technical", "b.json"))

	must.OK(t, os.RemoveAll(filepath.Join(root, "a")))
	r.await(filepath.Join(target, "technical"))
	mkdir(t, target)
	r.await(write(t, target, "c.json"))

	must.OK(t, os.Rename(filepath.Join(root, "a", ".manicule"), filepath.Join(root, "a", "away")))
	r.await(target)
	must.OK(t, os.Rename(filepath.Join(root, "a", "away"), filepath.Join(root, "a", ".manicule")))
	r.await(filepath.Join(target, "c.json"))
	r.await(write(t, target, "d.json"))

	must.OK(t, w.Close())
	if w.watched[root] {
		t.Error("the folder far above is still watched")
	}
}

func TestOutsideIsSilent(t *testing.T) {
	root := t.TempDir()
	target := mkdir(t, root, "memories")
	r := newRecorder(t)
	r.open(r.options(), target)
	outside := write(t, root, "other.txt")
	inside := write(t, target, "a.json")
	select {
	case got := <-r.changed:
		if slices.Contains(got, outside) || !slices.Contains(got, inside) {
			t.Errorf("got %q", got)
		}
	case <-time.After(deadline):
		t.Fatal("nothing was said")
	}
}

func TestSymlinks(t *testing.T) {
	root := t.TempDir()
	real := mkdir(t, root, "real", "sub")
	must.OK(t, os.Symlink(root, filepath.Join(real, "loop")))
	target := filepath.Join(root, "link")
	must.OK(t, os.Symlink(filepath.Join(root, "real"), target))
	r := newRecorder(t)
	r.open(r.options(), target)
	write(t, real, "a.json")
	r.await(filepath.Join(target, "sub", "a.json"))
}

// fake is a source that tests drive.
type fake struct {
	events chan fsnotify.Event
	errors chan error
	added  chan string
	add    func(dir string) error
}

func newFake() *fake {
	return &fake{events: make(chan fsnotify.Event), errors: make(chan error), added: make(chan string, 1000)}
}

func (f *fake) Add(dir string) error {
	f.added <- dir
	if f.add != nil {
		return f.add(dir)
	}
	return nil
}
func (f *fake) Remove(string) error           { return fsnotify.ErrNonExistentWatch }
func (f *fake) Events() <-chan fsnotify.Event { return f.events }
func (f *fake) Errors() <-chan error          { return f.errors }
func (f *fake) Close() error {
	close(f.events)
	close(f.errors)
	return nil
}

func TestOverflowRescans(t *testing.T) {
	r := newRecorder(t)
	f := newFake()
	o := r.options()
	o.Open = func() (Source, error) { return f, nil }
	r.open(o, t.TempDir())
	f.errors <- fsnotify.ErrEventOverflow
	if err := r.awaitRescan(); !errors.Is(err, errLost) || !errors.Is(err, fsnotify.ErrEventOverflow) {
		t.Errorf("reason %v", err)
	}
}

func TestEventsAreCoalesced(t *testing.T) {
	dir := t.TempDir()
	r := newRecorder(t)
	f := newFake()
	timer := make(chan time.Time)
	o := r.options()
	o.After = func(time.Duration) <-chan time.Time { return timer }
	o.Open = func() (Source, error) { return f, nil }
	r.open(o, dir)
	name := filepath.Join(dir, "a.json")
	for range 100 {
		f.events <- fsnotify.Event{Name: name, Op: fsnotify.Write}
		f.events <- fsnotify.Event{Name: name + ".chmod", Op: fsnotify.Chmod}
	}
	// A send on an unbuffered channel has been received, and the drainer stores
	// one event before it receives the next: one more makes sure of the last.
	f.events <- fsnotify.Event{Name: name, Op: fsnotify.Write}
	timer <- time.Time{}
	select {
	case got := <-r.changed:
		if !slices.Equal(got, []string{name}) {
			t.Errorf("got %q", got)
		}
	case <-time.After(deadline):
		t.Fatal("nothing was said")
	}
}

func TestFloodRescans(t *testing.T) {
	var p pending
	p.signal = make(chan struct{}, 1)
	for i := range maxPending + 1 {
		p.add(fsnotify.Event{Name: string(rune(i)) + "x", Op: fsnotify.Write})
	}
	if b := p.take(); !errors.Is(b.lost, errLost) {
		t.Errorf("lost %v", b.lost)
	}
}

func TestLimitFallsBackToPolling(t *testing.T) {
	limit := func(string) error { return syscall.ENOSPC }
	tests := map[string]func() (Source, error){
		"folders":   func() (Source, error) { f := newFake(); f.add = limit; return f, nil },
		"instances": func() (Source, error) { return nil, syscall.EMFILE },
	}
	for name, open := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			old := write(t, dir, "old.json")
			r := newRecorder(t)
			timer := make(chan time.Time)
			o := r.options()
			o.After = func(time.Duration) <-chan time.Time { return timer }
			o.Open = open
			w := r.open(o, dir)
			if s := w.Status(); s.Mode != ModePolling || s.Reason == nil || s.Folders != 0 {
				t.Fatalf("status %+v", s)
			}
			added := write(t, mkdir(t, dir, "sub"), "a.json")
			must.OK(t, os.Remove(old))
			timer <- time.Time{}
			r.await(added, old)
			must.OK(t, os.WriteFile(added, []byte("longer"), 0o600))
			timer <- time.Time{}
			r.await(added)
		})
	}
}

// TestPollingRests: a tree in which nothing changes is looked at less and less
// often, and as often as at first when something has changed.
func TestPollingRests(t *testing.T) {
	dir := t.TempDir()
	r := newRecorder(t)
	waits, timer := make(chan time.Duration), make(chan time.Time)
	o := r.options()
	o.PollEvery, o.PollSlowest = 5*time.Second, 30*time.Second
	closed := make(chan struct{})
	o.After = func(d time.Duration) <-chan time.Time {
		select {
		case waits <- d:
		case <-closed:
		}
		return timer
	}
	o.Open = func() (Source, error) { return nil, syscall.EMFILE }
	r.open(o, dir)
	t.Cleanup(func() { close(closed) })
	look := func(want ...time.Duration) {
		t.Helper()
		for _, w := range want {
			if got := <-waits; got != w {
				t.Errorf("it waits %v before it looks again, want %v", got, w)
			}
			timer <- time.Time{}
		}
	}
	look(5*time.Second, 10*time.Second, 20*time.Second, 30*time.Second)
	file := filepath.Join(dir, "new.json")
	if got := <-waits; got != 30*time.Second {
		t.Errorf("it waits %v", got)
	}
	must.OK(t, os.WriteFile(file, []byte("new"), 0o600))
	timer <- time.Time{}
	r.await(file)
	look(5*time.Second, 10*time.Second)
}

func TestLimitReachedLater(t *testing.T) {
	dir := t.TempDir()
	r := newRecorder(t)
	f := newFake()
	sub := filepath.Join(dir, "sub")
	f.add = func(name string) error {
		if name == sub {
			return syscall.ENOSPC
		}
		return nil
	}
	o := r.options()
	o.Open = func() (Source, error) { return f, nil }
	w := r.open(o, dir)
	mkdir(t, sub)
	f.events <- fsnotify.Event{Name: sub, Op: fsnotify.Create}
	if err := r.awaitRescan(); !errors.Is(err, errLimit) {
		t.Errorf("reason %v", err)
	}
	if w.Status().Mode != ModePolling {
		t.Errorf("status %+v", w.Status())
	}
}

func TestClose(t *testing.T) {
	r := newRecorder(t)
	w, err := Open([]string{t.TempDir()}, r.options())
	must.OK(t, err)
	must.OK(t, w.Close())
	must.OK(t, w.Close())
	if _, err := Open(nil, Options{}); err == nil {
		t.Error("no error without callbacks")
	}
}

// TestChangesOfOthers: of a file system that another machine changes, what comes without an event is found by a scan. What an
// event told is not told again.
func TestChangesOfOthers(t *testing.T) {
	dir := t.TempDir()
	old := write(t, dir, "old.json")
	r := newRecorder(t)
	f := newFake()
	waits, timer, closed := make(chan time.Duration), make(chan time.Time), make(chan struct{})
	o := r.options()
	o.Open = func() (Source, error) { return f, nil }
	o.Remote = func(string) string { return "nfs" }
	o.PollEvery = time.Hour // no scan takes a twentieth of it
	o.After = func(d time.Duration) <-chan time.Time {
		if d == time.Millisecond { // that of events
			return time.After(d)
		}
		select {
		case waits <- d:
		case <-closed:
		}
		return timer
	}
	w := r.open(o, dir)
	t.Cleanup(func() { close(closed) })
	if s := w.Status(); s.Mode != ModeEvents || s.Remote != "nfs" {
		t.Errorf("status %+v", s)
	}
	scan := func(want time.Duration) {
		t.Helper()
		if got := <-waits; got != want {
			t.Errorf("it waits %v before it looks, want %v", got, want)
		}
		timer <- time.Time{}
	}
	scan(time.Hour)
	if got := <-waits; got != 2*time.Hour { // the scan is over
		t.Errorf("it waits %v", got)
	}
	sub := mkdir(t, dir, "sub") // by another machine
	timer <- time.Time{}
	if err := r.awaitRescan(); !errors.Is(err, errRemote) {
		t.Errorf("reason %v", err)
	}
	if got := <-waits; got != time.Hour {
		t.Errorf("it waits %v after a change", got)
	}
	for watched := ""; watched != sub; { // for what this machine does there
		watched = <-f.added
	}
	own := write(t, sub, "own.json")
	f.events <- fsnotify.Event{Name: own, Op: fsnotify.Create}
	r.await(own)
	must.OK(t, os.Remove(old))
	f.events <- fsnotify.Event{Name: old, Op: fsnotify.Remove}
	r.await(old)
	f.events <- fsnotify.Event{Name: dir, Op: fsnotify.Create}
	r.await(dir) // with what it has
	timer <- time.Time{}
	scan(2 * time.Hour)
	scan(4 * time.Hour)
	scan(8 * time.Hour)
	if got := <-waits; got != 8*time.Hour { // the scan is over
		t.Errorf("it waits %v", got)
	}
	select {
	case err := <-r.rescans:
		t.Errorf("what events told is told again: %v", err)
	default:
	}
	must.OK(t, os.WriteFile(own, []byte("by another machine"), 0o600))
	timer <- time.Time{}
	if err := r.awaitRescan(); !errors.Is(err, errRemote) {
		t.Errorf("reason %v", err)
	}
}
