package anchor

// minBody is how many tokens a statement has at least behind its head: the
// marks around a body, and something in it.
const minBody = 3

// minHeadUnique is how many tokens a head needs for its statement to be known by it.
const minHeadUnique = 6

// pairHeads pairs the statements whose heads are the same and stand only once on both
// sides, as a branch by its condition: in a chain of branches that was
// reordered, and where a body was rewritten, the condition says which one it is.
// It comes after unique, which paired the heads.
func (m *matcher) pairHeads() {
	type pair struct{ a, b int32 }
	var all []pair
	for i := m.a.from; i < m.a.to; i++ {
		if m.a.partner(i) >= 0 {
			continue
		}
		x := m.a.head(i)
		if x < 0 || m.a.size(x) < minHeadUnique {
			continue
		}
		y := m.a.partner(x)
		if y < 0 {
			continue
		}
		j := m.b.tree.Nodes[y].Parent
		if j < m.b.from || m.b.partner(j) >= 0 || m.b.head(j) != y || m.a.tree.Nodes[i].Kind != m.b.tree.Nodes[j].Kind || !m.consistent(i, j) {
			continue
		}
		m.pair(i, j)
		all = append(all, pair{i, j})
	}
	for _, p := range all {
		m.align(m.a.children(p.a), m.b.children(p.b))
	}
}

// head is the part right behind the word that a statement begins with, when more
// follows; -1 when there is none.
func (s *side) head(n int32) int32 {
	at := &s.tree.Nodes[n]
	if n+1 >= min(at.Next, s.to) || at.First < s.first || at.Last > s.last {
		return -1
	}
	x := &s.tree.Nodes[n+1]
	if x.First != at.First+1 || s.tree.Tokens[at.First].Node != n || at.Last-x.Last < minBody {
		return -1
	}
	return n + 1
}
