package mcp

import (
	"context"
	"fmt"
	"strings"

	"manicule/indexer/code"
	"manicule/memory/search"
)

// Piece is a piece of code in an answer: a function, a type, a part of a file.
type Piece struct {
	At     string // FILE:LINE-LINE
	Root   string
	Kind   string
	Symbol string
	By     []string
}

func (p Piece) line() string {
	text := "- " + p.Kind
	if p.Symbol != "" {
		text += " " + p.Symbol
	}
	text += " at " + inRoot(p.At, p.Root)
	if len(p.By) > 0 {
		text += " (" + strings.Join(p.By, ", ") + ")"
	}
	return text
}

// row is the piece as structured data: kind, place and symbol, legs of the search.
func (p Piece) row() []string {
	at := p.At
	if p.Symbol != "" {
		at += " " + p.Symbol
	}
	return trimmed(p.Kind, inRoot(at, p.Root), strings.Join(p.By, ", "))
}

func pieceOf(p code.Piece, r result) Piece {
	return Piece{At: fmt.Sprintf("%s:%d-%d", placeText(p.File), p.Line, p.EndLine), Root: r.in.root, Kind: symbolText(p.Kind), Symbol: symbolText(p.Symbol), By: legs(r.Result)}
}

// searchCode answers a search with pieces of code.
func (t *codeTools) searchCode(ctx context.Context, c *call, roots []*rooted, q search.Question, w window) (string, Answer, error) {
	var a Answer
	answers, pieces := make([]search.Answer, len(roots)), make([][]code.Piece, len(roots))
	errs := t.awaiting(ctx, c, roots, func(ctx context.Context, i int, p *rooted) (err error) {
		q := q
		for _, path := range p.paths {
			if rel, ok := p.Memories.Place().Rel(path); ok && rel != "" {
				q.Filter.Files = append(q.Filter.Files, rel)
			}
		}
		answers[i], pieces[i], err = p.Code(ctx, q)
		return err
	})
	ok, err := successful(ctx, roots, errs, a.Warnings.add)
	if err != nil {
		return "", Answer{}, err
	}
	var all []result
	at := map[*rooted]map[string]code.Piece{}
	for _, i := range ok {
		a.fault(roots[i], answers[i])
		a.leaves(answers[i])
		at[roots[i]] = map[string]code.Piece{}
		for n, r := range answers[i].Results {
			at[roots[i]][r.ID] = pieces[i][n]
			all = append(all, result{r, roots[i]})
		}
	}
	if len(ok) > 1 {
		byScore(all)
	}
	a.Matched = len(all)
	var lines []string
	p := newPack(w.budget)
	end := min(w.offset, len(all))
	for _, r := range all[end:min(end+w.limit, len(all))] {
		x := pieceOf(at[r.in][r.ID], r)
		if !p.take(x.line(), textsCost(x.row())) && len(lines) > 0 {
			break
		}
		lines, a.Code = append(lines, x.line()), append(a.Code, x)
		end++
	}
	if rest := a.Matched - end; rest > 0 {
		a.Omitted = append([]Omission{{Reason: "page", Count: rest}}, a.Omitted...)
		a.Next = w.next(end)
	}
	t.sessions.countSearch(roots)
	return a.text(count(a.Matched, "piece of code", "pieces of code")+" found", lines), a, nil
}
