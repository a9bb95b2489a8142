package anchoring

// pairNeighbours pairs identical parts that stand beside partners. Of several equal
// parts, such as two declarations of one name in two branches, the neighbours decide
// when the parent is gone. It runs after the alignment, for unpaired parts, and
// continues from each new pair to the next part.
func (m *matcher) pairNeighbours() {
	before := m.a.previousSiblings()
	for i := m.a.from; i < m.a.to; i++ { // after a partner
		if p := before[i-m.a.from]; p >= 0 && m.a.partner(i) < 0 {
			if q := m.a.partner(p); q >= 0 {
				m.pairEqual(i, m.b.nextSibling(q))
			}
		}
	}
	before = m.b.previousSiblings()
	for i := m.a.to - 1; i >= m.a.from; i-- { // before a partner
		if n := m.a.nextSibling(i); n >= 0 && m.a.partner(i) < 0 {
			if q := m.a.partner(n); q >= 0 {
				m.pairEqual(i, before[q-m.b.from])
			}
		}
	}
}

// pairEqual pairs two parts if they are identical and unpaired; j is -1 for none. The
// pair may cross a surrounding one, as the neighbour's does: both left their parent.
func (m *matcher) pairEqual(i, j int32) {
	if j < 0 || m.a.size(i) < minUnique || m.b.partner(j) >= 0 || m.a.tree.Nodes[i].Hash != m.b.tree.Nodes[j].Hash {
		return
	}
	m.pairSubtrees(i, j)
}

// childNodes lists the direct children of a node.
func (s *side) childNodes(n int32) []int32 {
	var all []int32
	for i := n + 1; i < min(s.tree.Nodes[n].Next, s.to); i = s.tree.Nodes[i].Next {
		all = append(all, i)
	}
	return all
}

// nextSibling returns the next sibling of a node, -1 for none.
func (s *side) nextSibling(n int32) int32 {
	at := &s.tree.Nodes[n]
	if at.Next < s.to && s.tree.Nodes[at.Next].Parent == at.Parent {
		return at.Next
	}
	return -1
}

// previousSiblings returns the previous sibling of each node, -1 for none, by index
// minus from.
func (s *side) previousSiblings() []int32 {
	all := unpairedIndices[int32](int(s.to - s.from))
	for i := s.from; i < s.to; i++ {
		if j := s.nextSibling(i); j >= 0 {
			all[j-s.from] = i
		}
	}
	return all
}
