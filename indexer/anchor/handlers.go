package anchor

import (
	"cmp"
	"slices"

	"manicule/indexer/extract"
)

// handlers pairs the handlers of errors that are the only ones for what they catch
// on both sides, and the statements that they belong to: that is what they are
// known by, as a branch is by its condition, whatever they do about it and
// however the error is called there.
func (m *matcher) handlers() {
	was, is := m.a.handlers(), m.b.handlers()
	var all [][2]int32
	for caught, i := range was {
		j, ok := is[caught]
		if !ok || i < 0 || j < 0 || m.a.partner(i) >= 0 || m.b.partner(j) >= 0 || !m.fits(i, j) {
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
		if i >= m.a.from && j >= m.b.from && m.a.tree.Nodes[i].Kind == m.b.tree.Nodes[j].Kind && m.fits(i, j) {
			m.pair(i, j)
			m.align(m.a.children(i), m.b.children(j))
		}
		m.align(m.a.children(p[0]), m.b.children(p[1]))
	}
}

// handlers lists the handlers of a piece of code by what they catch; -1 for what
// more than one does.
func (s *side) handlers() map[uint64]int32 {
	words := []uint64{extract.HashName("catch"), extract.HashName("except"), extract.HashName("rescue")}
	var all map[uint64]int32
	for i := s.from; i < s.to; i++ {
		caught := s.caught(i, words)
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

// caught says what a handler catches, by a hash of the names of types between its
// word and its body; 0 for what begins with none of the words of handlers, or says
// no type.
func (s *side) caught(n int32, words []uint64) uint64 {
	at := &s.tree.Nodes[n]
	if at.First < s.first || at.Last > s.last || at.First >= at.Last {
		return 0
	}
	word := s.tree.Tokens[at.First]
	if word.Node != n || !slices.Contains(words, word.Hash) {
		return 0
	}
	parts := s.inside(n)
	if len(parts) == 0 {
		return 0
	}
	body := s.tree.Nodes[parts[len(parts)-1]].First
	var names []uint64
	for t := at.First + 1; t < body; t++ {
		if s.tree.Tokens[t].Class == extract.ClassName {
			names = append(names, s.tree.Tokens[t].Hash)
		}
	}
	if len(names) < 2 { // the error's own name alone
		return 0
	}
	h := uint64(1)
	for _, name := range names[:len(names)-1] {
		h = extract.Mix(h, name)
	}
	return h
}
