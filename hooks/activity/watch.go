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
	"manicule/indexer/watch"
)

// The kinds of a Happening.
const (
	Compacted = "compacted" // an agent's context was cut
	State     = "state"     // state.db was written
)

// Happening is something that just happened.
type Happening struct {
	Kind           string // Ended, Compacted or State
	Session, Agent string
	Used, Learned  int // memories told and candidates, of an ended session
}

// Watch calls happened, one call after another, for what happens after [Of],
// until ctx ends; it is called once. Hooks are not slowed by it: it reads what
// they append.
func (s *Sessions) Watch(ctx context.Context, happened func(Happening)) error {
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
	tell := func(h Happening) {
		one.Lock()
		defer one.Unlock()
		if ctx.Err() == nil {
			happened(h)
		}
	}
	var waits sync.WaitGroup // for ended sessions to be learned from
	defer waits.Wait()
	look() // what came before the watcher stood
	for {
		select {
		case <-ctx.Done():
			return w.Close()
		case <-again:
			for _, h := range s.tail.read() {
				if h.Kind != Ended {
					tell(h.Happening)
					continue
				}
				waits.Go(func() { tell(s.counted(ctx, h)) })
			}
		}
	}
}

// found is what a log says, and the log's name.
type found struct {
	Happening
	log string
}

// tail follows all logs of a state folder, and when its database was written.
type tail struct {
	sessions *Sessions
	at       map[string]int64 // how far each log was read
	begun    map[string]bool  // that are of this workspace
	written  time.Time
	size     int64
}

// start stands at the end of all that is there.
func (t *tail) start() {
	logs, err := eventlog.Logs(t.sessions.dir())
	if err != nil {
		return // read tells when there is something
	}
	for _, l := range logs {
		if info, err := os.Stat(eventlog.LogPath(t.sessions.dir(), l.Name)); err == nil {
			t.at[l.Name] = info.Size()
		}
	}
	t.stateWritten()
}

// stateWritten reports whether state.db is another than before. Its journal does
// not count: looking at the database writes that too.
func (t *tail) stateWritten() bool {
	info, err := os.Stat(filepath.Join(t.sessions.dir(), "state.db"))
	if err != nil || info.ModTime().Equal(t.written) && info.Size() == t.size {
		return false
	}
	t.written, t.size = info.ModTime(), info.Size()
	return true
}

// read returns what was appended since, an ended session without its numbers.
func (t *tail) read() []found {
	var out []found
	logs, err := eventlog.Logs(t.sessions.dir())
	if err != nil {
		return nil
	}
	for _, l := range logs {
		for _, r := range t.appended(l.Name) {
			switch {
			case !t.ours(l.Name):
			case r.Kind == string(event.SessionEnd):
				out = append(out, found{Happening{Kind: Ended, Session: r.Session, Agent: r.Agent}, l.Name})
			case r.Kind == string(event.SessionStart) && r.Source == string(event.Compact):
				out = append(out, found{Happening{Kind: Compacted, Session: r.Session, Agent: r.Agent}, l.Name})
			case r.Kind == string(event.PreCompact) && !restarts(r.Agent):
				out = append(out, found{Happening{Kind: Compacted, Session: r.Session, Agent: r.Agent}, l.Name})
			}
		}
	}
	if t.stateWritten() {
		out = append(out, found{Happening: Happening{Kind: State}})
	}
	return out
}

// restarts reports whether an agent begins its session again after a compaction,
// and says so: then that is when it was compacted.
func restarts(id string) bool {
	a, _ := agent.Lookup(id)
	return a.Restarts
}

// ours reports whether a log is of a session of this workspace.
func (t *tail) ours(name string) bool {
	ours, known := t.begun[name]
	if !known {
		first, _, ok := eventlog.Ends(t.sessions.dir(), name)
		if !ok {
			return false
		}
		ours = t.sessions.here(first)
		t.begun[name] = ours
	}
	return ours
}

// appended reads the whole lines that were added to a log.
func (t *tail) appended(name string) []eventlog.Record {
	from := t.at[name]
	data, err := readFrom(eventlog.LogPath(t.sessions.dir(), name), &from)
	if err != nil {
		return nil // gone meanwhile
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

// readFrom reads the rest of a file. One that is shorter than it was is another:
// the old one was moved aside.
func readFrom(path string, from *int64) (data []byte, err error) {
	f, err := os.Open(path)
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

// counted waits a moment for an ended session to be learned from, which its hook
// does right after it has noted the end, and counts what came of it.
func (s *Sessions) counted(ctx context.Context, end found) Happening {
	out := end.Happening
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
		out.Used, out.Learned = len(sum.Used), len(sum.Learned)
	}
	return out
}

// learned reports whether what a log has by now was learned from. One that is to
// be read again with the rest of its transcript is noted as one byte short.
func (s *Sessions) learned(ctx context.Context, name string) bool {
	logs, err := s.memories.State().ObservedLogs(ctx)
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
