package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	"manicule/indexer/extract/syntax"
)

// Tokens hashes the tokens of a span of src. White space and comments do not
// count; the nesting of blocks does, so that Python's indentation is seen.
func Tokens(ctx context.Context, lang string, src []byte, span Span) (string, error) {
	l, err := languageFor(Spoken(lang, src))
	if err != nil {
		return "", err
	}
	if err := check(src); err != nil {
		return "", fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	parsed, err := l.parse(ctx, src)
	if err != nil {
		return "", fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	defer parsed.Close()
	tree, done, err := l.flatten(parsed, len(src))
	if err != nil {
		return "", fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	defer done()
	span.Start = min(max(span.Start, 0), len(src))
	span.End = min(max(span.End, span.Start), len(src))
	w := &tokenWriter{src: src, span: span, last: span.Start, hash: sha256.New()}
	w.walk(tree)
	return hex.EncodeToString(w.hash.Sum(nil)), nil
}

// tokenWriter feeds the tokens of a span to a hash.
type tokenWriter struct {
	src  []byte
	span Span
	last int // where the token before ended
	hash hash.Hash
}

// Marks that no token can be, as they are written in place of one.
const (
	blockOpen  = "\x01"
	blockClose = "\x02"
)

// walk visits the nodes of the span in order.
func (w *tokenWriter) walk(tree *syntax.Tree) {
	var blocks []int32 // where each open block ends
	for at := int32(0); int(at) < len(tree.Nodes); {
		for len(blocks) > 0 && blocks[len(blocks)-1] <= at {
			w.write(blockClose)
			blocks = blocks[:len(blocks)-1]
		}
		block, down := w.visit(tree, at)
		if block && !tree.Leaf(at) {
			blocks = append(blocks, tree.Nodes[at].Next)
		}
		if at++; !down {
			at = tree.Nodes[at-1].Next
		}
	}
	for range blocks {
		w.write(blockClose)
	}
	w.gap(w.span.End)
}

// visit writes a leaf, or says that the node's children are to be visited.
func (w *tokenWriter) visit(tree *syntax.Tree, node int32) (block, down bool) {
	at := spanOf(tree, node)
	if at.End <= w.span.Start || at.Start >= w.span.End {
		return false, false
	}
	kind := tree.Type(node)
	switch {
	case strings.Contains(kind, "comment"):
		w.gap(at.Start)
		w.last = max(w.last, at.End)
	case tree.Leaf(node) || strings.Contains(kind, "string"):
		w.leaf(at)
	case kind == "block" && holds(w.span, at):
		w.gap(at.Start)
		w.write(blockOpen)
		return true, true
	default:
		return false, true
	}
	return false, false
}

func (w *tokenWriter) leaf(at Span) {
	w.gap(at.Start)
	at.Start, at.End = max(at.Start, w.last), min(at.End, w.span.End)
	if at.Start < at.End {
		w.token(w.src[at.Start:at.End])
		w.last = at.End
	}
}

// gap writes what stands between two leaves and is no white space: some
// grammars have no node for the text of a literal.
func (w *tokenWriter) gap(until int) {
	until = min(until, w.span.End)
	if until > w.last {
		w.token(w.src[w.last:until])
		w.last = until
	}
}

func (w *tokenWriter) token(text []byte) {
	text = bytes.TrimSpace(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	if len(text) > 0 {
		w.write(string(text))
	}
}

func (w *tokenWriter) write(token string) {
	// The length before the text keeps "ab","c" apart from "a","bc".
	fmt.Fprintf(w.hash, "%d:%s", len(token), token)
}
