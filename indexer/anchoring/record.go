package anchoring

import (
	"fmt"
	"regexp"
	"sync"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// resolveByRecord finds an anchor by its record, without the file that it was made in.
func (w *World) resolveByRecord(a anchor.Anchor, n *Source) Resolution {
	if n == nil {
		if r := w.places.renames.known(a.Path); r != nil {
			return w.resolveByRecordIn(a, r)
		}
		if a.HasSymbol() {
			if r, ok := resolveByFingerprint(a, w.places.differences.present(nil)); ok {
				return r
			}
		}
		return orphaned(a, "the file "+a.Path+" is gone", nil)
	}
	n.parsed()
	r := Resolve(a, n.file, n.Text())
	r.Path, r.Symbol, r.Ordinal, r.Focus, r.Rung = n.Path, a.Symbol, a.Ordinal, a.Focus, anchor.RungRecord
	switch {
	case n.file == nil || r.State == anchor.Fresh:
		return r
	case a.HasSymbol() && r.State == anchor.Orphaned:
		if found, ok := resolveByFingerprint(a, append([]*Source{n}, w.places.differences.present(n)...)); ok {
			return found
		}
		r.Unsettled = len(n.file.Errors) > 0
	case a.HasSymbol():
		r.Unsettled = n.broken(r.Start, r.End)
	case a.Kind == anchor.KindLines && r.State == anchor.Stale:
		if found, ok := n.similarLines(a); ok {
			return found
		}
		r.Unsettled = len(n.file.Errors) > 0
	}
	return r
}

// maxRecordFiles is how many files are parsed to find a record.
const maxRecordFiles = 32

// resolveByFingerprint finds a symbol by its fingerprint: identical code, else the
// most similar.
func resolveByFingerprint(a anchor.Anchor, files []*Source) (Resolution, bool) {
	if a.Fingerprint == nil {
		return Resolution{}, false
	}
	var best, second location
	var most, next float64
	name := lastName(a.Symbol)
	sketch := readSketch(a.Fingerprint.Sketch)
	parsed := make(map[string]bool)
	for _, n := range files {
		if !languagesCompatible(n.Lang, a.Language) || parsed[n.Path] || len(parsed) >= maxRecordFiles || !n.parsed() {
			continue // the file itself may be among the changed ones
		}
		parsed[n.Path] = true
		for j, t := range n.symbols() {
			e := recordEvidence(a, sketch, name, n, j, t)
			score := e.scoreMoved()
			if n.Path == a.Path {
				score = max(score, e.scoreRenamed())
			}
			if score == 0 {
				continue
			}
			p := location{source: n, symbol: j, how: alike, found: true, like: e.similarity}
			if score > most {
				second, next, best, most = best, most, p, score
			} else if score > next {
				second, next = p, score
			}
		}
	}
	if !best.found || second.found && most-next < margin {
		return Resolution{}, false
	}
	to := best.source.symbols()[best.symbol]
	reason := fmt.Sprintf("%s of %s is now %s in %s", a.Symbol, a.Path, to.Path, best.source.Path)
	r := symbolResolution(best.source, best.symbol, anchor.Followed, reason, anchor.RungRecord, min(best.like, sureMoved))
	r.Unsettled = best.source.broken(to.Start, to.End)
	return r, true
}

// recordEvidence compares a record with a declaration.
func recordEvidence(a anchor.Anchor, sketch Sketch, name string, n *Source, j int, t extract.Symbol) evidence {
	e := evidence{sameKind: a.SymbolKind == "" || kindsCompatible(a.SymbolKind, t.Kind)}
	if !e.sameKind {
		return e
	}
	p, f := n.print(j), a.Fingerprint
	e.size, e.names = min(p.Size, f.Size), nameSimilarity(name, t.Name)
	if p.Tree.String() == f.Tree {
		e.similarity = 1
	} else {
		e.similarity = min(0.99, max(0, sketch.Similarity(p.Sketch)))
	}
	e.signature = t.Arity > 0 && p.Signature.String() == f.Signature
	e.parents = hashOf(parentName(n, j)) == f.Parent
	nested := childrenOf(n.symbols())
	for side, want := range map[int]string{-1: f.Before, 1: f.After} {
		got := ""
		if k := sibling(n.symbols(), nested, j, side); k >= 0 {
			got = hashOf(n.symbols()[k].Name)
		}
		if got == want {
			e.neighbours++
		}
	}
	return e
}

func hashOf(name string) string {
	if name == "" {
		return ""
	}
	return Hash(extract.HashName(name)).String()
}

func lastName(symbol string) string {
	for i := len(symbol) - 1; i >= 0; i-- {
		if symbol[i] == '.' {
			return symbol[i+1:]
		}
	}
	return symbol
}

// likeQuote is the minimum similarity of lines to a quote that no longer exists.
const likeQuote = 0.6

// similarLines finds the lines most similar to a changed quote, including its context.
func (s *Source) similarLines(a anchor.Anchor) (Resolution, bool) {
	quote := quoteLines(a.Quote)
	if blank(quote) {
		return Resolution{}, false
	}
	want, around := lineFeatures(quote), append(quoteLines(a.Prefix), quoteLines(a.Suffix)...)
	wantAround := lineFeatures(around)
	t := s.table()
	best, most, next := 0, 0.0, 0.0
	for line := 1; line+len(quote)-1 <= t.count(); line++ {
		lines := anchor.LineRange{Start: line, End: line + len(quote) - 1}
		like := want.similarity(lineFeatures(quoteLines(t.quote(lines))))
		if like < likeQuote {
			continue
		}
		before := quoteLines(t.quote(t.clamp(anchor.LineRange{Start: line - contextLines, End: line - 1})))
		after := quoteLines(t.quote(t.clamp(anchor.LineRange{Start: lines.End + 1, End: lines.End + contextLines})))
		score := like + 0.5*wantAround.similarity(lineFeatures(append(before, after...)))
		if score > most {
			best, most, next = line, score, most
		} else {
			next = max(next, score)
		}
	}
	if best == 0 || most-next < margin {
		return Resolution{}, false
	}
	r := resolver{lines: t}
	out := r.atLines(anchor.Drifted, "the quoted lines changed", anchor.LineRange{Start: best, End: best + len(quote) - 1}, min(sureDrifted, most/1.5))
	out.Path, out.Symbol, out.Ordinal, out.Rung = s.Path, a.Symbol, a.Ordinal, anchor.RungRecord
	return out, true
}

// wordOrMark is compiled on first use: hooks load this package and never need it.
var wordOrMark = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]`) })

// lineFeatures returns the features of plain text: its words and marks.
func lineFeatures(lines []string) *features {
	var tokens []extract.Token
	for _, l := range lines {
		for _, word := range wordOrMark().FindAllString(l, -1) {
			class := extract.ClassMark
			if wordByte(word[0]) {
				class = extract.ClassName
			}
			tokens = append(tokens, extract.Token{Hash: extract.HashName(word), Class: class})
		}
	}
	return newFeatures(tokens)
}
