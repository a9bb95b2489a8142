package syntax

import (
	"context"
	"slices"
)

// Match is one way in which a pattern fits a tree.
type Match struct {
	Pattern  int       // number of the top-level pattern, from 0
	Captures []Capture // in the order of the pattern: a node before what is below it
}

// Capture is a captured node of a match.
type Capture struct {
	ID   int // index into Query.Captures
	Node int32
}

// checkEvery is how many nodes are visited between two checks of the context.
const checkEvery = 4096

// Each calls f with every match in a tree: by root node in preorder, and at one node
// by pattern. If one of two matches of a pattern at a node captures everything that
// the other does, only the longer one counts. The match is only valid during the call.
// It stops with the error of ctx.
func (q *Query) Each(ctx context.Context, t *Tree, src []byte, f func(Match)) error {
	m := &matcher{nodes: t.Nodes, src: src, emit: f, ctx: ctx, tried: make(map[attempt]bool), holders: make(map[Capture][]int)}
	symbols := len(q.byRoot) - 1
	for i := range m.nodes {
		at, n := int32(i), &m.nodes[i]
		symbol := symbolSlot(n.Symbol, symbols)
		for _, p := range q.byChild[symbol] {
			// The parent is tried at the first of its children that could lead to a
			// match.
			try := attempt{p, n.Parent}
			if n.Parent < 0 || m.tried[try] {
				continue
			}
			m.tried[try] = true
			m.pattern(p, n.Parent)
		}
		for _, p := range q.byRoot[symbol] {
			m.pattern(p, at)
		}
		for _, p := range q.anyRoot {
			m.pattern(p, at)
		}
		if m.steps++; m.steps%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if m.err != nil {
			return m.err
		}
	}
	return nil
}

// attempt is a pattern at a node.
type attempt struct {
	pattern *pattern
	node    int32
}

// matcher finds the matches of one query in one tree by backtracking.
type matcher struct {
	nodes    []Node
	src      []byte
	ctx      context.Context
	emit     func(Match)
	steps    int
	err      error
	tried    map[attempt]bool  // of patterns with a wildcard root
	captures []Capture         // of the current path
	found    []Capture         // of all matches at the node, concatenated
	ends     []int             // end of each match's captures in found
	holders  map[Capture][]int // matches by capture, if there are many
	spare    []*continuation   // no longer in use
}

// continuation is what remains to be matched after a node's children: the remaining
// items of its parent, and so on upwards.
type continuation struct {
	step *step // whose item matched
	item int
	node int32 // the matching node
	up   *continuation
}

// continuation returns a continuation to fill.
func (m *matcher) continuation() *continuation {
	n := len(m.spare) - 1
	if n < 0 {
		return &continuation{}
	}
	c := m.spare[n]
	m.spare = m.spare[:n]
	return c
}

// pattern finds and reports the matches of a pattern at a node.
func (m *matcher) pattern(p *pattern, root int32) {
	if !m.matchesNode(p.root, root) {
		return
	}
	m.found, m.ends, m.captures = m.found[:0], m.ends[:0], m.captures[:0]
	for _, id := range p.root.captures {
		m.captures = append(m.captures, Capture{id, root})
	}
	if len(p.root.children) == 0 {
		m.report(p, m.captures)
		return
	}
	m.items(p.root, 0, root, root+1, nil)
	if len(m.ends) == 1 {
		m.report(p, m.found)
		return
	}
	m.groupByCapture()
	for i := range m.ends {
		if way := m.captureSet(i); !m.covered(i, way) {
			m.report(p, way)
		}
	}
}

// captureSet returns the captures of one of the found matches.
func (m *matcher) captureSet(i int) []Capture {
	if i == 0 {
		return m.found[:m.ends[0]]
	}
	return m.found[m.ends[i-1]:m.ends[i]]
}

// matchesNode reports whether a node itself satisfies a step.
func (m *matcher) matchesNode(s *step, at int32) bool {
	n := &m.nodes[at]
	switch {
	case s.any:
		if n.Symbol == symbolError || s.named && n.flags&flagNamed == 0 {
			return false
		}
	case s.symbol != n.Symbol:
		return false
	}
	if s.field != 0 && s.field != n.Field {
		return false
	}
	if len(s.negated) == 0 {
		return true
	}
	for child := at + 1; child < n.Next; child = m.nodes[child].Next {
		if field := m.nodes[child].Field; field != 0 && slices.Contains(s.negated, field) {
			return false
		}
	}
	return true
}

// items matches the remaining children of a node with the remaining items of a step,
// and then the continuation.
func (m *matcher) items(s *step, k int, node, from int32, up *continuation) {
	if k == len(s.children) {
		if up == nil {
			m.found = append(m.found, m.captures...)
			m.ends = append(m.ends, len(m.found))
			return
		}
		parent := m.nodes[up.node].Parent
		m.items(up.step, up.item+1, parent, m.nodes[up.node].Next, up.up)
		return
	}
	it, end := &s.children[k], m.nodes[node].Next
	for at := from; at < end; at = m.nodes[at].Next {
		if m.steps++; m.steps%checkEvery == 0 && m.err == nil {
			m.err = m.ctx.Err()
		}
		if m.err != nil {
			return
		}
		if !it.last || !m.namedAfter(at, end) {
			for _, b := range it.branches {
				if !m.matchesNode(b, at) {
					continue
				}
				depth := len(m.captures)
				for _, id := range b.captures {
					m.captures = append(m.captures, Capture{id, at})
				}
				if len(b.children) == 0 {
					m.items(s, k+1, node, m.nodes[at].Next, up)
				} else {
					rest := m.continuation()
					*rest = continuation{step: s, item: k, node: at, up: up}
					m.items(b, 0, at, at+1, rest)
					m.spare = append(m.spare, rest)
				}
				m.captures = m.captures[:depth]
			}
		}
		if it.immediate && m.nodes[at].flags&flagNamed != 0 {
			break
		}
	}
	if it.optional {
		m.items(s, k+1, node, from, up)
	}
}

// namedAfter reports whether a named sibling follows a node.
func (m *matcher) namedAfter(at, end int32) bool {
	for at = m.nodes[at].Next; at < end; at = m.nodes[at].Next {
		if m.nodes[at].flags&flagNamed != 0 {
			return true
		}
	}
	return false
}

// groupByCapture indexes the matches by capture: among many, only those that share a
// match's last capture can cover it.
func (m *matcher) groupByCapture() {
	clear(m.holders)
	if len(m.ends) < maxPairwise {
		return
	}
	for i := range m.ends {
		for _, c := range m.captureSet(i) {
			m.holders[c] = append(m.holders[c], i)
		}
	}
}

// maxPairwise is the number of matches below which each is simply compared with all
// others.
const maxPairwise = 16

// covered reports whether another match captures the same, or the same and more.
func (m *matcher) covered(i int, way []Capture) bool {
	if len(way) == 0 || len(m.ends) < maxPairwise {
		for other := range m.ends {
			if m.covers(other, i, way) {
				return true
			}
		}
		return false
	}
	for _, other := range m.holders[way[len(way)-1]] {
		if m.covers(other, i, way) {
			return true
		}
	}
	return false
}

// covers reports whether a match makes another one redundant: of equal ones, the first
// stays.
func (m *matcher) covers(other, i int, way []Capture) bool {
	by := m.captureSet(other)
	return other != i && (len(by) > len(way) || len(by) == len(way) && other < i) && contains(by, way)
}

// contains reports whether the captures of b are a subsequence of those of a.
func contains(a, b []Capture) bool {
	for _, c := range a {
		if len(b) > 0 && b[0] == c {
			b = b[1:]
		}
	}
	return len(b) == 0
}

// report passes on a match that satisfies its predicates.
func (m *matcher) report(p *pattern, captures []Capture) {
	for i := range p.predicates {
		if !m.satisfies(&p.predicates[i], captures) {
			return
		}
	}
	m.emit(Match{Pattern: p.index, Captures: captures})
}

// satisfies reports whether every text of a capture satisfies a predicate; an absent
// capture does.
func (m *matcher) satisfies(p *predicate, captures []Capture) bool {
	for _, c := range captures {
		if c.ID != p.capture {
			continue
		}
		text := m.text(c.Node)
		is := false
		switch {
		case p.match != nil:
			is = p.match.Match(text)
		case p.other < 0:
			is = string(text) == p.text
		default:
			other := slices.IndexFunc(captures, func(o Capture) bool { return o.ID == p.other })
			if other < 0 {
				continue
			}
			is = string(text) == string(m.text(captures[other].Node))
		}
		if is != p.want {
			return false
		}
	}
	return true
}

func (m *matcher) text(at int32) []byte {
	n := &m.nodes[at]
	return m.src[min(int(n.Start), len(m.src)):min(int(n.End), len(m.src))]
}
