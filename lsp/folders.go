package lsp

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/session"
)

// folder is a workspace folder and its memories, which open in the background.
type folder struct {
	dir     string
	ours    bool          // found by us: the client did not name it
	ready   chan struct{} // closed when the fields below are set
	mem     Memories      // nil when they could not be opened
	root    string        // mem's root, spelled as the client spells dir
	err     error
	stop    context.CancelFunc // ends watching
	unsub   func()
	code    Code          // nil where there is no code graph
	noCode  error         // why, and what to do
	indexed chan struct{} // closed when the graph is up to the files
	wanted  chan struct{} // has a value when somebody asked for the graph
	sync    chan struct{} // holds a value while a sync is waiting to run
	asking  sync.Mutex    // held from putting buffers over the code graph to the answer

	tracker  Tracker                             // nil where anchors are not followed
	untrack  func()                              // ends its subscription
	replace  chan struct{}                       // holds a value while a look at the anchors is waiting to run
	placed   atomic.Uint64                       // counts the times that anchors turned out to be elsewhere
	revision atomic.Uint64                       // of the memories that the tracker was asked to look for last
	reading  reading                             // how far the code graph is
	unwanted atomic.Pointer[map[string][]string] // surfaces that a person does not want memories on, by uuid
	scopes   scopeCache                          // what the scopes of memories match
	learned  sessionWatch                        // what agents' sessions have shown
	busy     atomic.Bool                         // git is in the middle of something: states stay as they are
	ledger   Ledger                              // nil where nobody keeps one
}

// folders owns the workspace folders, at most one a root. Readers take the
// roots that are open; [folders.owner] waits for those that are opening.
type folders struct {
	server *server

	mu    sync.Mutex
	byDir map[string]*folder     // guarded by mu
	roots session.Roots[*folder] // guarded by mu; the open ones
	shut  bool                   // guarded by mu
}

func newFolders(s *server) *folders {
	return &folders{server: s, byDir: make(map[string]*folder)}
}

// foldersFrom returns the folders that a client starts with.
func foldersFrom(p *protocol.InitializeParams) []string {
	var dirs []string
	add := func(u uri.URI) {
		if path, ok := convert.PathFrom(u); ok {
			dirs = append(dirs, path)
		}
	}
	if list, ok := p.WorkspaceFolders.Get(); ok && len(list) > 0 {
		for _, f := range list {
			add(f.URI)
		}
		return dirs
	}
	//lint:ignore SA1019 clients without workspace folders send nothing else
	root, path := p.RootURI, p.RootPath
	if root != nil {
		add(*root)
	} else if dir, ok := path.Get(); ok && filepath.IsAbs(dir) {
		dirs = append(dirs, filepath.Clean(dir))
	}
	return dirs
}

// DidChangeWorkspaceFolders follows the client's folders.
func (s *server) DidChangeWorkspaceFolders(_ context.Context, p *protocol.DidChangeWorkspaceFoldersParams) error {
	for _, f := range p.Event.Removed {
		if path, ok := convert.PathFrom(f.URI); ok {
			s.folders.remove(path)
		}
	}
	var added []string
	for _, f := range p.Event.Added {
		if path, ok := convert.PathFrom(f.URI); ok {
			added = append(added, path)
		}
	}
	s.folders.addAll(added)
	return nil
}

func (fs *folders) addAll(dirs []string) {
	for _, dir := range dirs {
		fs.add(dir, false)
	}
}

// add starts opening dir's memories, unless it is known.
func (fs *folders) add(dir string, ours bool) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	if _, known := fs.byDir[dir]; known || fs.shut {
		return
	}
	f := &folder{dir: dir, ours: ours, ready: make(chan struct{}), sync: make(chan struct{}, 1), replace: make(chan struct{}, 1)}
	fs.byDir[dir] = f
	fs.server.spawn(func(ctx context.Context) { fs.open(ctx, f) })
}

func (fs *folders) open(ctx context.Context, f *folder) {
	f.mem, f.err = fs.server.opts.Open(ctx, f.dir)
	if f.err == nil && f.mem == nil {
		f.err = errors.New("there are no memories")
	}
	if f.err != nil {
		f.mem = nil
		close(f.ready)
		if ctx.Err() == nil {
			fs.server.complain(f)
		}
		return
	}
	if _, err := f.mem.Sync(ctx); err != nil && ctx.Err() == nil {
		fs.server.log.Warn("read memories", "dir", f.dir, "err", err) // what is readable is shown
	}
	fs.server.loadDismissed(ctx, f)
	if fs.server.opts.Sessions != nil {
		f.learned.sessions = fs.server.opts.Sessions(f.mem)
	}
	fs.publish(ctx, f)
	close(f.ready)
	fs.server.markStale()
}

// publish makes an opened folder the owner of its root, or gives it up when
// another is or nobody wants it any more.
func (fs *folders) publish(ctx context.Context, f *folder) {
	f.root = rootAsNamed(f.dir, f.mem.Root())
	fs.mu.Lock()
	_, taken := fs.roots.Get(f.root)
	gone := fs.shut || fs.byDir[f.dir] != f
	if !taken && !gone {
		f.revision.Store(f.mem.View().Revision()) // keepTrack begins with these
		f.unsub = f.mem.Subscribe(func() {
			f.memoriesChanged()
			fs.server.markStale()
		})
		ctx, f.stop = context.WithCancel(ctx)
		fs.roots = fs.roots.With(f.root, f)
		f.code, f.noCode = fs.server.codeOf(f.mem.Root())
		f.indexed, f.wanted = make(chan struct{}), make(chan struct{}, 1)
		fs.server.tracked(f)
		if open := fs.server.opts.Ledger; open != nil {
			f.ledger = open(f.mem)
		}
	}
	fs.mu.Unlock()
	if taken || gone {
		fs.server.closeMemories(f)
		return
	}
	fs.server.watch(ctx, f)
	if f.tracker != nil {
		fs.server.spawn(func(context.Context) { fs.server.keepTrack(ctx, f) })
	}
	fs.server.spawn(func(context.Context) { fs.server.releaseIdle(ctx, f) })
	fs.server.followSessions(ctx, f)
	if f.code != nil {
		fs.server.spawn(func(context.Context) { fs.server.follow(ctx, f) })
	}
}

// rootAsNamed spells root as the client spells dir: where dir is reached by a
// symbolic link, the client's paths don't start with the real root.
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

// abs returns the path of a file named relative to the root.
func (f *folder) abs(rel string) string { return filepath.Join(f.root, filepath.FromSlash(rel)) }

// named spells the path of a memory file as the client spells the root.
func (f *folder) named(path string) string {
	if rel, ok := convert.RelFrom(f.mem.Root(), path); ok {
		return f.abs(rel)
	}
	return path
}

// complain tells once that a folder's memories can't be opened. Everything
// else goes on.
func (s *server) complain(f *folder) {
	s.log.Error("open memories", "dir", f.dir, "err", f.err)
	text := "Manicule can't open the memories of " + filepath.Base(f.dir) + ": " + f.err.Error()
	if hint := s.opts.Hint(f.err); hint != "" {
		text += ". " + hint
	}
	s.client.Error(text)
}

func (s *server) closeMemories(f *folder) {
	if f.ledger != nil {
		if err := f.ledger.Close(); err != nil {
			s.opts.Log.Warn("close the ledger", "dir", f.dir, "err", err)
		}
	}
	if err := f.mem.Close(); err != nil {
		s.opts.Log.Warn("close memories", "dir", f.dir, "err", err)
	}
}

// remove forgets dir, and closes its memories unless another folder has the
// same root.
func (fs *folders) remove(dir string) {
	fs.mu.Lock()
	f, ok := fs.byDir[dir]
	delete(fs.byDir, dir)
	if !ok || f.unsub == nil { // unknown, still opening, or never the owner of its root
		fs.mu.Unlock()
		return
	}
	fs.roots = fs.roots.Without(f.root)
	again := fs.sharing(f.root)
	fs.mu.Unlock()
	f.unsub()
	f.stop()
	fs.server.closeMemories(f)
	if again != "" {
		fs.reopen(again)
	}
	fs.server.markStale()
}

// sharing returns a remaining folder with the root. mu is held.
func (fs *folders) sharing(root string) string {
	for dir, f := range fs.byDir {
		if f.opened() && f.mem != nil && f.root == root {
			return dir
		}
	}
	return ""
}

// reopen opens a folder that had left its root to another one.
func (fs *folders) reopen(dir string) {
	fs.mu.Lock()
	ours := fs.byDir[dir] != nil && fs.byDir[dir].ours
	delete(fs.byDir, dir)
	fs.mu.Unlock()
	fs.add(dir, ours)
}

// owner returns the folder that path belongs to, by the nearest root, and path
// relative to that root. It waits for folders that are opening.
func (fs *folders) owner(ctx context.Context, path string) (f *folder, rel string, ok bool) {
	if path == "" || fs.wait(ctx) != nil {
		return nil, "", false
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.roots.Owner(path)
}

// all returns the open folders, ordered by root. It waits like owner.
func (fs *folders) all(ctx context.Context) []*folder {
	if fs.wait(ctx) != nil {
		return nil
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return fs.roots.All()
}

// list returns all folders, also those that could not be opened, by name.
func (fs *folders) list(ctx context.Context) []*folder {
	if fs.wait(ctx) != nil {
		return nil
	}
	fs.mu.Lock()
	defer fs.mu.Unlock()
	all := slices.Collect(maps.Values(fs.byDir))
	slices.SortFunc(all, func(a, b *folder) int { return strings.Compare(a.dir, b.dir) })
	return slices.DeleteFunc(all, func(f *folder) bool { return !f.opened() })
}

// opened reports whether opening has ended, well or not.
func (f *folder) opened() bool {
	select {
	case <-f.ready:
		return true
	default:
		return false
	}
}

// wait waits until no folder is opening.
func (fs *folders) wait(ctx context.Context) error {
	fs.mu.Lock()
	pending := make([]chan struct{}, 0, len(fs.byDir))
	for _, f := range fs.byDir {
		pending = append(pending, f.ready)
	}
	fs.mu.Unlock()
	for _, ready := range pending {
		select {
		case <-ready:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// nested opens the memories of a root that lies between path and the folder
// that the client named, or above path where the client named no folder: a
// monorepo's parts have their own.
func (fs *folders) nested(path string) {
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

func (fs *folders) known(dir string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	_, ok := fs.byDir[dir]
	return ok
}

// named reports whether a folder that the client named holds root.
func (fs *folders) named(root string) bool {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	for _, f := range fs.byDir {
		if _, inside := convert.RelFrom(f.dir, root); inside && !f.ours {
			return true
		}
	}
	return false
}

// unsubscribe ends what would start new work.
func (fs *folders) unsubscribe() {
	fs.mu.Lock()
	fs.shut = true
	all := fs.roots.All()
	fs.mu.Unlock()
	for _, f := range all {
		f.unsub()
		f.stop()
	}
}

// close closes all memories, after everything that uses them has ended.
func (fs *folders) close() {
	fs.mu.Lock()
	all := fs.roots.All()
	fs.roots = session.Roots[*folder]{}
	fs.mu.Unlock()
	for _, f := range all {
		fs.server.closeMemories(f)
	}
}
