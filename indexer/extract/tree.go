package extract

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"manicule/indexer/extract/syntax"
	"manicule/indexer/extract/treesitter"
)

// Class is the kind of a token, as far as hashes care.
type Class uint8

// The classes of tokens.
const (
	ClassMark    Class = iota // a keyword, an operator, a bracket
	ClassName                 // an identifier
	ClassLiteral              // a string, a number
)

// Token is a leaf of the syntax tree. Comments are no tokens.
type Token struct {
	Hash       uint64 // of its text, stable across processes
	Start, End uint32 // bytes
	Node       int32  // index of the enclosing node
	Class      Class
}

// Node is an inner node of the syntax tree. Kind is the grammar's number for it and
// means nothing outside of one version of one grammar.
type Node struct {
	Hash, Abstract uint64 // of the kinds and tokens below; Abstract without names and literals
	Start, End     uint32 // bytes
	Parent         int32  // index of the parent, -1 for the root
	Next           int32  // index behind the last descendant
	First, Last    int32  // its tokens: from First to before Last
	Kind           uint16
	Block          bool // its nesting counts, as in Python
}

// Tree is a syntax tree as a plain value: its inner nodes in preorder, and its tokens
// in the order of the source. It is immutable.
type Tree struct {
	Nodes  []Node
	Tokens []Token
}

// ParseTree is Parse with the syntax tree, in one parse.
func ParseTree(ctx context.Context, lang string, src []byte) (*File, *Tree, error) {
	lang = DetectDialect(lang, src)
	l, err := languageFor(lang)
	if err != nil {
		return nil, nil, err
	}
	if err := check(src); err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", lang, err)
	}
	var t *Tree
	f, err := guard(ctx, src, func(ctx context.Context) (f *File, err error) {
		if l.outlined != nil {
			f, t, err = l.readOutline(ctx, lang, src)
			return f, err
		}
		flat, done, err := l.parseFlat(ctx, src)
		if err != nil {
			return nil, err
		}
		defer done()
		f, t, err = l.readFlat(ctx, lang, flat, src)
		return f, err
	})
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", lang, err)
	}
	return f, t, nil
}

// read is fileOf with the syntax tree.
func (l *language) read(ctx context.Context, lang string, parsed *treesitter.Tree, src []byte) (*File, *Tree, error) {
	flat, done, err := l.flatten(parsed)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	return l.readFlat(ctx, lang, flat, src)
}

// readFlat is read for a flattened tree.
func (l *language) readFlat(ctx context.Context, lang string, flat *syntax.Tree, src []byte) (*File, *Tree, error) {
	found, err := l.scanFlat(ctx, flat, src, nil)
	if err != nil {
		return nil, nil, err
	}
	f, err := l.finish(ctx, lang, src, found)
	if err != nil {
		return nil, nil, err
	}
	return f, l.tree(flat, src), nil
}

// traits are properties of a node that its kind's name implies.
type traits uint8

const (
	traitComment traits = 1 << iota
	traitWhole          // its text is one token
	traitBlock
	traitName
	traitLiteral
)

// traitsOf computes a grammar's table of traits, by kind.
func traitsOf(g *treesitter.Language) []traits {
	table := make([]traits, g.SymbolCount())
	for i := range table {
		table[i] = traitsOfKind(g.SymbolName(treesitter.Symbol(i)))
	}
	return table
}

func traitsOfKind(kind string) traits {
	var t traits
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(kind, p) })
	}
	if strings.Contains(kind, "comment") {
		t |= traitComment
	}
	if strings.Contains(kind, "string") {
		t |= traitWhole
	}
	if kind == "block" {
		t |= traitBlock
	}
	switch {
	case has("identifier", "name", "variable", "constant", "word"):
		t |= traitName
	case has("string", "literal", "number", "integer", "float", "char", "rune", "scalar", "text", "regex", "true", "false"):
		t |= traitLiteral
	}
	return t
}

// treeBuilder converts a flat tree into a Tree.
type treeBuilder struct {
	src    []byte
	traits []traits
	tree   *Tree
	open   []openNode
	last   uint32 // end of the previous token
	markup bool   // what the grammar was not given is markup
}

// openNode is a node whose children are being read.
type openNode struct {
	at   int32 // index in Tree.Nodes
	from int32 // index in the flat tree
}

// byteOrderMark may begin a file.
const byteOrderMark = "\ufeff"

// tree converts a syntax tree to its plain form.
func (l *language) tree(flat *syntax.Tree, src []byte) *Tree {
	all := flat.Nodes
	b := &treeBuilder{src: src, traits: l.kinds(), tree: &Tree{
		Nodes: make([]Node, 0, len(all)/2), Tokens: make([]Token, 0, len(all)/2),
	}, markup: l.code != nil}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) { // it is no code, and an editor leaves it out of the text
		b.last = uint32(len(byteOrderMark))
	}
	for i := int32(0); int(i) < len(all); {
		i = b.add(all, i)
	}
	b.gap(uint32(len(src)))
	for len(b.open) > 0 {
		b.close()
	}
	b.tree.computeHashes()
	return b.tree
}

// add adds one node of the walk and returns the index of the next one.
func (b *treeBuilder) add(all []syntax.Node, i int32) int32 {
	v := &all[i]
	for len(b.open) > 0 && v.Parent < b.open[len(b.open)-1].from {
		b.close()
	}
	var t traits
	if int(v.Symbol) < len(b.traits) {
		t = b.traits[v.Symbol]
	}
	switch {
	case t&traitComment != 0:
		b.gap(v.Start)
		b.last = max(b.last, v.End)
		return v.Next
	case t&traitWhole != 0 || v.Next == i+1:
		b.gap(v.Start)
		b.token(max(v.Start, b.last), v.End, b.class(v, t))
		return v.Next
	}
	if t&traitBlock != 0 {
		b.gap(v.Start)
	}
	parent := int32(-1)
	if len(b.open) > 0 {
		parent = b.open[len(b.open)-1].at
	}
	b.open = append(b.open, openNode{int32(len(b.tree.Nodes)), i})
	b.tree.Nodes = append(b.tree.Nodes, Node{
		Start: v.Start, End: v.End, Kind: v.Symbol, Parent: parent, First: int32(len(b.tree.Tokens)), Block: t&traitBlock != 0,
	})
	return i + 1
}

func (b *treeBuilder) close() {
	n := &b.tree.Nodes[b.open[len(b.open)-1].at]
	n.Next, n.Last = int32(len(b.tree.Nodes)), int32(len(b.tree.Tokens))
	b.open = b.open[:len(b.open)-1]
}

func (b *treeBuilder) class(v *syntax.Node, t traits) Class {
	switch {
	case !v.Named():
		return ClassMark
	case t&traitName != 0:
		return ClassName
	case t&traitLiteral != 0:
		return ClassLiteral
	default:
		return ClassMark
	}
}

// gap adds text between two leaves that is no white space: some grammars have no node
// for the text of a literal.
func (b *treeBuilder) gap(until uint32) {
	if until <= b.last {
		return
	}
	if b.markup {
		b.words(until)
		return
	}
	b.token(b.last, until, ClassLiteral)
}

// words adds the words and marks of markup: as one token, any edit of it would be one
// of all lines in it.
func (b *treeBuilder) words(until uint32) {
	until = min(until, uint32(len(b.src)))
	for at := b.last; at < until; {
		end := at + 1
		class := ClassMark
		if markupByte(b.src[at]) {
			class = ClassName
			for end < until && markupByte(b.src[end]) {
				end++
			}
		}
		b.token(at, end, class)
		at = end
	}
}

// markupByte reports whether a byte may be part of a word in markup: of a tag, an
// attribute, a class.
func markupByte(c byte) bool {
	return c == '_' || c == '-' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (b *treeBuilder) token(start, end uint32, class Class) {
	end = min(end, uint32(len(b.src)))
	b.last = max(b.last, end)
	for start < end && isSpace(b.src[start]) {
		start++
	}
	for start < end && isSpace(b.src[end-1]) {
		end--
	}
	if start >= end {
		return
	}
	node := int32(-1)
	if len(b.open) > 0 {
		node = b.open[len(b.open)-1].at
	}
	b.tree.Tokens = append(b.tree.Tokens, Token{Hash: hashText(b.src[start:end]), Start: start, End: end, Node: node, Class: class})
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'
}

// The constants of FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hashText is FNV-1a with Windows line ends normalized.
func hashText(text []byte) uint64 {
	h := uint64(fnvOffset)
	for i, c := range text {
		if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
			continue
		}
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// HashName returns the Hash of a token with this text.
func HashName(text string) uint64 { return hashText([]byte(text)) }

// MixHash combines a hash with a value.
func MixHash(h, v uint64) uint64 {
	h ^= v + 0x9e3779b97f4a7c15 + h<<6 + h>>2 // the golden ratio, as in boost's hash_combine
	h *= 0xff51afd7ed558ccd                   // of MurmurHash3's finalizer
	return h ^ h>>33
}

// computeHashes computes the hashes of the nodes from the last to the first, because
// children follow their parents.
func (t *Tree) computeHashes() {
	for i := len(t.Nodes) - 1; i >= 0; i-- {
		n := &t.Nodes[i]
		h, a := MixHash(fnvOffset, uint64(n.Kind)), MixHash(fnvOffset, uint64(n.Kind))
		child := int32(i) + 1
		for at := n.First; at < n.Last || child < n.Next; {
			if child < n.Next && t.Nodes[child].First <= at {
				c := &t.Nodes[child]
				h, a = MixHash(h, c.Hash), MixHash(a, c.Abstract)
				at, child = max(at, c.Last), c.Next
				continue
			}
			if at >= n.Last {
				break
			}
			token := &t.Tokens[at]
			h = MixHash(h, token.Hash)
			a = MixHash(a, token.Abstract())
			at++
		}
		n.Hash, n.Abstract = h, a
	}
}

// Abstract returns the token's hash without its text if it is a name or a literal.
func (t *Token) Abstract() uint64 {
	if t.Class == ClassMark {
		return t.Hash
	}
	return uint64(t.Class)
}

// Range returns the tokens in a span, from first to before last.
func (t *Tree) Range(s Span) (first, last int) {
	first, _ = slices.BinarySearchFunc(t.Tokens, s.Start, func(a Token, at int) int { return int(a.Start) - at })
	last, _ = slices.BinarySearchFunc(t.Tokens, s.End, func(a Token, at int) int { return int(a.Start) - at })
	for last > first && int(t.Tokens[last-1].End) > s.End {
		last--
	}
	return first, max(first, last)
}

// Blocks returns the blocks entirely within a span, outer ones first.
func (t *Tree) Blocks(s Span) []Node {
	var found []Node
	for i := 0; i < len(t.Nodes); {
		n := &t.Nodes[i]
		if int(n.End) <= s.Start || int(n.Start) >= s.End {
			i = int(max(n.Next, int32(i)+1))
			continue
		}
		if n.Block && holds(s, Span{int(n.Start), int(n.End)}) {
			found = append(found, *n)
		}
		i++
	}
	return found
}

// kindsOf computes the table on first use.
func kindsOf(g *treesitter.Language) func() []traits {
	return sync.OnceValue(func() []traits { return traitsOf(g) })
}

// normalizeNewlines returns the text of a token with Windows line ends normalized.
func normalizeNewlines(text []byte) []byte {
	return bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
}

// Renamed returns the tree with some tokens renamed, by their hashes (see HashName).
// Byte offsets remain those of the source.
func (t *Tree) Renamed(names map[uint64]uint64) *Tree {
	r := &Tree{Nodes: slices.Clone(t.Nodes), Tokens: slices.Clone(t.Tokens)}
	for i := range r.Tokens {
		if to, ok := names[r.Tokens[i].Hash]; ok && r.Tokens[i].Class == ClassName {
			r.Tokens[i].Hash = to
		}
	}
	r.computeHashes()
	return r
}
