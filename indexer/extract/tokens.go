package extract

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"manicule/indexer/hashing"
)

// HashTokens hashes the tokens of a span of src. White space and comments do not
// count; the nesting of blocks does, so that Python's indentation matters.
func HashTokens(ctx context.Context, lang string, src []byte, span Span) (string, error) {
	hashes, err := hashTokens(ctx, lang, src, []Span{span})
	return hashes[span], err
}

// hashTokens is HashTokens for several spans, for which it parses src once.
func hashTokens(ctx context.Context, lang string, src []byte, spans []Span) (map[Span]string, error) {
	l, err := languageFor(DetectDialect(lang, src))
	if err != nil {
		return nil, err
	}
	if err := check(src); err != nil {
		return nil, fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	digests := func(t *Tree) map[Span]string {
		out := make(map[Span]string, len(spans))
		blocks := t.Blocks(Span{End: len(src)}) // once: each time costs a look at all neighbours of a span
		for _, span := range spans {
			if _, ok := out[span]; !ok {
				s := span.clamped(src)
				out[span] = t.digest(src, s, within(blocks, s))
			}
		}
		return out
	}
	hashes, err := guard(ctx, src, func(ctx context.Context) (map[Span]string, error) {
		if l.outlined != nil {
			return digests(lex(&l.outlined.rules, src).tree), nil
		}
		tree, done, err := l.parseFlat(ctx, src)
		if err != nil {
			return nil, err
		}
		defer done()
		return digests(l.tree(tree, src)), nil
	})
	if err != nil {
		return nil, fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	return hashes, nil
}

// Marks that can't be tokens, written in place of one.
const (
	blockOpen  = "\x01"
	blockClose = "\x02"
)

// Digest hashes the tokens of a span of the tree's source. Memory files store this
// hash, so it must never change.
func (t *Tree) Digest(src []byte, span Span) string {
	span = span.clamped(src)
	return t.digest(src, span, t.Blocks(span))
}

// clamped is the part of a span that is in src.
func (s Span) clamped(src []byte) Span {
	s.Start = min(max(s.Start, 0), len(src))
	s.End = min(max(s.End, s.Start), len(src))
	return s
}

// within returns those of some blocks, in order, that [Tree.Blocks] finds in a span.
func within(blocks []Node, s Span) (found []Node) {
	first, _ := slices.BinarySearchFunc(blocks, s.Start, func(n Node, at int) int { return int(n.Start) - at })
	for _, n := range blocks[first:] {
		if int(n.Start) >= s.End {
			break
		}
		if int(n.End) > s.Start && int(n.End) <= s.End {
			found = append(found, n)
		}
	}
	return found
}

// digest is Digest of a span in src with its blocks.
func (t *Tree) digest(src []byte, span Span, blocks []Node) string {
	hashing.Ready()
	h := sha256.New()
	var open []Node
	// A token that only partly lies in the span counts with that part.
	first, last := t.touching(span)
	for i := first; i <= last; i++ {
		for len(open) > 0 && int(open[len(open)-1].Last) <= i {
			write(h, blockClose)
			open = open[:len(open)-1]
		}
		for len(blocks) > 0 && (int(blocks[0].First) <= i || i == last) {
			if blocks[0].First == blocks[0].Last {
				write(h, blockOpen)
				write(h, blockClose)
			} else {
				write(h, blockOpen)
				open = append(open, blocks[0])
			}
			blocks = blocks[1:]
		}
		if i == last {
			break
		}
		token := t.Tokens[i]
		if text := normalizeNewlines(src[max(int(token.Start), span.Start):min(int(token.End), span.End)]); len(text) > 0 {
			write(h, string(text))
		}
	}
	for range open {
		write(h, blockClose)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// touching returns the tokens that share a byte with a span.
func (t *Tree) touching(s Span) (first, last int) {
	first, last = t.Range(s)
	for first > 0 && int(t.Tokens[first-1].End) > s.Start {
		first--
	}
	for last < len(t.Tokens) && int(t.Tokens[last].Start) < s.End {
		last++
	}
	return first, last
}

func write(h hash.Hash, token string) {
	// The length prefix distinguishes "ab","c" from "a","bc".
	_, _ = fmt.Fprintf(h, "%d:%s", len(token), token) // a hash accepts everything
}
