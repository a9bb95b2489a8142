package threads

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/gate/junk"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// List is the list of a workspace's threads. It is safe for concurrent use by goroutines and processes.
type List struct {
	place   *workspace.Workspace
	rows    rows
	maker   maker
	secrets secrets
	wrote   func(*file.Memory) // is told of each file that was written
	now     func() time.Time
	getenv  func(string) string
	log     *slog.Logger
}

// rows are the threads of this machine. [store.Threads] keeps them.
type rows interface {
	Find(ctx context.Context, id string) ([]thread.Thread, error)
	All(ctx context.Context) ([]thread.Thread, error)
	Open(ctx context.Context) ([]thread.Thread, error)
	Observed(ctx context.Context, session string) ([]thread.Thread, error)
	PassedOver(ctx context.Context, beside string) (map[string]int, error)
	Put(ctx context.Context, t thread.Thread) (now thread.Thread, same bool, err error)
	Set(ctx context.Context, t thread.Thread) (thread.Thread, error)
}

// maker makes what a thread says, and checks it like a memory. [memory.Maker] does.
type maker interface {
	NewMemory(ctx context.Context, d memory.Draft) (*file.Memory, error)
	CheckDraft(ctx context.Context, m *file.Memory, tolerated ...gate.Code) error
	Successor(old *file.Memory, kind, note string) (*file.Memory, error)
	Author() string
}

// secrets finds a secret in a text, and says of which kind it is.
type secrets interface {
	Scan(text string) (kind string, err error)
}

// Of returns the threads of a workspace.
func Of(w *memory.Workspace) *List {
	return &List{place: w.Place(), rows: w.State().Threads(), maker: w.Maker(), secrets: w.Gate(), wrote: w.Stopped().WroteThread, now: w.Now, getenv: w.Getenv, log: w.Log()}
}

// Draft is a thread as its writer states it.
type Draft struct {
	Kind    thread.Kind // thread.Open when empty
	Text    string
	Why     string
	At      string // a place, as in [memory.Draft]
	Under   string // the thread that it is a part of
	Work    string // the unit of work, as in [memory.Draft]
	Owner   string
	Tags    []string
	Tool    string
	Agent   bool // an agent writes
	Session string
	Tainted bool // the agent read text from outside
	Share   bool // with the team, as a file that git carries
}

// Result is the result of writing a thread. A refused one is no error.
type Result struct {
	Thread   thread.Thread
	Accepted bool
	Same     bool // one that waits says the same: Thread is that one
	Code     string
	Reason   string
}

// Add stores a thread for the next sessions on this machine. Its text passes the same checks
// as an agent's draft, whoever writes it.
func (l *List) Add(ctx context.Context, d Draft) (Result, error) {
	if !l.place.IsSetUp() {
		return Result{}, &memory.UserError{Msg: "there are no memories in " + l.place.Root + ", so no session would be told", Hint: "Run `manicule init` first."}
	}
	if d.Kind == "" {
		d.Kind = thread.Open
	}
	if !slices.Contains(thread.Kinds(), d.Kind) {
		return Result{}, &memory.UserError{Msg: fmt.Sprintf("unknown kind of thread %q", d.Kind), Hint: "Use thread, next_step, decision or context."}
	}
	t, err := l.build(ctx, d)
	if err != nil {
		return refused(err)
	}
	if d.Share {
		return l.shareNew(t)
	}
	return l.put(ctx, t)
}

// build builds a thread of the checked-out branch and passes it through the gate.
func (l *List) build(ctx context.Context, d Draft) (t thread.Thread, err error) {
	m, err := l.maker.NewMemory(ctx, text(d))
	if err != nil {
		return t, err
	}
	if err := l.check(ctx, m, false); err != nil {
		return t, err
	}
	owner, err := l.cleanName(d.Owner)
	if err != nil {
		return t, err
	}
	m.Provenance.Branch, m.Owner = "", nil // a thread has its own branch, and is no memory of a mission
	if d.Under != "" {
		if m.Provenance.Work, err = l.under(ctx, d.Under, m.Provenance.Work); err != nil {
			return t, err
		}
	}
	t = thread.Thread{Memory: m, Kind: d.Kind, State: thread.StateOpen, Owner: owner, Branch: gitinfo.Branch(l.place.GitDir), Session: d.Session}
	if d.Agent {
		t.Agent = d.Tool
	}
	return t, nil
}

// under makes a thread a part of another one, within its own unit of work.
func (l *List) under(ctx context.Context, id string, in *file.WorkRef) (*file.WorkRef, error) {
	parent, err := l.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &file.WorkRef{Kind: work.Thread, ID: parent.Memory.UUID}
	if around := parent.Memory.Work(); around != nil {
		in = around
	}
	if in != nil {
		r.Within = append([]string{in.Key()}, in.Within...)
	}
	return r, nil
}

// Parts lists the open threads below one.
func (l *List) Parts(ctx context.Context, t *thread.Thread) ([]thread.Thread, error) {
	list, err := l.Open(ctx)
	return slices.DeleteFunc(list, func(x thread.Thread) bool { return !x.Below(t.Memory.UUID) }), err
}

// put stores a new thread.
func (l *List) put(ctx context.Context, t thread.Thread) (Result, error) {
	now, same, err := l.rows.Put(ctx, t)
	if errors.Is(err, store.ErrTooManyThreads) {
		return Result{Code: "too_many", Reason: err.Error() + ": close some first, `manicule thread list` shows them"}, nil
	}
	return Result{Thread: now, Accepted: err == nil, Same: same}, err
}

func text(d Draft) memory.Draft {
	out := memory.Draft{Type: file.WorkState, What: d.Text, Why: d.Why, Tags: d.Tags, Personal: true, Work: d.Work, Tool: d.Tool, Agent: d.Agent, Session: d.Session, Tainted: d.Tainted}
	if d.Kind == thread.Decision {
		out.Type = file.Decision
	}
	if d.At != "" {
		out.At = []string{d.At}
	}
	return out
}

// check runs the checks of a draft on a thread, which may say how far the work is, and may ask: a memory may not. The
// form of a text that is there is not judged again: whatever was left can be settled.
func (l *List) check(ctx context.Context, m *file.Memory, there bool) error {
	tolerated := []gate.Code{gate.Code(junk.Session)}
	switch {
	case there:
		for _, k := range junk.Kinds() {
			tolerated = append(tolerated, gate.Code(k))
		}
	case asks(m.What):
		tolerated = append(tolerated, gate.Code(junk.Fragment))
	}
	return l.maker.CheckDraft(ctx, m, tolerated...)
}

// fewestAsked is how many words a question has that can be understood by itself.
const fewestAsked = 3

// asks reports whether a text is a question that somebody else could answer.
func asks(text string) bool {
	return strings.ContainsAny(text, "?？") && len(strings.Fields(text)) >= fewestAsked
}

// refused turns a refusal into a result. Other errors stay errors.
func refused(err error) (Result, error) {
	if u, ok := errors.AsType[*memory.UserError](err); ok { // a thread has no scope instead
		switch {
		case errors.Is(err, memory.ErrNoFile):
			err = &memory.UserError{Msg: u.Msg, Err: u.Err, Hint: "Name a file that exists, or leave --at out."}
		case strings.Contains(u.Hint, "scope"):
			err = &memory.UserError{Msg: u.Msg, Err: u.Err, Hint: "Name another file, or leave --at out and name it in the text."}
		}
	}
	r, err := memory.Refusal(err)
	return Result{Code: r.Code, Reason: r.Reason}, err
}

// maxOwner is the length of an owner's name.
const maxOwner = 60

// cleanName checks the name of a thread's owner.
func (l *List) cleanName(name string) (string, error) {
	name = gate.Clean(name)
	if len(name) > maxOwner {
		return "", &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("the owner has more than %d characters", maxOwner), Hint: "Give a name or a role."}
	}
	kind, err := l.secrets.Scan(name)
	if err == nil && kind != "" {
		err = &gate.Rejection{Code: gate.Secret, Reason: "the owner looks like a secret: " + kind, Hint: "Give a name or a role."}
	}
	return name, err
}

// Change is the next version of a thread. Empty members stay as they are.
type Change struct {
	State thread.State
	// Resolution is how it was settled, or why it was parked or reopened. Every change of the
	// state replaces it.
	Resolution string
	Text, Why  string
	Owner      string
	Tags       []string // all of them, if any is given
	Tainted    bool     // an agent that read text from outside writes
	ByPerson   bool     // a person writes, whose words no agent changes then
	// Allowed decides whether the caller may change the thread; nil lets every caller.
	Allowed func(thread.Thread) error
}

// Change stores the next version of a thread. The versions before it are kept.
func (l *List) Change(ctx context.Context, id string, c Change) (Result, error) {
	t, err := l.Get(ctx, id)
	if err != nil {
		return Result{}, err
	}
	if c.Allowed != nil {
		if err := c.Allowed(t); err != nil {
			return Result{}, err
		}
	}
	if c.Tainted && t.Agent == "" {
		return Result{}, &memory.UserError{Msg: "thread " + t.Memory.ShortID() + " is a person's, and this session has read text from outside", Hint: "Leave it as it is, and say what you would change."}
	}
	owner, err := l.cleanName(c.Owner)
	if err != nil {
		return refused(err)
	}
	m := t.Memory.Clone()
	if c.Text != "" {
		m.What = c.Text
	}
	if c.Why != "" {
		m.Why = c.Why
	}
	if owner != "" {
		t.Owner = owner
	}
	if len(c.Tags) > 0 {
		m.Tags = slices.Clone(c.Tags)
	}
	if c.ByPerson && c.Text+c.Why != "" {
		vouch(&t, m, l.maker.Author())
	}
	m.Trust.Tainted = m.Trust.Tainted || c.Tainted && c.Text+c.Why+c.Owner+c.Resolution+strings.Join(c.Tags, "") != ""
	m.UpdatedAt = file.At(l.now())
	there := c.Text == "" || c.Text == t.Memory.What
	if err := l.check(ctx, m, there); err != nil {
		return refused(err)
	}
	if c.State != "" {
		said := &file.Memory{Format: m.Format, UUID: m.UUID, Type: m.Type, Layer: m.Layer, What: m.What, Why: c.Resolution, Visibility: m.Visibility,
			Importance: m.Importance, Trust: m.Trust, Lineage: m.Lineage, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
		if err := l.check(ctx, said, there); err != nil {
			return refused(err)
		}
		t.State, t.Resolution = c.State, said.Why
	}
	t.Memory = m
	if t.Shared {
		return l.changeShared(ctx, t)
	}
	now, err := l.rows.Set(ctx, t)
	if errors.Is(err, store.ErrThreadChanged) {
		return Result{Thread: t, Code: "conflict", Reason: fmt.Sprintf("thread %s was changed meanwhile. Look at it again", m.ShortID())}, nil
	}
	return Result{Thread: now, Accepted: err == nil}, err
}

// vouch makes the words of a thread those of a person. That a check fails is still settled when it passes.
func vouch(t *thread.Thread, m *file.Memory, person string) {
	if t.Observed() {
		m.Trust.Origin = file.UserTaught
		if !t.AboutCheck() {
			m.Source = ""
		}
	}
	t.Agent, m.Contributor = "", person
}

// Get returns the thread that id is short for.
func (l *List) Get(ctx context.Context, id string) (thread.Thread, error) {
	id = file.TypedID(id)
	if err := memory.CheckID(id); err != nil {
		return thread.Thread{}, err
	}
	list, err := l.withID(ctx, id)
	switch {
	case err != nil:
		return thread.Thread{}, err
	case len(list) == 0:
		return thread.Thread{}, &memory.UserError{Msg: fmt.Sprintf("no thread has the id %q", id), Err: memory.ErrNotFound, Hint: "`manicule thread list --all` lists them."}
	case len(list) > 1:
		var all []*file.Memory
		for _, t := range list {
			m := t.Memory
			if m.Trust.Tainted { // the error may reach an agent
				m = m.Clone()
				m.What = "may come from outside"
			}
			all = append(all, m)
		}
		return thread.Thread{}, memory.Ambiguous("threads", id, all)
	}
	return list[0], nil
}

// All lists all threads, the latest change first: those of this machine and those that files share.
func (l *List) All(ctx context.Context) ([]thread.Thread, error) {
	list, err := l.rows.All(ctx)
	return thread.WithShared(list, l.shared()), err
}

// Open lists the open threads, the latest change first.
func (l *List) Open(ctx context.Context) ([]thread.Thread, error) { return l.open(ctx, l.shared()) }

func (l *List) open(ctx context.Context, shared []thread.Thread) ([]thread.Thread, error) {
	list, err := l.rows.Open(ctx)
	list = thread.WithShared(list, shared)
	return slices.DeleteFunc(list, func(t thread.Thread) bool { return t.State != thread.StateOpen }), err
}

// From describes a session that starts in a folder of the workspace.
func (l *List) From(dir string) thread.From { return l.from(dir, "") }

func (l *List) from(dir, agent string) thread.From {
	return thread.FromPlace(l.place, l.getenv, dir, l.maker.Author(), agent)
}

// Wake returns what a session that starts in a folder is told about earlier ones. session is its
// id, agent what runs it; each is "" if it is unknown.
func (l *List) Wake(ctx context.Context, dir, session, agent string) (out thread.Bundle, err error) {
	o, err := store.OpenPatientReader(ctx, l.place.StateDir(), l.place.GitPrefix())
	if err != nil {
		return out, err
	}
	out, err = o.Wake(ctx, func() thread.From { return l.from(dir, agent) }, session, l.shared(), true)
	return out, errors.Join(err, o.Close())
}
