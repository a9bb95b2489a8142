package anchoring

import (
	"cmp"
	"slices"

	"manicule/indexer/extract"
	"manicule/indexer/sorting"
)

// pairHandlers pairs error handlers that alone catch some type on both sides, and the
// statements that they belong to. The caught type identifies a handler, as the
// condition identifies a branch, whatever its body does and however it names the
// error.
func (m *matcher) pairHandlers() {
	was, is := m.a.handlers(), m.b.handlers()
	var all [][2]int32
	for caught, i := range was {
		j, ok := is[caught]
		if !ok || i < 0 || j < 0 || m.a.partner(i) >= 0 || m.b.partner(j) >= 0 || !m.consistent(i, j) {
			continue
		}
		all = append(all, [2]int32{i, j})
	}
	sorting.Func(all, func(x, y [2]int32) int { return cmp.Compare(x[0], y[0]) })
	for _, p := range all {
		m.pair(p[0], p[1])
	}
	for _, p := range all {
		i, j := m.a.tree.Nodes[p[0]].Parent, m.b.tree.Nodes[p[1]].Parent
		if i >= m.a.from && j >= m.b.from && m.a.tree.Nodes[i].Kind == m.b.tree.Nodes[j].Kind && m.consistent(i, j) {
			m.pair(i, j)
			if m.a.partner(i) == j { // neither was paired before
				m.align(m.a.children(i), m.b.children(j))
			}
		}
		m.align(m.a.children(p[0]), m.b.children(p[1]))
	}
}

// handlers lists the handlers of a piece of code by what they catch; -1 if several
// catch the same.
func (s *side) handlers() map[uint64]int32 {
	words := newHandlerWords()
	var all map[uint64]int32
	for i := s.from; i < s.to; i++ {
		caught := s.caughtTypes(i, words)
		if caught == 0 {
			continue
		}
		if all == nil {
			all = make(map[uint64]int32)
		}
		if _, ok := all[caught]; ok {
			all[caught] = -1
			continue
		}
		all[caught] = i
	}
	return all
}

// handlerWords are the hashes of words and marks that occur in the head of a handler.
type handlerWords struct {
	catch, colon, as, when uint64
	begin                  []uint64 // begin a handler
	inType                 []uint64 // precede the last name of a type, or of a list of types
	beforeName             []uint64 // precede the error's own name
}

func newHandlerWords() *handlerWords {
	hashes := func(all ...string) []uint64 {
		var out []uint64
		for _, text := range all {
			out = append(out, extract.HashName(text))
		}
		return out
	}
	return &handlerWords{
		catch: extract.HashName("catch"), colon: extract.HashName(":"), as: extract.HashName("as"), when: extract.HashName("when"),
		begin:      hashes("catch", "except", "rescue"),
		inType:     hashes(".", ",", "|", "::", `\`, "<"),
		beforeName: hashes("as", "=>", "$"),
	}
}

// caughtTypes identifies what a handler catches by a hash of the type names between
// its keyword and its body. It returns 0 if the node does not begin with a handler's
// keyword, or names no type. The error's own name does not count, whether it follows
// the type, precedes it (Kotlin, Swift) or is absent.
func (s *side) caughtTypes(n int32, words *handlerWords) uint64 {
	at := &s.tree.Nodes[n]
	if at.First < s.first || at.Last > s.last || at.First >= at.Last {
		return 0
	}
	word := s.tree.Tokens[at.First]
	if word.Node != n || !slices.Contains(words.begin, word.Hash) {
		return 0
	}
	parts := s.childNodes(n)
	if len(parts) == 0 {
		return 0
	}
	body := s.tree.Nodes[parts[len(parts)-1]].First
	var names []int32 // tokens
	for t := at.First + 1; t < body; t++ {
		token := &s.tree.Tokens[t]
		if token.Class == extract.ClassMark && token.Hash == words.when {
			break // a condition (C#)
		}
		if token.Class == extract.ClassName {
			names = append(names, t)
		}
	}
	if len(names) == 0 {
		return 0
	}
	last := names[len(names)-1]
	before := s.tree.Tokens[last-1].Hash
	catch := word.Hash == words.catch
	switch {
	case catch && s.namedFirst(names, body, words):
		names = names[1:]
	case slices.Contains(words.inType, before):
	case len(names) == 1 && !slices.Contains(words.beforeName, before) && (!catch || s.tree.Tokens[last].Node != n):
		// A type without a name for the error. In JavaScript a lone name is the
		// error's own: it stands directly in the handler, where a type has a node of
		// its own.
	default:
		names = names[:len(names)-1]
	}
	if len(names) == 0 {
		return 0
	}
	h := uint64(1)
	for _, t := range names {
		h = extract.MixHash(h, s.tree.Tokens[t].Hash)
	}
	return h
}

// namedFirst reports whether the first name in a handler's head is the error's own,
// before its type.
func (s *side) namedFirst(names []int32, body int32, words *handlerWords) bool {
	next := names[0] + 1
	if next >= body {
		return false
	}
	sign := s.tree.Tokens[next].Hash
	return sign == words.colon || sign == words.as
}
