package units

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/record"
	"manicule/memory/store"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// List is the list of a workspace's units of work. It is safe for concurrent use by goroutines and processes.
type List struct {
	place      *workspace.Workspace
	register   *work.Register
	sessions   sessions
	outcomes   proposer
	tombstones tombstones
	drafts     drafts
	records    records
	threads    threads
	memories   memories
	texts      texts
	author     func() string
	newID      func() (string, error)
	getenv     func(string) string
	log        *slog.Logger
}

// records are those of units. [store.Records] keeps them.
type records interface {
	Put(ctx context.Context, r record.Record) (record.Record, error)
	Entries(ctx context.Context, lineage string) ([]record.Record, error)
}

// threads are those that sessions left. [store.Threads] keeps them.
type threads interface {
	All(ctx context.Context) ([]thread.Thread, error)
}

// drafts are what waits for a person. [store.Drafts] keeps it.
type drafts interface {
	All(ctx context.Context) ([]store.DraftRow, error)
}

// sessions are those of agents. [store.Sessions] keeps them.
type sessions interface {
	OfWork(ctx context.Context, key string) ([]string, error)
}

// tombstones are the copies of drafts that a unit's end retires. [store.Tombstones] keeps them.
type tombstones interface {
	Put(ctx context.Context, t store.Tombstone) error
}

// memories are the workspace's memories, as far as a unit's end changes them.
type memories interface {
	Views() *memory.Views
	Sync(ctx context.Context) (changed bool, err error)
	Edits() *memory.Edits
	Forgotten() *memory.Forgotten
	SayAgain(ctx context.Context, m *file.Memory) (*file.Memory, error)
}

// texts checks what may be told to agents.
type texts interface {
	CheckText(what, text string) error
}

// Of returns the units of work of a workspace.
func Of(w *memory.Workspace) *List {
	l := &List{place: w.Place(), register: w.Work(), sessions: w.State().Sessions(), tombstones: w.State().Tombstones(), drafts: w.State().Drafts(), records: w.State().Records(), threads: w.State().Threads(), memories: w, texts: w.Gate(), author: w.Maker().Author, newID: w.Maker().NewID, getenv: w.Getenv, log: w.Log()}
	l.outcomes = proposer{l, w.State().Episodes(), w.Observer(), w.Drafts()}
	return l
}

// Get returns the recorded unit that a name stands for: as [work.Parse] reads it, or an id that only one
// unit has. Without a name it is the one under way.
func (l *List) Get(ctx context.Context, name string) (work.Unit, []work.Unit, error) {
	units, err := l.register.Units(ctx)
	if err != nil {
		return work.Unit{}, nil, err
	}
	var found []work.Unit
	switch name {
	case "":
		if r := l.register.Here(); r != nil {
			if u := work.Find(units, r.Key()); u != nil {
				found = append(found, *u)
			}
		}
	default:
		r, ok := work.Parse(name)
		for _, u := range units {
			if ok && u.Key() == r.Key() {
				return u, units, nil
			}
			if strings.EqualFold(u.ID, name) {
				found = append(found, u)
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], units, nil
	case len(found) > 1:
		return work.Unit{}, units, &memory.UserError{Msg: fmt.Sprintf("%d units of work have the id %q", len(found), name), Err: memory.ErrAmbiguous, Hint: "Name one as " + found[0].Key() + "."}
	case name == "":
		return work.Unit{}, units, &memory.UserError{Msg: "no unit of work was begun here", Err: memory.ErrNotFound, Hint: "`manicule work begin ID` begins one, `manicule work list` lists them."}
	}
	return work.Unit{}, units, &memory.UserError{Msg: fmt.Sprintf("no unit of work %q was begun", name), Err: memory.ErrNotFound, Hint: "`manicule work begin ID` begins one, `manicule work list --all` lists them."}
}

// New is a unit of work that begins, or what changes of one.
type New struct {
	Name       string // as [work.Parse] reads it; an id without a kind is that of a branch of this name, else a task's
	Title      string
	Under      string // the unit around it
	Branch     string // on which it is worked on; the one that is checked out when empty, and all if that is the default one
	Acceptance bool
	Agent      string // that writes it, "" for a person
	Tainted    bool   // the agent read text from outside
}

// Begin records a unit of work, or changes the title, the parent and the branch of one. One that was over is
// open again; only a person can do that to it, or to one in review.
func (l *List) Begin(ctx context.Context, n New) (work.Unit, error) {
	if !l.place.IsSetUp() {
		return work.Unit{}, &memory.UserError{Msg: "there are no memories in " + l.place.Root + ", so nothing is kept", Hint: "Run `manicule init` first."}
	}
	r, err := unitNamed(n.Name, l.register.Method())
	if err != nil {
		return work.Unit{}, err
	}
	units, err := l.register.Units(ctx)
	if err != nil {
		return work.Unit{}, err
	}
	u := work.Unit{Kind: r.Kind, ID: r.ID}
	if known := work.Find(units, r.Key()); known != nil {
		if u = *known; n.Agent != "" && (u.State.Over() || u.State == work.InReview) {
			return u, personDecides(&u)
		}
	}
	n.Branch = cmp.Or(n.Branch, branch.Feature(l.place, l.getenv), work.AllBranches)
	u.State, u.Why, u.Branch, u.Judged = work.Open, "", n.Branch, false
	if n.Title != "" {
		u.Title = strings.Join(strings.Fields(gate.Clean(n.Title)), " ")
	}
	u.Acceptance = u.Acceptance || n.Acceptance
	if n.Under != "" {
		parent, err := l.parent(ctx, units, n)
		if err != nil {
			return u, err
		}
		u.Parent = parent.Key()
		if around := work.Around(append(units, parent, u), &u); slices.ContainsFunc(around, func(x *work.Unit) bool { return x.Key() == u.Key() }) {
			return u, &memory.UserError{Msg: fmt.Sprintf("%s is a part of %s", parent.Key(), u.Key()), Hint: "A unit of work can't be a part of itself."}
		}
	}
	return l.put(ctx, u, n.Agent, n.Tainted)
}

// personDecides is the refusal of what an agent may not change of a unit.
func personDecides(u *work.Unit) error {
	return &memory.UserError{Msg: "a person decides about " + u.Key() + ", which is " + string(u.State), Hint: "Say what you found."}
}

// parse reads the name of a unit. The id of a specification is enough where a branch of its name would tell it.
func parse(name string, m work.Method) (file.WorkRef, bool) {
	if r, ok := work.Parse(name); ok {
		return r, true
	}
	r, ok := m.Branch(name)
	return r, ok && r.ID == name
}

// unitNamed reads the name of a unit that begins.
func unitNamed(name string, m work.Method) (file.WorkRef, error) {
	r, ok := parse(name, m)
	if !ok && !strings.ContainsAny(name, ": ") {
		r, ok = work.Parse("task:" + name)
	}
	if !ok {
		return r, &memory.UserError{Msg: fmt.Sprintf("%q names no unit of work", name), Hint: "Write #42 for an issue, ABC-123 for a ticket, or KIND:ID, such as mission:payments."}
	}
	return r, nil
}

// parent returns the unit around one, which is begun if it is new.
func (l *List) parent(ctx context.Context, units []work.Unit, n New) (work.Unit, error) {
	for _, u := range units {
		if strings.EqualFold(u.ID, n.Under) {
			return u, nil
		}
	}
	r, err := unitNamed(n.Under, l.register.Method())
	if err != nil {
		return work.Unit{}, err
	}
	if u := work.Find(units, r.Key()); u != nil {
		return *u, nil
	}
	return l.put(ctx, work.Unit{Kind: r.Kind, ID: r.ID, State: work.Open}, n.Agent, n.Tainted)
}

// Move makes a unit one of another branch, as when its own was renamed.
func (l *List) Move(ctx context.Context, u work.Unit, branch string) (work.Unit, error) {
	u.Branch = branch
	return l.put(ctx, u, "", false)
}

// put stores the next version of a unit, and lists the open ones for readers without a database.
func (l *List) put(ctx context.Context, u work.Unit, agent string, tainted bool) (work.Unit, error) {
	if err := u.Check(); err != nil {
		return u, &gate.Rejection{Code: gate.Malformed, Reason: err.Error(), Hint: "`manicule work --help` says what a unit of work is."}
	}
	if err := l.texts.CheckText("unit of work", strings.Join([]string{u.ID, u.Title, u.Why, u.Branch}, "\n")); err != nil {
		return u, err
	}
	if u.Author = agent; agent == "" {
		u.Author, u.Tainted = l.author(), false // a person answers for the words
	}
	if tainted && u.Title+u.Why != "" {
		return u, &gate.Rejection{Code: gate.Injection, Reason: "this session has read text from outside, and later sessions are told of units of work", Hint: "Name it without a title and a reason, or let a person write them."}
	}
	if u.Lineage == "" {
		id, err := l.newID()
		if err != nil {
			return u, err
		}
		u.Lineage = id
	}
	r, err := u.Record()
	if err != nil {
		return u, err
	}
	if r, err = l.records.Put(ctx, r); err != nil {
		return u, fmt.Errorf("store a unit of work: %w", err)
	}
	u.Version, u.At = r.Version, r.At
	units, err := l.register.Units(ctx)
	if err != nil {
		return u, err
	}
	return u, work.Save(l.place, units)
}

// Outcome is what became of a memory or a draft when its unit of work was over.
type Outcome struct {
	Memory *file.Memory
	Act    string // promoted, archived, offered, retired, learned
	Why    string
}

// Settled is a unit of work with what came of its change.
type Settled struct {
	Unit     work.Unit
	Outcomes []Outcome
	Held     int // drafts that wait for its acceptance
	Parts    int // units below it that are not over
}

// Complete is what becomes of a unit of work whose work is done: it is accepted, or in review if somebody has to
// accept it. The mission that an agent completes is in review, too.
const Complete work.State = "complete"

// unrecorded returns a unit that was not begun, but is there: the one that the branch tells, or one to which something
// belongs that was written or learned on such a branch. notFound is the error if there is none.
func (l *List) unrecorded(ctx context.Context, name string, notFound error) (work.Unit, error) {
	here := l.register.Here()
	r, ok := parse(name, l.register.Method())
	if name == "" && here != nil {
		r, ok = *here, true
	}
	if !ok {
		return work.Unit{}, notFound
	}
	u := work.Unit{Kind: r.Kind, ID: r.ID, State: work.Open}
	if here != nil && here.Key() == u.Key() {
		return u, nil
	}
	if has, err := l.hasParts(ctx, u); err != nil || !has {
		return work.Unit{}, cmp.Or(err, notFound)
	}
	return u, nil
}

// hasParts reports whether a memory, a thread, a draft or a session belongs to a unit.
func (l *List) hasParts(ctx context.Context, u work.Unit) (bool, error) {
	if !l.memories.Views().Loaded() {
		if _, err := l.memories.Sync(ctx); err != nil {
			return false, err
		}
	}
	memories, threads, _, err := l.PartOf(ctx, u, nil)
	if err != nil || len(memories)+len(threads) > 0 {
		return err == nil, err
	}
	rows, err := l.drafts.All(ctx)
	if err != nil {
		return false, fmt.Errorf("list what waits for review: %w", err)
	}
	for _, d := range rows {
		if d.Memory.Work().In(u.Key()) {
			return true, nil
		}
	}
	sessions, err := l.sessions.OfWork(ctx, u.Key())
	if err != nil {
		return false, fmt.Errorf("look for the sessions of %s: %w", u.Key(), err)
	}
	return len(sessions) > 0, nil
}

// Set changes the state of a unit of work. With its end, what hangs on it moves on: the memories of a mission that are sure enough and
// of a kind that outlives it are for the whole project, and the others are archived; drafts that waited for its acceptance are offered, and those of
// one that was rejected or given up retired. Each is settled once. What an accepted or rejected unit came to is proposed as a memory. An agent can only complete a unit, and what is in
// review stays so. A part that was judged releases its own drafts before the units around it are over.
func (l *List) Set(ctx context.Context, name string, to work.State, why, agent string, tainted bool) (out Settled, err error) {
	u, units, err := l.Get(ctx, name)
	if errors.Is(err, memory.ErrNotFound) {
		if u, err = l.unrecorded(ctx, name, err); err == nil {
			units = append(units, u)
		}
	}
	if err != nil {
		return out, err
	}
	if agent != "" && (to != Complete && to != work.InReview || u.State.Over()) {
		return out, personDecides(&u)
	}
	if to == Complete {
		to = work.Accepted
		if u.State == work.Open && u.Acceptance || agent != "" && (u.Kind == work.Mission || u.State == work.InReview) {
			to = work.InReview
		}
	}
	was, waited := u.State, work.WaitsFor(units, new(work.Complete(units, u.Ref()))) != nil
	judged := to.Over() && agent == ""
	changed := was != to || u.Judged != judged
	u.State, u.Judged, u.Why = to, judged, strings.Join(strings.Fields(gate.Clean(why)), " ")
	if changed || u.Why != "" || u.Lineage == "" {
		if u, err = l.put(ctx, u, agent, tainted); err != nil {
			return out, err
		}
	}
	out.Unit = u
	for i := range units {
		if x := &units[i]; !x.State.Over() && slices.ContainsFunc(work.Around(units, x), func(a *work.Unit) bool { return a.Key() == u.Key() }) {
			out.Parts++
		}
	}
	if to.Over() {
		if err = l.settle(ctx, &out, waited); err == nil && isDecided(to) {
			err = l.outcomes.propose(ctx, &out, units, changed)
		}
	} else {
		err = l.countHeld(ctx, &out)
	}
	return out, err
}

// countHeld counts what waits for a unit.
func (l *List) countHeld(ctx context.Context, out *Settled) error {
	rows, err := l.drafts.All(ctx)
	if err != nil {
		return fmt.Errorf("list what waits for review: %w", err)
	}
	units, _, err := l.register.Open(ctx)
	if err != nil {
		return err
	}
	for _, d := range rows {
		if u := work.WaitsFor(units, d.Memory.Work()); u != nil && u.Key() == out.Unit.Key() {
			out.Held++
		}
	}
	return nil
}

// PartOf returns what a unit of work consists of: its memories, threads and the units below it. It reads the present view.
func (l *List) PartOf(ctx context.Context, u work.Unit, units []work.Unit) (memories []memory.Hit, threads []thread.Thread, parts []work.Unit, err error) {
	key := u.Key()
	for _, h := range l.memories.Views().Current().All() {
		if h.Memory.Work().In(key) || u.Kind == work.Mission && h.Memory.Mission() == u.ID {
			memories = append(memories, h)
		}
	}
	list, err := l.threads.All(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, t := range thread.WithShared(list, thread.SharedOf(l.place, l.log)) {
		if t.Memory.Work().In(key) {
			threads = append(threads, t)
		}
	}
	for i := range units {
		if slices.ContainsFunc(work.Around(units, &units[i]), func(a *work.Unit) bool { return a.Key() == key }) {
			parts = append(parts, units[i])
		}
	}
	return memories, threads, parts, nil
}
