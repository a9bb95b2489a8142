package anchoring

import (
	"slices"

	"manicule/indexer/extract"
)

// pairExtracted pairs a statement with itself after a part of it became a variable of its
// own. The variable's declaration holds the unique, larger part and would be taken for
// the statement. The sign is exact: a node is what another one of its kind was, but for
// one new name in place of a part, and the part is declared under that name before it. It
// runs after pairUnique, and pairs the outermost nodes first.
func (m *matcher) pairExtracted() {
	news := m.newNames()
	if len(news) == 0 {
		return
	}
	type pair struct{ a, b int32 }
	var all []pair
	for j := m.b.from; j < m.b.to; j++ {
		v := m.onlyNew(j, news)
		if v < 0 || m.b.partner(j) >= 0 {
			continue
		}
		if i := m.beforeExtraction(j, v, news[m.b.tree.Tokens[v].Hash]); i >= 0 {
			m.pair(i, j)
			all = append(all, pair{i, j})
		}
	}
	for _, p := range all {
		m.align(m.a.children(p.a), m.b.children(p.b))
	}
}

// newNames returns the names that only the new side has, with their first place.
func (m *matcher) newNames() map[uint64]int32 {
	was := make(map[uint64]bool, m.a.last-m.a.first)
	for _, t := range m.a.tree.Tokens[m.a.first:m.a.last] {
		was[t.Hash] = true
	}
	news := make(map[uint64]int32)
	for i := m.b.first; i < m.b.last; i++ {
		t := &m.b.tree.Tokens[i]
		if _, ok := news[t.Hash]; !ok && t.Class == extract.ClassName && !was[t.Hash] {
			news[t.Hash] = i
		}
	}
	return news
}

// onlyNew returns the only new name in a node of the new side, if it was declared before
// the node; else -1.
func (m *matcher) onlyNew(j int32, news map[uint64]int32) int32 {
	n := &m.b.tree.Nodes[j]
	if n.Last-n.First < minUnique || n.First < m.b.first || n.Last > m.b.last {
		return -1
	}
	found := int32(-1)
	for i := n.First; i < n.Last; i++ {
		first, ok := news[m.b.tree.Tokens[i].Hash]
		switch {
		case !ok:
		case found >= 0 || first >= n.First:
			return -1
		default:
			found = i
		}
	}
	return found
}

// beforeExtraction returns the one unpaired node of the old side that a node of the new
// side was before the name at v replaced what stands behind declared; -1 if there are
// none or several.
func (m *matcher) beforeExtraction(j, v, declared int32) int32 {
	found := int32(-1)
	is := &m.b.tree.Nodes[j]
	before, behind := m.b.tree.Tokens[is.First:v], m.b.tree.Tokens[v+1:is.Last]
	for i := m.a.from; i < m.a.to; i++ {
		n := &m.a.tree.Nodes[i]
		if n.Kind != is.Kind || m.a.partner(i) >= 0 || n.First < m.a.first || n.Last > m.a.last {
			continue
		}
		was := m.a.tree.Tokens[n.First:n.Last]
		part := len(was) - len(before) - len(behind)
		if part < minExtracted || !sameTokens(was[:len(before)], before) || !sameTokens(was[len(was)-len(behind):], behind) {
			continue
		}
		if !m.follows(was[len(before):len(before)+part], declared, is.First) || !m.consistent(i, j) {
			continue
		}
		if found >= 0 && m.a.tree.Nodes[found].Next <= i { // else it is a part of it of the same tokens
			return -1
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// minExtracted is the minimum number of tokens of an extracted part.
const minExtracted = 2

// maxDeclared is how many tokens may stand between a variable's name and its value, such
// as its type.
const maxDeclared = 8

// follows reports whether tokens stand behind the first place of a name and before a
// limit, as a variable's value does.
func (m *matcher) follows(part []extract.Token, declared, limit int32) bool {
	for at := declared + 1; at <= declared+1+maxDeclared && at+int32(len(part)) <= limit; at++ {
		if sameTokens(m.b.tree.Tokens[at:at+int32(len(part))], part) {
			return true
		}
	}
	return false
}

func sameTokens(x, y []extract.Token) bool {
	return slices.EqualFunc(x, y, func(s, t extract.Token) bool { return s.Hash == t.Hash })
}
