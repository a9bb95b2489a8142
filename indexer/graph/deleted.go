package graph

import (
	"context"
	"slices"
	"strings"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
)

// OldFile is a file in an older revision.
type OldFile struct {
	Path string // in the older revision
	Now  string // current path; "" if it is gone
	Text []byte
}

// Deletion is a symbol that an older revision of a file declares and the current file
// does not. Its position is that in the older revision.
type Deletion struct {
	Ref
	References []Relation `json:"references"` // remaining uses
}

// Deleted returns the symbols that files lost since older revisions, with their
// remaining uses, sorted by file and line. A part of a lost symbol, and a symbol that
// moved with its file, is included only if it is still used.
//
// A use remains if the old text, overlaid on the current files, yields an edge to the
// old symbol, and the current files yield no edge there to anything of that name.
func (ix *Index) Deleted(ctx context.Context, old []OldFile) ([]Deletion, error) {
	was, err := declaredBefore(ctx, old)
	if err != nil {
		return nil, err
	}
	var lost map[string]*lostSymbols
	if err := ix.Ask(ctx, func(g *Graph) { lost = g.lostSymbols(was) }); err != nil || len(lost) == 0 {
		return nil, err
	}
	texts := make(map[string]Source, len(lost))
	for _, o := range old {
		if lost[o.Path] != nil {
			texts[o.Path] = oldText{o.Text, languageOf(o.Path)}
		}
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	g, err := ix.held.graph(ctx) // the old texts go over the whole of it
	if err != nil {
		return nil, err
	}
	var uses map[string][][]Relation
	if err := ix.held.withMoreOverlays(ctx, texts, func() { uses = directUses(g, lost) }); err != nil {
		return nil, err
	}
	now := ix.held.usage()
	var out []Deletion
	for p, l := range lost {
		for i, s := range l.symbols {
			d := Deletion{Ref: Ref{File: p, Symbol: s.Path, Kind: s.Kind, Line: s.Line, EndLine: s.EndLine, Signature: s.Signature}, References: []Relation{}}
			for _, r := range uses[p][i] {
				if texts[r.File] != nil {
					if r.Line, err = now.currentLine(ctx, g, r, s.Name); err != nil {
						return nil, err
					}
				}
				if r.Line > 0 && !g.hasUse(r.File, r.Line, s.Name) {
					d.References = append(d.References, r)
				}
			}
			if !l.quiet[i] || len(d.References) > 0 {
				out = append(out, d)
			}
		}
	}
	sorting.Func(out, func(a, b Deletion) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Symbol, b.Symbol)
	})
	return out, nil
}

// lostSymbols are the symbols that a file lost.
type lostSymbols struct {
	symbols []extract.Symbol
	quiet   []bool // included only if still used
}

// declaredOnce is what an old file declared.
type declaredOnce struct {
	OldFile
	symbols []extract.Symbol
}

// declaredBefore parses old files. Of one that can't be parsed nothing is known.
func declaredBefore(ctx context.Context, old []OldFile) (out []declaredOnce, err error) {
	for _, o := range old {
		lang := languageOf(o.Path)
		if lang == "" || skipReason(o.Path, o.Text) != "" {
			continue
		}
		was, err := extract.ParseFacts(ctx, lang, o.Text)
		if err == nil {
			out = append(out, declaredOnce{o, was.Symbols})
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return out, nil
}

// lostSymbols compares old files with the graph. It returns those that lost symbols, by their old
// paths.
func (g *Graph) lostSymbols(old []declaredOnce) map[string]*lostSymbols {
	g.mu.RLock()
	defer g.mu.RUnlock()
	out := map[string]*lostSymbols{}
	for _, o := range old {
		if l := lostOf(g, o); len(l.symbols) > 0 {
			out[o.Path] = l
		}
	}
	return out
}

// lostOf compares an old file with the graph.
func lostOf(g *Graph, o declaredOnce) *lostSymbols {
	has := map[string]bool{}
	if st := g.at(o.Now); st != nil {
		for _, s := range st.file.Symbols {
			has[s.Path] = true
		}
	}
	l := &lostSymbols{}
	seen := map[string]bool{}
	for _, s := range o.symbols {
		if seen[s.Path] || has[s.Path] && o.Now == o.Path {
			continue
		}
		seen[s.Path] = true
		l.symbols = append(l.symbols, s)
		l.quiet = append(l.quiet, has[s.Path] || s.Parent >= 0 && !has[o.symbols[s.Parent].Path])
	}
	return l
}

// directUses finds what uses the lost symbols of each file, in a graph that has them.
func directUses(g *Graph, lost map[string]*lostSymbols) map[string][][]Relation {
	uses := map[string][][]Relation{}
	for p, l := range lost {
		for _, s := range l.symbols {
			exact := slices.DeleteFunc(g.Find(p, s.Path), func(found *resolve.Symbol) bool { return found.Path != s.Path })
			direct := slices.DeleteFunc(g.References(exact), func(r Relation) bool { return r.Via != "" })
			uses[p] = append(uses[p], direct)
		}
	}
	return uses
}

// oldText overlays the current file with its old text.
type oldText struct {
	text []byte
	lang string
}

func (o oldText) Text() []byte { return o.text }

func (o oldText) Facts(ctx context.Context) (*extract.Facts, error) {
	return extract.ParseFacts(ctx, o.lang, o.text)
}

// currentLine finds a use again in the current file: the same name in the same symbol.
// It returns 0 if there is none.
func (u usage) currentLine(ctx context.Context, g *Graph, r Relation, name string) (int, error) {
	st := g.at(r.File)
	if st == nil {
		return 0, nil
	}
	facts, err := u.of(ctx, st)
	if err != nil {
		return 0, err
	}
	for _, ref := range facts.Refs {
		in := ""
		if ref.In >= 0 {
			in = st.file.Symbols[ref.In].Path
		}
		if ref.Name == name && in == r.Symbol {
			return ref.Line, nil
		}
	}
	return 0, nil
}

// hasUse reports whether a line of a file uses a symbol of a name.
func (g *Graph) hasUse(file string, line int, name string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	st := g.at(file)
	if st == nil {
		return false
	}
	return slices.ContainsFunc(g.linksOf(st), func(l link) bool {
		s := g.node(l.to)
		return int(l.line) == line && s != nil && s.Name == name
	})
}
