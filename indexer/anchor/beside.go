package anchor

// beside pairs what is the same and stands beside partners: of several equal
// parts, as two declarations of one name in two branches, the neighbours say which
// is which when what they stood in is gone. It comes after the alignment, for
// what that left, and goes on from each pair to the next part.
func (m *matcher) beside() {
	before := m.b.before()
	for p := m.a.from; p < m.a.to; p++ {
		m.besideIn(p, before)
	}
}

// besideIn is beside for the parts directly in one.
func (m *matcher) besideIn(parent int32, before map[int32]int32) {
	all := m.a.inside(parent)
	for k := 1; k < len(all); k++ { // behind a partner
		if q := m.a.partner(all[k-1]); q >= 0 && m.a.partner(all[k]) < 0 {
			m.equal(all[k], m.b.behind(q))
		}
	}
	for k := len(all) - 2; k >= 0; k-- { // before a partner
		if q := m.a.partner(all[k+1]); q >= 0 && m.a.partner(all[k]) < 0 {
			if j, ok := before[q]; ok {
				m.equal(all[k], j)
			}
		}
	}
}

// equal pairs two parts that are the same and free; j is -1 for none. It may cross
// a pair around it, as the neighbour does: both left what they stood in.
func (m *matcher) equal(i, j int32) {
	if j < 0 || m.a.size(i) < minUnique || m.b.partner(j) >= 0 || m.a.tree.Nodes[i].Hash != m.b.tree.Nodes[j].Hash {
		return
	}
	m.same(i, j)
}

// inside lists the nodes directly in one.
func (s *side) inside(n int32) []int32 {
	var all []int32
	for i := n + 1; i < min(s.tree.Nodes[n].Next, s.to); i = s.tree.Nodes[i].Next {
		all = append(all, i)
	}
	return all
}

// behind is the node behind another in the same one, -1 for none.
func (s *side) behind(n int32) int32 {
	at := &s.tree.Nodes[n]
	if at.Next < s.to && s.tree.Nodes[at.Next].Parent == at.Parent {
		return at.Next
	}
	return -1
}

// before says of each node which one stands before it in the same one.
func (s *side) before() map[int32]int32 {
	all := make(map[int32]int32)
	for i := s.from; i < s.to; i++ {
		if j := s.behind(i); j >= 0 {
			all[j] = i
		}
	}
	return all
}
