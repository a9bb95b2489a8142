// Package nearby collects the context of a place in the code: its callers, callees
// and dependents from the code graph, and the memories about it. It must not know
// editors, agents or how an answer is shown.
package nearby

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/graph"
	"manicule/indexer/sorting"
	"manicule/indexer/typo"
	"manicule/memory"
)

// Place is a file or folder, relative to the root with forward slashes, and a symbol in it, or a line
// (from 1) of one. The symbol "" without a line means the whole file.
type Place struct {
	File   string `json:"file"`
	Symbol string `json:"symbol,omitzero"`
	Line   int    `json:"line,omitzero"`
}

// Parse reads FILE, FILE#Symbol or FILE:LINE. The file is absolute or relative to the root. For a place
// outside the workspace, the error is a *memory.UserError.
func Parse(w *memory.Workspace, arg string) (Place, error) {
	name, symbol, _ := anchor.CutSymbol(w.Place().Below(arg))
	rel, ok := w.Place().Rel(name)
	if !ok || name == "" {
		return Place{}, &memory.UserError{Msg: fmt.Sprintf("%q is not a file of this workspace", name), Hint: "Name a file below " + w.Root() + "."}
	}
	rel = filepath.ToSlash(rel)
	if a, _ := memory.Ask(w.Place(), rel); a.Line > 0 && symbol == "" {
		return Place{File: a.Path, Line: a.Line}, nil
	}
	return Place{File: rel, Symbol: symbol}, nil
}

// Symbols finds the symbols that a place names. For an unknown name, the error lists existing ones.
// A place that is no file may be the bare name of a symbol. Errors wrap memory.ErrNotFound or
// memory.ErrAmbiguous.
func Symbols(g *graph.Graph, p Place) ([]*graph.Symbol, error) {
	if !g.Has(p.File) {
		if found, err := bare(g, p); len(found) > 0 || err != nil {
			return found, err
		}
		if _, ok := g.Module(p.File); ok && p.Symbol != "" {
			return nil, &memory.UserError{Msg: fmt.Sprintf("no symbol below %s is called %q", p.File, p.Symbol), Err: memory.ErrNotFound, Hint: "`manicule outline FILE` lists what a file has."}
		}
		if _, ok := g.Module(p.File); ok {
			return nil, &memory.UserError{Msg: p.File + " is a folder", Err: memory.ErrNotFound, Hint: "Name a file in it; `manicule graph " + p.File + "` says what the folder uses and what uses it."}
		}
		return nil, unknown(g, p)
	}
	if p.Line > 0 {
		return g.SymbolsAt(p.File, [][2]int{{p.Line, p.Line}}), nil
	}
	found := g.Find(p.File, p.Symbol)
	if plain := anchor.PlainSymbol(p.Symbol); len(found) == 0 && plain != p.Symbol {
		found, p.Symbol = g.Find(p.File, plain), plain
	}
	if len(found) == 0 {
		e := &memory.UserError{Msg: fmt.Sprintf("%s has no symbol %q", p.File, p.Symbol), Err: memory.ErrNotFound, Hint: "`manicule outline " + p.File + "` lists what it has."}
		const looked = 200 // symbols that are called alike, in all files
		alike := g.Nearest(looked, func(have string) (int, bool) { return typo.Meant(have, p.Symbol) })
		alike = slices.DeleteFunc(alike, func(s *graph.Symbol) bool { return s.File.Path != p.File })
		if near := spots(alike); len(near) > 0 {
			e.Hint = "Did you mean " + strings.Join(near[:min(maxNear, len(near))], ", ") + "? " + e.Hint
		}
		return nil, e
	}
	found = withoutConstructors(found)
	if paths := distinctPaths(found); len(paths) > 1 {
		return nil, &memory.UserError{Msg: fmt.Sprintf("%q is ambiguous in %s", p.Symbol, p.File), Err: memory.ErrAmbiguous,
			Hint: memory.Choices(paths[:min(maxNamed, len(paths))], len(paths), "its whole name, as `manicule outline "+p.File+"` has it")}
	}
	return found, nil
}

// maxNear is how many names are proposed for one that is not there.
const maxNear = 3

// unknown is the error for a place that the code graph does not have.
func unknown(g *graph.Graph, p Place) error {
	e := &memory.UserError{Msg: p.File + " is not in the code graph", Err: memory.ErrNotFound, Hint: "It is ignored, missing, or in an unsupported language. `manicule index` lists what was skipped."}
	name := path.Base(p.File)
	_, source := grammars.ForPath(p.File)
	if near := g.FilesBySuffix(name); len(near) > 0 {
		e.Hint = "There is " + strings.Join(near[:min(maxNear, len(near))], ", ") + "."
		return e
	}
	if p.Symbol != "" || source || name != p.File {
		return e // it is meant as a file
	}
	e.Msg, e.Hint = fmt.Sprintf("no symbol and no file of the code graph is called %q", name), "`manicule outline FILE` lists the symbols of a file. A file may be ignored or in an unsupported language: `manicule index` lists what was skipped."
	plain := anchor.PlainSymbol(name)
	near := g.Nearest(2*maxNear, func(have string) (int, bool) { return typo.Meant(have, plain) })
	if near = withoutConstructors(near); len(near) > 0 {
		e.Hint = "Did you mean " + strings.Join(spots(near[:min(maxNear, len(near))]), ", ") + "? If it is a file, it is ignored, missing, or in an unsupported language."
	}
	return e
}

// maxNamed is the maximum number of symbols of one name that are listed.
const maxNamed = 6

// bare finds the only symbol with a name that is given without a file: in the workspace, or below
// a folder (FOLDER#Symbol).
func bare(g *graph.Graph, p Place) ([]*graph.Symbol, error) {
	name, where := path.Base(p.File), ""
	if p.Symbol != "" {
		name, where = p.Symbol, strings.TrimSuffix(p.File, "/")+"/"
	}
	lookup := func(name string) []*graph.Symbol {
		return slices.DeleteFunc(g.Lookup(name), func(s *graph.Symbol) bool { return where != "./" && !strings.HasPrefix(s.File.Path, where) })
	}
	found := lookup(name)
	if plain := anchor.PlainSymbol(name); len(found) == 0 && plain != name {
		found, name = lookup(plain), plain
	}
	if len(found) == 0 && p.Symbol != "" && !strings.Contains(p.File, "/") { // Type#method, as Java's documents have it
		found = g.Lookup(anchor.PlainSymbol(p.File) + "." + name)
	}
	found = withoutConstructors(found)
	if one, ok := definitionFirst(found); ok {
		return one, nil
	}
	// Somebody who asks for a name hardly means a test's.
	sorting.StableFunc(found, func(a, b *graph.Symbol) int { return rankOf(a) - rankOf(b) })
	all := spots(found)
	if len(all) < 2 {
		return found, nil
	}
	return nil, &memory.UserError{Msg: fmt.Sprintf("%d symbols are called %q", len(all), name), Err: memory.ErrAmbiguous,
		Hint: memory.Choices(all[:min(maxNamed, len(all))], len(all), "its type (Type."+last(name)+"), file or folder (FOLDER#"+name+")")}
}

// withoutConstructors leaves out the constructors of types that are there too, which C++, Java and others call like the type:
// who writes the name means the type. Type.Type names a constructor.
func withoutConstructors(found []*graph.Symbol) []*graph.Symbol {
	if len(found) < 2 {
		return found
	}
	types := map[string]bool{}
	for _, s := range found {
		if s.IsType() && s.Kind != "module" {
			types[s.Path] = true
		}
	}
	return slices.DeleteFunc(found, func(s *graph.Symbol) bool {
		of, is := strings.CutSuffix(s.Path, "."+s.Name)
		return is && s.Kind == "method" && types[of] && last(of) == s.Name
	})
}

// definitionFirst puts the definition of what C or C++ also declares in headers before its declarations. ok is false if the
// symbols are not one: they have several names, or other files define them, too.
func definitionFirst(found []*graph.Symbol) (one []*graph.Symbol, ok bool) {
	var declared []*graph.Symbol
	for _, s := range found {
		switch {
		case s.Path != found[0].Path || s.File.Lang != "c" && s.File.Lang != "cpp" || graph.IsTest(s.File.Path) != graph.IsTest(found[0].File.Path):
			return nil, false
		case slices.Contains([]string{".h", ".hh", ".hpp", ".hxx", ".h++"}, path.Ext(s.File.Path)):
			declared = append(declared, s)
		case len(one) > 0 && one[0].File != s.File:
			return nil, false
		default:
			one = append(one, s)
		}
	}
	return append(one, declared...), len(one) > 0 && len(declared) > 0
}

func rankOf(s *graph.Symbol) int {
	if graph.IsTest(s.File.Path) {
		return 1
	}
	return 0
}

// last is the last part of a name: Shutdown of App.Shutdown.
func last(name string) string { return name[strings.LastIndex(name, ".")+1:] }

// spots names symbols as FILE#Symbol, overloads once.
func spots(all []*graph.Symbol) []string {
	var out []string
	for _, s := range all {
		if spot := s.File.Path + "#" + s.Path; !slices.Contains(out, spot) {
			out = append(out, spot)
		}
	}
	return out
}

func distinctPaths(all []*graph.Symbol) []string {
	var out []string
	for _, s := range all {
		if !slices.Contains(out, s.Path) {
			out = append(out, s.Path)
		}
	}
	return out
}

// Code is the code graph's description of a place. Lists are empty, never nil.
type Code struct {
	File        string           `json:"file"`
	Symbol      string           `json:"symbol"`
	Stale       bool             `json:"stale"`
	Definitions []graph.Ref      `json:"definitions"`
	Callers     []graph.Relation `json:"callers"`
	Callees     []graph.Relation `json:"callees"`
	References  []graph.Relation `json:"references"`
	Imports     []string         `json:"imports"`
	Dependents  []string         `json:"dependents"`
}

// Describe queries the graph about the symbols that a place names.
func Describe(g *graph.Graph, p Place, syms []*graph.Symbol) Code {
	if len(syms) > 0 && (!g.Has(p.File) || p.Line > 0) { // a bare name, or a line
		p = Place{File: syms[0].File.Path, Symbol: syms[0].Path}
	}
	return Code{
		File: p.File, Symbol: p.Symbol, Stale: g.Stale(p.File), Definitions: list(g.Refs(syms)),
		Callers: list(g.Callers(syms)), Callees: list(g.Callees(syms)), References: list(g.References(syms)),
		Imports: list(g.Imports(p.File)), Dependents: list(g.Dependents(p.File)),
	}
}

func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

// WholeFile represents all symbols of a file or folder.
func WholeFile() []graph.Ref { return []graph.Ref{{Kind: wholeKind}} }

// wholeKind is the kind of the symbol that represents a file in the graph.
const wholeKind = "file"

// Recaller recalls memories: a [memory.Recaller] or a [memory.ViewRecaller].
type Recaller interface {
	Root() string
	Recall(ctx context.Context, q memory.Query) (memory.Recall, error)
}

// Memories returns the memories for a file or folder in recall order, without project-wide ones. If
// symbols are given, memories anchored at other symbols are left out.
func Memories(ctx context.Context, w Recaller, rel string, at []graph.Ref) ([]memory.Hit, error) {
	r, err := w.Recall(ctx, memory.Query{Paths: []string{filepath.Join(w.Root(), filepath.FromSlash(rel))}, Limit: -1})
	if err != nil {
		return nil, fmt.Errorf("look for the memories about %s: %w", rel, err)
	}
	var out []memory.Hit
	for _, h := range r.Hits {
		switch h.Match {
		case memory.MatchAnchor:
			if anchored(h, at) {
				out = append(out, h)
			}
		case memory.MatchScope, memory.MatchParent: // the latter for a folder
			out = append(out, h)
		}
	}
	return out, nil
}

func anchored(h memory.Hit, at []graph.Ref) bool {
	for _, an := range h.Memory.Anchors {
		if an.Symbol == "" || Covers(an.Symbol, at) {
			return true
		}
	}
	return len(h.Memory.Anchors) == 0 && Covers("", at)
}

// Covers reports whether a symbol is one of the places, or lies within one.
func Covers(symbol string, at []graph.Ref) bool {
	return slices.ContainsFunc(at, func(s graph.Ref) bool {
		return s.Kind == wholeKind || symbol == s.Symbol || strings.HasPrefix(symbol, s.Symbol+".")
	})
}

// maxOnTheWay is the maximum number of files for which memories are looked up.
const maxOnTheWay = 200

// AlongImpact returns the memories about the files that an impact passes through, nearest first,
// each once. more are further files, such as those whose symbols were removed.
func AlongImpact(ctx context.Context, w Recaller, im graph.Impact, more ...string) ([]memory.Hit, error) {
	var hits []memory.Hit
	files, seen := map[string]bool{}, map[string]bool{}
	look := func(rel string) error {
		if files[rel] || len(files) >= maxOnTheWay {
			return nil
		}
		files[rel] = true
		found, err := Memories(ctx, w, rel, WholeFile())
		for _, h := range found {
			if !seen[h.Memory.UUID] {
				seen[h.Memory.UUID] = true
				hits = append(hits, h)
			}
		}
		return err
	}
	for _, t := range im.Targets {
		if err := look(t.File); err != nil {
			return hits, err
		}
	}
	for _, f := range more {
		if err := look(f); err != nil {
			return hits, err
		}
	}
	for _, x := range im.Affected {
		if len(files) >= maxOnTheWay {
			break
		}
		if err := look(x.File); err != nil {
			return hits, err
		}
	}
	return hits, nil
}
