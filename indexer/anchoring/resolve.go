// Package anchoring ties anchors to places in the code, and finds these places again:
// Make and Resolve in one parsed file, World.Resolve between two states of a tree. It
// tries a ladder of matches, from identical code to the most similar. The package is
// pure: the caller supplies files as functions, and the only result is an anchor or a
// resolution. It must not know memories, databases, the file system, git or
// tree-sitter.
package anchoring

import (
	"context"
	"fmt"
	"path"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
)

// Suggestion is a place that an anchor may have moved to, without enough certainty to
// follow it.
type Suggestion struct {
	Path       string
	Symbol     string
	Ordinal    int
	Confidence float64
}

// Resolution is the position of an anchor in a source, always within it. Reason says
// briefly why the state is not plainly fresh.
type Resolution struct {
	State      anchor.State
	Reason     string
	Start, End int // bytes: of a symbol's declaration, or of the lines
	Line       int // 1-based, of Start
	EndLine    int // 1-based, of the last byte
	Confidence float64

	// World.Resolve sets what follows.
	Path       string // of the file, relative to the workspace root
	Symbol     string // of the declaration, "" for a file
	Ordinal    int
	Focus      string // current name of the focused word
	Rung       anchor.Rung
	Suggestion *Suggestion // for an orphaned anchor
	Unsettled  bool        // the file is broken there, which is no reason to change a known state
	Fault      error       // Manicule's own fault; the resolution is Unsettled
}

// The confidence in a resolution, by its evidence.
const (
	sureExact   = 1.0
	sureMoved   = 0.98
	sureAlike   = 0.97 // at most, for a renamed or moved declaration that was edited
	sureChanged = 0.9  // at most, for cited lines that changed
	sureDrifted = 0.7
	sureStale   = 0.3
)

// Resolve finds an anchor in a source. f is the result of extract.Parse for src; it is
// nil if there is no grammar for the language or the file can't be parsed.
func Resolve(a anchor.Anchor, f *extract.File, src []byte) (out Resolution) {
	defer func() {
		if out.Fault != nil {
			out = unknown(a, out.Fault)
		}
	}()
	defer fault.Catch(&out.Fault)
	return resolveIn(a, f, src)
}

// unknown returns a resolution for an anchor whose search failed.
func unknown(a anchor.Anchor, err error) Resolution {
	return Resolution{State: anchor.Stale, Reason: "it can't be looked for: " + err.Error(), Line: 1, EndLine: 1, Confidence: sureStale,
		Path: path.Clean(a.Path), Symbol: a.Symbol, Ordinal: a.Ordinal, Rung: anchor.RungNone, Unsettled: true, Fault: err}
}

func resolveIn(a anchor.Anchor, f *extract.File, src []byte) Resolution {
	r := resolver{anchor: a, file: f, lines: newLineTable(src)}
	switch {
	case a.Kind == anchor.KindDependency:
		return r.dependency()
	case a.HasSymbol() && a.Symbol != "":
		return r.symbol()
	case a.Kind == anchor.KindLines && a.Lines != nil, a.Kind == anchor.KindLines && a.Quote != "":
		return r.quoted()
	case a.Kind == anchor.KindLines && a.Symbol != "":
		return r.symbol()
	default:
		return r.at(anchor.Fresh, "", 0, 0, sureExact)
	}
}

// resolver is one attempt to find an anchor.
type resolver struct {
	anchor anchor.Anchor
	file   *extract.File
	lines  lineTable
}

// symbol resolves by symbol path and ordinal. Rungs that follow a renamed or moved
// symbol belong before the orphaned end.
func (r *resolver) symbol() Resolution {
	if r.file == nil {
		return r.stale("the file can't be parsed, so that " + r.anchor.Symbol + " can't be looked up")
	}
	s, found := r.file.Find(r.anchor.Symbol, r.anchor.Ordinal)
	if found && (r.anchor.TokenHash == "" || r.sameTokens(s)) {
		return r.declaration(anchor.Fresh, "", s, sureExact)
	}
	if twin, ok := r.sameTokensElsewhere(); ok {
		return r.declaration(anchor.Fresh, "other declarations of the same name came or went", twin, sureMoved)
	}
	if found {
		return r.declaration(anchor.Drifted, r.whatChanged(s), s, sureDrifted)
	}
	return r.at(anchor.Orphaned, r.whatIsMissing(), 0, 0, 0)
}

// sameTokensElsewhere returns the only symbol of the same path with the recorded
// tokens: a new overload or a second init shifts the ordinals.
func (r *resolver) sameTokensElsewhere() (extract.Symbol, bool) {
	var twin extract.Symbol
	count := 0
	for _, s := range r.file.Symbols {
		if r.anchor.TokenHash != "" && s.Path == r.anchor.Symbol && s.Ordinal != r.anchor.Ordinal && r.sameTokens(s) {
			twin = s
			count++
		}
	}
	return twin, count == 1
}

// sameTokens compares the recorded hash. A symbol that can't be hashed counts as
// equal.
func (r *resolver) sameTokens(s extract.Symbol) bool {
	span := extract.Span{Start: s.Start, End: s.End}
	// Resolve is pure and fast, so it takes no context to cancel it.
	hash, err := r.file.TokenHash(context.Background(), r.lines.src, span)
	return err != nil || hash == r.anchor.TokenHash
}

func (r *resolver) whatChanged(s extract.Symbol) string {
	a := r.anchor
	switch {
	case a.SymbolKind != "" && a.SymbolKind != s.Kind:
		return fmt.Sprintf("%s was a %s and is now a %s", a.Symbol, a.SymbolKind, s.Kind)
	case a.Arity != nil && *a.Arity != s.Arity && s.Arity >= 0:
		return fmt.Sprintf("%s took %d parameters and now takes %d", a.Symbol, *a.Arity, s.Arity)
	default:
		return "the code of " + a.Symbol + " changed"
	}
}

func (r *resolver) whatIsMissing() string {
	kind := r.anchor.SymbolKind
	if kind == "" {
		kind = "symbol"
	}
	if _, ok := r.file.Find(r.anchor.Symbol, 0); ok {
		return fmt.Sprintf("there is no %s %s number %d in %s any more", kind, r.anchor.Symbol, r.anchor.Ordinal+1, r.anchor.Path)
	}
	return fmt.Sprintf("there is no %s %s in %s any more", kind, r.anchor.Symbol, r.anchor.Path)
}

// quoted resolves cited lines by their text.
func (r *resolver) quoted() Resolution {
	a := r.anchor
	if a.Quote == "" {
		if a.Lines.Start < 1 || a.Lines.End < a.Lines.Start || a.Lines.End > r.lines.count() {
			return r.stale(fmt.Sprintf("lines %d to %d are not in the file, which has %d", a.Lines.Start, a.Lines.End, r.lines.count()))
		}
		return r.atLines(anchor.Fresh, "", *a.Lines, sureExact)
	}
	quote := quoteLines(a.Quote)
	if a.Lines != nil && r.lines.quoteAt(quote, a.Lines.Start) {
		return r.atLines(anchor.Fresh, "", anchor.LineRange{Start: a.Lines.Start, End: a.Lines.Start + len(quote) - 1}, sureExact)
	}
	if strings.TrimSpace(a.Quote) == "" {
		return r.stale("the quote is blank, so that it can't be looked up")
	}
	if s, ok := r.enclosing(); ok {
		if found := r.lines.matches(quote, r.symbolLines(s)); len(found) == 1 {
			return r.moved(found[0], len(quote))
		}
	}
	switch found := r.lines.matches(quote, anchor.LineRange{Start: 1, End: r.lines.count()}); len(found) {
	case 0:
		return r.stale("the quoted lines are not in the file any more")
	case 1:
		return r.moved(found[0], len(quote))
	default:
		return r.stale(fmt.Sprintf("the quoted lines stand at %d places in the file", len(found)))
	}
}

func (r *resolver) moved(line, count int) Resolution {
	reason := fmt.Sprintf("found by its text at line %d", line)
	if r.anchor.Lines != nil {
		reason = fmt.Sprintf("moved from line %d to line %d", r.anchor.Lines.Start, line)
	}
	return r.atLines(anchor.Fresh, reason, anchor.LineRange{Start: line, End: line + count - 1}, sureMoved)
}

// enclosing returns the recorded symbol around the lines, if it still exists.
func (r *resolver) enclosing() (extract.Symbol, bool) {
	if r.file == nil || r.anchor.Symbol == "" {
		return extract.Symbol{}, false
	}
	return r.file.Find(r.anchor.Symbol, r.anchor.Ordinal)
}

func (r *resolver) symbolLines(s extract.Symbol) anchor.LineRange {
	start, end := r.inside(s.DocStart, s.End)
	return anchor.LineRange{Start: r.lines.line(start), End: r.lines.line(max(start, end-1))}
}

// stale points at the recorded symbol, else at the recorded lines as far as they
// exist.
func (r *resolver) stale(reason string) Resolution {
	if s, ok := r.enclosing(); ok {
		return r.declaration(anchor.Stale, reason, s, sureStale)
	}
	if r.anchor.Lines == nil {
		return r.at(anchor.Stale, reason, 0, 0, sureStale)
	}
	return r.atLines(anchor.Stale, reason, *r.anchor.Lines, sureStale)
}

func (r *resolver) declaration(state anchor.State, reason string, s extract.Symbol, sure float64) Resolution {
	return r.at(state, reason, s.Start, s.End, sure)
}

func (r *resolver) atLines(state anchor.State, reason string, lines anchor.LineRange, sure float64) Resolution {
	lines = r.lines.clamp(lines)
	return r.at(state, reason, r.lines.start(lines.Start), r.lines.end(lines.End), sure)
}

func (r *resolver) at(state anchor.State, reason string, start, end int, sure float64) Resolution {
	start, end = r.inside(start, end)
	return Resolution{
		State: state, Reason: reason, Start: start, End: end,
		Line: r.lines.line(start), EndLine: r.lines.line(max(start, end-1)), Confidence: sure,
	}
}

// inside limits a range of bytes to the source.
func (r *resolver) inside(start, end int) (int, int) {
	start = min(max(start, 0), len(r.lines.src))
	return start, min(max(end, start), len(r.lines.src))
}
