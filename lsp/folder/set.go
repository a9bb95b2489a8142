package folder

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/indexer/watch"
	"manicule/lsp/convert"
	"manicule/lsp/session"
	"manicule/memory"
)

// Set owns the workspace folders, at most one for each root. [Set.Owner] and the other
// readers wait for folders that are being opened.
type Set struct {
	opts Options

	mu     sync.Mutex
	byDir  map[string]*Folder     // guarded by mu
	roots  session.Roots[*Folder] // guarded by mu; the open ones
	closed bool                   // guarded by mu
	asked  string                 // path of the document that the client asked about last; guarded by mu

	// Renames follows anchors in files that the client renames.
	Renames Renames
}

// NewSet returns a set without folders.
func NewSet(opts Options) *Set {
	fs := &Set{opts: opts.withDefaults(), byDir: make(map[string]*Folder)}
	fs.Renames.folders = fs
	return fs
}

// Add starts opening the memories of folders that the client named, except known ones.
func (fs *Set) Add(dirs ...string) {
	for _, dir := range dirs {
		fs.add(dir, false)
	}
}

func (fs *Set) add(dir string, nested bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if known := fs.byDir[dir]; known != nil { // one that the client names stays when the folder around it goes
		known.nested = known.nested && nested
		return
	}
	if fs.closed {
		return
	}
	f := newFolder(dir, nested, &fs.opts)
	fs.byDir[dir] = f
	fs.opts.Spawn(func(ctx context.Context) { fs.open(ctx, f) })
}

func newFolder(dir string, nested bool, opts *Options) *Folder {
	f := &Folder{
		Dir: dir, opts: opts, nested: nested, located: make(chan struct{}), ready: make(chan struct{}), sync: make(chan struct{}, 1),
		Anchors:     Anchors{opts: opts, refresh: make(chan struct{}, 1), hurry: make(chan struct{}, 1)},
		Index:       CodeIndex{opts: opts, ready: make(chan struct{}), requested: make(chan struct{}, 1)},
		Scopes:      Scopes{opts: opts},
		OpenThreads: OpenThreads{opts: opts, of: dir},
		Dismissed:   Dismissed{opts: opts, of: dir},
	}
	f.Index.changed = f.Anchors.RefreshSoon
	f.Index.show = func(ctx context.Context) (func(graph.Progress), func()) { return opts.Events.Indexing(ctx, f) }
	f.Scopes.of = func() Files {
		if opts.Files == nil {
			return nil
		}
		return opts.Files(f.Memories)
	}
	return f
}

func (fs *Set) open(ctx context.Context, f *Folder) {
	f.Memories, f.Err = fs.opts.Open(ctx, f.Dir)
	if f.Err == nil && f.Memories == nil {
		f.Err = errors.New("this folder has no memories")
	}
	if f.Err != nil {
		f.Memories = nil
		close(f.located)
		close(f.ready)
		if ctx.Err() == nil {
			fs.opts.Events.OpenFailed(f)
		}
		return
	}
	f.Threads = fs.opts.threadsOf(f.Memories)
	f.Waiting.memories = f.Memories
	f.Dismissed.memories, f.OpenThreads.threads, f.OpenThreads.root = f.Memories, f.Threads, f.Memories.Root()
	f.Dismissed.Load(ctx)
	f.OpenThreads.Load(ctx)
	ctx, owner := fs.claim(ctx, f)
	close(f.located)
	if owner {
		f.read(ctx)
		f.start(ctx, fs.Named(f.Root))
	}
	fs.finish(f, owner)
	fs.opts.Events.Changed()
}

// claim makes a folder the owner of its root, unless another one owns the root or it
// was removed meanwhile. Its memories are not read yet. The returned context ends when
// the folder is removed.
func (fs *Set) claim(ctx context.Context, f *Folder) (_ context.Context, owner bool) {
	f.Root = rootAsNamed(f.Dir, f.Memories.Root())
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if _, taken := fs.roots.Get(f.Root); taken || fs.closed || fs.byDir[f.Dir] != f {
		return ctx, false
	}
	f.unsubscribe = f.Memories.Views().Subscribe(func() {
		f.Anchors.memoriesChanged(f.Memories.View().Revision())
		fs.opts.Events.Changed()
	})
	ctx, f.stop = context.WithCancel(ctx)
	fs.roots = fs.roots.With(f.Root, f)
	if fs.opts.Sessions != nil {
		f.Sessions = fs.opts.Sessions(f.Memories)
	}
	f.openServices()
	return ctx, true
}

// read reads the memories for the first time.
func (f *Folder) read(ctx context.Context) {
	if _, err := f.Memories.Sync(ctx); err != nil && ctx.Err() == nil {
		f.opts.Log.Warn("read memories", "dir", f.Dir, "err", err) // show what is readable
	}
	f.Anchors.begin(f.Memories.View().Revision())
}

// finish ends the opening of a folder. It closes one that owns no root, also if it was
// removed meanwhile.
func (fs *Set) finish(f *Folder, owner bool) {
	fs.mu.Lock()
	if owner {
		now, ok := fs.roots.Get(f.Root)
		owner = ok && now == f
	}
	close(f.ready)
	fs.mu.Unlock()
	if !owner {
		f.close()
	}
}

// openServices opens the services of the folder.
func (f *Folder) openServices() {
	f.Code, f.NoCode = nil, errNoCode
	if f.opts.Code != nil {
		f.Code, f.NoCode = f.opts.Code(f.Memories.Root())
	}
	f.Index.code, f.Index.root, f.Anchors.root, f.Scopes.root = f.Code, f.Root, f.Root, f.Root
	if f.opts.Track != nil {
		if t, err := f.opts.Track(f.Memories); err != nil {
			f.opts.Log.Warn("follow anchors", "root", f.Root, "err", err)
		} else {
			f.Tracker = t
			f.Anchors.open(t)
		}
	}
	if f.opts.Ledger != nil {
		f.Ledger = f.opts.Ledger(f.Memories)
	}
	if f.opts.Coverage != nil {
		f.Coverage = f.opts.Coverage(f.Memories)
	}
}

// start starts the folder's background work, which ends with ctx. named says that the
// client named a folder that contains the root.
func (f *Folder) start(ctx context.Context, named bool) {
	f.spawn(ctx, f.syncLoop)
	if !named || !f.opts.ClientWatches() || watch.Remote(f.Root) != "" { // a client hears no more of other machines than the system
		f.spawn(ctx, f.watch)
	}
	f.spawn(ctx, f.watchGit)
	if f.Tracker != nil {
		f.spawn(ctx, f.Anchors.follow)
	}
	f.spawn(ctx, f.releaseIdle)
	if f.Sessions != nil {
		f.spawn(ctx, f.watchSessions)
	}
	if f.Code != nil {
		f.spawn(ctx, f.Index.follow)
	}
}

// rootAsNamed returns root as the client spells dir. If dir goes through a symbolic
// link, the client's paths don't start with the real root.
func rootAsNamed(dir, root string) string {
	if _, ok := convert.RelFrom(root, dir); ok {
		return root
	}
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return root
	}
	rel, ok := convert.RelFrom(root, resolved)
	if !ok {
		return root
	}
	if rel == "." {
		return dir
	}
	if up, ok := strings.CutSuffix(filepath.ToSlash(dir), "/"+rel); ok {
		return filepath.FromSlash(up)
	}
	return root
}

// Remove removes dir, with the nested roots that were found under it, and closes its memories unless another folder has
// the same root.
func (fs *Set) Remove(dir string) {
	fs.mu.Lock()
	f, ok := fs.byDir[dir]
	delete(fs.byDir, dir)
	nested := fs.orphans(dir)
	fs.mu.Unlock()
	for _, below := range nested {
		fs.Remove(below)
	}
	if ok {
		fs.release(f)
	}
}

// release closes the memories of a folder that was removed.
func (fs *Set) release(f *Folder) {
	fs.mu.Lock()
	if f.unsubscribe == nil { // being opened, or not the owner of its root
		fs.mu.Unlock()
		return
	}
	fs.roots = fs.roots.Without(f.Root)
	again, opened := fs.sharing(f.Root), f.opened()
	fs.mu.Unlock()
	f.unsubscribe()
	f.stop()
	if opened { // else finish closes it
		f.close()
	}
	if again != "" {
		fs.reopen(again)
	}
	fs.opts.Events.Changed()
}

// orphans returns the nested roots that were found under a folder, if the client names no other folder that contains
// them. mu is held.
func (fs *Set) orphans(dir string) []string {
	var out []string
	for below, f := range fs.byDir {
		if _, inside := convert.RelFrom(dir, below); inside && f.nested && !fs.namedIn(below) {
			out = append(out, below)
		}
	}
	return out
}

// sharing returns another folder with the root. mu is held.
func (fs *Set) sharing(root string) string {
	for dir, f := range fs.byDir {
		if f.opened() && f.Memories != nil && f.Root == root {
			return dir
		}
	}
	return ""
}

// reopen opens a folder whose root another folder owned.
func (fs *Set) reopen(dir string) {
	fs.mu.Lock()
	nested := fs.byDir[dir] != nil && fs.byDir[dir].nested
	delete(fs.byDir, dir)
	fs.mu.Unlock()
	fs.add(dir, nested)
}

// Owner returns the folder with the nearest root above path, and path relative to that
// root.
func (fs *Set) Owner(ctx context.Context, path string) (f *Folder, rel string, ok bool) {
	if path == "" || fs.Wait(ctx) != nil {
		return nil, "", false
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.roots.Owner(path)
}

// EarlyOwner is [Set.Owner] without waiting until the memories are read, for callers that
// use [Folder.EarlyView].
func (fs *Set) EarlyOwner(ctx context.Context, path string) (f *Folder, rel string, ok bool) {
	if path == "" || fs.wait(ctx, func(f *Folder) chan struct{} { return f.located }) != nil {
		return nil, "", false
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.roots.Owner(path)
}

// All returns the open folders, ordered by root.
func (fs *Set) All(ctx context.Context) []*Folder {
	if fs.Wait(ctx) != nil {
		return nil
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.roots.All()
}

// AskedAbout notes the document that the client asked about last.
func (fs *Set) AskedAbout(path string) {
	if path == "" {
		return
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.asked = strings.Clone(path)
}

// From returns the open folders in which a memory may be meant: that of path alone, or all of them as All does if path is "", with
// that of the document that the client asked about last first. Worktrees and clones of one repository have the same
// memories, so a uuid alone does not say of which of them a person sees one.
func (fs *Set) From(ctx context.Context, path string) []*Folder {
	all := fs.All(ctx)
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if named, _, ok := fs.roots.Owner(path); ok && path != "" {
		return []*Folder{named} // what is not there any more may still be in another
	}
	meant, _, ok := fs.roots.Owner(fs.asked)
	if i := slices.Index(all, meant); ok && i > 0 {
		all = slices.Insert(slices.Delete(slices.Clone(all), i, i+1), 0, meant)
	}
	return all
}

// Find returns the memory with a uuid and its folder, which is that of path unless path is "" (see [Set.From]).
func (fs *Set) Find(ctx context.Context, uuid, path string) (*Folder, memory.Hit, bool) {
	for _, f := range fs.From(ctx, path) {
		if h, ok := f.Memories.View().Get(uuid); ok {
			return f, h, true
		}
	}
	return nil, memory.Hit{}, false
}

// List returns all folders by name, including those that could not be opened.
func (fs *Set) List(ctx context.Context) []*Folder {
	if fs.Wait(ctx) != nil {
		return nil
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	all := slices.Collect(maps.Values(fs.byDir))
	sorting.Func(all, func(a, b *Folder) int { return strings.Compare(a.Dir, b.Dir) })
	return slices.DeleteFunc(all, func(f *Folder) bool { return !f.opened() })
}

// Wait waits until no folder is being opened.
func (fs *Set) Wait(ctx context.Context) error {
	return fs.wait(ctx, func(f *Folder) chan struct{} { return f.ready })
}

func (fs *Set) wait(ctx context.Context, until func(*Folder) chan struct{}) error {
	fs.mu.Lock()
	pending := make([]chan struct{}, 0, len(fs.byDir))
	for _, f := range fs.byDir {
		pending = append(pending, until(f))
	}
	fs.mu.Unlock()
	for _, done := range pending {
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// AddNested opens the memories of a root between path and the folder that the client
// named, or above path if the client named none. Parts of a monorepo have memories of
// their own.
func (fs *Set) AddNested(path string) {
	if path == "" {
		return
	}
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if fs.known(dir) {
			return
		}
		if info, err := os.Stat(filepath.Join(dir, ".manicule")); err == nil && info.IsDir() {
			fs.add(dir, true)
			return
		}
		if dir == filepath.Dir(dir) {
			return
		}
	}
}

func (fs *Set) known(dir string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	_, ok := fs.byDir[dir]
	return ok
}

// Named reports whether a folder that the client named contains path.
func (fs *Set) Named(path string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.namedIn(path)
}

// namedIn is Named with mu held.
func (fs *Set) namedIn(path string) bool {
	for _, f := range fs.byDir {
		if _, inside := convert.RelFrom(f.Dir, path); inside && !f.nested {
			return true
		}
	}
	return false
}

// Stop prevents new work.
func (fs *Set) Stop() {
	fs.mu.Lock()
	fs.closed = true
	all := fs.roots.All()
	fs.mu.Unlock()
	for _, f := range all {
		f.unsubscribe()
		f.stop()
	}
}

// Close closes all memories. Nothing may use them any more.
func (fs *Set) Close() {
	fs.mu.Lock()
	all := fs.roots.All()
	fs.roots = session.Roots[*Folder]{}
	fs.mu.Unlock()
	for _, f := range all {
		f.close()
	}
}
