package graph

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
)

// pythonEdge is a call from a function or a module to a function.
type pythonEdge struct{ caller, callee string }

// askPyCG compares with the hand-written call graphs of PyCG's micro-benchmark. Calls
// into the language and into absent modules are left out. The graph has no names for
// lambdas: their calls belong to the enclosing code, and calls of them are left out.
// Calling a class runs its __init__ if it has one.
func (e *evaluation) askPyCG(ctx context.Context) error {
	root, err := pycgSource.at(e.pycg)
	if err != nil {
		return err
	}
	oracles, err := filepath.Glob(filepath.Join(root, "micro-benchmark", "snippets", "*", "*", "callgraph.json"))
	if err != nil {
		return fmt.Errorf("find the programs: %w", err)
	}
	if len(oracles) == 0 {
		return evalkit.Missing("%s has no micro-benchmark/snippets", root)
	}
	slices.Sort(oracles)
	t := evalkit.NewTable("programs", "number", "all edges right", "oracle", "ours", "precision", "recall")
	var all score
	exact, left := 0, e.misses
	type group struct {
		programs, exact int
		score
	}
	groups := map[string]*group{}
	var order []string
	for _, oracle := range oracles {
		truth, err := readPyCG(oracle)
		if err != nil {
			return err
		}
		dir := filepath.Dir(oracle)
		_, g, err := e.indexed(ctx, dir)
		if err != nil {
			return err
		}
		ours, modules, err := pythonEdges(g, dir)
		if err != nil {
			return err
		}
		for edge := range truth {
			if !inside(edge.callee, modules) || !inside(edge.caller, modules) {
				delete(truth, edge)
			}
		}
		name, err := filepath.Rel(filepath.Join(root, "micro-benchmark", "snippets"), dir)
		if err != nil {
			return fmt.Errorf("name %s: %w", dir, err)
		}
		kind, _, _ := strings.Cut(filepath.ToSlash(name), "/")
		if groups[kind] == nil {
			groups[kind] = &group{}
			order = append(order, kind)
		}
		one := comparePyCG(name, truth, ours, &left)
		in := groups[kind]
		in.programs++
		if one.both == one.oracle && one.both == one.ours {
			in.exact++
			exact++
		}
		in.sum(one)
		all.sum(one)
	}
	var perfect []string
	for _, kind := range order {
		in := groups[kind]
		if in.exact == in.programs {
			perfect = append(perfect, fmt.Sprintf("%s (%d)", kind, in.programs))
			continue
		}
		t.Add(kind, in.programs, in.exact, in.oracle, in.ours, in.precision(), in.recall())
	}
	t.Add("**all**", len(oracles), exact, all.oracle, all.ours, all.precision(), all.recall())
	e.sections = append(e.sections, evalkit.Section{
		Title: "Python: PyCG's micro-benchmark",
		Notes: []string{fmt.Sprintf("Oracle: the call graphs of the %d programs of PyCG %.9s. All edges are right in %s.", len(oracles), pycgSource.commit, strings.Join(perfect, ", "))},
		Table: t,
	})
	return nil
}

// comparePyCG compares the edges of a program, and tells up to left differences.
func comparePyCG(name string, truth, ours map[pythonEdge]bool, left *int) score {
	var one score
	one.oracle, one.ours = len(truth), len(ours)
	tell := func(sign string, edge pythonEdge) {
		if *left--; *left >= 0 {
			evalkit.Progress("%s %s: %s → %s", sign, name, edge.caller, edge.callee)
		}
	}
	for edge := range truth {
		if ours[edge] {
			one.both++
		} else {
			tell("-", edge)
		}
	}
	for edge := range ours {
		if !truth[edge] {
			tell("+", edge)
		}
	}
	return one
}

var lambda = regexp.MustCompile(`\.<lambda\d+>`)

// readPyCG reads the edges of a program.
func readPyCG(name string) (map[pythonEdge]bool, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the oracle: %w", err)
	}
	var calls map[string][]string
	if err := json.Unmarshal(data, &calls); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	out := map[pythonEdge]bool{}
	for caller, callees := range calls {
		for _, callee := range callees {
			if !lambda.MatchString(callee) {
				out[pythonEdge{lambda.ReplaceAllString(caller, ""), callee}] = true
			}
		}
	}
	return out, nil
}

// pythonEdges returns the calls of a program in the graph, and its modules.
func pythonEdges(g *graph.Graph, dir string) (map[pythonEdge]bool, []string, error) {
	edges := map[pythonEdge]bool{}
	var modules []string
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".py" {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return fmt.Errorf("name %s: %w", name, err)
		}
		rel = filepath.ToSlash(rel)
		modules = append(modules, moduleName(rel))
		for _, self := range g.Find(rel, "") {
			for _, s := range self.File.Symbols {
				if s.Kind != "function" && s.Kind != "method" {
					continue
				}
				for _, r := range through(g.Callers(g.Find(rel, s.Path))) {
					edges[pythonEdge{qualified(r.File, runsIn(g, r.File, r.Symbol)), qualified(rel, s.Path)}] = true
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read the program in %s: %w", dir, err)
	}
	return edges, modules, nil
}

// runsIn returns the function that runs a symbol's code. The value of a variable is
// computed by the enclosing code.
func runsIn(g *graph.Graph, file, symbol string) string {
	found := g.Find(file, symbol)
	if len(found) == 0 {
		return symbol
	}
	s := found[0]
	for s != nil && s.Path != "" && s.Kind != "function" && s.Kind != "method" && s.Kind != "class" {
		s = s.Parent
	}
	if s == nil {
		return ""
	}
	return s.Path
}

func moduleName(file string) string {
	name := strings.TrimSuffix(file, ".py")
	if path.Base(name) == "__init__" {
		name = path.Dir(name)
	}
	return strings.ReplaceAll(name, "/", ".")
}

func qualified(file, symbol string) string {
	if symbol == "" {
		return moduleName(file)
	}
	return moduleName(file) + "." + symbol
}

// inside reports whether a name belongs to one of the modules.
func inside(name string, modules []string) bool {
	for _, m := range modules {
		if name == m || strings.HasPrefix(name, m+".") {
			return true
		}
	}
	return false
}
