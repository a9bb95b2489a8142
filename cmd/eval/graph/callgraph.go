package graph

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
)

// callEdge is a call of a function at a place.
type callEdge struct {
	callee string // package folder, colon, Type.Method or name
	at     place
}

// askCallgraph compares with the call graphs of x/tools/cmd/callgraph. Every edge of the
// static one must be found; an edge that variable type analysis lacks is wrong. Calls in
// function literals are left out, because the graph assigns their code to the enclosing
// function. Calls in package variables are left out, because the tool assigns them to
// functions without source.
func (e *evaluation) askCallgraph(ctx context.Context) error {
	root, err := fzfSource.at(e.fzf)
	if err != nil {
		return err
	}
	if e.callgraph == "" {
		return evalkit.Missing("%s", "the edges are not there: golang.org/x/tools/cmd/callgraph prints them with -format '{{.Caller}}\\t{{.Callee}}\\t{{.Filename}}:{{.Line}}' and -algo static, vta")
	}
	static, _, err := readEdges(filepath.Join(e.callgraph, "fzf.static.tsv"))
	if err != nil {
		return err
	}
	flow, callers, err := readEdges(filepath.Join(e.callgraph, "fzf.vta.tsv"))
	if err != nil {
		return err
	}
	m, err := readGoModule(ctx, root)
	if err != nil {
		return err
	}
	_, g, err := e.indexed(ctx, root)
	if err != nil {
		return err
	}
	ours, must := m.edges(g, callers)
	diff := &differences{e.misses}
	found := both(static, ours)
	for edge := range static {
		if !ours[edge] {
			diff.show("static", edge.callee, []place{edge.at}, nil)
		}
	}
	right, sure := 0, 0
	for edge := range ours {
		if flow[edge] || static[edge] {
			right++
			if must[edge] {
				sure++
			}
		} else {
			diff.show("vta", edge.callee, nil, []place{edge.at})
		}
	}
	reached := both(flow, ours)
	t := evalkit.NewTable("edges", "oracle", "ours", "precision", "recall")
	t.Add("static calls, all must be found", len(static), "", "", evalkit.Ratio(found, len(static)))
	t.Add("ours, with \"may\", against the flow of types", len(flow), len(ours), evalkit.Ratio(right, len(ours)), evalkit.Ratio(reached, len(flow)))
	t.Add("ours, \"must\" alone", len(flow), len(must), evalkit.Ratio(sure, len(must)), "")
	e.sections = append(e.sections, evalkit.Section{
		Title: "Go: static and flow-based call graphs",
		Notes: []string{fmt.Sprintf("Oracle: golang.org/x/tools/cmd/callgraph on fzf %.9s, static and VTA, without tests and function literals.", fzfSource.commit)},
		Table: t,
	})
	return nil
}

// edges returns the graph's edges to the functions of the module, and those of them that are certain. Only code that
// the oracle reaches from main, whose functions are callers, can be compared.
func (m *goModule) edges(g *graph.Graph, callers map[string]bool) (ours, must map[callEdge]bool) {
	ours, must = map[callEdge]bool{}, map[callEdge]bool{}
	for _, file := range m.files {
		for _, s := range g.Find(file, "") {
			for _, f := range s.File.Symbols {
				if f.Kind != "function" && f.Kind != "method" || f.Parent != nil && f.Parent.Kind == "interface" {
					continue
				}
				for _, r := range through(g.Callers(g.Find(file, f.Path))) {
					if !m.in[r.File] || graph.IsTest(r.File) || !callers[path.Dir(r.File)+":"+r.Symbol] {
						continue
					}
					edge := callEdge{path.Dir(file) + ":" + f.Path, place{r.File, r.Line}}
					ours[edge] = true
					if r.Kind == graph.Must {
						must[edge] = true
					}
				}
			}
		}
	}
	return ours, must
}

// both counts the edges of one set that are in another, too.
func both(of, in map[callEdge]bool) (n int) {
	for edge := range of {
		if in[edge] {
			n++
		}
	}
	return n
}

var (
	ssaMethod   = regexp.MustCompile(`^\(\*?(.*?)\.([^./]+)\)\.([^.]+)$`)
	ssaFunction = regexp.MustCompile(`^(.*)\.([^./]+)$`)
	ssaTypeArgs = regexp.MustCompile(`\[.*\]`)
	ssaLiteral  = regexp.MustCompile(`\$\d`)
	ssaWrapper  = regexp.MustCompile(`\$(bound|thunk)$`)
)

const fzfModule = "github.com/junegunn/fzf"

// readEdges reads calls and the functions that contain them.
func readEdges(name string) (edges map[callEdge]bool, callers map[string]bool, err error) {
	if _, err := os.Stat(name); err != nil {
		return nil, nil, evalkit.Missing("%v", err)
	}
	edges, callers = map[callEdge]bool{}, map[string]bool{}
	err = evalkit.Lines(name, func(text []byte) error {
		caller, rest, _ := strings.Cut(string(text), "\t")
		callee, at, _ := strings.Cut(rest, "\t")
		file, number, ok := strings.Cut(at, ":")
		line := 0
		if _, err := fmt.Sscan(number, &line); !ok || err != nil {
			return fmt.Errorf("%q is no edge", text)
		}
		from := ssaName(caller)
		callers[from] = true
		if !strings.HasPrefix(strings.TrimLeft(callee, "(*"), fzfModule) || strings.HasPrefix(file, "/") { // an instance of a library's generic function
			return nil
		}
		if ssaLiteral.MatchString(callee) || strings.HasSuffix(from, ":init") && !strings.Contains(caller, "init#") || strings.HasSuffix(callee, ".init") || strings.Contains(callee, ".init#") {
			return nil
		}
		edges[callEdge{ssaName(callee), place{file, line}}] = true
		return nil
	})
	return edges, callers, err
}

// ssaName converts the tool's name of a function, or of a literal in it, to ours.
func ssaName(s string) string {
	s = ssaWrapper.ReplaceAllString(s, "")
	s, _, _ = strings.Cut(ssaTypeArgs.ReplaceAllString(s, ""), "$")
	s, _, _ = strings.Cut(s, "#")
	pkg, symbol := "", ""
	if p := ssaMethod.FindStringSubmatch(s); p != nil {
		pkg, symbol = p[1], p[2]+"."+p[3]
	} else if p := ssaFunction.FindStringSubmatch(s); p != nil {
		pkg, symbol = p[1], p[2]
	}
	return path.Join(".", strings.TrimPrefix(strings.TrimPrefix(pkg, fzfModule), "/")) + ":" + symbol
}
