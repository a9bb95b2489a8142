package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

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
	"manicule/memory/file"
	"manicule/memory/leader"
	"manicule/memory/ledger"
	"manicule/memory/quick"
	"manicule/memory/search"
	"manicule/memory/store"
)

// hookRun is what one hook's process has found out: to look for a workspace and
// read its settings takes as long as to ask its database.
type hookRun struct {
	app *app
	env workspace.Env

	mu     sync.Mutex
	places map[string]hookPlace // by folder
}

type hookPlace struct {
	place  *workspace.Workspace
	config *config.Config
	err    error
}

// at is the workspace of a folder, with its settings; [hooks.ErrNoWorkspace]
// where nobody has set one up.
func (h *hookRun) at(dir string) (*workspace.Workspace, *config.Config, error) {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if p, ok := h.places[dir]; ok {
		return p.place, p.config, p.err
	}
	var p hookPlace
	p.place, p.err = workspace.Discover(dir, h.env)
	switch {
	case p.err != nil:
	case !hasMemories(p.place):
		p.err = hooks.ErrNoWorkspace
	default:
		p.config, _ = config.Load(p.place.ConfigFile(), p.place.UserConfigFile(), h.app.getenv) // doctor shows the warnings
	}
	if h.places == nil {
		h.places = map[string]hookPlace{}
	}
	h.places[dir] = p
	return p.place, p.config, p.err
}

// personal are the settings that hold for a person, whatever the folder is: a
// repository can't set them.
func (h *hookRun) personal() (level int, flush bool, work phase.Methodology) {
	p, c, err := h.at(".")
	if err != nil {
		c = config.Defaults()
		if p != nil {
			c, _ = config.Load("", p.UserConfigFile(), h.app.getenv) // doctor shows the warnings
		}
	}
	return c.Int("hooks.trust_level"), c.Bool("hooks.flush"), phase.Named(c.String("hooks.methodology"))
}

func (h *hookRun) open(ctx context.Context, dir string) (hooks.Memories, error) {
	p, c, err := h.at(dir)
	if err != nil {
		return nil, err
	}
	m, err := quick.At(ctx, p)
	if err != nil {
		return nil, err
	}
	return switched{m, c.Bool("hooks.nudge"), c.Bool("hooks.brief")}, nil
}

// workspace opens the memories for writing.
func (h *hookRun) workspace(dir string) (*memory.Workspace, *config.Config, error) {
	w, err := memory.Open(memory.Options{Dir: dir, Env: h.env, Now: h.app.now, Random: h.app.random})
	if err != nil {
		return nil, nil, err
	}
	c, _ := config.Load(w.Place().ConfigFile(), w.Place().UserConfigFile(), h.app.getenv) // doctor shows the warnings
	w.SetDefaults(c.String("user.name"), visibility(c))
	return w, c, nil
}

func (h *hookRun) remember(ctx context.Context, dir string, d memory.Draft) (memory.Result, error) {
	w, _, err := h.workspace(dir)
	if err != nil {
		return memory.Result{}, err
	}
	if d.Agent {
		d.Tainted, _ = learn.Suspect(w.Place(), d.Session, h.app.now()) // true where nobody can tell
	}
	r, err := w.Remember(ctx, d)
	return r, errors.Join(err, w.Close())
}

func (h *hookRun) learn(ctx context.Context, dir, session string) error {
	w, c, err := h.workspace(dir)
	if err != nil {
		return err
	}
	o := learn.Options{Workspace: w, Home: h.app.getenv("HOME"), Methodology: c.String("hooks.methodology")}
	switch {
	case !c.Bool("observer.enabled"):
	case session == "":
		_, err = learn.Pending(ctx, o, 0)
	default:
		_, err = learn.Session(ctx, o, session)
	}
	return errors.Join(err, w.Close())
}

// search finds memories for a hook: by the leader of the worktree, which has the
// model warm, where there is one that answers in time, else by words.
func (h *hookRun) search(ctx context.Context, dir string, q hooks.Query) (hits []memory.Hit, err error) {
	p, c, err := h.at(dir)
	if err != nil || !c.Bool("hooks.search") {
		return nil, err
	}
	m, err := quick.At(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if q.Skip != nil {
		m.Skip(q.Skip(p.Root))
	}
	var answer search.Answer
	asked, cancel := context.WithTimeout(ctx, q.Timeout)
	err = leader.Ask(asked, p.Socket(), askSearch, search.Question{Text: q.Text, Phase: q.Phase, Limit: q.Limit}, &answer)
	cancel()
	if err != nil {
		return m.Search(ctx, q.Text, q.Phase, q.Limit, h.app.now)
	}
	ids := make([]string, len(answer.Results))
	for i, r := range answer.Results {
		ids[i] = r.ID
	}
	return m.Get(ctx, ids)
}

// failures tells what went wrong in earlier sessions with a call: a command, or
// the read of a file that is not there.
func (h *hookRun) failures(ctx context.Context, dir string, c event.Call) (out []hooks.Warning, err error) {
	p, conf, err := h.at(dir)
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
	o, err := store.OpenObserved(ctx, p.StateDir(), p.Below())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	offers, err := learn.Offers(ctx, o, c.Class, c.Command, paths)
	for _, f := range offers {
		out = append(out, hooks.Warning{ID: f.ID, Text: f.Text})
	}
	return out, err
}

// starting tells what sessions here run into again and again.
func (h *hookRun) starting(ctx context.Context, dir string) (out []hooks.Warning, err error) {
	p, conf, err := h.at(dir)
	if err != nil || !conf.Bool("observer.enabled") || !conf.Bool("hooks.failures") {
		return nil, err
	}
	o, err := store.OpenObserved(ctx, p.StateDir(), p.Below())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	offers, err := learn.StartOffers(ctx, o, h.app.now())
	for _, f := range offers {
		out = append(out, hooks.Warning{ID: f.ID, Text: f.Text})
	}
	return out, err
}

// usual tells how far a request has gone beyond what requests usually take here.
func (h *hookRun) usual(ctx context.Context, dir string, request []eventlog.Record) (over nudge.LongRequest, ok bool, err error) {
	p, c, err := h.at(dir)
	if err != nil || !c.Bool("observer.enabled") || !c.Bool("hooks.steps") {
		return nudge.LongRequest{}, false, err
	}
	o, err := store.OpenObserved(ctx, p.StateDir(), p.Below())
	if err != nil {
		return nudge.LongRequest{}, false, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	return learn.OverrunOf(ctx, o, p.Root, request)
}

// shown writes down which memories an agent was shown.
func (h *hookRun) shown(ctx context.Context, dir string, s ledger.Showing) error {
	p, _, err := h.at(dir)
	if err != nil {
		return err
	}
	return ledger.NewRecorder(p.StateDir(), p.Below(), h.app.now).Shown(ctx, s)
}

// drafts are what waits for a person of a session.
func (h *hookRun) drafts(ctx context.Context, dir, session string) (out []*file.Memory, err error) {
	p, c, err := h.at(dir)
	if err != nil || !c.Bool("hooks.nudge") {
		return nil, err
	}
	o, err := store.OpenObserved(ctx, p.StateDir(), p.Below())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	return o.DraftsOf(ctx, session)
}

// earlierDrafts are what agents wrote in other sessions and waits for a person.
func (h *hookRun) earlierDrafts(ctx context.Context, dir, session string) (out []*file.Memory, err error) {
	p, c, err := h.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return nil, err
	}
	o, err := store.OpenObserved(ctx, p.StateDir(), p.Below())
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	return o.DraftsBeside(ctx, session)
}

// news is what people committed since the last session; none where briefs are off.
func (h *hookRun) news(ctx context.Context, dir string) (digest.Changes, error) {
	p, c, err := h.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return digest.Changes{}, err
	}
	return digest.Since(ctx, p, h.app.now())
}

// branch finds the memories of the branch that is checked out; none where briefs
// are off.
func (h *hookRun) branch(ctx context.Context, dir string) (branch.Memories, error) {
	p, c, err := h.at(dir)
	if err != nil || !c.Bool("hooks.brief") {
		return branch.Memories{}, err
	}
	return branch.Of(ctx, p, h.app.getenv)
}

// began notes where a session begins.
func (h *hookRun) began(dir string) error {
	p, _, err := h.at(dir)
	if err != nil {
		return err
	}
	return digest.Advance(p, h.app.now())
}

// indexed is true too where nobody wants an index, or to hear of it.
func (h *hookRun) indexed(dir string) bool {
	p, c, err := h.at(dir)
	return err != nil || !c.Bool("hooks.brief") || !c.Bool("index.enabled") || graph.Exists(p.CacheDir())
}

// forget forgets the one memory that an id means.
func (h *hookRun) forget(ctx context.Context, dir, id string) (what string, err error) {
	w, _, err := h.workspace(dir)
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
	return hit.Memory.What, w.Forget(ctx, hit.Memory.UUID)
}
