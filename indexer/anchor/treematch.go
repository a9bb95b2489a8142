package anchor

import (
	"cmp"
	"math"
	"slices"

	"manicule/indexer/extract"
)

// item is a part of a piece of code: a node by its index, or a token by the
// complement of its index.
type item int32

// index returns the index of the token or node, and whether it is a token.
func (i item) index() (at int32, token bool) {
	if i < 0 {
		return int32(^i), true
	}
	return int32(i), false
}

// side is one of two pieces of code that are compared.
type side struct {
	tree     *extract.Tree
	from, to int32 // its nodes: from to before to
	first    int32 // its tokens: first to before last
	last     int32
	node     []int32 // of each node its partner, -1; by index less from
	token    []int32 // the same for tokens
	features map[int32]*features
}

func newSide(t *extract.Tree, span extract.Span) *side {
	first, last := t.Range(span)
	from, _ := slices.BinarySearchFunc(t.Nodes, span.Start, func(n extract.Node, at int) int { return int(n.Start) - at })
	to, _ := slices.BinarySearchFunc(t.Nodes, span.End, func(n extract.Node, at int) int { return int(n.Start) - at })
	s := &side{tree: t, from: int32(from), to: int32(to), first: int32(first), last: int32(last), features: make(map[int32]*features)}
	s.node, s.token = unmatched(to-from), unmatched(last-first)
	return s
}

// start is the byte of its first token, 0 when it has none.
func (s *side) start() uint32 {
	if s.first >= s.last {
		return 0
	}
	return s.tree.Tokens[s.first].Start
}

func unmatched(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// top returns the parts of the whole piece.
func (s *side) top() []item { return s.parts(s.from, s.to, s.first, s.last) }

// children returns the parts of a node.
func (s *side) children(n int32) []item {
	at := &s.tree.Nodes[n]
	return s.parts(n+1, min(at.Next, s.to), max(at.First, s.first), min(at.Last, s.last))
}

func (s *side) parts(child, to, token, last int32) []item {
	var all []item
	for token < last || child < to {
		if child < to {
			c := &s.tree.Nodes[child]
			if c.Last > last { // a node that reaches out of the piece: its parts instead
				child++
				continue
			}
			if c.First <= token {
				if c.Last > c.First {
					all = append(all, item(child))
				}
				token, child = max(token, c.Last), c.Next
				continue
			}
		}
		if token >= last {
			break
		}
		all = append(all, ^item(token))
		token++
	}
	return all
}

func (s *side) partner(n int32) int32 {
	if n < s.from || n >= s.to {
		return -1
	}
	return s.node[n-s.from]
}

func (s *side) tokenPartner(t int32) int32 {
	if t < s.first || t >= s.last {
		return -1
	}
	return s.token[t-s.first]
}

func (s *side) size(n int32) int32 { return s.tree.Nodes[n].Last - s.tree.Nodes[n].First }

// features are what a node is compared by: its tokens, the pairs of them, and
// the pairs with names and literals left open; each sorted.
type features struct{ tokens, pairs, open []uint64 }

func (s *side) featuresOf(n int32) *features {
	if f, ok := s.features[n]; ok {
		return f
	}
	f := newFeatures(s.tree.Tokens[s.tree.Nodes[n].First:s.tree.Nodes[n].Last])
	s.features[n] = f
	return f
}

func newFeatures(tokens []extract.Token) *features {
	f := &features{}
	last, lastOpen := uint64(0), uint64(0)
	for i := range tokens {
		h, open := tokens[i].Hash, tokens[i].Abstract()
		f.tokens = append(f.tokens, h)
		f.pairs = append(f.pairs, extract.MixHash(last, h))
		f.open = append(f.open, extract.MixHash(lastOpen, open))
		last, lastOpen = h, open
	}
	slices.Sort(f.tokens)
	slices.Sort(f.pairs)
	slices.Sort(f.open)
	return f
}

// The weights of the three features of a node, chosen on the development half
// of the anchors' data (docs/anchor-truth.md).
const (
	weightTokens = 0.5
	weightPairs  = 0.3
	weightOpen   = 0.2
)

func (f *features) like(g *features) float64 {
	return weightTokens*dice(f.tokens, g.tokens) + weightPairs*dice(f.pairs, g.pairs) + weightOpen*dice(f.open, g.open)
}

// dice is the share of two sorted lists that is the same, from 0 to 1.
func dice(a, b []uint64) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	same := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			same++
			i++
			j++
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return 2 * float64(same) / float64(len(a)+len(b))
}

// Sizes and similarities of the comparison of two pieces of code.
const (
	minUnique  = 4    // tokens of a part that is found again wherever it is the only one
	minSure    = 8    // tokens of a part that is found again by its similarity alone
	likeSure   = 0.75 // how like such parts must be
	likeInside = 0.3  // how like parts of matched parts must be
	likeMoved  = 0.55 // how like parts must be that are matched last, wherever they are
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
	m.unique()
	m.heads()
	m.handlers()
	m.align(a.top(), b.top())
	m.containers()
	m.beside()
	m.similar(likeSure, minSure)
	m.similar(likeMoved, minUnique)
	return m
}

// unique pairs the parts that stand exactly once on both sides.
func (m *matcher) unique() {
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
			m.same(i, e.b)
			i = max(i+1, m.a.tree.Nodes[i].Next)
			continue
		}
		i++
	}
}

// same pairs two identical subtrees.
func (m *matcher) same(a, b int32) {
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

// similar pairs parts of the same kind that are most like each other, wherever
// they stand, and goes on inside of them.
func (m *matcher) similar(atLeast float64, size int32) {
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
				continue // they can't be that like
			}
			tried++
			if like := m.a.featuresOf(i).like(m.b.featuresOf(j)); like >= atLeast {
				all = append(all, candidate{i, j, like})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.like, x.like), cmp.Compare(m.a.size(y.a), m.a.size(x.a)),
			cmp.Compare(m.apart(x.a, x.b), m.apart(y.a, y.b)))
	})
	for _, c := range all {
		if m.a.partner(c.a) >= 0 || m.b.partner(c.b) >= 0 || !m.fits(c.a, c.b) {
			continue
		}
		m.pair(c.a, c.b)
		m.align(m.a.children(c.a), m.b.children(c.b))
	}
}

// containers pairs what holds the same parts, from the inside to the outside.
func (m *matcher) containers() {
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
		if most >= likeContainer && m.fits(i, best) {
			m.pair(i, best)
			m.align(m.a.children(i), m.b.children(best))
		}
	}
}

// fits says whether the nearest parts around two that have partners are partners of
// something around the other: a pair does not cross a pair around it.
func (m *matcher) fits(a, b int32) bool {
	for p := m.a.tree.Nodes[a].Parent; p >= m.a.from; p = m.a.tree.Nodes[p].Parent {
		if q := m.a.partner(p); q >= 0 {
			return q < b && b < m.b.tree.Nodes[q].Next
		}
	}
	return true
}

// apart is how far two parts are from the same relative place.
func (m *matcher) apart(a, b int32) int32 {
	d := (m.a.tree.Nodes[a].First - m.a.first) - (m.b.tree.Nodes[b].First - m.b.first)
	return max(d, -d)
}

// maxCells bounds the table of one alignment.
const maxCells = 1 << 20

// align pairs two lists of parts in their order, so that what is paired is as
// like as can be, and goes on inside of the pairs.
func (m *matcher) align(as, bs []item) {
	as, bs = m.ends(as, bs)
	if len(as) == 0 || len(bs) == 0 || len(as)*len(bs) > maxCells {
		return
	}
	if len(as) == 1 && len(bs) == 1 {
		m.gap(as, bs)
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
	fromA, fromB := 0, 0 // where the gap since the last pair began
	for i < len(as) && j < len(bs) {
		here := best[i*width+j]
		switch {
		case here == best[(i+1)*width+j]:
			i++
		case here == best[i*width+j+1]:
			j++
		default:
			m.join(as[i], bs[j])
			m.gap(as[fromA:i], bs[fromB:j])
			i++
			j++
			fromA, fromB = i, j
		}
	}
	m.gap(as[fromA:], bs[fromB:])
}

// gap pairs what stands between the same neighbours and is the only one of its
// kind there on both sides, however different it is.
func (m *matcher) gap(as, bs []item) {
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
		if inside, paired := m.shared(int32(x), int32(y)); paired >= minEvidence && inside < 0.5 {
			continue
		}
		if m.free(x, y) {
			m.join(x, y)
		}
	}
}

// ends pairs the same parts at both ends of two lists and returns what is between.
func (m *matcher) ends(as, bs []item) ([]item, []item) {
	for len(as) > 0 && len(bs) > 0 && m.identical(as[0], bs[0]) {
		m.join(as[0], bs[0])
		as, bs = as[1:], bs[1:]
	}
	for len(as) > 0 && len(bs) > 0 && m.identical(as[len(as)-1], bs[len(bs)-1]) {
		m.join(as[len(as)-1], bs[len(bs)-1])
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
		return m.a.tree.Tokens[a].Hash == m.b.tree.Tokens[b].Hash && m.free(x, y)
	}
	return m.a.tree.Nodes[a].Hash == m.b.tree.Nodes[b].Hash && m.free(x, y)
}

// free says whether two parts have no partners, or each other.
func (m *matcher) free(x, y item) bool {
	a, token := x.index()
	b, _ := y.index()
	if token {
		p, q := m.a.tokenPartner(a), m.b.tokenPartner(b)
		return p < 0 && q < 0 || p == b
	}
	p, q := m.a.partner(int32(x)), m.b.partner(int32(y))
	return p < 0 && q < 0 || p == int32(y)
}

// score says how good it is to pair two parts; 0 for never.
func (m *matcher) score(x, y item) float64 {
	a, ta := x.index()
	b, tb := y.index()
	if ta != tb || !m.free(x, y) {
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
	like := m.a.featuresOf(i).like(m.b.featuresOf(j))
	if na.Kind != nb.Kind {
		if m.contains(j, na.Kind, m.a.size(i)/2) {
			return 0 // it is around what a became
		}
		like *= 0.6
	}
	inside, weigh := m.shared(i, j)
	if weigh >= minEvidence && inside < 0.2 {
		return 0 // what was in it is elsewhere
	}
	weigh = min(weigh, maxEvidence)
	if like = (1-weigh)*like + weigh*inside; like < likeInside {
		return 0
	}
	return like * weight
}

// contains says whether a node of the new code holds one of a kind that has at
// least so many tokens and no partner.
func (m *matcher) contains(n int32, kind uint16, size int32) bool {
	for i := n + 1; i < min(m.b.tree.Nodes[n].Next, m.b.to); i++ {
		if m.b.tree.Nodes[i].Kind == kind && m.b.size(i) >= size && m.b.partner(i) < 0 {
			return true
		}
	}
	return false
}

// The share of a node's tokens that must be paired for it to count where they
// are, and how much that can count at most.
const (
	minEvidence = 0.2
	maxEvidence = 0.6
)

// shared says which share of those tokens of a that are paired already are in
// b, and which share of all tokens of a is paired: that the body of a loop is
// still in it says more than a changed condition.
func (m *matcher) shared(a, b int32) (inside, paired float64) {
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

// join pairs two parts and what is in them.
func (m *matcher) join(x, y item) {
	a, token := x.index()
	b, _ := y.index()
	if token {
		m.pairTokens(a, b)
		return
	}
	i, j := int32(x), int32(y)
	if m.a.tree.Nodes[i].Hash == m.b.tree.Nodes[j].Hash {
		m.same(i, j)
		return
	}
	m.pair(i, j)
	m.align(m.a.children(i), m.b.children(j))
}
