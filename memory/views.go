package memory

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/workspace"
	"manicule/memory/scope"
	"manicule/memory/store"
)

// Views keeps the current view of all memories, and tells of its changes. It loads a view from the
// database, and must not know how files come there.
type Views struct {
	place  *workspace.Workspace
	rows   *store.Memories
	scopes scope.Options
	log    *slog.Logger

	current atomic.Pointer[View]
	behind  atomic.Bool // see Behind
	early   earlyViews

	loading     sync.Mutex                               // held while a view is read from the database
	mu          sync.Mutex                               // guards what follows, and replacing the current view; it is taken after loading
	key         string                                   // of the database that the current view was loaded from
	lookedAt    time.Time                                // last look at each file
	replacing   bool                                     // a view is being read
	meanwhile   []func(v *View, generation uint64) *View // changes of the current view since that began
	folders     map[string]int64
	generation  uint64
	subscribers map[int]func()
	nextID      int
}

func newViews(place *workspace.Workspace, rows *store.Memories, scopes scope.Options, log *slog.Logger) *Views {
	return &Views{place: place, rows: rows, scopes: scopes, log: log, subscribers: map[int]func(){}}
}

// FixedViews returns views whose current one never changes, as tests and read-only copies have them.
func FixedViews(v *View) *Views {
	s := &Views{place: &workspace.Workspace{}, subscribers: map[int]func(){}}
	s.current.Store(v)
	return s
}

// Current returns the current view, which is empty until one was loaded.
func (s *Views) Current() *View {
	if v := s.current.Load(); v != nil {
		return v
	}
	return NewView(s.place.MemoriesDir(), s.scopes, nil, nil, 0)
}

// Loaded reports whether a view was loaded.
func (s *Views) Loaded() bool { return s.current.Load() != nil }

// Behind reports whether memory files that changed are still being read, so that the current view is one from before.
func (s *Views) Behind() bool { return s.behind.Load() }

// Subscribe calls f after each change of the view, until cancel is called.
func (s *Views) Subscribe(f func()) (cancel func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.nextID
	s.nextID++
	s.subscribers[id] = f
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.subscribers, id)
	}
}

// NotePlaces stores the current places of anchors, by uuid, and new entries of the cache (see
// [store.Memories.NotePlaces]). It updates a loaded view and notifies its subscribers.
func (s *Views) NotePlaces(ctx context.Context, places map[string][]store.Place, found []store.CachedResolution) error {
	if err := s.rows.NotePlaces(ctx, places, found); err != nil {
		return fmt.Errorf("note where anchors are: %w", err)
	}
	if len(places) > 0 {
		s.change(true, func(v *View, generation uint64) *View { return v.withPlaces(places, generation) })
	}
	return nil
}

// load loads a view if the database differs from what the current one was loaded from, and tells
// the subscribers. It reports whether it did. Meanwhile the current view stays that of before.
func (s *Views) load(ctx context.Context, r store.Report) (changed bool, err error) {
	tell, err := s.replace(ctx, r)
	if err != nil || tell == nil {
		return false, err
	}
	tell()
	return true, nil
}

// replace is load without telling the subscribers, which tell does; it is nil if nothing changed.
func (s *Views) replace(ctx context.Context, r store.Report) (tell func(), err error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	if !s.begin(r) {
		return nil, nil
	}
	defer s.end()
	v := emptyView(s.place.MemoriesDir(), s.scopes, nil, 0)
	c := compiling{view: v}
	err = store.EachPart(ctx, s.rows, func() func([]store.Row) {
		c.end()
		c.start()
		return c.take
	})
	c.end()
	if err != nil {
		return nil, err
	}
	faults, err := s.rows.Faults(ctx)
	if err != nil {
		return nil, err
	}
	v = emptyView(s.place.MemoriesDir(), s.scopes, faults, 0)
	c.view = v
	c.fill()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generation++
	v.generation, v.revision = s.generation, s.generation
	for _, copyOf := range s.meanwhile { // the database may have been read before they were stored
		s.generation++
		v = copyOf(v, s.generation)
	}
	s.current.Store(v)
	s.key = r.Key
	s.early.forget()
	listeners := s.listeners()
	return func() { call(listeners) }, nil
}

// begin reports whether a view has to be loaded. From then on, until end, changes of the current view are kept for the new one.
func (s *Views) begin(r store.Report) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Loaded() && r.Key == s.key && !r.Any() && r.Problems == 0 {
		return false
	}
	s.replacing = true
	return true
}

func (s *Views) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replacing, s.meanwhile = false, nil
}

// change replaces a loaded view by a copy of it with the next generation, and what is being loaded by one, too. It tells the
// subscribers if told is true.
func (s *Views) change(told bool, copyOf func(v *View, generation uint64) *View) {
	s.mu.Lock()
	if s.replacing {
		s.meanwhile = append(s.meanwhile, copyOf)
	}
	v := s.current.Load()
	if v == nil {
		s.mu.Unlock()
		return
	}
	s.generation++
	s.current.Store(copyOf(v, s.generation))
	var tell []func()
	if told {
		tell = s.listeners()
	}
	s.mu.Unlock()
	call(tell)
}

// unchanged reports whether the folders are as they were at the last look at each file, which is
// less than age ago.
func (s *Views) unchanged(now time.Time, folders map[string]int64, age time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	since := now.Sub(s.lookedAt)
	return s.Loaded() && folders != nil && !s.lookedAt.IsZero() && since >= 0 && since < age && maps.Equal(folders, s.folders)
}

// noteLook records a look at each file, and the modification times that the folders had just before.
func (s *Views) noteLook(now time.Time, folders map[string]int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookedAt, s.folders = now, folders
}

// listeners returns the subscribers, the oldest first. s.mu is held.
func (s *Views) listeners() []func() {
	var out []func()
	for id := range s.nextID {
		if f, ok := s.subscribers[id]; ok {
			out = append(out, f)
		}
	}
	return out
}

func call(fs []func()) {
	for _, f := range fs {
		f()
	}
}
