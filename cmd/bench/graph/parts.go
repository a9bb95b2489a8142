package graph

import (
	"context"
	"errors"
	"fmt"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
)

// question is what somebody asks of the graph.
type question struct{ file, symbol string }

// asParts measures the first question to a stored graph, of which the whole is loaded or only what
// the question needs, and holds that the answers to all questions are the same.
func (r *result) asParts(ctx context.Context, open func() *graph.Index, all []question) (err error) {
	whole, part := open(), open()
	defer func() { err = errors.Join(err, whole.Close(), part.Close()) }()
	start := time.Now()
	g, err := whole.Graph(ctx)
	if err != nil {
		return err
	}
	answers := make([]string, 0, len(all))
	for i, q := range all {
		answers = append(answers, answer(g, q))
		if i == 0 {
			r.firstWhole = time.Since(start)
		}
	}
	for i, q := range all {
		start := time.Now()
		got := ""
		if err := part.Ask(ctx, func(g *graph.Graph) { got = answer(g, q) }); err != nil {
			return err
		}
		if i == 0 {
			r.firstPart = time.Since(start)
		}
		if got != answers[i] {
			return fmt.Errorf("%s#%s: a part of the graph answers\n%s\nand the whole graph\n%s", q.file, q.symbol, got, answers[i])
		}
	}
	evalkit.Progress("a part of the graph answers %d questions as the whole one does", len(all))
	return nil
}

// answer writes all that a graph says about a symbol.
func answer(g *graph.Graph, q question) string {
	of := g.Find(q.file, q.symbol)
	return fmt.Sprintf("%+v", []any{g.Refs(g.Lookup(q.symbol)), g.Refs(of), g.Impact(of, graph.DefaultDepth), g.Callers(of), g.Callees(of), g.References(of),
		g.Imports(q.file), g.Dependents(q.file), g.Outline(q.file)})
}
