// Package backend implements what a hook needs from the workspace: the read-only
// databases, the session's files and the leader, subject to the switches in the
// settings. It receives anything that is expensive to link or to open as a function.
// It must not know models, or how a workspace is opened for writing.
package backend

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"manicule/hooks"
	"manicule/hooks/digest"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/learn"
	"manicule/hooks/nudge"
	"manicule/hooks/phase"
	"manicule/indexer/graph"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/config"
	"manicule/memory/core"
	"manicule/memory/fastpath"
	"manicule/memory/file"
	"manicule/memory/ledger"
	"manicule/memory/search"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Backend answers one event, and is closed then where the process goes on. It caches what it finds out, because finding a workspace and
// reading its settings takes as long as a query of its database.
type Backend struct {
	Getenv   func(string) string
	Now      func() time.Time
	Discover func(dir string) (*workspace.Workspace, error)
	Settings func(*workspace.Workspace) (*config.Config, []config.Warning)
	// Open opens the memories for writing.
	Open func(dir string) (*memory.Workspace, *config.Config, error)
	// HandOver passes an event to another program, as in [hooks.Options]; nil if Open
	// suffices.
	HandOver func(ctx context.Context, input []byte) (answer []byte, err error)
	// Ask queries the leader that listens on a socket.
	Ask func(ctx context.Context, socket string, q search.Question) (search.Answer, error)

	mu     sync.Mutex
	places map[string]place                 // guarded by mu; by folder
	states map[string]*store.ObserverReader // guarded by mu; open ones, by state folder and path in the repository
}

// Answer connects the options to the backend.
func (b *Backend) Answer(o *hooks.Options) {
	o.OpenReadOnly, o.StateDir, o.Indexed = b.openQuick, b.stateDir, b.indexed
	o.Remember, o.Forget, o.Learn, o.Drafts, o.EarlierDrafts, o.Shown = b.remember, b.forget, b.learn, b.drafts, b.earlierDrafts, b.shown
	o.Search, o.Failures, o.Reminders, o.FrequentFailures, o.Overrun = b.search, b.failures, b.reminders, b.recurring, b.overrun
	o.Unfinished, o.Checkout, o.BranchFiles = b.unfinished, b.checkout, b.branchFiles
	o.Author = b.author
	o.Wake, o.Build, o.Work, o.Identity = b.wake, b.build, b.work, b.identity
	o.Commits, o.Branch, o.LastBranch, o.RecordStart, o.Core = b.news, b.branch, b.lastBranch, b.advance, b.core
	o.Waiting = b.waiting
	if b.HandOver != nil {
		o.HandOver = b.handOver
	}
}

// place is a workspace with its settings.
type place struct {
	place  *workspace.Workspace
	config *config.Config
	err    error
}

// at returns the workspace of a folder with its settings, or [hooks.ErrNoWorkspace] if
// nobody has set one up.
func (b *Backend) at(dir string) (*workspace.Workspace, *config.Config, error) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if p, ok := b.places[dir]; ok {
		return p.place, p.config, p.err
	}
	var p place
	p.place, p.err = b.Discover(dir)
	switch {
	case p.err != nil:
	case !p.place.IsSetUp():
		p.err = hooks.ErrNoWorkspace
	default:
		p.config, _ = b.Settings(p.place) // doctor shows the warnings
	}
	if b.places == nil {
		b.places = map[string]place{}
	}
	b.places[dir] = p
	return p.place, p.config, p.err
}

// Personal returns the settings that apply to a person in all folders. A repository can't
// set them.
func (b *Backend) Personal() hooks.Settings {
	p, c, err := b.at(".")
	if err != nil {
		c = config.Defaults()
		if p != nil {
			c, _ = config.Load(config.Files{User: p.UserConfigFile(), Local: p.LocalConfigFile()}, b.Getenv) // doctor shows the warnings
		}
	}
	return hooks.Settings{TrustLevel: c.Int("hooks.trust_level"), Flush: c.Bool("hooks.flush"), Arms: c.Bool("hooks.arms"), HoldOut: c.Bool("hooks.hold_out"),
		Methodology: phase.Handing(phase.Named(c.String("hooks.methodology")), c.String("work.hand_on"), c.String("work.hand_to_review"))}
}

func (b *Backend) openQuick(ctx context.Context, dir string) (hooks.Memories, error) {
	p, c, err := b.at(dir)
	if err != nil {
		return nil, err
	}
	m, err := fastpath.At(ctx, p, b.Now)
	if err != nil {
		return nil, err
	}
	m.SetWork(b.Getenv(work.Env), c.String("hooks.methodology"))
	m.Without(c.LayersOff())
	return switched{m, c.Bool("hooks.nudge"), c.Bool("hooks.brief")}, nil
}

func (b *Backend) remember(ctx context.Context, dir string, d memory.Draft) (memory.Result, error) {
	w, _, err := b.open(dir)
	if err != nil {
		return memory.Result{}, err
	}
	if d.Agent {
		d.Tainted, _ = learn.Suspect(ctx, w.Place(), d.Session, b.Now()) // true if it is unknown
	}
	r, err := w.Remember(ctx, d)
	return r, errors.Join(err, w.Close())
}

func (b *Backend) learn(ctx context.Context, dir, session string) error {
	w, c, err := b.open(dir)
	if err != nil {
		return err
	}
	o := learn.Options{Workspace: w, Home: b.Getenv("HOME"), Methodology: c.String("hooks.methodology"), Slowness: hooks.Slowness(b.Getenv)}
	switch {
	case !c.Bool("observer.enabled"):
	case session == "":
		_, err = learn.Pending(ctx, o, 0)
	default:
		_, err = learn.Session(ctx, o, session)
	}
	if err == nil {
		err = learn.SettleBranches(ctx, w)
	}
	return errors.Join(err, w.Close())
}

// waiting reports whether an earlier session waits to be learned from.
func (b *Backend) waiting(ctx context.Context, dir string) (waits bool, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		waits, err = learn.Waiting(ctx, p, b.Now(), o)
		return err
	}, "observer.enabled")
	return waits, err
}

// observed calls f with the state database of a folder's workspace, unless one of the
// settings is off.
func (b *Backend) observed(ctx context.Context, dir string, f func(*store.ObserverReader, *workspace.Workspace) error, settings ...string) (err error) {
	p, c, err := b.at(dir)
	if err != nil || slices.ContainsFunc(settings, func(key string) bool { return !c.Bool(key) }) {
		return err
	}
	o, err := b.state(ctx, p)
	if err != nil {
		return err
	}
	return f(o, p)
}

// state opens the state database of a workspace, once for all parts of an answer.
func (b *Backend) state(ctx context.Context, p *workspace.Workspace) (*store.ObserverReader, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := p.StateDir() + "\x00" + p.GitPrefix()
	if o, ok := b.states[key]; ok {
		return o, nil
	}
	o, err := store.OpenObserverReader(ctx, p.StateDir(), p.GitPrefix())
	if err != nil {
		return nil, err
	}
	if b.states == nil {
		b.states = map[string]*store.ObserverReader{}
	}
	b.states[key] = o
	return o, nil
}

// closeStates closes the state databases, before this process or another writes to them. The
// end of the process closes them otherwise.
func (b *Backend) closeStates() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	var errs []error
	for _, o := range b.states {
		errs = append(errs, o.Close())
	}
	b.states = nil
	return errors.Join(errs...)
}

// Close closes what answering an event opened.
func (b *Backend) Close() error { return b.closeStates() }

// open opens the memories of a folder for writing.
func (b *Backend) open(dir string) (*memory.Workspace, *config.Config, error) {
	if err := b.closeStates(); err != nil {
		return nil, nil, err
	}
	return b.Open(dir)
}

// handOver passes an event to another program.
func (b *Backend) handOver(ctx context.Context, input []byte) ([]byte, error) {
	if err := b.closeStates(); err != nil {
		return nil, err
	}
	return b.HandOver(ctx, input)
}

// search finds memories for a hook. It asks the leader of the worktree, whose model is
// warm. If the leader does not answer in time, it searches by words.
func (b *Backend) search(ctx context.Context, dir string, q hooks.Query) (hits []memory.Hit, err error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.search") {
		return nil, err
	}
	m, err := fastpath.At(ctx, p, b.Now)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	m.SetWork(b.Getenv(work.Env), c.String("hooks.methodology"))
	m.For(q.Agent, q.Session)
	m.Without(c.LayersOff())
	if q.Skip != nil {
		m.Skip(q.Skip(p.Root))
	}
	counts := m.Counts()
	if q.Relevant != nil {
		m.About(func(m *file.Memory) bool { return q.Relevant(m, counts) })
	}
	asked, cancel := context.WithTimeout(ctx, q.Timeout)
	answer, err := b.Ask(asked, p.Socket(), search.Question{Text: q.Text, Phase: q.Phase, Limit: q.Limit})
	cancel()
	if err != nil {
		hits, err = m.Search(ctx, q.Text, q.Phase, q.Limit, b.Now)
	} else {
		ids := make([]string, len(answer.Results))
		for i, r := range answer.Results {
			ids[i] = r.ID
		}
		hits, err = m.Get(ctx, ids)
	}
	if err != nil || q.Relevant == nil {
		return hits, err
	}
	// A file may say something else than the index.
	return slices.DeleteFunc(hits, func(h memory.Hit) bool { return h.Memory == nil || !q.Relevant(h.Memory, counts) }), nil
}

// failures finds earlier failures of a call: of a command, or of reading a missing file.
func (b *Backend) failures(ctx context.Context, dir string, c event.Call) (out []hooks.Warning, err error) {
	p, conf, err := b.at(dir)
	if err != nil || !conf.Bool("observer.enabled") || !conf.Bool("hooks.failures") {
		return nil, err
	}
	var paths []string
	switch c.Class {
	case event.Shell:
		if c.Command == "" {
			return nil, nil
		}
	case event.Read:
		for _, t := range c.Targets {
			abs := t.Path
			if !filepath.IsAbs(abs) {
				abs = filepath.Join(dir, abs)
			}
			if _, err := os.Lstat(abs); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if rel, ok := p.Rel(abs); ok {
				paths = append(paths, rel)
			}
		}
		if len(paths) == 0 {
			return nil, nil
		}
	default:
		return nil, nil
	}
	if !store.MayHaveFailed(p.StateDir(), p.GitPrefix(), string(c.Class), learn.Subjects(c.Class, c.Command, paths)) {
		return nil, nil
	}
	o, err := b.state(ctx, p)
	if err != nil {
		return nil, err
	}
	offers, err := learn.Offers(ctx, o, c.Class, c.Command, paths)
	return warnings(offers), err
}

// reminders finds what became, in earlier sessions, of the error that a call has just met.
func (b *Backend) reminders(ctx context.Context, dir string, c eventlog.Call) ([]hooks.Warning, error) {
	tool, subject, ok := learn.ErrorSubject(c)
	if !ok {
		return nil, nil
	}
	p, conf, err := b.at(dir)
	if err != nil || !conf.Bool("observer.enabled") || !conf.Bool("hooks.failures") ||
		!store.MayHaveFailed(p.StateDir(), p.GitPrefix(), tool, []string{subject}) {
		return nil, err
	}
	o, err := b.state(ctx, p)
	if err != nil {
		return nil, err
	}
	offers, err := learn.Reminders(ctx, o, c)
	return warnings(offers), err
}

// recurring finds the failures that sessions here meet frequently.
func (b *Backend) recurring(ctx context.Context, dir string) (out []hooks.Warning, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) error {
		offers, err := learn.StartOffers(ctx, o, b.Now())
		out = warnings(offers)
		return err
	}, "observer.enabled", "hooks.failures")
	return out, err
}

func warnings(offers []learn.Offer) (out []hooks.Warning) {
	for _, f := range offers {
		out = append(out, hooks.Warning{ID: f.ID, Text: f.Text, Covers: f.Covers, Plain: f.Plain()})
	}
	return out
}

// overrun compares a request with the usual number of calls here.
func (b *Backend) overrun(ctx context.Context, dir string, request []eventlog.Record) (over nudge.LongRequest, ok bool, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, p *workspace.Workspace) (err error) {
		over, ok, err = learn.OverrunOf(ctx, o, p.Root, request)
		return err
	}, "observer.enabled", "hooks.steps")
	return over, ok, err
}

// shown records the memories that an agent was shown.
func (b *Backend) shown(ctx context.Context, dir string, s ledger.Showing) error {
	p, _, err := b.at(dir)
	if err != nil {
		return err
	}
	return ledger.NewRecorder(p.StateDir(), p.GitPrefix(), b.Now).Shown(ctx, s)
}

// drafts returns the pending drafts of a session.
func (b *Backend) drafts(ctx context.Context, dir, session string) (out []*file.Memory, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) (err error) {
		out, err = o.DraftsOf(ctx, session)
		return err
	}, "hooks.nudge")
	return out, err
}

// earlierDrafts returns the pending drafts that agents wrote in other sessions.
func (b *Backend) earlierDrafts(ctx context.Context, dir, session string) (out []*file.Memory, err error) {
	err = b.observed(ctx, dir, func(o *store.ObserverReader, _ *workspace.Workspace) (err error) {
		out, err = o.DraftsBeside(ctx, session)
		return err
	}, "hooks.brief")
	return out, err
}

// news returns the commits of people since the last session; none if briefs are off.
func (b *Backend) news(ctx context.Context, dir string) (digest.Changes, error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return digest.Changes{}, err
	}
	return digest.Since(ctx, p, b.Getenv, b.Now())
}

// core reads the core document of an agent, or that of all; none if briefs are off.
func (b *Backend) core(dir, agent string) (core.Document, error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return core.Document{}, err
	}
	return core.ReadForAgents(p, agent)
}

// branch finds the memories of the checked-out branch; none if briefs are off.
func (b *Backend) branch(ctx context.Context, dir string) (branch.Memories, error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return branch.Memories{}, err
	}
	return branch.Of(ctx, p, b.Getenv)
}

// lastBranch returns what was found last of the checked-out branch.
func (b *Backend) lastBranch(ctx context.Context, dir string) (branch.Memories, error) {
	p, c, err := b.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return branch.Memories{}, err
	}
	return branch.Last(ctx, p, b.Getenv)
}

// advance records the commit at which a session begins.
func (b *Backend) advance(dir string) error {
	p, _, err := b.at(dir)
	if err != nil {
		return err
	}
	return digest.Advance(p, b.Now())
}

// indexed is also true if the person wants no index, or no message about it.
func (b *Backend) indexed(dir string) bool {
	p, c, err := b.at(dir)
	return err != nil || !c.Bool("hooks.brief") || !c.Bool("index.enabled") || graph.Exists(p.CacheDir())
}

// forget forgets the memory of an unambiguous id.
func (b *Backend) forget(ctx context.Context, dir, id string) (what string, err error) {
	w, _, err := b.open(dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	if _, err := w.Refresh(ctx); err != nil {
		return "", err
	}
	hit, err := w.Get(ctx, id)
	if err != nil {
		return "", err
	}
	return hit.Memory.What, w.Forgotten().Forget(ctx, hit.Memory.UUID)
}

// stateDir returns the state folder of a folder's workspace.
func (b *Backend) stateDir(dir string) (string, error) {
	p, _, err := b.at(dir)
	if err != nil {
		return "", err
	}
	return p.StateDir(), nil
}

// switched is a workspace whose owner may have disabled nudges or briefs.
type switched struct {
	*fastpath.Memories
	nudge, brief bool
}

// ForPath returns nothing if nudges are disabled.
func (s switched) ForPath(ctx context.Context, q memory.PathQuery) ([]memory.Hit, error) {
	if !s.nudge {
		return nil, nil
	}
	return s.Memories.ForPath(ctx, q)
}

// Brief returns nothing if briefs are disabled.
func (s switched) Brief(ctx context.Context) ([]memory.Hit, int, error) {
	if !s.brief {
		return nil, 0, nil
	}
	return s.Memories.Brief(ctx)
}
