package anchoring

import (
	"math"

	"manicule/indexer/extract"
)

// maxCells bounds the table of one alignment.
const maxCells = 1 << 20

// align pairs two lists of parts in order, with the highest total similarity, and
// recurses into the pairs.
func (m *matcher) align(as, bs []item) {
	as, bs = m.trimEnds(as, bs)
	if len(as) == 0 || len(bs) == 0 || len(as)*len(bs) > maxCells {
		return
	}
	if len(as) == 1 && len(bs) == 1 {
		m.pairGap(as, bs)
	}
	width := len(bs) + 1
	best := make([]float64, (len(as)+1)*width)
	for i := len(as) - 1; i >= 0; i-- {
		for j := len(bs) - 1; j >= 0; j-- {
			v := max(best[(i+1)*width+j], best[i*width+j+1])
			if s := m.score(as[i], bs[j]); s > 0 {
				v = max(v, s+best[(i+1)*width+j+1])
			}
			best[i*width+j] = v
		}
	}
	i, j := 0, 0
	fromA, fromB := 0, 0 // start of the gap since the last pair
	for i < len(as) && j < len(bs) {
		here := best[i*width+j]
		switch {
		case here == best[(i+1)*width+j]:
			i++
		case here == best[i*width+j+1]:
			j++
		default:
			m.pairItems(as[i], bs[j])
			m.pairGap(as[fromA:i], bs[fromB:j])
			i++
			j++
			fromA, fromB = i, j
		}
	}
	m.pairGap(as[fromA:], bs[fromB:])
}

// pairGap pairs parts between the same neighbours that are the only ones of their kind
// there on both sides, however different they are.
func (m *matcher) pairGap(as, bs []item) {
	type seen struct{ x, y, nx, ny int }
	kinds := make(map[uint16]*seen)
	for i, x := range as {
		if _, token := x.index(); token || m.a.partner(int32(x)) >= 0 {
			continue
		}
		k := m.a.tree.Nodes[x].Kind
		if kinds[k] == nil {
			kinds[k] = &seen{}
		}
		kinds[k].x, kinds[k].nx = i, kinds[k].nx+1
	}
	for j, y := range bs {
		if _, token := y.index(); token || m.b.partner(int32(y)) >= 0 {
			continue
		}
		if e := kinds[m.b.tree.Nodes[y].Kind]; e != nil {
			e.y, e.ny = j, e.ny+1
		}
	}
	for i, x := range as {
		if _, token := x.index(); token {
			continue
		}
		e := kinds[m.a.tree.Nodes[x].Kind]
		if e == nil || e.nx != 1 || e.ny != 1 || e.x != i {
			continue
		}
		y := bs[e.y]
		if inside, paired := m.sharedTokens(int32(x), int32(y)); paired >= minEvidence && inside < 0.5 {
			continue
		}
		if m.canPair(x, y) {
			m.pairItems(x, y)
		}
	}
}

// trimEnds pairs equal parts at both ends of two lists and returns the rest.
func (m *matcher) trimEnds(as, bs []item) ([]item, []item) {
	for len(as) > 0 && len(bs) > 0 && m.identical(as[0], bs[0]) {
		m.pairItems(as[0], bs[0])
		as, bs = as[1:], bs[1:]
	}
	for len(as) > 0 && len(bs) > 0 && m.identical(as[len(as)-1], bs[len(bs)-1]) {
		m.pairItems(as[len(as)-1], bs[len(bs)-1])
		as, bs = as[:len(as)-1], bs[:len(bs)-1]
	}
	return as, bs
}

func (m *matcher) identical(x, y item) bool {
	a, ta := x.index()
	b, tb := y.index()
	if ta != tb {
		return false
	}
	if ta {
		return m.a.tree.Tokens[a].Hash == m.b.tree.Tokens[b].Hash && m.canPair(x, y)
	}
	return m.a.tree.Nodes[a].Hash == m.b.tree.Nodes[b].Hash && m.canPair(x, y)
}

// canPair reports whether two parts are unpaired, or each other's partners.
func (m *matcher) canPair(x, y item) bool {
	a, token := x.index()
	b, _ := y.index()
	if token {
		p, q := m.a.tokenPartner(a), m.b.tokenPartner(b)
		return p < 0 && q < 0 || p == b
	}
	p, q := m.a.partner(int32(x)), m.b.partner(int32(y))
	return p < 0 && q < 0 || p == int32(y)
}

// score rates a pair of parts; 0 forbids it.
func (m *matcher) score(x, y item) float64 {
	a, ta := x.index()
	b, tb := y.index()
	if ta != tb || !m.canPair(x, y) {
		return 0
	}
	if ta {
		s, t := &m.a.tree.Tokens[a], &m.b.tree.Tokens[b]
		switch {
		case s.Hash == t.Hash:
			return 1
		case s.Class == t.Class && s.Class != extract.ClassMark:
			return 0.3
		default:
			return 0
		}
	}
	i, j := int32(x), int32(y)
	weight := 1 + math.Log2(float64(1+min(m.a.size(i), m.b.size(j))))
	if m.a.partner(i) == j {
		return 3 * weight
	}
	na, nb := &m.a.tree.Nodes[i], &m.b.tree.Nodes[j]
	if na.Hash == nb.Hash {
		return 2 * weight
	}
	like := m.a.featuresOf(i).similarity(m.b.featuresOf(j))
	if na.Kind != nb.Kind {
		if m.contains(j, na.Kind, m.a.size(i)/2) {
			return 0 // it encloses what a became
		}
		like *= 0.6
	}
	inside, weigh := m.sharedTokens(i, j)
	if weigh >= minEvidence && inside < 0.2 {
		return 0 // its content is elsewhere
	}
	weigh = min(weigh, maxEvidence)
	if like = (1-weigh)*like + weigh*inside; like < likeInside {
		return 0
	}
	return like * weight
}

// contains reports whether a node of the new code holds an unpaired node of a kind
// with at least size tokens.
func (m *matcher) contains(n int32, kind uint16, size int32) bool {
	for i := n + 1; i < min(m.b.tree.Nodes[n].Next, m.b.to); i++ {
		if m.b.tree.Nodes[i].Kind == kind && m.b.size(i) >= size && m.b.partner(i) < 0 {
			return true
		}
	}
	return false
}

// sharedTokens returns which share of a's already paired tokens is in b, and which
// share of all tokens of a is paired: that a loop still has its body is stronger
// evidence than a changed condition.
func (m *matcher) sharedTokens(a, b int32) (inside, paired float64) {
	na, nb := &m.a.tree.Nodes[a], &m.b.tree.Nodes[b]
	in, all := 0, 0
	for t := max(na.First, m.a.first); t < min(na.Last, m.a.last); t++ {
		if p := m.a.tokenPartner(t); p >= 0 {
			all++
			if nb.First <= p && p < nb.Last {
				in++
			}
		}
	}
	if all == 0 {
		return 0, 0
	}
	return float64(in) / float64(all), float64(all) / float64(na.Last-na.First)
}

// pairItems pairs two parts and their content.
func (m *matcher) pairItems(x, y item) {
	a, token := x.index()
	b, _ := y.index()
	if token {
		m.pairTokens(a, b)
		return
	}
	i, j := int32(x), int32(y)
	if m.a.tree.Nodes[i].Hash == m.b.tree.Nodes[j].Hash {
		m.pairSubtrees(i, j)
		return
	}
	m.pair(i, j)
	m.align(m.a.children(i), m.b.children(j))
}

// The share of a node's tokens that must be paired for their position to count as
// evidence, and the most that it can count.
const (
	minEvidence = 0.2
	maxEvidence = 0.6
)
