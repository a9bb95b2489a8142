package ledger

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"manicule/memory/store"
)

// The limits of a [AsyncLedger].
const (
	reread      = 30 * time.Second // how old what it knows may become while it is asked
	repeatAfter = 30 * time.Minute // for how long a memory that is shown again to the same person is not news
	queueSize   = 256              // showings that may wait to be written; more are dropped
)

// AsyncLedger is the ledger of a workspace for a server that answers in microseconds:
// reads come from memory, writes happen in the background.
// It is safe for concurrent use, and owns one goroutine until it is closed.
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

// NewAsync starts one for a person's surface. It reads the sums soon, in the
// background: until then it has nothing to say.
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
			for { // what waits is little
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
	if err := l.rec.Shown(context.Background(), s); err != nil { // also while it closes
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

// Sentence is what came of a memory, in a few words; "" where there is nothing to
// say, or it is not known yet. It never waits.
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

// Shown notes that a person was shown memories of a file. It never waits: what
// there is no room for is dropped, and what was just shown is no news.
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

// Close writes what waits and ends the goroutine.
func (l *AsyncLedger) Close() error {
	l.stop()
	<-l.done
	return nil
}
