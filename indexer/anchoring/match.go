package anchoring

import (
	"cmp"

	"manicule/indexer/sorting"
)

// Sizes and similarities for comparing two pieces of code.
const (
	minUnique  = 4    // minimum tokens of a part that is paired anywhere if it is unique
	minSure    = 8    // minimum tokens of a part that is paired by similarity alone
	likeSure   = 0.75 // minimum similarity of such parts
	likeInside = 0.3  // minimum similarity of parts inside of matched parts
	likeMoved  = 0.55 // minimum similarity of parts that are matched last, anywhere
	maxPairs   = 60_000

	likeContainer = 0.3 // share of the tokens of two containers that must be paired already
)

// matcher pairs the parts of two pieces of code. It follows GumTree (J.-R.
// Falleri and others, Fine-grained and Accurate Source Code Differencing, ASE
// 2014) in beginning with what is the same, and aligns what is left from the
// outside to the inside, since code is edited more often than reordered.
type matcher struct{ a, b *side }

// matchCode pairs two pieces of code.
func matchCode(a, b *side) *matcher {
	m := &matcher{a, b}
	m.pairUnique()
	m.pairExtracted()
	m.pairHeads()
	m.pairHandlers()
	m.align(a.top(), b.top())
	m.pairContainers()
	m.pairNeighbours()
	m.pairSimilar(likeSure, minSure)
	m.pairSimilar(likeMoved, minUnique)
	return m
}

// pairUnique pairs the parts that occur exactly once on both sides.
func (m *matcher) pairUnique() {
	type seen struct{ a, b, na, nb int32 }
	count := make(map[uint64]seen)
	for i := m.a.from; i < m.a.to; i++ {
		if m.a.size(i) >= minUnique {
			e := count[m.a.tree.Nodes[i].Hash]
			e.a, e.na = i, e.na+1
			count[m.a.tree.Nodes[i].Hash] = e
		}
	}
	for i := m.b.from; i < m.b.to; i++ {
		if e, ok := count[m.b.tree.Nodes[i].Hash]; ok {
			e.b, e.nb = i, e.nb+1
			count[m.b.tree.Nodes[i].Hash] = e
		}
	}
	for i := m.a.from; i < m.a.to; {
		e := count[m.a.tree.Nodes[i].Hash]
		if e.na == 1 && e.nb == 1 && e.a == i && m.a.partner(i) < 0 && m.b.partner(e.b) < 0 {
			m.pairSubtrees(i, e.b)
			i = max(i+1, m.a.tree.Nodes[i].Next)
			continue
		}
		i++
	}
}

// pairSubtrees pairs two identical subtrees.
func (m *matcher) pairSubtrees(a, b int32) {
	na, nb := &m.a.tree.Nodes[a], &m.b.tree.Nodes[b]
	if na.Next-a != nb.Next-b || na.Last-na.First != nb.Last-nb.First || na.Next > m.a.to || nb.Next > m.b.to {
		m.pair(a, b)
		return
	}
	for i := range na.Next - a {
		m.pair(a+i, b+i)
	}
	for i := range na.Last - na.First {
		m.pairTokens(na.First+i, nb.First+i)
	}
}

func (m *matcher) pair(a, b int32) {
	if m.a.partner(a) < 0 && m.b.partner(b) < 0 {
		m.a.node[a-m.a.from], m.b.node[b-m.b.from] = b, a
	}
}

func (m *matcher) pairTokens(a, b int32) {
	if a < m.a.first || a >= m.a.last || b < m.b.first || b >= m.b.last {
		return
	}
	if m.a.tokenPartner(a) < 0 && m.b.tokenPartner(b) < 0 {
		m.a.token[a-m.a.first], m.b.token[b-m.b.first] = b, a
	}
}

// pairSimilar pairs the most similar parts of the same kind, wherever they are, and
// recurses into them.
func (m *matcher) pairSimilar(atLeast float64, size int32) {
	type candidate struct {
		a, b int32
		like float64
	}
	byKind := make(map[uint16][]int32)
	for i := m.b.from; i < m.b.to; i++ {
		if m.b.partner(i) < 0 && m.b.size(i) >= size {
			byKind[m.b.tree.Nodes[i].Kind] = append(byKind[m.b.tree.Nodes[i].Kind], i)
		}
	}
	var all []candidate
	tried := 0
	for i := m.a.from; i < m.a.to && tried < maxPairs; i++ {
		if m.a.partner(i) >= 0 || m.a.size(i) < size {
			continue
		}
		for _, j := range byKind[m.a.tree.Nodes[i].Kind] {
			na, nb := m.a.size(i), m.b.size(j)
			if 2*float64(min(na, nb)) < atLeast*float64(na+nb) {
				continue // they can't be that similar
			}
			tried++
			if like := m.a.featuresOf(i).similarity(m.b.featuresOf(j)); like >= atLeast {
				all = append(all, candidate{i, j, like})
			}
		}
	}
	sorting.StableFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.like, x.like), cmp.Compare(m.a.size(y.a), m.a.size(x.a)),
			cmp.Compare(m.displacement(x.a, x.b), m.displacement(y.a, y.b)))
	})
	for _, c := range all {
		if m.a.partner(c.a) >= 0 || m.b.partner(c.b) >= 0 || !m.consistent(c.a, c.b) {
			continue
		}
		m.pair(c.a, c.b)
		m.align(m.a.children(c.a), m.b.children(c.b))
	}
}

// pairContainers pairs nodes that hold the same parts, from the inside to the outside.
func (m *matcher) pairContainers() {
	for i := m.a.to - 1; i >= m.a.from; i-- {
		if m.a.partner(i) >= 0 || m.a.size(i) < minUnique {
			continue
		}
		n := &m.a.tree.Nodes[i]
		common := make(map[int32]int32)
		for t := max(n.First, m.a.first); t < min(n.Last, m.a.last); t++ {
			p := m.a.tokenPartner(t)
			if p < 0 {
				continue
			}
			for q := m.b.tree.Tokens[p].Node; q >= m.b.from; q = m.b.tree.Nodes[q].Parent {
				if m.b.tree.Nodes[q].Kind == n.Kind && m.b.partner(q) < 0 {
					common[q]++
				}
			}
		}
		best, most := int32(-1), 0.0
		for q, c := range common {
			like := 2 * float64(c) / float64(m.a.size(i)+m.b.size(q))
			if like > most || like == most && q > best {
				best, most = q, like
			}
		}
		if most >= likeContainer && m.consistent(i, best) {
			m.pair(i, best)
			m.align(m.a.children(i), m.b.children(best))
		}
	}
}

// consistent reports whether a pair would not cross a surrounding pair: the nearest
// paired ancestors of both are partners of some ancestor of the other.
func (m *matcher) consistent(a, b int32) bool {
	for p := m.a.tree.Nodes[a].Parent; p >= m.a.from; p = m.a.tree.Nodes[p].Parent {
		if q := m.a.partner(p); q >= 0 {
			return q < b && b < m.b.tree.Nodes[q].Next
		}
	}
	return true
}

// displacement returns how far two parts are from the same relative position.
func (m *matcher) displacement(a, b int32) int32 {
	d := (m.a.tree.Nodes[a].First - m.a.first) - (m.b.tree.Nodes[b].First - m.b.first)
	return max(d, -d)
}
