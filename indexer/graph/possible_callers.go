package graph

import (
	"context"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// Possible is the third certainty: a call of the same name on a value of unknown type.
const Possible Certainty = "possible"

// possibleSure is the confidence in such a call. The figure is judgement;
// docs/graph-truth.md measures how few of these calls are real.
const possibleSure = 0.1

// Possible returns calls of the symbols' names that may be theirs without proof: calls
// that resolve to no known declaration, and calls through an interface or a guess that
// resolve elsewhere. It excludes calls that certainly mean something else, and what
// [Graph.Callers] returns. They are sorted by file and line.
func (ix *Index) Possible(ctx context.Context, of []*resolve.Symbol) ([]Relation, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	g, err := ix.held.graph(ctx)
	if err != nil {
		return nil, err
	}
	known := map[place]bool{}
	for _, r := range g.Callers(of) {
		known[place{r.File, r.Line}] = true
	}
	p := possibleCalls{usage: ix.held.usage(), g: g, of: of}
	var out []Relation
	for _, name := range namesOf(of) {
		for _, st := range g.filesMentioning(of, name) {
			found, err := p.in(ctx, st, name)
			if err != nil {
				return nil, err
			}
			for _, r := range found {
				if !known[place{r.File, r.Line}] {
					out = append(out, r)
				}
			}
		}
	}
	return sortAndDedupe(out), nil
}

type place struct {
	file string
	line int
}

// namesOf returns the names of the callable symbols, each once, sorted.
func namesOf(of []*resolve.Symbol) []string {
	var out []string
	for _, s := range of {
		if s.Kind != "file" {
			out = append(out, s.Name)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// filesMentioning returns the files that mention a name, by path, and every file whose
// macros may mention it.
func (g *Graph) filesMentioning(of []*resolve.Symbol, name string) []*fileState {
	g.mu.RLock()
	defer g.mu.RUnlock()
	langs := map[string]bool{}
	for _, s := range of {
		if s.Name == name {
			langs[s.File.Lang] = true
		}
	}
	h := hashName(name)
	var out []*fileState
	for _, st := range g.files {
		if !langs[st.file.Lang] {
			continue
		}
		if _, ok := slices.BinarySearch(st.names, h); ok || preprocessed(st.file.Lang) {
			out = append(out, st)
		}
	}
	sorting.Func(out, func(a, b *fileState) int { return strings.Compare(a.path, b.path) })
	return out
}

// possibleCalls looks for calls that may be of some symbols.
type possibleCalls struct {
	usage usage
	g     *Graph
	of    []*resolve.Symbol
}

// in returns those in one file that call a name.
func (p possibleCalls) in(ctx context.Context, st *fileState, name string) ([]Relation, error) {
	facts, err := p.usage.of(ctx, st)
	if err != nil {
		return nil, err
	}
	outside, err := p.usage.externalTargets(ctx, st, name)
	if err != nil {
		return nil, err
	}
	p.g.mu.RLock()
	defer p.g.mu.RUnlock()
	settled := p.g.resolvedLines(st, name)
	var out []Relation
	add := func(line, in int, edge extract.RefKind) {
		from := st.file.Self
		if in >= 0 && in < len(st.file.Symbols) {
			from = st.file.Symbols[in]
		}
		r := Relation{File: st.path, Line: line, Kind: Possible, Confidence: possibleSure, Edge: string(edge), How: howAST.String(), Stale: st.stale, node: from.Node()}
		if from.Kind != "file" {
			r.Symbol = from.Path
		}
		out = append(out, r)
	}
	seen := map[int]bool{}
	for _, ref := range facts.Refs {
		if ref.Name != name {
			continue
		}
		seen[ref.Line] = true
		if settled[ref.Line] || slices.ContainsFunc(outside[ref.Line], func(what string) bool { return surelyExternal(st.file, ref, what) }) {
			continue
		}
		if slices.ContainsFunc(p.of, func(s *resolve.Symbol) bool { return s.Name == name && couldCall(s, st.file.Lang, ref) }) {
			add(ref.Line, ref.In, extract.RefCall)
		}
	}
	if slices.ContainsFunc(p.of, func(s *resolve.Symbol) bool { return s.Name == name && s.File.Lang == st.file.Lang }) {
		for _, line := range p.usage.macroCalls(st, name) {
			if !seen[line] && !declares(st, name, line) {
				add(line, innermost(st, line), extract.RefCall)
			}
		}
	}
	return out, nil
}

// surelyExternal reports whether a use that leads outside of the workspace certainly
// does: it has no receiver, or its receiver is an import. In Go the import must be the
// package itself, since its members may be values. In Lua nothing is certain, because
// modules are values that load on demand.
func surelyExternal(f *resolve.File, ref extract.Ref, what string) bool {
	switch {
	case f.Lang == "lua":
		return false
	case ref.Recv == "":
		return true
	case f.Lang == "go":
		return !strings.ContainsAny(ref.Recv, ".([{") && f.Imports(ref.Recv) && f.ImportsModule(strings.TrimSuffix(what, "."+ref.Name))
	}
	return f.Imports(ref.Recv)
}

// preprocessed reports whether sources of a language have parts that no grammar
// understands: macros, whose bodies are text.
func preprocessed(lang string) bool { return lang == "c" || lang == "cpp" }

// declares reports whether a symbol of a name begins on a line.
func declares(st *fileState, name string, line int) bool {
	return slices.ContainsFunc(st.file.Symbols, func(s *resolve.Symbol) bool { return s.Name == name && s.Line <= line && line <= s.Line+1 })
}

// innermost returns the index of the smallest symbol around a line, -1 for none.
func innermost(st *fileState, line int) int {
	best := -1
	for i, s := range st.file.Symbols {
		if s.Line <= line && line <= s.EndLine && (best < 0 || s.EndLine-s.Line <= st.file.Symbols[best].EndLine-st.file.Symbols[best].Line) {
			best = i
		}
	}
	return best
}

// couldCall reports whether a use could be a call of a symbol, by its receiver.
func couldCall(s *resolve.Symbol, lang string, ref extract.Ref) bool {
	member := s.Path != s.Name
	switch {
	case s.File.Lang != lang:
		return false
	case ref.Kind != extract.RefCall && ref.Kind != extract.RefNew && !(ref.Kind == extract.RefRead && s.File.CallsOnRead(s)):
		return false
	case member && ref.Recv == "":
		return lang == "lua" || s.File.ImplicitSelf() // a module's functions get local names there
	case !member && ref.Recv != "":
		return lang != "go" // imports resolve a package's functions
	}
	return true
}

// resolvedLines returns the lines of a file on which a name certainly means a
// declaration that nothing overrides.
func (g *Graph) resolvedLines(st *fileState, name string) map[int]bool {
	out := map[int]bool{}
	for _, l := range st.links {
		s := g.nodes[l.to]
		if s != nil && s.Name == name && !l.may && len(g.overriddenBy[l.to]) == 0 && (s.Parent == nil || s.Parent.Kind != "interface") {
			out[int(l.line)] = true
		}
	}
	return out
}
