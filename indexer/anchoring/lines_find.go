package anchoring

import (
	"slices"
	"strings"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// lineMatch is the current position of cited lines.
type lineMatch struct {
	lines anchor.LineRange
	like  float64 // similarity of their tokens, 1 for identical
	found bool
	focus string // current name of the focused word
	head  bool   // the first of several lines is unchanged; the rest changed
	kept  bool   // their identity is intact, however much else changed
}

// lineFinder finds cited lines of one piece of code in another.
type lineFinder struct {
	o, n  *Source // o with replaced names applied
	real  *Source // o unmodified
	names renaming
	a, b  *side
	m     *matcher
}

func newLineFinder(real *Source, spanO extract.Span, n *Source, spanN extract.Span, all renaming) *lineFinder {
	names := replacedNamesIn(real, spanO, n, spanN, all)
	o := real.withNames(names, n)
	c := &lineFinder{o: o, n: n, real: real, names: names, a: newSide(o.tree, spanO), b: newSide(n.tree, spanN)}
	c.m = matchCode(c.a, c.b)
	return c
}

// replacedNamesIn finds the names that were replaced in a piece of code, or else in
// the whole file.
func replacedNamesIn(o *Source, spanO extract.Span, n *Source, spanN extract.Span, all renaming) renaming {
	tokens := func(s *Source, span extract.Span) []extract.Token {
		first, last := s.tree.Range(span)
		return s.tree.Tokens[first:last]
	}
	was, is := tokens(o, spanO), tokens(n, spanN)
	if len(was) == len(o.tree.Tokens) && len(is) == len(n.tree.Tokens) {
		return all
	}
	names := replacedNames(o, was, n, is)
	if len(names) == 0 {
		return all
	}
	used := map[uint64]bool{}
	for _, c := range names {
		used[c] = true
	}
	for g, c := range all {
		if _, ok := names[g]; !ok && !used[c] {
			names[g] = c
		}
	}
	return names
}

// find returns the lines that now hold what the cited lines held. focus is the
// relevant word on the first of them, if any.
func (c *lineFinder) find(lines anchor.LineRange, focus string) lineMatch {
	found := c.findTokens(lines, focus)
	if found.found && found.like < 1 && c.cutsToken(lines) && c.sameText(lines, found.lines) {
		found.like = 1 // what changed of the token is on other lines
	}
	return found
}

// cutsToken reports whether a token that begins on cited lines, such as a string, ends
// behind them.
func (c *lineFinder) cutsToken(lines anchor.LineRange) bool {
	first, last := tokensOn(c.o, lines)
	return first < last && c.o.table().line(int(c.o.tree.Tokens[last-1].End)-1) > lines.End
}

// sameText reports whether two ranges of lines have the same text but for indentation.
func (c *lineFinder) sameText(was, is anchor.LineRange) bool {
	if was.End-was.Start != is.End-is.Start {
		return false
	}
	for i := range was.End - was.Start + 1 {
		if strings.TrimSpace(c.o.table().text(was.Start+i)) != strings.TrimSpace(c.n.table().text(is.Start+i)) {
			return false
		}
	}
	return true
}

// findTokens finds cited lines by their tokens.
func (c *lineFinder) findTokens(lines anchor.LineRange, focus string) lineMatch {
	first, last := tokensOn(c.o, lines)
	first, last = max(first, c.a.first), min(last, c.a.last)
	if first >= last {
		return c.findWithoutTokens(lines)
	}
	if focus != "" {
		if found, ok := c.findWord(lines, first, last, focus); ok {
			return found
		}
	}
	if n := c.wholeStatement(lines, first, last); n >= 0 {
		n = c.unchangedPart(n)
		if p := c.a.partner(n); p >= 0 {
			found := c.compareLines(first, last, linesOf(c.n, p))
			found.kept = c.keepsHead(n, p)
			return found
		}
		if p := c.m.joinedInto(n); p >= 0 {
			return c.compareLines(first, last, linesOf(c.n, p))
		}
	}
	start, ok := c.voteLine(lines.Start, first, last)
	for line := lines.Start + 1; !ok && line <= lines.End; line++ {
		if start, ok = c.voteLine(line, first, last); ok {
			start = max(1, start-(line-lines.Start))
		}
	}
	if !ok {
		return lineMatch{}
	}
	end := start
	if lines.End > lines.Start {
		if e, ok := c.voteLine(lines.End, first, last); ok && e >= start {
			end = e
		} else {
			end = min(start+lines.End-lines.Start, c.n.table().count())
		}
	}
	return c.compareLines(first, last, anchor.LineRange{Start: start, End: end})
}

// findWord finds cited lines by their focused word.
func (c *lineFinder) findWord(lines anchor.LineRange, first, last int32, focus string) (lineMatch, bool) {
	stands := c.statementPaired(lines, first, last)
	for _, t := range c.occurrences(first, last, focus) {
		p := c.a.tokenPartner(t)
		if p < 0 {
			p = c.findByDeclaration(t)
		} else if q := c.notRenamed(t, p); q >= 0 {
			p = q
		}
		if p < 0 {
			p = c.findByPosition(t)
		}
		if p < 0 && !stands {
			p = c.findByUses(t)
		}
		if p < 0 {
			continue
		}
		away := c.o.table().line(int(c.o.tree.Tokens[t].Start)) - lines.Start
		start := max(1, c.n.table().line(int(c.n.tree.Tokens[p].Start))-away)
		found := c.compareLines(first, last, c.n.table().clamp(anchor.LineRange{Start: start, End: start + lines.End - lines.Start}))
		is := c.n.tree.Tokens[p]
		found.focus = string(c.n.Text()[is.Start:is.End])
		found.kept = c.keepsType(t, p) || c.keepsName(t, p)
		return found, true
	}
	return lineMatch{}, false
}

// keepsType reports whether a word still follows the same type, by the type's last
// token: then it is still the same declaration.
func (c *lineFinder) keepsType(t, p int32) bool {
	if t <= c.a.first || p <= c.b.first {
		return false
	}
	was, is := c.o.tree.Tokens[t-1], c.n.tree.Tokens[p-1]
	return was.Hash == is.Hash && c.typeBefore(p)
}

// keepsName reports whether a declared word has the same name, or the replacement of
// its name, in the partner of its statement: then only its type or value changed.
func (c *lineFinder) keepsName(t, p int32) bool {
	was, is := c.o.tree.Tokens[t], c.n.tree.Tokens[p]
	return was.Hash == is.Hash && was.Node >= 0 && c.a.partner(was.Node) == is.Node && c.firstUse(t)
}

// firstUse reports whether a word occurs for the first time in the piece of code, as
// in its declaration.
func (c *lineFinder) firstUse(t int32) bool {
	for i := c.a.first; i < t; i++ {
		if c.o.tree.Tokens[i].Hash == c.o.tree.Tokens[t].Hash {
			return false
		}
	}
	return true
}

// keepsHead reports whether a statement has the head of another one, such as the
// condition of a branch, possibly negated, whatever its body became.
func (c *lineFinder) keepsHead(n, p int32) bool {
	x, y := c.a.head(n), c.b.head(p)
	if x < 0 || y < 0 || c.a.size(x) < minHeadUnique || c.o.tree.Nodes[n].Kind != c.n.tree.Nodes[p].Kind {
		return false
	}
	return c.a.featuresOf(x).similarity(c.b.featuresOf(y)) >= likeSure
}

// occurrences lists the occurrences of a word, with calls and declarations of
// functions last: a variable may share a function's name on the same line.
func (c *lineFinder) occurrences(first, last int32, word string) []int32 {
	h := extract.HashName(word)
	if to, ok := c.names[h]; ok {
		h = to
	}
	var all, called []int32
	for t := first; t < last; t++ {
		tokens := c.o.tree.Tokens
		switch {
		case tokens[t].Hash != h:
		case int(t)+1 < len(tokens) && c.o.Text()[tokens[t+1].Start] == '(':
			called = append(called, t)
		default:
			all = append(all, t)
		}
	}
	return append(all, called...)
}

// findByPosition finds a renamed word by its position among the names of its node,
// counted from the last; -1 if the node has no partner.
func (c *lineFinder) findByPosition(t int32) int32 {
	in := c.o.tree.Tokens[t].Node
	q := c.a.partner(in)
	if q < 0 {
		return -1
	}
	was, is := namesIn(c.o.tree, in), namesIn(c.n.tree, q)
	i := slices.Index(was, t)
	if i < 0 || len(was)-i > len(is) {
		return -1
	}
	p := is[len(is)-(len(was)-i)]
	if c.b.tokenPartner(p) >= 0 {
		return -1 // it existed before, as another name
	}
	return p
}

// namesIn lists the names directly in a node.
func namesIn(t *extract.Tree, node int32) []int32 {
	var all []int32
	for i := t.Nodes[node].First; i < t.Nodes[node].Last; i++ {
		if t.Tokens[i].Node == node && t.Tokens[i].Class == extract.ClassName {
			all = append(all, i)
		}
	}
	return all
}

// findByDeclaration finds a word by the pair of itself and the previous word, which is
// the type in a variable's declaration, if that pair occurs once on both sides; else
// it returns -1.
func (c *lineFinder) findByDeclaration(t int32) int32 {
	if t <= c.a.first {
		return -1
	}
	once := func(s *side) int32 {
		found := int32(-1)
		for i := s.first + 1; i < s.last; i++ {
			if s.tree.Tokens[i].Hash == c.o.tree.Tokens[t].Hash && s.tree.Tokens[i-1].Hash == c.o.tree.Tokens[t-1].Hash {
				if found >= 0 {
					return -1
				}
				found = i
			}
		}
		return found
	}
	if once(c.a) != t {
		return -1
	}
	return once(c.b)
}

// compareLines compares the cited tokens with those on the found lines.
func (c *lineFinder) compareLines(first, last int32, lines anchor.LineRange) lineMatch {
	f, l := tokensOn(c.n, lines)
	was, is := c.o.tree.Tokens[first:last], c.n.tree.Tokens[f:l]
	if slices.EqualFunc(c.real.tree.Tokens[first:last], is, func(x, y extract.Token) bool { return x.Hash == y.Hash }) {
		return lineMatch{lines: lines, like: 1, found: true}
	}
	return lineMatch{lines: lines, like: min(0.99, newFeatures(was).similarity(newFeatures(is))), found: true, head: c.sameHead(first, last, f, l)}
}

// minHead is how many tokens the first of several lines needs to be evidence.
const minHead = 4

// sameHead compares the first lines of two ranges of tokens.
func (c *lineFinder) sameHead(first, last, f, l int32) bool {
	line := func(s *Source, first, last int32) []extract.Token {
		end := first
		for end < last && s.table().line(int(s.tree.Tokens[end].Start)) == s.table().line(int(s.tree.Tokens[first].Start)) {
			end++
		}
		return s.tree.Tokens[first:end]
	}
	was, is := line(c.o, first, last), line(c.n, f, l)
	return len(was) >= minHead && int32(len(was)) < last-first &&
		slices.EqualFunc(was, is, func(x, y extract.Token) bool { return x.Hash == y.Hash })
}

// tokensOn returns the tokens that begin on lines.
func tokensOn(s *Source, lines anchor.LineRange) (first, last int32) {
	t := s.table()
	lines = t.clamp(lines)
	end := len(t.src)
	if lines.End < t.count() {
		end = t.start(lines.End + 1)
	}
	at := func(offset int) int32 {
		i, _ := slices.BinarySearchFunc(s.tree.Tokens, offset, func(k extract.Token, at int) int { return int(k.Start) - at })
		return int32(i)
	}
	return at(t.start(lines.Start)), at(end)
}

// wholeStatement returns the outermost node that begins on the first cited line and
// ends on the last, -1 if there is none.
func (c *lineFinder) wholeStatement(lines anchor.LineRange, first, last int32) int32 {
	best := int32(-1)
	for i := c.a.from; i < c.a.to; i++ {
		n := &c.o.tree.Nodes[i]
		if n.First < first {
			continue
		}
		if n.First >= last {
			break
		}
		if linesOf(c.o, i) == lines && (best < 0 || n.Last-n.First > c.a.size(best)) && (n.First == first || lines.End > lines.Start) {
			best = i
		}
	}
	return best
}

// unchangedPart returns, of the nodes that hold just the tokens of a node, the outermost whose partner holds
// the same tokens, else the node itself. A block of one statement, where the language has no
// braces, is as long as the statement, and may have got another one.
func (c *lineFinder) unchangedPart(n int32) int32 {
	same := func(x, y extract.Token) bool { return x.Hash == y.Hash }
	outer := &c.o.tree.Nodes[n]
	for i := n; i < outer.Next; i++ {
		at := &c.o.tree.Nodes[i]
		if at.First != outer.First || at.Last != outer.Last {
			break
		}
		if p := c.a.partner(i); p >= 0 {
			now := &c.n.tree.Nodes[p]
			if slices.EqualFunc(c.o.tree.Tokens[at.First:at.Last], c.n.tree.Tokens[now.First:now.Last], same) {
				return i
			}
		}
	}
	return n
}

// keepsWhole reports whether cited lines that are one statement are still one of its
// kind, and not merely partly present in the other code.
func (c *lineFinder) keepsWhole(lines anchor.LineRange) bool {
	first, last := tokensOn(c.o, lines)
	n := c.wholeStatement(lines, first, last)
	if n < 0 {
		return true
	}
	p := c.a.partner(n)
	// Kinds of different grammars are not comparable.
	return p >= 0 && (c.o.file.Language != c.n.file.Language || c.o.tree.Nodes[n].Kind == c.n.tree.Nodes[p].Kind)
}

// linesOf returns the lines from a node's first token to its last.
func linesOf(s *Source, n int32) anchor.LineRange {
	node := &s.tree.Nodes[n]
	if node.First >= node.Last {
		line := s.table().line(int(node.Start))
		return anchor.LineRange{Start: line, End: line}
	}
	tokens := s.tree.Tokens[node.First:node.Last]
	return anchor.LineRange{Start: s.table().line(int(tokens[0].Start)), End: s.table().line(int(tokens[len(tokens)-1].End) - 1)}
}

// The weights of a partner's vote for its line.
const (
	voteMark = 1
	voteName = 2
	voteNode = 3
)

// voteLine returns the line on which most of what began on a cited line begins now.
func (c *lineFinder) voteLine(line int, first, last int32) (int, bool) {
	votes := make(map[int]int)
	f, l := tokensOn(c.o, anchor.LineRange{Start: line, End: line})
	f, l = max(f, first), min(l, last)
	for t := f; t < l; t++ {
		p := c.a.tokenPartner(t)
		if p < 0 {
			continue
		}
		weight := voteName
		if c.o.tree.Tokens[t].Class == extract.ClassMark {
			weight = voteMark
		}
		votes[c.n.table().line(int(c.n.tree.Tokens[p].Start))] += weight
	}
	for i := c.a.from; i < c.a.to; i++ {
		n := &c.o.tree.Nodes[i]
		if n.First < f || n.First >= l {
			continue
		}
		if p := c.a.partner(i); p >= 0 {
			votes[c.beginLine(i, p)] += voteNode
		}
	}
	best, most := 0, 0
	for line, n := range votes {
		if n > most || n == most && line < best {
			best, most = line, n
		}
	}
	return best, most > 0
}

// beginLine returns the line on which a node begins, given its partner. It uses the
// first token, because something new may precede it, such as an annotation.
func (c *lineFinder) beginLine(node, partner int32) int {
	at := &c.n.tree.Nodes[partner]
	if t := c.a.tokenPartner(c.o.tree.Nodes[node].First); at.First <= t && t < at.Last {
		return c.n.table().line(int(c.n.tree.Tokens[t].Start))
	}
	return linesOf(c.n, partner).Start
}

// linesOfCode returns the lines of the piece of code in its new state.
func (c *lineFinder) linesOfCode() anchor.LineRange {
	t, end := c.n.table(), len(c.n.Text())
	if last := c.b.last; last > c.b.first {
		end = int(c.n.tree.Tokens[last-1].End)
	}
	return anchor.LineRange{Start: t.line(int(c.b.start())), End: t.line(max(0, end-1))}
}

// findWithoutTokens finds lines without tokens, that is comments, blank lines, or lines
// inside a string, by their text: in the file, else in the piece of code. Else it finds
// them by the next token.
func (c *lineFinder) findWithoutTokens(lines anchor.LineRange) lineMatch {
	to, tn := c.o.table(), c.n.table()
	quote := quoteLines(to.quote(to.clamp(lines)))
	if !blank(quote) {
		for _, within := range []anchor.LineRange{{Start: 1, End: tn.count()}, c.linesOfCode()} {
			if found := tn.matches(quote, within); len(found) == 1 {
				return lineMatch{lines: anchor.LineRange{Start: found[0], End: found[0] + len(quote) - 1}, like: 1, found: true}
			}
		}
	}
	_, next := tokensOn(c.o, lines)
	if next >= c.a.last || c.a.tokenPartner(next) < 0 {
		return lineMatch{}
	}
	away := to.line(int(c.o.tree.Tokens[next].Start)) - lines.Start
	start := max(1, tn.line(int(c.n.tree.Tokens[c.a.tokenPartner(next)].Start))-away)
	r := tn.clamp(anchor.LineRange{Start: start, End: start + lines.End - lines.Start})
	like := 0.5
	if slices.Equal(quote, quoteLines(tn.quote(r))) {
		like = 1
	}
	return lineMatch{lines: r, like: like, found: true}
}

// expectedLines returns where deleted lines would be: at the same distance from the
// nearest surviving token before them, but not behind the next one.
func (c *lineFinder) expectedLines(lines anchor.LineRange) anchor.LineRange {
	first, last := tokensOn(c.o, lines)
	start := c.n.table().line(int(c.b.start()))
	for t := min(first, c.a.last) - 1; t >= c.a.first; t-- {
		if p := c.a.tokenPartner(t); p >= 0 {
			away := lines.Start - c.o.table().line(int(c.o.tree.Tokens[t].Start))
			start = c.n.table().line(int(c.n.tree.Tokens[p].Start)) + away
			break
		}
	}
	for t := max(last, c.a.first); t < c.a.last; t++ {
		if p := c.a.tokenPartner(t); p >= 0 {
			start = min(start, c.n.table().line(int(c.n.tree.Tokens[p].Start)))
			break
		}
	}
	start = max(1, start)
	return c.n.table().clamp(anchor.LineRange{Start: start, End: start + lines.End - lines.Start})
}

func blank(lines []string) bool {
	for _, l := range lines {
		if l != "" {
			return false
		}
	}
	return true
}
