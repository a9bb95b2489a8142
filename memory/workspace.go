package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/scope"
	"manicule/memory/store"
)

// Options say how a workspace is opened. The zero value of each field but Dir
// stands for the running process.
type Options struct {
	Dir    string // any folder of the workspace
	Env    workspace.Env
	Now    func() time.Time
	Random io.Reader // for uuids
	User   string    // the contributor of what is written; from git's configuration when empty
	// Visibility of what is written and doesn't say its own; project when empty.
	Visibility file.Visibility
	Scopes     *scope.Options
	// Secrets finds secrets in what is written and in what is read from files;
	// without it nothing can be written.
	Secrets gate.Secrets
	Log     *slog.Logger
	// Progress receives how many memory files were read into the database, of how
	// many, where that is given: the first time it takes a while.
	Progress func(done, total int)
}

// Workspace is an open set of memories. It is safe for concurrent use by the
// goroutines of a process, and beside other processes.
type Workspace struct {
	place  *workspace.Workspace
	rows   *store.Memories
	state  *store.State
	gate   *gate.Gate
	scopes scope.Options
	now    func() time.Time
	random io.Reader
	user   string
	shown  file.Visibility // the default of what is written
	getenv func(string) string
	log    *slog.Logger

	upserted []func(*file.Memory) // set before the first write
	vouched  vouched

	gitOnce sync.Once
	git     *gittree.Repo // for its index alone; made by gitOnce

	view      atomic.Pointer[View]
	refreshed atomic.Int64 // when the files were last looked at, in nanoseconds

	mu          sync.Mutex // guards what follows, and loading a view
	viewKey     string
	looked      time.Time        // when the files were last looked at one by one
	folders     map[string]int64 // the times of their folders just before
	generation  uint64
	subscribers map[int]func()
	nextID      int
}

// Open finds the workspace of a folder and returns its memories. Nothing is
// read or written yet.
func Open(o Options) (*Workspace, error) {
	if o.Env.Getenv == nil {
		o.Env = workspace.OS()
	}
	place, err := workspace.Discover(o.Dir, o.Env)
	if err != nil {
		u := &UserError{Msg: err.Error(), Err: err, Hint: "Check that the folder exists and can be read."}
		if e, ok := errors.AsType[*treefile.Error](err); ok {
			u.Hint = e.Hint
		}
		return nil, u
	}
	if err := sound(place); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Random == nil {
		o.Random = rand.Reader
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	scopes := scope.Platform()
	if o.Scopes != nil {
		scopes = *o.Scopes
	}
	w := &Workspace{place: place, scopes: scopes, now: o.Now, random: o.Random, user: o.User, shown: o.Visibility, getenv: o.Env.Getenv, log: o.Log,
		state: store.OpenState(place.StateDir(), place.Below(), o.Now), gate: gate.New(scopes, o.Secrets), subscribers: map[int]func(){}}
	w.rows = store.OpenMemories(store.Config{CacheDir: place.CacheDir(), Dir: place.MemoriesDir(), Scopes: scopes, Now: o.Now, Progress: o.Progress, Judge: w.judge})
	return w, nil
}

// sound refuses a workspace whose own folder is none, or leads elsewhere: what is
// written there would land outside of the repository.
func sound(place *workspace.Workspace) error {
	if err := place.Sound(); err != nil {
		u := &UserError{Msg: err.Error(), Err: err, Hint: "Check that it can be read."}
		if e, ok := errors.AsType[*treefile.Error](err); ok {
			u.Hint = e.Hint
		}
		return u
	}
	folder := filepath.Join(place.Root, workspace.Folder)
	if st, err := os.Stat(folder); err == nil && !st.IsDir() {
		return &UserError{Msg: folder + " is a file, where the memories' folder has to be", Err: ErrExists, Hint: "Move it away."}
	}
	return nil
}

// Close releases the databases.
func (w *Workspace) Close() error { return w.rows.Close() }

// SetDefaults says who writes from now on, "" for git's user, and who sees it,
// "" for the project. It must not be called beside other methods.
func (w *Workspace) SetDefaults(user string, shown file.Visibility) {
	if user != "" {
		w.user = user
	}
	w.shown = shown
}

// Root is the workspace root.
func (w *Workspace) Root() string { return w.place.Root }

// Place is the workspace's identity and folders.
func (w *Workspace) Place() *workspace.Workspace { return w.place }

// State is this machine's own knowledge of the repository.
func (w *Workspace) State() *store.State { return w.state }

// Store is the database derived from the memory files.
func (w *Workspace) Store() *store.Memories { return w.rows }

// Gate is the check that every write passes.
func (w *Workspace) Gate() *gate.Gate { return w.gate }

// Scopes are the path rules in force.
func (w *Workspace) Scopes() scope.Options { return w.scopes }

// View returns the current snapshot; it is empty until the first Sync.
func (w *Workspace) View() *View {
	if v := w.view.Load(); v != nil {
		return v
	}
	return NewView(w.place.MemoriesDir(), w.scopes, nil, nil, 0)
}

// Sync reads what changed in the memory folders. It reports whether the view
// is another one than before; subscribers have then been told.
func (w *Workspace) Sync(ctx context.Context) (changed bool, err error) {
	r, err := w.Refresh(ctx)
	if err != nil {
		return false, err
	}
	w.mu.Lock()
	if w.view.Load() != nil && r.Key == w.viewKey && !r.Any() && r.Problems == 0 {
		w.mu.Unlock()
		return false, nil
	}
	err = w.loadView(ctx, r.Key)
	tell := w.listeners()
	w.mu.Unlock()
	if err != nil {
		return false, err
	}
	for _, f := range tell {
		f()
	}
	return true, nil
}

// SyncWithin is Sync for a caller that asks often. Within an age since it last looked at
// the files one by one it looks at their folders alone: those tell what was
// added, removed or written as this program writes, but not what an editor wrote
// in place.
func (w *Workspace) SyncWithin(ctx context.Context, age time.Duration) (changed bool, err error) {
	now, folders := w.Now(), w.rows.FolderTimes()
	w.mu.Lock()
	since := now.Sub(w.looked)
	same := w.view.Load() != nil && folders != nil && !w.looked.IsZero() && since >= 0 && since < age && maps.Equal(folders, w.folders)
	w.mu.Unlock()
	if same {
		return false, nil
	}
	if changed, err = w.Sync(ctx); err != nil {
		return changed, err
	}
	w.mu.Lock()
	w.looked, w.folders = now, folders
	w.mu.Unlock()
	return changed, nil
}

// HasView reports whether a view was made.
func (w *Workspace) HasView() bool { return w.view.Load() != nil }

// RefreshWithin is Refresh, unless that was done within an age.
func (w *Workspace) RefreshWithin(ctx context.Context, age time.Duration) error {
	if since := w.Now().Sub(time.Unix(0, w.refreshed.Load())); since >= 0 && since < age {
		return nil
	}
	_, err := w.Refresh(ctx)
	return err
}

// Refresh brings the database up to the files, without making a view. Personal
// memories whose files vanished (`git clean`) become restorable.
func (w *Workspace) Refresh(ctx context.Context) (store.Report, error) {
	return w.refresh(ctx, w.rows.Sync)
}

// RefreshIfStale is Refresh for who only reads: see [store.Memories.RefreshIfStale] for what it
// may miss, and for how long.
func (w *Workspace) RefreshIfStale(ctx context.Context) error {
	_, err := w.refresh(ctx, w.rows.SyncIfStale)
	return err
}

func (w *Workspace) refresh(ctx context.Context, look func(context.Context) (store.Report, error)) (store.Report, error) {
	now := w.Now()
	w.forgetVouched()
	r, err := look(ctx)
	if err == nil {
		var ferr error
		if r, ferr = w.freed(ctx, r); ferr != nil {
			w.log.Warn("look for what was released", "err", ferr)
		}
	}
	if err != nil {
		return r, fmt.Errorf("read the memories of %s: %w", w.place.Root, err)
	}
	w.refreshed.Store(now.UnixNano())
	if r.Whole {
		if _, err := file.Sweep(w.place.MemoriesDir(), now.Add(-abandoned)); err != nil {
			w.log.Warn("sweep what killed processes left", "err", err)
		}
		if err := errors.Join(w.mirrorPersonal(ctx), w.buryVanished(ctx)); err != nil {
			w.log.Warn("keep copies of personal memories", "err", err)
		}
	}
	return r, nil
}

// mirrorPersonal keeps a copy of the personal memories as they are now, also
// of those that a person wrote or edited by hand.
func (w *Workspace) mirrorPersonal(ctx context.Context) error {
	rows, err := w.rows.Personal(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	return w.state.Mirror(ctx, w.place.WorktreeID, rows)
}

// buryVanished makes tombstones of personal memories whose files went away
// without being forgotten. No git has them: the mirror is the last copy.
func (w *Workspace) buryVanished(ctx context.Context) error {
	mirrors, err := w.state.Personal(ctx, w.place.WorktreeID)
	if err != nil {
		return err
	}
	for _, t := range mirrors {
		_, err := os.Lstat(filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(t.Path)))
		if !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		t.Reason = "its file vanished"
		if err := w.state.Bury(ctx, t); err != nil {
			return err
		}
		if err := w.state.DropPersonal(ctx, w.place.WorktreeID, t.UUID); err != nil {
			return err
		}
	}
	return nil
}

// loadView is called with the lock held.
func (w *Workspace) loadView(ctx context.Context, key string) error {
	rows, err := w.rows.All(ctx)
	if err != nil {
		return err
	}
	faults, err := w.rows.Faults(ctx)
	if err != nil {
		return err
	}
	w.generation++
	w.view.Store(NewView(w.place.MemoriesDir(), w.scopes, rows, faults, w.generation))
	w.viewKey = key
	return nil
}

// NotePlaces keeps where anchors are now, by uuid, with what was found for the
// cache (see [store.Memories.NotePlaces]). A view that was made gets them, and
// its subscribers are notified.
func (w *Workspace) NotePlaces(ctx context.Context, places map[string][]store.Place, found []store.CachedResolution) error {
	if err := w.rows.NotePlaces(ctx, places, found); err != nil {
		return fmt.Errorf("note where anchors are: %w", err)
	}
	if w.view.Load() == nil || len(places) == 0 {
		return nil
	}
	w.mu.Lock()
	w.generation++
	w.view.Store(w.view.Load().withPlaces(places, w.generation))
	tell := w.listeners()
	w.mu.Unlock()
	for _, f := range tell {
		f()
	}
	return nil
}

// Subscribe has f called after each change of the view, until cancel.
func (w *Workspace) Subscribe(f func()) (cancel func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	id := w.nextID
	w.nextID++
	w.subscribers[id] = f
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.subscribers, id)
	}
}

func (w *Workspace) listeners() []func() {
	var out []func()
	for id := range w.nextID {
		if f, ok := w.subscribers[id]; ok {
			out = append(out, f)
		}
	}
	return out
}

// Search ranks the memories by keywords. Score is 1 for the best.
func (w *Workspace) Search(ctx context.Context, text string, limit int) ([]Hit, error) {
	rows, err := w.rows.Search(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Hit, 0, len(rows))
	best := 0.0
	for i, r := range rows {
		m, err := r.Memory()
		if err != nil {
			continue // reported as a problem
		}
		if i == 0 {
			best = r.Rank
		}
		h := Hit{Memory: m, Path: filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(r.Path)), Score: 1, Places: r.Places(m)}
		if best < 0 {
			h.Score = min(1, r.Rank/best)
		}
		out = append(out, h)
	}
	return out, nil
}

// Ranked is a memory's place in a search by keywords.
type Ranked struct {
	UUID  string
	Score float64 // in (0, 1], 1 for the best
}

// Ranked is Search without reading the memories.
func (w *Workspace) Ranked(ctx context.Context, text string, limit int) ([]Ranked, error) {
	found, err := w.rows.Ranked(ctx, text, limit)
	if err != nil {
		return nil, err
	}
	out := make([]Ranked, len(found))
	for i, r := range found {
		out[i] = Ranked{r.UUID, 1}
		if best := found[0].Rank; best < 0 {
			out[i].Score = min(1, r.Rank/best)
		}
	}
	return out, nil
}

// Now is the workspace's clock.
func (w *Workspace) Now() time.Time { return w.now() }
