package anchoring

import (
	"slices"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// notRenamed finds a word that seems renamed by its position and was not: it is
// declared as before elsewhere, or its uses show a third word, which is new. It
// returns -1 if neither holds, and if only the word changed.
func (c *lineFinder) notRenamed(t, p int32) int32 {
	was, is := c.o.tree.Tokens[t], c.n.tree.Tokens[p]
	if was.Hash == is.Hash || was.Class != extract.ClassName || c.onlyRenamed(t, p) {
		return -1
	}
	if q := c.findByDeclaration(t); q >= 0 {
		return q
	}
	votes, _ := c.votesOfUses(t)
	if votes[is.Hash] > 0 {
		return -1
	}
	q := c.findByUses(t)
	if q < 0 || c.a.hasToken(c.n.tree.Tokens[q].Hash) {
		return -1
	}
	return q
}

// onlyRenamed reports whether the lines of two tokens are equal except for these
// tokens.
func (c *lineFinder) onlyRenamed(t, p int32) bool {
	on := func(s *Source, i int32) []extract.Token {
		line := s.table().line(int(s.tree.Tokens[i].Start))
		first, last := tokensOn(s, anchor.LineRange{Start: line, End: line})
		return s.tree.Tokens[first:last]
	}
	was, is := c.o.tree.Tokens[t].Hash, c.n.tree.Tokens[p].Hash
	return slices.EqualFunc(on(c.o, t), on(c.n, p), func(x, y extract.Token) bool {
		return x.Hash == y.Hash || x.Hash == was && y.Hash == is
	})
}

// hasToken reports whether a token occurs in a piece of code.
func (s *side) hasToken(h uint64) bool {
	for i := s.first; i < s.last; i++ {
		if s.tree.Tokens[i].Hash == h {
			return true
		}
	}
	return false
}

// findByUses finds a declared word that is gone from its place by what replaced its
// uses: a variable that became a parameter, or has another kind of declaration. It
// returns the declaration of the replacement, -1 if the uses disagree.
func (c *lineFinder) findByUses(t int32) int32 {
	votes, first := c.votesOfUses(t)
	all := 0
	for _, n := range votes {
		all += n
	}
	for h, n := range votes {
		if 2*n > all {
			return c.declaration(h, first[h])
		}
	}
	return -1
}

// votesOfUses counts the words that now stand where a word was used, with the first
// occurrence of each.
func (c *lineFinder) votesOfUses(t int32) (votes map[uint64]int, first map[uint64]int32) {
	votes, first = make(map[uint64]int), make(map[uint64]int32)
	for _, u := range c.usesOf(t) {
		p := c.a.tokenPartner(u)
		if p < 0 {
			p = c.findByPosition(u)
		}
		if p < 0 || c.n.tree.Tokens[p].Class != extract.ClassName {
			continue
		}
		h := c.n.tree.Tokens[p].Hash
		if at, ok := first[h]; !ok || p < at {
			first[h] = p
		}
		votes[h]++
	}
	return votes, first
}

// statementPaired reports whether the statement on cited lines has a partner, or a
// part of it is unchanged elsewhere: that is stronger evidence than the uses of a
// word.
func (c *lineFinder) statementPaired(lines anchor.LineRange, first, last int32) bool {
	if n := c.wholeStatement(lines, first, last); n >= 0 && c.a.partner(n) >= 0 {
		return true
	}
	for i := c.a.from; i < c.a.to; i++ {
		n := &c.o.tree.Nodes[i]
		if n.First < first || n.Last > last || c.a.size(i) < minUnique {
			continue
		}
		if p := c.a.partner(i); p >= 0 && c.n.tree.Nodes[p].Hash == n.Hash {
			return true
		}
	}
	return false
}

// usesOf lists the uses of a word behind its declaration, in the smallest part of the
// code that has one.
func (c *lineFinder) usesOf(t int32) []int32 {
	tree := c.o.tree
	for n := tree.Tokens[t].Node; n >= 0; n = tree.Nodes[n].Parent {
		var all []int32
		for u := t + 1; u < min(tree.Nodes[n].Last, c.a.last); u++ {
			if tree.Tokens[u].Hash == tree.Tokens[t].Hash {
				all = append(all, u)
			}
		}
		if len(all) > 0 || n < c.a.from {
			return all
		}
	}
	return nil
}

// declaration returns the last occurrence of a name up to a use that follows another
// word or a mark, except marks that lead into members or arguments: there it follows
// its type, as in a variable's declaration. Else it returns the first occurrence, if
// that is before the use.
func (c *lineFinder) declaration(h uint64, use int32) int32 {
	tokens := c.n.tree.Tokens
	first := int32(-1)
	for i := use; i >= c.b.first; i-- {
		if tokens[i].Hash != h {
			continue
		}
		first = i
		if i > c.b.first && c.typeBefore(i) {
			return i
		}
	}
	if first == use { // it is declared elsewhere, or not at all
		return -1
	}
	return first
}

// typeBefore reports whether the token before another one can end a type.
func (c *lineFinder) typeBefore(i int32) bool {
	before := c.n.tree.Tokens[i-1]
	if before.Class == extract.ClassName {
		return true
	}
	switch c.n.Text()[before.End-1] {
	case '>', ']':
		return true
	}
	return false
}
