package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"manicule/hooks/nudge"
	"manicule/memory/gate"
	"manicule/memory/units"
	"manicule/memory/work"
)

type workIn struct {
	ID string `json:"id"` // the one under way when empty
	// Begin begins the unit, with its title, the unit around it, and whether somebody has to accept it.
	Begin      bool   `json:"begin"`
	Title      string `json:"title"`
	Under      string `json:"under"`
	Acceptance bool   `json:"acceptance"`
	State      string `json:"state"` // complete, review
	Why        string `json:"why"`
}

// WorkAnswer is a unit of work as an agent is shown it.
type WorkAnswer struct {
	Units []work.Unit // the unit, then those around it; with their titles if they are told
	Told  bool        // it was asked for, and not changed
}

// workTool is the name of the tool for units of work. It is listed only where some were begun.
const workTool = "work"

func (s *server) addWorkTool() {
	tool(s, workTool, "The issue, ticket or mission under way. Say so when its work is complete: what was learned in it moves on, once a person accepts it where one has to.", additive(),
		objectSchema(object{"id": text(), "begin": truth(), "title": text(), "under": text(), "acceptance": truth(), "state": with(text(), "complete, review"), "why": text()}), objectSchema(object{"units": texts()}, "units"), s.tools.work.unit)
}

// workTools show and change units of work.
type workTools struct{ *toolkit }

// unit shows a unit of work, begins one or says that it is complete.
func (t *workTools) unit(ctx context.Context, c *call, in workIn) (string, WorkAnswer, error) {
	if !in.Begin && in.State == "" {
		sp, err := t.spaces.current(ctx)
		if err != nil {
			return "", WorkAnswer{}, err
		}
		u, all, err := units.Of(sp.Memories).Get(ctx, in.ID)
		if err != nil {
			return "", WorkAnswer{}, err
		}
		sum, ok := sp.Memories.Work().Method().Summarize(all, u.Ref())
		if !ok {
			return "", WorkAnswer{}, userError("the unit may come from outside: only a person is shown it", "Leave it.")
		}
		return nudge.UnderWay(sum) + " It is " + string(u.State) + ".", WorkAnswer{nudge.UnitsUnderWay(sum), true}, nil
	}
	sp, err := t.spaces.writable(ctx, nil)
	if err != nil {
		return "", WorkAnswer{}, err
	}
	if err := t.sessions.repeats(in.Title + "\n" + in.Why); err != nil {
		return "", WorkAnswer{}, err
	}
	r, err := t.changeWork(ctx, c, sp, in)
	if x, ok := errors.AsType[*gate.Rejection](err); ok {
		err = userError("not kept: "+x.Reason, x.Hint)
	}
	if err != nil {
		return "", WorkAnswer{}, err
	}
	said := r.Unit.Kind + " " + nudge.Clean(r.Unit.ID) + ", " + string(r.Unit.State)
	if r.Unit.State == work.InReview {
		said += ": a person accepts it with `manicule work accept " + r.Unit.Key() + "`"
	}
	return "☞ Manicule: " + said, WorkAnswer{[]work.Unit{r.Unit}, false}, nil
}

func (t *workTools) changeWork(ctx context.Context, c *call, sp *Space, in workIn) (units.Settled, error) {
	tainted := t.sessions.tainted(ctx, sp, t.sessions.of(c, sp))
	if in.Begin {
		if in.State != "" {
			return units.Settled{}, userError("one call does one of begin and state", "Make a call for each.")
		}
		u, err := units.Of(sp.Memories).Begin(ctx, units.New{Name: in.ID, Title: in.Title, Under: in.Under, Acceptance: in.Acceptance, Agent: c.agent, Tainted: tainted})
		return units.Settled{Unit: u}, err
	}
	var to work.State
	switch strings.ToLower(strings.TrimSpace(in.State)) {
	case "complete", "completed", "done":
		to = units.Complete
	case "review", "in review", "in-review":
		to = work.InReview
	default:
		return units.Settled{}, userError("a person decides all but whether the work is complete", "Use complete or review.")
	}
	return units.Of(sp.Memories).Set(ctx, in.ID, to, in.Why, c.agent, tainted)
}

// relayed bounds the memories that are handed on with a unit of work, and relayBudget their tokens (judgement).
const (
	relayed     = 8
	relayBudget = 800
)

// relay tells what is handed on with the unit of work under way: its memories of the types that its state asks for. It
// is "" if none was begun.
func (t *workTools) relay(ctx context.Context, sp *Space) string {
	here := sp.Memories.Work().Here()
	if here == nil {
		return ""
	}
	sum, ok := sp.Memories.Work().Method().Summarize(work.Load(sp.Memories.Place()), *here)
	if !ok {
		return ""
	}
	if _, err := sp.Memories.SyncWithin(ctx, filesFreshFor); err != nil {
		t.log.Warn("read what is handed on with the work", "err", err)
	}
	lines, p := []string{nudge.UnderWay(sum)}, newPack(relayBudget)
	types := sp.Memories.Work().Method().Relay[sum.State]
	for _, h := range sp.Memories.View().Live() {
		if len(lines) > relayed || !h.Memory.Work().In(sum.Key()) || !slices.Contains(types, h.Memory.Type) {
			continue
		}
		if line, it := itemOf(h, t.now(), shorter()); p.take(line, it.dataCost()) {
			lines = append(lines, line)
		}
	}
	return "\n\n" + strings.Join(lines, "\n")
}

// hideWork reports whether the tool for units of work is left out of the list.
func hideWork(sp *Space) bool { return len(work.Load(sp.Memories.Place())) == 0 }
