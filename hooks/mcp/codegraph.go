package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"manicule/indexer/graph"
	"manicule/memory"
	"manicule/memory/nearby"
)

type graphIn struct {
	Target string `json:"target"`
	Limit  int    `json:"limit"`
	Budget int    `json:"budget"`
	Cursor string `json:"cursor"`
}

// surroundings is the neighbourhood of a place in one root.
type surroundings struct {
	nearby.Code
	module *graph.Module
	hits   []memory.Hit
}

func (t *codeTools) graph(ctx context.Context, c *call, in graphIn) (string, CodeAnswer, error) {
	if strings.TrimSpace(in.Target) == "" {
		return "", CodeAnswer{}, userError("there is no target", "Name a file, or a symbol as FILE#Symbol.")
	}
	roots, places, err := t.spaces.places(ctx, []string{in.Target})
	if err != nil {
		return "", CodeAnswer{}, err
	}
	offset, err := offsetOf(in.Cursor, in.Target)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	all := make([]surroundings, len(roots))
	errs := t.awaiting(ctx, c, roots, func(ctx context.Context, i int, p *rooted) (err error) {
		all[i], err = p.surroundings(ctx, places[i][0])
		return err
	})
	a := CodeAnswer{}
	ok, err := successful(ctx, roots, errs, a.Warnings.add)
	if err != nil {
		return "", CodeAnswer{}, err
	}
	var sum graphSum
	for _, i := range ok {
		sum.add(&a, roots[i], all[i])
	}
	w := window{offset: offset, limit: limitOf(in.Limit), budget: budgetOf(in.Budget, defaultBudget), next: func(n int) string { return cursorFor(n, in.Target) }}
	text, uses, shown := a.fill(ctx, codePage{sum.head(), sum.uses, interleave(sum.memories), t.now()}, w)
	a.Relations = uses
	t.sessions.shownOf(c, shown, text, in.Target)
	return text, a, nil
}

// graphSum joins the neighbourhoods of a place in several roots.
type graphSum struct {
	uses     []Use
	memories [][]found // by root
	heads    []string  // by root
}

// add adds the neighbourhood in one root, and names in the answer what the place is there.
func (x *graphSum) add(a *CodeAnswer, p *rooted, around surroundings) {
	var uses []Use
	if m := around.module; m != nil {
		a.Targets = append(a.Targets, inRoot(placeText(m.Dir), p.root))
		uses = flows(*m)
		x.heads = append(x.heads, fmt.Sprintf("folder of %s, %s", count(m.Files, "file", "files"), count(m.Symbols, "symbol", "symbols")))
	} else {
		for _, d := range around.Definitions {
			a.Targets = append(a.Targets, targetText(d, p.root))
		}
		uses = describe(around.Code)
		x.heads = append(x.heads, fmt.Sprintf("%s around it", count(len(uses), "relation", "relations")))
	}
	if around.Stale {
		a.Warnings.add("the file has changed since and is being indexed again")
	}
	for i := range uses {
		uses[i].Root = p.root
	}
	x.uses, x.memories = append(x.uses, uses...), append(x.memories, p.found(around.hits))
}

// head says in one sentence what is around the place.
func (x *graphSum) head() string {
	if len(x.heads) > 1 {
		return fmt.Sprintf("%s around it in %d roots", count(len(x.uses), "relation", "relations"), len(x.heads))
	}
	return x.heads[0]
}

// surroundings queries the code graph about a place or a folder, and looks up the
// memories there.
func (p *rooted) surroundings(ctx context.Context, place nearby.Place) (out surroundings, err error) {
	at := nearby.WholeFile()
	if out.Code, err = p.Describe(ctx, place); err == nil {
		at, place.File = out.Definitions, out.File
	} else {
		if place.Symbol != "" || !errors.Is(err, memory.ErrNotFound) {
			return out, err
		}
		m, merr := p.Module(ctx, place.File)
		if merr != nil {
			return out, err // of the file: it is clear that it is no folder either
		}
		out.module, place.File = &m, m.Dir
	}
	if err := p.Fresh(ctx); err != nil {
		return out, err
	}
	out.hits, err = nearby.Memories(ctx, viewOf(ctx, p.Memories), place.File, at)
	return out, err
}

// describe lists the graph's answer about a place, most informative first. Code that uses the symbol
// several times, or is used so, is one entry, at its first use. The files that a symbol's file uses are
// no answer about the symbol, and doubles of tests, which code that is no test hardly calls, come last.
func describe(code nearby.Code) []Use {
	var uses, doubles []Use
	add := func(how string, all []graph.Relation) {
		var list useList
		for _, r := range all {
			u := Use{At: at(r.File, r.Line), Symbol: symbolText(r.Symbol), How: how, Through: symbolText(r.Via), Stale: r.Stale}
			if r.Edge == graph.EdgeValue {
				u.How += " (as a value)"
			}
			if how == "callee" {
				u.At = at(r.File, 0) // the line is that of the call, in the queried file
			}
			if r.Kind == graph.May {
				u.May = r.Confidence
			}
			list.add(r.File, how == "callee" && r.Double(code.File), u)
		}
		uses, doubles = append(uses, list.uses...), append(doubles, list.doubles...)
	}
	add("caller", code.Callers)
	add("callee", code.Callees)
	if len(code.Callers) == 0 {
		add("reference", code.References)
	}
	if uses = append(uses, doubles...); code.Symbol != "" {
		return uses
	}
	for _, f := range code.Dependents {
		uses = append(uses, Use{At: at(f, 0), How: "file used by"})
	}
	for _, f := range code.Imports {
		uses = append(uses, Use{At: at(f, 0), How: "file uses"})
	}
	return uses
}

// useList collects uses, those together that differ in their line only.
type useList struct {
	uses, doubles []Use
	known         map[Use]int // by what they are without their line: their place in one of the lists
}

func (l *useList) add(file string, double bool, u Use) {
	to := &l.uses
	if double {
		to = &l.doubles
	}
	key := u
	key.At = file
	if i, ok := l.known[key]; ok {
		(*to)[i].Times = max(1, (*to)[i].Times) + 1
		return
	}
	if l.known == nil {
		l.known = map[Use]int{}
	}
	l.known[key] = len(*to)
	*to = append(*to, u)
}

// flows lists the folders that a folder uses and is used by, and the entry points of
// programs that reach it.
func flows(m graph.Module) []Use {
	var uses []Use
	add := func(how string, all []graph.Flow, end func(graph.Flow) string) {
		for _, f := range all {
			u := Use{At: at(end(f), 0), How: how, Stale: f.Stale}
			if f.Kind == graph.May {
				u.May = f.Confidence
			}
			uses = append(uses, u)
		}
	}
	add("used by", m.UsedBy, func(f graph.Flow) string { return f.From })
	add("uses", m.FlowsTo, func(f graph.Flow) string { return f.To })
	for _, e := range m.Entries {
		uses = append(uses, Use{At: at(e.File, e.Line), Symbol: symbolText(e.Symbol), How: "entry point"})
	}
	add("inside", m.Inside, func(f graph.Flow) string { return f.From + "→" + f.To })
	return uses
}
