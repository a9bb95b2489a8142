package anchoring

// likeJoined is the share of a statement's tokens that must now be in another one for
// the two to count as joined.
const likeJoined = 0.5

// joinedInto returns the statement that absorbed an unpaired one, -1 for none. If two
// sibling statements of one kind became one, such as two blocks that catch the same
// error, only the surviving one has a partner, but its place is that of both. For a
// node inside such a statement, such as its handler, it returns the counterpart of
// that kind.
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

// joinedBeside returns the partner of a sibling of the same kind, if most of the node
// is in that partner now.
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

// standsDirectly reports whether the remains of a node stand directly in another one
// or its body, and not all in a smaller part.
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

// pairedShare returns the share of a node's tokens that have partners.
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
