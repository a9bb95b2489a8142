package anchor

// likeJoined is the share of the tokens of a statement that must stand in another
// one now for the two to have become one.
const likeJoined = 0.5

// joinedInto finds what a statement without a partner became a part of: of two of a
// kind that stood beside each other and are one now, as two blocks that catch
// the same, only the longer-lived has a partner, but the place is that of both.
// What stands in such a statement, as its handler, is what the other one has of
// that kind. It is -1 where nothing is joined.
func (m *matcher) joinedInto(n int32) int32 {
	if q := m.joinedBeside(n); q >= 0 {
		return q
	}
	parent := m.a.tree.Nodes[n].Parent
	if parent < m.a.from || m.a.partner(parent) >= 0 || m.pairedShare(n) >= minEvidence {
		return -1
	}
	q := m.joinedBeside(parent)
	if q < 0 {
		return -1
	}
	found := int32(-1)
	for _, c := range m.b.childNodes(q) {
		if m.b.tree.Nodes[c].Kind != m.a.tree.Nodes[n].Kind {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = c
	}
	return found
}

// joinedBeside is the partner of what stands in the same part as a node and is of its
// kind, when most of the node stands in that partner now.
func (m *matcher) joinedBeside(n int32) int32 {
	at := &m.a.tree.Nodes[n]
	if at.Parent < m.a.from || m.a.size(n) < minSure {
		return -1
	}
	best, most := int32(-1), 0.0
	for _, x := range m.a.childNodes(at.Parent) {
		q := m.a.partner(x)
		if x == n || q < 0 || m.a.tree.Nodes[x].Kind != at.Kind || m.b.tree.Nodes[q].Kind != at.Kind {
			continue
		}
		inside, paired := m.sharedTokens(n, q)
		if share := inside * paired; share >= likeJoined && share > most && m.standsDirectly(n, q) {
			best, most = q, share
		}
	}
	return best
}

// standsDirectly says whether what is left of a node in another one stands directly in
// that or in its body, and not all of it in a smaller part.
func (m *matcher) standsDirectly(n, q int32) bool {
	at, in := &m.a.tree.Nodes[n], &m.b.tree.Nodes[q]
	first, last := in.Last, int32(-1)
	for t := at.First; t < at.Last; t++ {
		if p := m.a.tokenPartner(t); p >= in.First && p < in.Last {
			first, last = min(first, p), max(last, p)
		}
	}
	if last < 0 {
		return false
	}
	around := m.b.tree.Tokens[first].Node
	for m.b.tree.Nodes[around].Last <= last {
		around = m.b.tree.Nodes[around].Parent
	}
	return around == q || m.b.tree.Nodes[around].Parent == q
}

// pairedShare is the share of the tokens of a node that have partners.
func (m *matcher) pairedShare(n int32) float64 {
	at := &m.a.tree.Nodes[n]
	count := 0
	for t := at.First; t < at.Last; t++ {
		if m.a.tokenPartner(t) >= 0 {
			count++
		}
	}
	return float64(count) / float64(max(1, at.Last-at.First))
}
