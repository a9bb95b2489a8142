package anchoring

import (
	"encoding/base64"
	"fmt"

	"manicule/indexer/anchor"
	"manicule/indexer/extract"
)

// Hash is a 64-bit hash, 0 for none.
type Hash uint64

// String returns 16 hexadecimal digits, the stored form.
func (h Hash) String() string { return fmt.Sprintf("%016x", uint64(h)) }

// sketchSize is the size of a sketch in bytes. The estimate of a similarity s has a
// standard error of sqrt(s(1-s)/64), at most .0625.
const sketchSize = 64

// Sketch is a MinHash of a token sequence, one byte for each of its bins.
type Sketch []byte

// String returns unpadded base64, the stored form.
func (s Sketch) String() string { return base64.RawStdEncoding.EncodeToString(s) }

// readSketch is the inverse of String; nil for invalid text.
func readSketch(text string) Sketch {
	b, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil || len(b) != sketchSize {
		return nil
	}
	return b
}

// Similarity estimates how much of two token sequences is equal, from 0 to 1; -1 if
// one of them is unknown.
func (s Sketch) Similarity(t Sketch) float64 {
	if len(s) != sketchSize || len(t) != sketchSize {
		return -1
	}
	same := 0
	for i := range s {
		if s[i] == t[i] {
			same++
		}
	}
	// One in 256 bins agrees by chance.
	like := (float64(same)/sketchSize - 1.0/256) / (1 - 1.0/256)
	return max(like, 0)
}

// Print is the fingerprint of a declaration, which survives a rename, a move or an
// edit. It excludes the declaration's own name.
type Print struct {
	Tree      Hash   // tokens and nesting
	Abstract  Hash   // the same, without names and literals
	Signature Hash   // the tokens before the body
	Sketch    Sketch // of the token sequence
	Size      int    // number of tokens
}

// record returns the stored form.
func (p *Print) record() *anchor.Fingerprint {
	return &anchor.Fingerprint{
		Tree: p.Tree.String(), Abstract: p.Abstract.String(), Signature: p.Signature.String(),
		Sketch: p.Sketch.String(), Size: p.Size,
	}
}

// ownName replaces the declaration's own name in hashes.
const ownName = 0x6f776e206e616d65

// Values that stand for the borders of a block; a text has such a hash only by chance.
const (
	hashOpen  = 1
	hashClose = 2
)

// newPrint computes the fingerprint of a symbol, without its neighbours.
func newPrint(t *extract.Tree, s extract.Symbol) *Print {
	p := &Print{}
	var tree, abstract, signature uint64 = hashSeed, hashSeed, hashSeed
	body := signatureEnd(t, s)
	sk := newSketcher()
	eachToken(t, s, t.Blocks(extract.Span{Start: s.Start, End: s.End}), func(token *extract.Token, hash uint64) {
		if token == nil {
			tree, abstract = extract.MixHash(tree, hash), extract.MixHash(abstract, hash)
			return
		}
		tree = extract.MixHash(tree, hash)
		open := token.Abstract()
		if hash == ownName {
			open = ownName
		}
		abstract = extract.MixHash(abstract, open)
		if int(token.Start) < body {
			signature = extract.MixHash(signature, hash)
		}
		sk.add(hash)
		p.Size++
	})
	p.Tree, p.Abstract, p.Signature, p.Sketch = Hash(tree), Hash(abstract), Hash(signature), sk.sketch()
	return p
}

const hashSeed = 0x6d616e6963756c65

// eachToken visits the tokens of a symbol with their hashes, the own name replaced,
// and the borders of its blocks, without a token.
func eachToken(t *extract.Tree, s extract.Symbol, blocks []extract.Node, visit func(*extract.Token, uint64)) {
	span := extract.Span{Start: s.Start, End: s.End}
	first, last := t.Range(span)
	own := extract.HashName(s.Name)
	var open []extract.Node
	for i := first; i <= last; i++ {
		for len(open) > 0 && int(open[len(open)-1].Last) <= i {
			visit(nil, hashClose)
			open = open[:len(open)-1]
		}
		for len(blocks) > 0 && (int(blocks[0].First) <= i || i == last) {
			visit(nil, hashOpen)
			open = append(open, blocks[0])
			blocks = blocks[1:]
		}
		if i == last {
			break
		}
		token := &t.Tokens[i]
		h := token.Hash
		if h == own {
			h = ownName
		}
		visit(token, h)
	}
	for range open {
		visit(nil, hashClose)
	}
}

// signatureEnd returns where the body of a symbol begins: at its last top-level node
// that is no leaf and reaches to its end.
func signatureEnd(t *extract.Tree, s extract.Symbol) int {
	first, last := t.Range(extract.Span{Start: s.Start, End: s.End})
	for i := first; i < last; i++ {
		token := &t.Tokens[i]
		if int(token.Start) < s.NameEnd || token.Node < 0 {
			continue
		}
		n := &t.Nodes[token.Node]
		if n.First == int32(i) && int(n.End) >= s.End-1 && int(n.Start) > s.NameEnd {
			return int(n.Start)
		}
	}
	return s.End
}

// sketcher builds a sketch by one permutation hashing: each shingle falls into one
// bin, which keeps the smallest hash (P. Li, A. Owen, C.-H. Zhang, One Permutation
// Hashing, NIPS 2012). An empty bin copies the next one (A. Shrivastava, P. Li,
// Densifying One Permutation Hashing, ICML 2014).
type sketcher struct {
	bins [sketchSize]uint64
	last [2]uint64
	n    int
}

func newSketcher() *sketcher {
	s := new(sketcher)
	for i := range s.bins {
		s.bins[i] = ^uint64(0)
	}
	return s
}

// add adds the next token; three consecutive tokens are a shingle.
func (s *sketcher) add(token uint64) {
	s.put(extract.MixHash(extract.MixHash(extract.MixHash(hashSeed, s.last[0]), s.last[1]), token))
	s.last[0], s.last[1] = s.last[1], token
	s.n++
}

func (s *sketcher) put(h uint64) {
	bin := h % sketchSize
	s.bins[bin] = min(s.bins[bin], h/sketchSize)
}

func (s *sketcher) sketch() Sketch {
	if s.n == 0 {
		return nil
	}
	out := make(Sketch, sketchSize)
	for i := range out {
		j := i
		for s.bins[j] == ^uint64(0) {
			j = (j + 1) % sketchSize
		}
		// The distance distinguishes a copied value from an own one.
		out[i] = byte(extract.MixHash(s.bins[j], uint64(j-i)))
	}
	return out
}

// bag counts the pairs of adjacent tokens in a piece of code.
type bag map[uint64]int32

func newBag(t *extract.Tree, s extract.Symbol) bag {
	b := make(bag)
	last := uint64(hashSeed)
	eachToken(t, s, t.Blocks(extract.Span{Start: s.Start, End: s.End}), func(token *extract.Token, hash uint64) {
		if token == nil {
			return
		}
		b[extract.MixHash(last, hash)]++
		last = hash
	})
	return b
}

// similarity returns the Dice coefficient of two bags, from 0 to 1.
func (b bag) similarity(c bag) float64 {
	if len(c) < len(b) {
		b, c = c, b
	}
	var same, all int32
	for k, n := range b {
		same += min(n, c[k])
		all += n
	}
	for _, n := range c {
		all += n
	}
	if all == 0 {
		return 1
	}
	return 2 * float64(same) / float64(all)
}
