package ledger

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"manicule/memory/store"
)

// Limits of an [AsyncLedger].
const (
	reread      = 30 * time.Second // maximum age of the cached summaries
	repeatAfter = 30 * time.Minute // showing a memory to the same person again within this time is not recorded
	queueSize   = 256              // queued showings; more are dropped
)

// AsyncLedger is a workspace's ledger for a server that must answer in microseconds. It reads from
// memory and writes in the background. It is safe for concurrent use, and owns one goroutine until
// Close.
type AsyncLedger struct {
	state   *store.State
	rec     *Recorder
	surface Surface
	now     func() time.Time
	log     *slog.Logger

	known atomic.Pointer[map[string]*Summary]
	read  atomic.Int64 // when known was read, in Unix milliseconds
	stale chan struct{}
	queue chan Showing
	stop  context.CancelFunc
	done  chan struct{}

	mu        sync.Mutex
	lastShown map[string]time.Time // guarded by mu; when a person was last shown a memory
}

// NewAsync starts a ledger for a person's surface. It reads the summaries in the background; until
// then Sentence returns "".
func NewAsync(state *store.State, rec *Recorder, surface Surface, now func() time.Time, log *slog.Logger) *AsyncLedger {
	ctx, stop := context.WithCancel(context.Background()) // until Close
	l := &AsyncLedger{state: state, rec: rec, surface: surface, now: now, log: log, stale: make(chan struct{}, 1), queue: make(chan Showing, queueSize),
		stop: stop, done: make(chan struct{}), lastShown: map[string]time.Time{}}
	l.stale <- struct{}{}
	go l.run(ctx)
	return l
}

func (l *AsyncLedger) run(ctx context.Context) {
	defer close(l.done)
	for {
		select {
		case <-ctx.Done():
			for { // the queue is short
				select {
				case s := <-l.queue:
					l.write(s)
				default:
					return
				}
			}
		case <-l.stale:
			l.load(ctx)
		case s := <-l.queue:
			l.write(s)
		}
	}
}

func (l *AsyncLedger) write(s Showing) {
	if err := l.rec.Shown(context.Background(), s); err != nil { // also during Close
		l.log.Warn("write down what was shown", "err", err)
	}
}

func (l *AsyncLedger) load(ctx context.Context) {
	t, err := TotalsOf(ctx, l.state)
	l.read.Store(l.now().UnixMilli())
	if err != nil {
		if ctx.Err() == nil {
			l.log.Warn("read what was shown", "err", err)
		}
		return
	}
	l.known.Store(&t.Memories)
}

// Sentence summarizes the outcomes of a memory, or returns "" if there are none or they are not
// loaded yet. It never blocks.
func (l *AsyncLedger) Sentence(uuid string) string {
	if l.now().UnixMilli()-l.read.Load() > reread.Milliseconds() {
		select {
		case l.stale <- struct{}{}:
		default:
		}
	}
	known := l.known.Load()
	if known == nil {
		return ""
	}
	if s := (*known)[uuid]; s != nil {
		return s.Sentence(l.now())
	}
	return ""
}

// Shown records that a person was shown memories of a file. It never blocks: it drops showings if
// the queue is full, and recent repetitions.
func (l *AsyncLedger) Shown(path string, uuids []string) {
	s := Showing{Surface: l.surface, Path: path}
	now := l.now()
	l.mu.Lock()
	for _, id := range uuids {
		if at, ok := l.lastShown[id]; ok && now.Sub(at) < repeatAfter {
			continue
		}
		l.lastShown[id] = now
		s.Memories = append(s.Memories, Share{UUID: id})
	}
	l.mu.Unlock()
	if len(s.Memories) == 0 {
		return
	}
	select {
	case l.queue <- s:
	default:
	}
}

// Close writes the queue and ends the goroutine.
func (l *AsyncLedger) Close() error {
	l.stop()
	<-l.done
	return nil
}
