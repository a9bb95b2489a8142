package extract

import (
	"cmp"
	"slices"

	"manicule/grammars"
	"manicule/indexer/sorting"
)

// localNames returns the binds, one for each name and scope, without those that a
// symbol covers, and the spans in which each name is local.
func (u *uses) localNames(declared offsets, members map[int]bool) (binds []Bind, local map[string][]Span) {
	sorting.StableFunc(u.binds, func(a, b bindMatch) int {
		return cmp.Or(a.Start-b.Start, compareSpans(a.into, b.into), a.pattern-b.pattern)
	})
	u.binds = slices.CompactFunc(u.binds, func(a, b bindMatch) bool { return a.Start == b.Start && a.into == b.into })
	u.scopes()
	local = make(map[string][]Span, len(u.binds))
	binds = make([]Bind, 0, len(u.binds)+len(u.notes)) // addFlowNotes appends those
	for _, b := range u.binds {
		whole := b.Scope == Span{End: len(u.src)}
		if declared.has(b.Start) && whole || members[b.Start] {
			continue // covered by the symbol itself
		}
		if !b.self {
			binds = append(binds, b.Bind)
		}
		if whole {
			continue // not local
		}
		start := b.Start
		if b.into.End > b.into.Start {
			start = min(start, b.into.Start)
		}
		local[b.Name] = append(local[b.Name], Span{Start: start, End: b.Scope.End})
	}
	return binds, local
}

// bareMembers returns the offsets of member names that code uses without "this.": they
// must resolve as symbols and not as local names.
func bareMembers(f *File) map[int]bool {
	l, _ := grammars.ByID(f.Language)
	if !l.BareMembers {
		return nil
	}
	out := map[int]bool{}
	for _, s := range f.Symbols {
		if s.Kind == "field" || s.Kind == "const" {
			out[s.NameStart] = true
		}
	}
	return out
}

// scopes gives each of the sorted binds its innermost block, or its explicit scope.
func (u *uses) scopes() {
	sorting.Func(u.blocks, compareSpans)
	var stack []Span
	next := 0
	for i := range u.binds {
		b := &u.binds[i]
		for next < len(u.blocks) && u.blocks[next].Start <= b.Start {
			stack = append(stack, u.blocks[next])
			next++
		}
		for len(stack) > 0 && stack[len(stack)-1].End <= b.Start {
			stack = stack[:len(stack)-1]
		}
		b.Scope = Span{End: len(u.src)}
		for j := len(stack) - 1; j >= 0; j-- { // an ended block may lie below a longer one
			if stack[j].End > b.Start {
				b.Scope = stack[j]
				break
			}
		}
		if b.into.End > b.into.Start {
			b.Scope = b.into
		}
	}
}

// enclosingTypeNamed returns the type with that name beside or inside of a symbol,
// else that symbol.
func enclosingTypeNamed(symbols []Symbol, name string, in int) int {
	for i, s := range symbols {
		switch s.Kind {
		case "function", "method", "field", "var", "const", "module":
			continue
		}
		if s.Name == name && s.Parent == in {
			return i
		}
	}
	return in
}

func isLocal(spans []Span, at int) bool {
	for _, s := range spans {
		if s.Start <= at && at < s.End {
			return true
		}
	}
	return false
}

// symbolCursor finds the innermost symbol around ascending offsets.
type symbolCursor struct {
	symbols []Symbol
	next    int
	stack   []int
}

func newSymbolCursor(symbols []Symbol) *symbolCursor { return &symbolCursor{symbols: symbols} }

func (e *symbolCursor) at(offset int) int {
	for e.next < len(e.symbols) && min(e.symbols[e.next].Start, e.symbols[e.next].DocStart) <= offset {
		e.stack = append(e.stack, e.next)
		e.next++
	}
	for len(e.stack) > 0 && e.symbols[e.stack[len(e.stack)-1]].End <= offset {
		e.stack = e.stack[:len(e.stack)-1]
	}
	for j := len(e.stack) - 1; j >= 0; j-- {
		if s := e.symbols[e.stack[j]]; s.End > offset {
			return e.stack[j]
		}
	}
	return -1
}
