package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/builds"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/record"
	"manicule/memory/thread"
	"manicule/memory/work"
)

// SetMethodology selects the rules of units of work by the name of a methodology. It must not run
// concurrently with other methods.
func (w *Workspace) SetMethodology(name string) { w.methodology = name }

// SetHanding selects the types of memories that are handed on with a unit that is open, and with one that is in review;
// see [work.Method.Handing]. It returns the names that are no types. It must not run beside other calls.
func (w *Workspace) SetHanding(open, inReview string) (unknown []string) {
	w.handing = [2]string{open, inReview}
	_, unknown = work.MethodOf(w.methodology).Handing(open, inReview)
	return unknown
}

// Method are the rules of units of work.
func (w *Workspace) Method() work.Method {
	m, _ := work.MethodOf(w.methodology).Handing(w.handing[0], w.handing[1])
	return m
}

// WorkHere returns the unit of work under way, nil for none.
func (w *Workspace) WorkHere() *file.WorkRef { return w.WorkOn(w.Branch()) }

// WorkOn returns the unit of work under way on a branch.
func (w *Workspace) WorkOn(branch string) *file.WorkRef {
	r, ok := work.Here(work.Load(w.place), w.getenv(work.Env), branch, w.Method(), func() (builds.Build, bool) {
		list, _ := builds.Load(w.place) // `manicule build list` names a damaged one
		return builds.Current(list, branch)
	})
	if !ok {
		return nil
	}
	return &r
}

// workOf returns the unit of work that a writer names, or the one under way if they name none.
func (w *Workspace) workOf(named string, here func() *file.WorkRef) (*file.WorkRef, error) {
	switch named {
	case "":
		return here(), nil
	case work.None:
		return nil, nil
	}
	r, ok := work.Parse(named)
	if !ok {
		return nil, &UserError{Msg: fmt.Sprintf("%q names no unit of work", named), Err: errMalformed, Hint: "Write #42 for an issue, ABC-123 for a ticket, or KIND:ID, such as mission:payments."}
	}
	r = work.Complete(work.Load(w.place), r)
	return &r, nil
}

// joinWork makes a new memory a part of a unit of work, and of its mission. What is for one session alone is part of none:
// the session may be over before the work is accepted.
func joinWork(m *file.Memory, r *file.WorkRef) {
	if r == nil || m.Provenance == nil || m.Provenance.Import != nil || m.Type == file.Preference || m.OfSession() != "" {
		return
	}
	m.Provenance.Work = r
	for _, key := range append([]string{r.Key()}, r.Within...) {
		if id, ok := strings.CutPrefix(key, work.Mission+":"); ok && m.Owner == nil && !m.Pinned {
			m.Owner = &file.Owner{Kind: file.OwnedByMission, ID: id}
		}
	}
}

// Units lists the recorded units of work, the latest changed first.
func (w *Workspace) Units(ctx context.Context) ([]work.Unit, error) {
	rows, err := w.state.Records(ctx, record.Work, "*")
	if err != nil {
		return nil, fmt.Errorf("read the units of work: %w", err)
	}
	var out []work.Unit
	for _, r := range rows {
		if u, ok := work.Of(r); ok {
			out = append(out, u)
		}
	}
	sorting.StableFunc(out, func(a, b work.Unit) int { return b.At.Compare(a.At) })
	return out, nil
}

// openUnits lists the units that are not over. The list for readers without a database is written again if it says
// something else, as after somebody removed it.
func (w *Workspace) openUnits(ctx context.Context) ([]work.Unit, error) {
	_, open, err := w.unitsAndOpen(ctx)
	return open, err
}

// unitsAndOpen is [Workspace.openUnits] with all units before it.
func (w *Workspace) unitsAndOpen(ctx context.Context) (units, open []work.Unit, err error) {
	units, err = w.Units(ctx)
	if err != nil {
		return nil, nil, err
	}
	open = slices.DeleteFunc(slices.Clone(units), func(u work.Unit) bool { return u.State.Over() })
	same := func(a, b work.Unit) bool { return a.Key() == b.Key() && a.Version == b.Version }
	if !slices.EqualFunc(work.Load(w.place), open, same) {
		if err := work.Save(w.place, open); err != nil {
			w.log.Warn("list the open work", "err", err)
		}
	}
	return units, open, nil
}

// Unit returns the recorded unit that a name stands for: as [work.Parse] reads it, or an id that only one
// unit has. Without a name it is the one under way.
func (w *Workspace) Unit(ctx context.Context, name string) (work.Unit, []work.Unit, error) {
	units, err := w.Units(ctx)
	if err != nil {
		return work.Unit{}, nil, err
	}
	var found []work.Unit
	switch name {
	case "":
		if r := w.WorkHere(); r != nil {
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
		return work.Unit{}, units, &UserError{Msg: fmt.Sprintf("%d units of work have the id %q", len(found), name), Err: ErrAmbiguous, Hint: "Name one as " + found[0].Key() + "."}
	case name == "":
		return work.Unit{}, units, &UserError{Msg: "no unit of work was begun here", Err: ErrNotFound, Hint: "`manicule work begin ID` begins one, `manicule work list` lists them."}
	}
	return work.Unit{}, units, &UserError{Msg: fmt.Sprintf("no unit of work %q was begun", name), Err: ErrNotFound, Hint: "`manicule work begin ID` begins one, `manicule work list --all` lists them."}
}

// NewWork is a unit of work that begins, or what changes of one.
type NewWork struct {
	Name       string // as [work.Parse] reads it; an id without a kind is a task's
	Title      string
	Under      string // the unit around it
	Branch     string // on which it is worked on; the one that is checked out when empty, and all if that is the default one
	Acceptance bool
	Agent      string // that writes it, "" for a person
	Tainted    bool   // the agent read text from outside
}

// BeginWork records a unit of work, or changes the title, the parent and the branch of one. One that was over is
// open again; only a person can do that to it, or to one in review.
func (w *Workspace) BeginWork(ctx context.Context, n NewWork) (work.Unit, error) {
	if !w.place.IsSetUp() {
		return work.Unit{}, &UserError{Msg: "there are no memories in " + w.place.Root + ", so nothing is kept", Hint: "Run `manicule init` first."}
	}
	r, err := unitNamed(n.Name)
	if err != nil {
		return work.Unit{}, err
	}
	units, err := w.Units(ctx)
	if err != nil {
		return work.Unit{}, err
	}
	u := work.Unit{Kind: r.Kind, ID: r.ID}
	if known := work.Find(units, r.Key()); known != nil {
		if u = *known; n.Agent != "" && (u.State.Over() || u.State == work.InReview) {
			return u, personDecides(&u)
		}
	}
	n.Branch = cmp.Or(n.Branch, w.featureBranch(), work.AllBranches)
	u.State, u.Why, u.Branch, u.Judged = work.Open, "", n.Branch, false
	if n.Title != "" {
		u.Title = strings.Join(strings.Fields(gate.Clean(n.Title)), " ")
	}
	u.Acceptance = u.Acceptance || n.Acceptance
	if n.Under != "" {
		parent, err := w.parentWork(ctx, units, n)
		if err != nil {
			return u, err
		}
		u.Parent = parent.Key()
		if around := work.Around(append(units, parent, u), &u); slices.ContainsFunc(around, func(x *work.Unit) bool { return x.Key() == u.Key() }) {
			return u, &UserError{Msg: fmt.Sprintf("%s is a part of %s", parent.Key(), u.Key()), Hint: "A unit of work can't be a part of itself."}
		}
	}
	return w.putUnit(ctx, u, n.Agent, n.Tainted)
}

// personDecides is the refusal of what an agent may not change of a unit.
func personDecides(u *work.Unit) error {
	return &UserError{Msg: "a person decides about " + u.Key() + ", which is " + string(u.State), Hint: "Say what you found."}
}

// unitNamed reads the name of a unit that begins.
func unitNamed(name string) (file.WorkRef, error) {
	r, ok := work.Parse(name)
	if !ok && !strings.ContainsAny(name, ": ") {
		r, ok = work.Parse("task:" + name)
	}
	if !ok {
		return r, &UserError{Msg: fmt.Sprintf("%q names no unit of work", name), Err: errMalformed, Hint: "Write #42 for an issue, ABC-123 for a ticket, or KIND:ID, such as mission:payments."}
	}
	return r, nil
}

// parentWork returns the unit around one, which is begun if it is new.
func (w *Workspace) parentWork(ctx context.Context, units []work.Unit, n NewWork) (work.Unit, error) {
	for _, u := range units {
		if strings.EqualFold(u.ID, n.Under) {
			return u, nil
		}
	}
	r, err := unitNamed(n.Under)
	if err != nil {
		return work.Unit{}, err
	}
	if u := work.Find(units, r.Key()); u != nil {
		return *u, nil
	}
	return w.putUnit(ctx, work.Unit{Kind: r.Kind, ID: r.ID, State: work.Open}, n.Agent, n.Tainted)
}

// putUnit stores the next version of a unit, and lists the open ones for readers without a database.
func (w *Workspace) putUnit(ctx context.Context, u work.Unit, agent string, tainted bool) (work.Unit, error) {
	if err := u.Check(); err != nil {
		return u, &gate.Rejection{Code: gate.Malformed, Reason: err.Error(), Hint: "`manicule work --help` says what a unit of work is."}
	}
	if err := w.gate.CheckText("unit of work", strings.Join([]string{u.ID, u.Title, u.Why}, "\n")); err != nil {
		return u, err
	}
	if u.Author = agent; agent == "" {
		u.Author, u.Tainted = w.author(), false // a person answers for the words
	}
	if tainted && u.Title+u.Why != "" {
		return u, &gate.Rejection{Code: gate.Injection, Reason: "this session has read text from outside, and later sessions are told of units of work", Hint: "Name it without a title and a reason, or let a person write them."}
	}
	if u.Lineage == "" {
		id, err := w.NewID()
		if err != nil {
			return u, err
		}
		u.Lineage = id
	}
	r, err := u.Record()
	if err != nil {
		return u, err
	}
	if r, err = w.state.PutRecord(ctx, r); err != nil {
		return u, fmt.Errorf("store a unit of work: %w", err)
	}
	u.Version, u.At = r.Version, r.At
	units, err := w.Units(ctx)
	if err != nil {
		return u, err
	}
	return u, work.Save(w.place, units)
}

// WorkOutcome is what became of a memory or a draft when its unit of work was over.
type WorkOutcome struct {
	Memory *file.Memory
	Act    string // promoted, archived, offered, retired
	Why    string
}

// SettledWork is a unit of work with what came of its change.
type SettledWork struct {
	Unit     work.Unit
	Outcomes []WorkOutcome
	Held     int // drafts that wait for its acceptance
	Parts    int // units below it that are not over
}

// Complete is what becomes of a unit of work whose work is done: it is accepted, or in review if somebody has to
// accept it. The mission that an agent completes is in review, too.
const Complete work.State = "complete"

// unrecorded returns a unit that was not begun, but is there: the one that the branch tells, or one to which something
// belongs that was written or learned on such a branch. notFound is the error if there is none.
func (w *Workspace) unrecorded(ctx context.Context, name string, notFound error) (work.Unit, error) {
	here := w.WorkHere()
	r, ok := work.Parse(name)
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
	if has, err := w.hasParts(ctx, u); err != nil || !has {
		return work.Unit{}, cmp.Or(err, notFound)
	}
	return u, nil
}

// hasParts reports whether a memory, a thread, a draft or a session belongs to a unit.
func (w *Workspace) hasParts(ctx context.Context, u work.Unit) (bool, error) {
	if !w.HasView() {
		if _, err := w.Sync(ctx); err != nil {
			return false, err
		}
	}
	memories, threads, _, err := w.PartOf(ctx, u, nil)
	if err != nil || len(memories)+len(threads) > 0 {
		return err == nil, err
	}
	rows, err := w.state.Drafts(ctx)
	if err != nil {
		return false, fmt.Errorf("list what waits for review: %w", err)
	}
	for _, d := range rows {
		if d.Memory.Work().In(u.Key()) {
			return true, nil
		}
	}
	sessions, err := w.state.SessionsOfWork(ctx, u.Key())
	if err != nil {
		return false, fmt.Errorf("look for the sessions of %s: %w", u.Key(), err)
	}
	return len(sessions) > 0, nil
}

// SetWork changes the state of a unit of work. With its end, what hangs on it moves on: the memories of a mission that are sure enough and
// of a kind that outlives it are for the whole project, and the others are archived; drafts that waited for its acceptance are offered, and those of
// one that was rejected or given up retired. Each is settled once. An agent can only complete a unit, and what is in
// review stays so. A part that was judged releases its own drafts before the units around it are over.
func (w *Workspace) SetWork(ctx context.Context, name string, to work.State, why, agent string, tainted bool) (out SettledWork, err error) {
	u, units, err := w.Unit(ctx, name)
	if errors.Is(err, ErrNotFound) {
		if u, err = w.unrecorded(ctx, name, err); err == nil {
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
		if u, err = w.putUnit(ctx, u, agent, tainted); err != nil {
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
		err = w.settleUnit(ctx, &out, waited)
	} else {
		err = w.countHeld(ctx, &out)
	}
	return out, err
}

// countHeld counts what waits for a unit.
func (w *Workspace) countHeld(ctx context.Context, out *SettledWork) error {
	rows, err := w.state.Drafts(ctx)
	if err != nil {
		return fmt.Errorf("list what waits for review: %w", err)
	}
	units, _, err := w.unitsAndOpen(ctx)
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
func (w *Workspace) PartOf(ctx context.Context, u work.Unit, units []work.Unit) (memories []Hit, threads []thread.Thread, parts []work.Unit, err error) {
	key := u.Key()
	for _, h := range w.View().All() {
		if h.Memory.Work().In(key) || u.Kind == work.Mission && h.Memory.Mission() == u.ID {
			memories = append(memories, h)
		}
	}
	list, err := w.state.Threads(ctx)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, t := range thread.WithShared(list, thread.SharedOf(w.place, w.log)) {
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
