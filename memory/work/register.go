package work

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"

	"manicule/indexer/gitinfo"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/file"
	"manicule/memory/record"
)

// Register is the register of a workspace's units of work: which are recorded, which one is under way, and the rules in
// force. It changes none. It is safe for concurrent use, but for its setters.
type Register struct {
	place  *workspace.Workspace
	rows   Rows
	getenv func(string) string
	log    *slog.Logger

	methodology string    // names the rules, "" for the usual ones
	handing     [2]string // the types that the team hands on with a unit that is open, and with one in review
}

// Rows are the records of units. [store.Records] keeps them.
type Rows interface {
	Latest(ctx context.Context, kind record.Kind, agent string) ([]record.Record, error)
}

// NewRegister returns the register of a workspace.
func NewRegister(place *workspace.Workspace, rows Rows, getenv func(string) string, log *slog.Logger) *Register {
	return &Register{place: place, rows: rows, getenv: getenv, log: log}
}

// SetMethodology selects the rules of units of work by the name of a methodology. It must not run
// concurrently with other methods.
func (g *Register) SetMethodology(name string) { g.methodology = name }

// Methodology names the rules in force.
func (g *Register) Methodology() string { return cmp.Or(g.methodology, file.Native) }

// SetHanding selects the types of memories that are handed on with a unit that is open, and with one that is in review;
// see [Method.Handing]. It returns the names that are no types. It must not run beside other calls.
func (g *Register) SetHanding(open, inReview string) (unknown []string) {
	g.handing = [2]string{open, inReview}
	_, unknown = MethodOf(g.methodology).Handing(open, inReview)
	return unknown
}

// Method are the rules of units of work.
func (g *Register) Method() Method {
	m, _ := MethodAt(g.place.Root, g.methodology).Handing(g.handing[0], g.handing[1])
	return m
}

// Here returns the unit of work under way, nil for none.
func (g *Register) Here() *file.WorkRef { return g.On(gitinfo.Branch(g.place.GitDir)) }

// On returns the unit of work under way on a branch.
func (g *Register) On(branch string) *file.WorkRef {
	r, ok := Here(Load(g.place), g.getenv(Env), branch, g.Method(), func() (builds.Build, bool) {
		list, _ := builds.Load(g.place) // `manicule build list` names a damaged one
		return builds.Current(list, branch)
	})
	if !ok {
		return nil
	}
	return &r
}

// Complete adds to the name of a unit what is known of it.
func (g *Register) Complete(r file.WorkRef) file.WorkRef { return Complete(Load(g.place), r) }

// Units lists the recorded units of work, the latest changed first.
func (g *Register) Units(ctx context.Context) ([]Unit, error) {
	rows, err := g.rows.Latest(ctx, record.Work, "*")
	if err != nil {
		return nil, fmt.Errorf("read the units of work: %w", err)
	}
	var out []Unit
	for _, r := range rows {
		if u, ok := Of(r); ok {
			out = append(out, u)
		}
	}
	sorting.StableFunc(out, func(a, b Unit) int { return b.At.Compare(a.At) })
	return out, nil
}

// Open lists the units that are not over, after all units. The list for readers without a database is written again if it
// says something else, as after somebody removed it.
func (g *Register) Open(ctx context.Context) (units, open []Unit, err error) {
	units, err = g.Units(ctx)
	if err != nil {
		return nil, nil, err
	}
	open = slices.DeleteFunc(slices.Clone(units), func(u Unit) bool { return u.State.Over() })
	same := func(a, b Unit) bool { return a.Key() == b.Key() && a.Version == b.Version }
	if !slices.EqualFunc(Load(g.place), open, same) {
		if err := Save(g.place, open); err != nil {
			g.log.Warn("list the open work", "err", err)
		}
	}
	return units, open, nil
}

// LeaveMission makes a memory that is accepted late one of the whole project, if its mission was accepted before.
func (g *Register) LeaveMission(ctx context.Context, m *file.Memory) {
	id := m.Mission()
	if id == "" || Find(Load(g.place), Mission+":"+id) != nil {
		return
	}
	units, err := g.Units(ctx)
	if err != nil {
		g.log.Warn("look what became of a mission", "mission", id, "err", err)
		return
	}
	if u := Find(units, Mission+":"+id); u != nil && u.State == Accepted {
		m.Owner = nil
	}
}
