package activity

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"manicule/hooks/agent"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/indexer/treefile"
	"manicule/indexer/watch"
	"manicule/memory/ledger"
)

// The kinds of a Change.
const (
	Compacted = "compacted" // an agent's context was compacted
	State     = "state"     // state.db was written
)

// Change is an event that Watch reports.
type Change struct {
	Kind           string // Ended, Compacted or State
	Session, Agent string
	Used, Learned  int // of an ended session: memories shown, and candidates
	Balance        ledger.Balance
}

// Watch calls happened, one call at a time, for everything after [New] until ctx ends. It
// must be called only once. It does not slow hooks down, because it only reads the files
// that they append to.
func (s *Sessions) Watch(ctx context.Context, happened func(Change)) error {
	if err := os.MkdirAll(filepath.Join(s.dir(), "sessions"), 0o700); err != nil {
		return fmt.Errorf("make the folder of the sessions: %w", err)
	}
	again := make(chan struct{}, 1)
	look := func() {
		select {
		case again <- struct{}{}:
		default:
		}
	}
	w, err := watch.Open([]string{s.dir()}, watch.Options{Changed: func([]string) { look() }, Rescan: func(error) { look() }})
	if err != nil {
		return fmt.Errorf("watch the sessions: %w", err)
	}
	var one sync.Mutex // calls of happened
	tell := func(h Change) {
		one.Lock()
		defer one.Unlock()
		if ctx.Err() == nil {
			happened(h)
		}
	}
	var waits sync.WaitGroup // for ended sessions to be learned from
	defer waits.Wait()
	look() // what came before the watcher started
	for {
		select {
		case <-ctx.Done():
			return w.Close()
		case <-again:
			for _, h := range s.tail.read() {
				if h.Kind != Ended {
					tell(h.Change)
					continue
				}
				waits.Go(func() { tell(s.counted(ctx, h)) })
			}
		}
	}
}

// found is a record of a log, and the log's name.
type found struct {
	Change
	log string
}

// tail follows all logs of a state folder, and the modification time of its database.
type tail struct {
	sessions *Sessions
	at       map[string]int64 // offset in each log
	begun    map[string]bool  // logs of this workspace
	written  time.Time
	size     int64
}

// start begins at the end of all files.
func (t *tail) start() {
	logs, err := eventlog.Logs(t.sessions.dir())
	if err != nil {
		return // read is called on each change
	}
	for _, l := range logs {
		if info, err := os.Stat(eventlog.LogPath(t.sessions.dir(), l.Name)); err == nil {
			t.at[l.Name] = info.Size()
		}
	}
	t.stateWritten()
}

// stateWritten reports whether state.db has changed. Its journal does not count, because
// reading the database writes it too.
func (t *tail) stateWritten() bool {
	info, err := os.Stat(filepath.Join(t.sessions.dir(), "state.db"))
	if err != nil || info.ModTime().Equal(t.written) && info.Size() == t.size {
		return false
	}
	t.written, t.size = info.ModTime(), info.Size()
	return true
}

// read returns the new entries. Ended sessions do not have their numbers yet.
func (t *tail) read() []found {
	var out []found
	logs, err := eventlog.Logs(t.sessions.dir())
	if err != nil {
		return nil
	}
	for _, l := range logs {
		for _, r := range t.appended(l.Name) {
			switch {
			case !t.inWorkspace(l.Name):
			case r.Kind == string(event.SessionEnd):
				out = append(out, found{Change{Kind: Ended, Session: r.Session, Agent: r.Agent}, l.Name})
			case r.Kind == string(event.SessionStart) && r.Source == string(event.Compact):
				out = append(out, found{Change{Kind: Compacted, Session: r.Session, Agent: r.Agent}, l.Name})
			case r.Kind == string(event.PreCompact) && !restarts(r.Agent):
				out = append(out, found{Change{Kind: Compacted, Session: r.Session, Agent: r.Agent}, l.Name})
			}
		}
	}
	if t.stateWritten() {
		out = append(out, found{Change: Change{Kind: State}})
	}
	return out
}

// restarts reports whether an agent restarts its session with an event after a
// compaction. That event then marks the compaction.
func restarts(id string) bool {
	a, _ := agent.Lookup(id)
	return a.Restarts
}

// inWorkspace reports whether a log belongs to a session of this workspace.
func (t *tail) inWorkspace(name string) bool {
	ours, known := t.begun[name]
	if !known {
		first, _, ok := eventlog.FirstAndLast(t.sessions.dir(), name)
		if !ok {
			return false
		}
		ours = t.sessions.here(first)
		t.begun[name] = ours
	}
	return ours
}

// appended reads the complete lines that were added to a log.
func (t *tail) appended(name string) []eventlog.Record {
	from := t.at[name]
	data, err := readFrom(eventlog.LogPath(t.sessions.dir(), name), &from)
	if err != nil {
		return nil // removed meanwhile
	}
	end := bytes.LastIndexByte(data, '\n') + 1 // the rest is being written
	t.at[name] = from + int64(end)
	var out []eventlog.Record
	for line := range bytes.Lines(data[:end]) {
		if r, ok := eventlog.Decode(bytes.TrimSpace(line)); ok {
			out = append(out, r)
		}
	}
	return out
}

// readFrom reads the rest of a file. A shorter file is a new one, since the old one was
// rotated.
func readFrom(path string, from *int64) (data []byte, err error) {
	f, err := treefile.OpenMade(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if st.Size() < *from {
		*from = 0
	}
	if _, err := f.Seek(*from, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// counted waits briefly until the hook has learned from an ended session, which it does
// right after logging the end. It then counts the results.
func (s *Sessions) counted(ctx context.Context, end found) Change {
	out := end.Change
	tick := time.NewTicker(s.options.LookEvery)
	defer tick.Stop()
	patience := time.NewTimer(s.options.LearnWithin)
	defer patience.Stop()
waiting:
	for !s.learned(ctx, end.log) {
		select {
		case <-ctx.Done():
			return out
		case <-patience.C:
			break waiting
		case <-tick.C:
		}
	}
	if sum, ok, err := s.Summary(ctx, end.Session); err == nil && ok {
		out.Used, out.Learned, out.Balance = len(sum.Used), len(sum.Learned), sum.Balance
	}
	return out
}

// learned reports whether all of a log was learned from. A log that must be read again
// with the rest of its transcript is recorded as one byte short.
func (s *Sessions) learned(ctx context.Context, name string) bool {
	logs, err := s.memories.State().Sessions().Logs(ctx)
	if err != nil {
		return false
	}
	size := int64(0)
	for _, suffix := range []string{"", ".1"} {
		info, err := os.Stat(eventlog.LogPath(s.dir(), name) + suffix)
		switch {
		case err == nil:
			size += info.Size()
		case !errors.Is(err, fs.ErrNotExist):
			return false
		}
	}
	have, ok := logs[strings.TrimSuffix(name, ".jsonl")]
	return ok && have >= size-1
}
