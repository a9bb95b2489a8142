package anchoring

// minBody is the minimum number of tokens behind a statement's head: the marks around
// a body, and some content.
const minBody = 3

// minHeadUnique is how many tokens a head needs to identify its statement.
const minHeadUnique = 6

// pairHeads pairs statements whose heads are equal and unique on both sides. In a
// reordered chain of branches, and where a body was rewritten, the condition
// identifies the branch. It runs after pairUnique, which paired the heads.
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

// head returns the part right behind a statement's keyword, if more follows; -1 if
// there is none.
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
