package page

import (
	"context"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/extract"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/follow"
)

// Span is a range of bytes.
type Span struct{ Start, End int }

// Mark is where one anchor of a memory is in one version of a document.
type Mark struct {
	Hit        memory.Hit
	Index      int // of the anchor in the memory
	Anchor     anchor.Anchor
	Resolution anchoring.Resolution
	Symbol     string // the symbol's path, "" for lines and files
	Found      bool   // false: orphaned or deleted, and the spans are unset
	Deleted    bool   // unsaved edits deleted its code; its state is open until the save
	Pasted     bool   // its code was pasted here from another document; its state is open until both are saved
	Body       Span   // the declaration or the lines
	Name       Span   // the symbol's name, else body
	Head       Span   // the declaration up to its body, else body
}

func resolve(m Mark, f *extract.File, doc *session.Document) Mark {
	m.Resolution = anchoring.Resolve(m.Anchor, f, doc.Text())
	return markAt(m, f, doc)
}

// markAt sets the spans of a mark from its resolution.
func markAt(m Mark, f *extract.File, doc *session.Document) Mark {
	if m.Anchor.Kind == anchor.KindFile {
		m.Found = m.Resolution.State != anchor.Orphaned
		return m
	}
	if m.Resolution.State == anchor.Orphaned || m.Resolution.End > len(doc.Text()) || m.Resolution.Start > m.Resolution.End {
		return m
	}
	m.Found = true
	m.Body = Span{m.Resolution.Start, m.Resolution.End}
	m.Name, m.Head = m.Body, m.Body
	if m.Anchor.HasSymbol() && f != nil {
		m.Symbol = m.Anchor.Symbol
		if m.Resolution.Symbol != "" {
			m.Symbol = m.Resolution.Symbol
		}
		if sym, ok := symbolAt(f, m.Resolution.Start, m.Symbol); ok {
			m.Symbol = sym.Path
			m.Name = Span{sym.NameStart, sym.NameEnd}
			m.Head = Span{sym.Start, headEnd(doc.Text(), sym)}
		}
	}
	return m
}

// symbolAt returns the symbol that starts at offset. If there are several (a
// declaration of several names), it prefers the one with the path.
func symbolAt(f *extract.File, offset int, path string) (extract.Symbol, bool) {
	var found extract.Symbol
	ok := false
	for _, s := range f.Symbols {
		if s.Start != offset && s.DocStart != offset {
			continue
		}
		if s.Path == path {
			return s, true
		}
		if !ok {
			found, ok = s, true
		}
	}
	return found, ok
}

// headEnd returns the end of a declaration's signature. The signature is the source up
// to the body with its white space folded, so headEnd counts the other bytes.
func headEnd(text []byte, sym extract.Symbol) int {
	at := sym.Start
	for i := 0; i < len(sym.Signature); i++ {
		if isSpace(sym.Signature[i]) {
			continue
		}
		for at < sym.End && isSpace(text[at]) {
			at++
		}
		if at >= sym.End || text[at] != sym.Signature[i] {
			return max(sym.NameEnd, sym.Start) // the signature is not from the source
		}
		at++
	}
	return max(at, sym.NameEnd)
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// ResolutionOf returns a place as the resolution of an anchor.
func ResolutionOf(p follow.Place) anchoring.Resolution {
	r := anchoring.Resolution{
		State: p.State, Reason: p.Reason, Path: p.Path, Symbol: p.Symbol, Ordinal: p.Ordinal, Line: p.Line, EndLine: p.EndLine, Confidence: p.Confidence,
	}
	if p.Suggestion != nil {
		r.Suggestion = &anchoring.Suggestion{Path: p.Suggestion.Path, Symbol: p.Suggestion.Symbol, Ordinal: p.Suggestion.Ordinal, Confidence: p.Suggestion.Confidence}
	}
	return r
}

// LocateAnchor resolves an anchor in the document, for what is no memory.
func (p *Page) LocateAnchor(ctx context.Context, a anchor.Anchor) Mark {
	return resolve(Mark{Anchor: a}, p.Parsed(ctx), p.Doc)
}
