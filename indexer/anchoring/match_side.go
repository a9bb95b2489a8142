package anchoring

import (
	"slices"

	"manicule/indexer/extract"
)

// item is a part of a piece of code: a node by its index, or a token by the complement
// of its index.
type item int32

// index returns the index of the token or node, and whether it is a token.
func (i item) index() (at int32, token bool) {
	if i < 0 {
		return int32(^i), true
	}
	return int32(i), false
}

// side is one of the two compared pieces of code.
type side struct {
	tree     *extract.Tree
	from, to int32 // its nodes: from to before to
	first    int32 // its tokens: first to before last
	last     int32
	node     []int32 // partner of each node, -1 for none; by index minus from
	token    []int32 // likewise for tokens
	features map[int32]*features
}

func newSide(t *extract.Tree, span extract.Span) *side {
	first, last := t.Range(span)
	from, _ := slices.BinarySearchFunc(t.Nodes, span.Start, func(n extract.Node, at int) int { return int(n.Start) - at })
	to, _ := slices.BinarySearchFunc(t.Nodes, span.End, func(n extract.Node, at int) int { return int(n.Start) - at })
	s := &side{tree: t, from: int32(from), to: int32(to), first: int32(first), last: int32(last), features: make(map[int32]*features)}
	s.node, s.token = unpairedIndices[int32](int(to-from)), unpairedIndices[int32](int(last-first))
	return s
}

// start returns the offset of the first token, 0 if there is none.
func (s *side) start() uint32 {
	if s.first >= s.last {
		return 0
	}
	return s.tree.Tokens[s.first].Start
}

// unpairedIndices returns a partner index of -1 for each of n parts.
func unpairedIndices[T int | int32](n int) []T { return slices.Repeat([]T{-1}, n) }

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
			if c.Last > last { // a node that reaches out of the piece: use its parts
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

// features are what nodes are compared by: tokens, token pairs, and token pairs
// without names and literals; each sorted.
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

// The weights of the three features, chosen on the development half of the anchors'
// data (cmd/eval/anchors/FIGURES.md).
const (
	weightTokens = 0.5
	weightPairs  = 0.3
	weightOpen   = 0.2
)

func (f *features) similarity(g *features) float64 {
	return weightTokens*dice(f.tokens, g.tokens) + weightPairs*dice(f.pairs, g.pairs) + weightOpen*dice(f.open, g.open)
}

// dice returns the Dice coefficient of two sorted lists, from 0 to 1.
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
