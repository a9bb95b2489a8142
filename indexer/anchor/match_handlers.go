package anchor

import (
	"cmp"
	"slices"

	"manicule/indexer/extract"
)

// pairHandlers pairs the handlers of errors that are the only ones for what they catch
// on both sides, and the statements that they belong to: that is what they are
// known by, as a branch is by its condition, whatever they do about it and
// however the error is called there.
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
	slices.SortFunc(all, func(x, y [2]int32) int { return cmp.Compare(x[0], y[0]) })
	for _, p := range all {
		m.pair(p[0], p[1])
	}
	for _, p := range all {
		i, j := m.a.tree.Nodes[p[0]].Parent, m.b.tree.Nodes[p[1]].Parent
		if i >= m.a.from && j >= m.b.from && m.a.tree.Nodes[i].Kind == m.b.tree.Nodes[j].Kind && m.consistent(i, j) {
			m.pair(i, j)
			if m.a.partner(i) == j { // neither was another's before
				m.align(m.a.children(i), m.b.children(j))
			}
		}
		m.align(m.a.children(p[0]), m.b.children(p[1]))
	}
}

// handlers lists the handlers of a piece of code by what they catch; -1 for what
// more than one does.
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

// handlerWords are the words and signs by which handlers are read, as hashes.
type handlerWords struct {
	catch, colon, as, when uint64
	begin                  []uint64 // a handler
	inType                 []uint64 // stand before the last name of a type, or of a list of them
	beforeName             []uint64 // stand before the error's own name
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

// caughtTypes says what a handler catches, by a hash of the names of types between its
// word and its body; 0 for what begins with none of the words of handlers, or says
// no type. How the error is called there is no part of it, wherever the language
// writes that: behind the type, before it (Kotlin, Swift), or not at all.
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
		// A type without a name for the error. JavaScript's lone name is the error's:
		// it stands in the handler itself, where a type has a node of its own.
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

// namedFirst reports whether the first name between a handler's word and its body
// is the error's own, before its type.
func (s *side) namedFirst(names []int32, body int32, words *handlerWords) bool {
	next := names[0] + 1
	if next >= body {
		return false
	}
	sign := s.tree.Tokens[next].Hash
	return sign == words.colon || sign == words.as
}
