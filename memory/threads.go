package memory

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/gitinfo"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/gate/junk"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// ThreadDraft is a thread as its writer states it.
type ThreadDraft struct {
	Kind    thread.Kind // thread.Open when empty
	Text    string
	Why     string
	At      string // a place, as in [Draft]
	Under   string // the thread that it is a part of
	Work    string // the unit of work, as in [Draft]
	Owner   string
	Tags    []string
	Tool    string
	Agent   bool // an agent writes
	Session string
	Tainted bool // the agent read text from outside
	Share   bool // with the team, as a file that git carries
}

// ThreadResult is the result of writing a thread. A refused one is no error.
type ThreadResult struct {
	Thread   thread.Thread
	Accepted bool
	Same     bool // one that waits says the same: Thread is that one
	Code     string
	Reason   string
}

// AddThread stores a thread for the next sessions on this machine. Its text passes the same checks
// as an agent's draft, whoever writes it.
func (w *Workspace) AddThread(ctx context.Context, d ThreadDraft) (ThreadResult, error) {
	if !w.place.IsSetUp() {
		return ThreadResult{}, &UserError{Msg: "there are no memories in " + w.place.Root + ", so no session would be told", Hint: "Run `manicule init` first."}
	}
	if d.Kind == "" {
		d.Kind = thread.Open
	}
	if !slices.Contains(thread.Kinds(), d.Kind) {
		return ThreadResult{}, &UserError{Msg: fmt.Sprintf("unknown kind of thread %q", d.Kind), Hint: "Use thread, next_step, decision or context."}
	}
	t, err := w.buildThread(ctx, d)
	if err != nil {
		return refusedThread(err)
	}
	if d.Share {
		return w.shareNew(t)
	}
	return w.putThread(ctx, t)
}

// buildThread builds a thread of the checked-out branch and passes it through the gate.
func (w *Workspace) buildThread(ctx context.Context, d ThreadDraft) (t thread.Thread, err error) {
	m, err := w.build(ctx, threadText(d))
	if err != nil {
		return t, err
	}
	if err := w.checkThread(ctx, m); err != nil {
		return t, err
	}
	owner, err := w.cleanName(d.Owner)
	if err != nil {
		return t, err
	}
	m.Provenance.Branch, m.Owner = "", nil // a thread has its own branch, and is no memory of a mission
	if d.Under != "" {
		if m.Provenance.Work, err = w.under(ctx, d.Under, m.Provenance.Work); err != nil {
			return t, err
		}
	}
	t = thread.Thread{Memory: m, Kind: d.Kind, State: thread.StateOpen, Owner: owner, Branch: w.Branch(), Session: d.Session}
	if d.Agent {
		t.Agent = d.Tool
	}
	return t, nil
}

// under makes a thread a part of another one, within its own unit of work.
func (w *Workspace) under(ctx context.Context, id string, in *file.WorkRef) (*file.WorkRef, error) {
	parent, err := w.Thread(ctx, id)
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

// OpenParts lists the open threads below one.
func (w *Workspace) OpenParts(ctx context.Context, t *thread.Thread) ([]thread.Thread, error) {
	list, err := w.OpenThreads(ctx)
	return slices.DeleteFunc(list, func(x thread.Thread) bool { return !x.Below(t.Memory.UUID) }), err
}

// putThread stores a new thread.
func (w *Workspace) putThread(ctx context.Context, t thread.Thread) (ThreadResult, error) {
	now, same, err := w.state.PutThread(ctx, t)
	if errors.Is(err, store.ErrTooManyThreads) {
		return ThreadResult{Code: "too_many", Reason: err.Error() + ": close some first, `manicule thread list` shows them"}, nil
	}
	return ThreadResult{Thread: now, Accepted: err == nil, Same: same}, err
}

func threadText(d ThreadDraft) Draft {
	out := Draft{Type: file.WorkState, What: d.Text, Why: d.Why, Tags: d.Tags, Personal: true, Work: d.Work, Tool: d.Tool, Agent: d.Agent, Session: d.Session, Tainted: d.Tainted}
	if d.Kind == thread.Decision {
		out.Type = file.Decision
	}
	if d.At != "" {
		out.At = []string{d.At}
	}
	return out
}

// checkDraft runs the checks of a draft.
func (w *Workspace) checkDraft(ctx context.Context, m *file.Memory) error {
	if err := w.gate.Check(m); err != nil {
		return err
	}
	if err := w.checkJunk(m, nil, false); err != nil {
		return err
	}
	return w.checkWording(ctx, m, nil, false)
}

// checkThread runs the checks of a draft on a thread, which may say how far the work is: a memory may not.
func (w *Workspace) checkThread(ctx context.Context, m *file.Memory) error {
	if err := w.gate.Check(m); err != nil {
		return err
	}
	var r *gate.Rejection
	if err := w.checkJunk(m, nil, false); err != nil && !(errors.As(err, &r) && r.Code == gate.Code(junk.Session)) {
		return err
	}
	return w.checkWording(ctx, m, nil, false)
}

// refusedThread turns a refusal into a result. Other errors stay errors.
func refusedThread(err error) (ThreadResult, error) {
	r, err := rejected(err)
	return ThreadResult{Code: r.Code, Reason: r.Reason}, err
}

// maxOwner is the length of an owner's name.
const maxOwner = 60

// cleanName checks the name of a thread's owner.
func (w *Workspace) cleanName(name string) (string, error) {
	name = gate.Clean(name)
	if len(name) > maxOwner {
		return "", &gate.Rejection{Code: gate.Malformed, Reason: fmt.Sprintf("the owner has more than %d characters", maxOwner), Hint: "Give a name or a role."}
	}
	kind, err := w.gate.Scan(name)
	if err == nil && kind != "" {
		err = &gate.Rejection{Code: gate.Secret, Reason: "the owner looks like a secret: " + kind, Hint: "Give a name or a role."}
	}
	return name, err
}

// ThreadChange is the next version of a thread. Empty members stay as they are.
type ThreadChange struct {
	State thread.State
	// Resolution is how it was settled, or why it was parked or reopened. Every change of the
	// state replaces it.
	Resolution string
	Text, Why  string
	Owner      string
	Tags       []string // all of them, if any is given
	Tainted    bool     // an agent that read text from outside writes
	// Allowed decides whether the caller may change the thread; nil lets every caller.
	Allowed func(thread.Thread) error
}

// ChangeThread stores the next version of a thread. The versions before it are kept.
func (w *Workspace) ChangeThread(ctx context.Context, id string, c ThreadChange) (ThreadResult, error) {
	t, err := w.Thread(ctx, id)
	if err != nil {
		return ThreadResult{}, err
	}
	if c.Allowed != nil {
		if err := c.Allowed(t); err != nil {
			return ThreadResult{}, err
		}
	}
	if c.Tainted && t.Agent == "" {
		return ThreadResult{}, &UserError{Msg: "thread " + t.Memory.ShortID() + " is a person's, and this session has read text from outside", Hint: "Leave it as it is, and say what you would change."}
	}
	owner, err := w.cleanName(c.Owner)
	if err != nil {
		return refusedThread(err)
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
	m.Trust.Tainted = m.Trust.Tainted || c.Tainted && c.Text+c.Why+c.Owner+c.Resolution+strings.Join(c.Tags, "") != ""
	m.UpdatedAt = file.At(w.now())
	if err := w.checkThread(ctx, m); err != nil {
		return refusedThread(err)
	}
	if c.State != "" {
		said := &file.Memory{Format: m.Format, UUID: m.UUID, Type: m.Type, Layer: m.Layer, What: m.What, Why: c.Resolution, Visibility: m.Visibility,
			Importance: m.Importance, Trust: m.Trust, Lineage: m.Lineage, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt}
		if err := w.checkThread(ctx, said); err != nil {
			return refusedThread(err)
		}
		t.State, t.Resolution = c.State, said.Why
	}
	t.Memory = m
	if t.Shared {
		return w.changeShared(ctx, t)
	}
	now, err := w.state.SetThread(ctx, t)
	if errors.Is(err, store.ErrThreadChanged) {
		return ThreadResult{Thread: t, Code: "conflict", Reason: fmt.Sprintf("thread %s was changed meanwhile. Look at it again", m.ShortID())}, nil
	}
	return ThreadResult{Thread: now, Accepted: err == nil}, err
}

// Thread returns the thread that id is short for.
func (w *Workspace) Thread(ctx context.Context, id string) (thread.Thread, error) {
	if len(id) < minID {
		return thread.Thread{}, tooShort(id)
	}
	list, err := w.threadsWithID(ctx, id)
	switch {
	case err != nil:
		return thread.Thread{}, err
	case len(list) == 0:
		return thread.Thread{}, &UserError{Msg: fmt.Sprintf("no thread has the id %q", id), Err: ErrNotFound, Hint: "`manicule thread list --all` lists them."}
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
		return thread.Thread{}, ambiguous("threads", id, all)
	}
	return list[0], nil
}

// Threads lists all threads, the latest change first: those of this machine and those that files share.
func (w *Workspace) Threads(ctx context.Context) ([]thread.Thread, error) {
	list, err := w.state.Threads(ctx)
	return thread.WithShared(list, w.sharedThreads()), err
}

// OpenThreads lists the open threads, the latest change first.
func (w *Workspace) OpenThreads(ctx context.Context) ([]thread.Thread, error) {
	list, err := w.state.OpenThreads(ctx)
	list = thread.WithShared(list, w.sharedThreads())
	return slices.DeleteFunc(list, func(t thread.Thread) bool { return t.State != thread.StateOpen }), err
}

// Branch returns the name of the checked-out branch, "" for none.
func (w *Workspace) Branch() string { return gitinfo.Branch(w.place.GitDir) }

// From describes a session that starts in a folder of the workspace.
func (w *Workspace) From(dir string) thread.From { return thread.FromPlace(w.place, w.getenv, dir) }

// Wake returns what a session that starts in a folder is told about earlier ones. session is its
// id, "" if it is unknown.
func (w *Workspace) Wake(ctx context.Context, dir, session string) (out thread.Bundle, err error) {
	o, err := store.OpenPatientReader(ctx, w.place.StateDir(), w.place.GitPrefix())
	if err != nil {
		return out, err
	}
	out, err = o.Wake(ctx, func() thread.From { return w.From(dir) }, session, w.sharedThreads(), true)
	return out, errors.Join(err, o.Close())
}
