package memory

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/scope"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Options configure a workspace. The zero value of each field but Dir selects the default of the
// running process.
type Options struct {
	Dir    string // any folder of the workspace
	Env    workspace.Env
	Now    func() time.Time
	Random io.Reader // for uuids
	User   string    // author of what is written; from git's configuration when empty
	// Visibility is the default for new memories; project when empty.
	Visibility file.Visibility
	Scopes     *scope.Options
	// Secrets finds secrets in what is written and read. Without it nothing can be written.
	Secrets gate.Secrets
	// MakeAnchor is for who writes memories with places: it needs parsers. Without it no anchor can be made.
	MakeAnchor MakeAnchor
	Log        *slog.Logger
	// Progress, which may be nil, receives how many memory files were read into the database, of
	// how many. The first read takes a while.
	Progress func(done, total int)
}

// Workspace is an open set of memories. It is safe for concurrent use by goroutines and processes.
type Workspace struct {
	place          *workspace.Workspace
	rows           *store.Memories
	state          *store.State
	gate           *gate.Gate
	work           *work.Register
	maker          *Maker
	checks         *checks
	dedupe         *deduper
	drafts         *Drafts
	quarantine     *Quarantine
	history        *History
	merges         *Merges
	observer       *Observer
	edits          *Edits
	forgotten      *Forgotten
	writer         *fileWriter
	mirror         *mirror
	views          *Views
	recaller       *Recaller
	git            *Git
	stopped        *Stopped
	privacy        *privacy
	find           *finder
	files          *refresher
	saver          *saver
	decisions      *Decisions
	core           *Core
	uses           *Uses
	relations      *Relations
	twins          *Twins
	consolidations *Consolidations
	now            func() time.Time
	getenv         func(string) string
	log            *slog.Logger

	wording *wording
}

// Open finds the workspace of a folder and returns its memories. It reads and writes nothing yet.
func Open(o Options) (*Workspace, error) {
	if o.Env.Getenv == nil {
		o.Env = workspace.OSEnv()
	}
	place, err := workspace.Discover(o.Dir, o.Env)
	if err != nil {
		u := &UserError{Msg: err.Error(), Err: err, Hint: "Check that the folder exists and can be read."}
		if e, ok := errors.AsType[*treefile.Error](err); ok {
			u.Hint = e.Hint
		}
		return nil, u
	}
	if err := checkFolder(place); err != nil {
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
	w := &Workspace{place: place, now: o.Now, getenv: o.Env.Getenv, log: o.Log,
		state: store.OpenState(place.StateDir(), place.GitPrefix(), o.Now), gate: gate.New(scopes, o.Secrets)}
	w.work = work.NewRegister(place, w.state.Records(), o.Env.Getenv, o.Log)
	w.wording = &wording{gate: w.gate, releases: w.state.Releases(), log: o.Log}
	w.checks = &checks{gate: w.gate, wording: w.wording}
	w.maker = &Maker{place: place, work: w.work, checks: w.checks, now: o.Now, random: o.Random, getenv: o.Env.Getenv, user: o.User, visibility: o.Visibility, makeAnchor: o.MakeAnchor}
	w.rows = store.OpenMemories(store.Config{CacheDir: place.CacheDir(), Dir: place.MemoriesDir(), Scopes: scopes, Now: o.Now, Progress: o.Progress, Judge: w.wording.judge})
	w.find = &finder{place: place, rows: w.rows, tombstones: w.state.Tombstones(), wording: w.wording}
	w.git = &Git{place: place, author: w.maker.Author, now: o.Now}
	w.views = newViews(place, w.rows, scopes, o.Log)
	w.files = &refresher{place: place, rows: w.rows, views: w.views, wording: w.wording, now: o.Now, log: o.Log, late: newLateSync()}
	w.recaller = &Recaller{place: place, rows: w.rows, scopes: scopes, views: w.views, work: w.work, diversity: DiversityLimit}
	w.dedupe = &deduper{dir: place.MemoriesDir(), rows: w.rows, again: w.state.Usage(), log: o.Log, patience: noteTimeout}
	w.drafts = &Drafts{place: place, rows: w.state.Drafts(), work: w.work, maker: w.maker, checks: w.checks, dedupe: w.dedupe, get: w.find.get, now: o.Now, log: o.Log}
	w.history = &History{place: place, rows: w.rows, state: w.state, git: w.git, get: w.find.any}
	w.quarantine = &Quarantine{dir: place.MemoriesDir(), rows: w.rows, wording: w.wording, get: w.find.any}
	w.observer = &Observer{sessions: w.state.Sessions(), rows: w.rows, maker: w.maker, checks: w.checks, dedupe: w.dedupe, drafts: w.drafts}
	w.mirror = &mirror{place: place, rows: w.rows, state: w.state, git: w.git, log: o.Log}
	w.stopped = &Stopped{dir: stoppedDir(place), place: place, git: w.git, state: w.state, maker: w.maker, wording: w.wording, get: w.find.any, now: o.Now, log: o.Log}
	w.privacy = &privacy{place: place, getenv: o.Env.Getenv}
	w.writer = &fileWriter{place: place, rows: w.rows, state: w.state, gate: w.gate, wording: w.wording, privacy: w.privacy, mirror: w.mirror, stopped: w.stopped, now: o.Now, log: o.Log}
	w.stopped.writer = w.writer // each writes to the other
	w.merges = &Merges{place: place, rows: w.rows, state: w.state, git: w.git, views: w.views, history: w.history, writer: w.writer, get: w.find.any, now: o.Now, log: o.Log}
	w.edits = &Edits{place: place, rows: w.rows, usage: w.state.Usage(), gate: w.gate, maker: w.maker, checks: w.checks, wording: w.wording, history: w.history, writer: w.writer,
		get: w.find.any, sync: w.files.sync, now: o.Now, log: o.Log}
	w.forgotten = &Forgotten{place: place, rows: w.rows, state: w.state, maker: w.maker, wording: w.wording, writer: w.writer, mirror: w.mirror, stopped: w.stopped, get: w.find.any, log: o.Log}
	w.find.quarantine, w.find.history, w.find.drafts = w.quarantine, w.history, w.drafts
	w.uses = &Uses{rows: w.rows, usage: w.state.Usage(), views: w.views, now: o.Now}
	w.files.quarantine, w.files.merges, w.files.mirror, w.files.uses = w.quarantine, w.merges, w.mirror, w.uses
	w.saver = &saver{checks: w.checks, dedupe: w.dedupe, usage: w.state.Usage(), edits: w.edits, wording: w.wording, writer: w.writer, log: o.Log}
	w.core = &Core{place: place, gate: w.gate, maker: w.maker, stopped: w.stopped, now: o.Now}
	w.decisions = &Decisions{place: place, rows: w.state.Drafts(), drafts: w.drafts, maker: w.maker, work: w.work, saver: w.saver, edits: w.edits,
		forgotten: w.forgotten, core: w.core, find: w.find, now: o.Now}
	w.relations = &Relations{rows: w.rows, find: w.find}
	w.twins = &Twins{place: place, rows: w.rows, versions: w.state.Versions(), maker: w.maker, files: w.files, log: o.Log}
	w.consolidations = &Consolidations{place: place, rows: w.state.Consolidations(), gate: w.gate, maker: w.maker, writer: w.writer, find: w.find}
	return w, nil
}

// checkFolder refuses a workspace whose own folder is a file or a link. Writes would otherwise leave the
// repository.
func checkFolder(place *workspace.Workspace) error {
	if err := place.CheckNoLinks(); err != nil {
		u := &UserError{Msg: err.Error(), Err: err, Hint: "Check that it can be read."}
		if e, ok := errors.AsType[*treefile.Error](err); ok {
			u.Hint = e.Hint
		}
		return u
	}
	folder := filepath.Join(place.Root, workspace.Folder)
	if st, err := os.Stat(folder); err == nil && !st.IsDir() {
		return &UserError{Msg: folder + " is a file in place of the memories' folder", Err: errExists, Hint: "Move it away."}
	}
	return nil
}

// Close releases the databases.
func (w *Workspace) Close() error {
	w.files.late.close()
	return w.rows.Close()
}

// Root is the workspace root.
func (w *Workspace) Root() string { return w.place.Root }

// Branch returns the name of the checked-out branch, "" for none.
func (w *Workspace) Branch() string { return gitinfo.Branch(w.place.GitDir) }

// Place is the workspace's identity and folders.
func (w *Workspace) Place() *workspace.Workspace { return w.place }

// State returns this machine's own data about the repository.
func (w *Workspace) State() *store.State { return w.state }

// Store is the database derived from the memory files.
func (w *Workspace) Store() *store.Memories { return w.rows }

// Maker makes memories and their next versions, and checks drafts.
func (w *Workspace) Maker() *Maker { return w.maker }

// Git is the clone that the workspace is in.
func (w *Workspace) Git() *Git { return w.git }

// Drafts are what waits for a person.
func (w *Workspace) Drafts() *Drafts { return w.drafts }

// Dismissals say which memories a person hides in the editor.
func (w *Workspace) Dismissals() store.Dismissals { return w.state.Dismissals() }

// Recaller finds memories by paths and words.
func (w *Workspace) Recaller() *Recaller { return w.recaller }

// Quarantine holds the memories that no agent may be told of.
func (w *Workspace) Quarantine() *Quarantine { return w.quarantine }

// History finds the versions of memories.
func (w *Workspace) History() *History { return w.history }

// Edits are what a person changes about memories that exist.
func (w *Workspace) Edits() *Edits { return w.edits }

// Forgotten keeps the memories that were forgotten.
func (w *Workspace) Forgotten() *Forgotten { return w.forgotten }

// Merges finds what git's merges left to decide.
func (w *Workspace) Merges() *Merges { return w.merges }

// Decisions are what a person decides about drafts and about what merges left.
func (w *Workspace) Decisions() *Decisions { return w.decisions }

// Consolidations merge memories into one.
func (w *Workspace) Consolidations() *Consolidations { return w.consolidations }

// Twins finds memories that are there several times.
func (w *Workspace) Twins() *Twins { return w.twins }

// Relations are those between memories.
func (w *Workspace) Relations() *Relations { return w.relations }

// Uses are how memories were used.
func (w *Workspace) Uses() *Uses { return w.uses }

// Core is the core documents.
func (w *Workspace) Core() *Core { return w.core }

// Observer keeps what sessions of agents showed.
func (w *Workspace) Observer() *Observer { return w.observer }

// Work is the register of units of work.
func (w *Workspace) Work() *work.Register { return w.work }

// Gate is the check that every write passes.
func (w *Workspace) Gate() *gate.Gate { return w.gate }

// View is [Views.Current], which is empty until the first Sync.
func (w *Workspace) View() *View { return w.views.Current() }

// Views keeps the current view, and tells of its changes.
func (w *Workspace) Views() *Views { return w.views }

// Sync reads what changed in the memory folders. It reports whether the view changed; subscribers
// were then notified.
func (w *Workspace) Sync(ctx context.Context) (changed bool, err error) { return w.files.sync(ctx) }

// SyncWithin is Sync for a caller that asks often. Within age of the last look at each file it
// looks only at the folders. These show files that were added, removed or replaced by a rename, but
// not those that an editor wrote in place. If there is a view, and to read what changed takes longer than half a second, it
// returns meanwhile (see [Views.Behind]).
func (w *Workspace) SyncWithin(ctx context.Context, age time.Duration) (changed bool, err error) {
	return w.files.syncWithin(ctx, age)
}

// RefreshWithin is Refresh, unless one ran within age.
func (w *Workspace) RefreshWithin(ctx context.Context, age time.Duration) error {
	return w.files.refreshWithin(ctx, age)
}

// Refresh updates the database from the files without loading a view. Memories that git does not have
// and whose files vanished (`git clean`, `git reset --hard`, `git worktree remove`) become restorable.
func (w *Workspace) Refresh(ctx context.Context) (store.Report, error) {
	return w.files.refresh(ctx, w.rows.Sync)
}

// RefreshIfStale is Refresh for a command that only reads. See [store.Memories.SyncIfStale] for
// what it may miss.
func (w *Workspace) RefreshIfStale(ctx context.Context) error {
	_, err := w.files.refresh(ctx, w.rows.SyncIfStale)
	return err
}

// Now is the workspace's clock.
func (w *Workspace) Now() time.Time { return w.now() }

// Getenv reads the environment that the workspace was found in.
func (w *Workspace) Getenv(key string) string { return w.getenv(key) }

// Log receives what goes wrong and is no caller's matter.
func (w *Workspace) Log() *slog.Logger { return w.log }
