package extract

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
)

// Tokens hashes the tokens of a span of src. White space and comments do not
// count; the nesting of blocks does, so that Python's indentation is seen.
func Tokens(ctx context.Context, lang string, src []byte, span Span) (string, error) {
	l, err := languageFor(lang)
	if err != nil {
		return "", err
	}
	if err := check(src); err != nil {
		return "", fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	tree, err := l.parse(ctx, src)
	if err != nil {
		return "", fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
	defer tree.Close()
	span.Start = min(max(span.Start, 0), len(src))
	span.End = min(max(span.End, span.Start), len(src))
	w := &tokenWriter{src: src, span: span, last: span.Start, hash: sha256.New()}
	cursor := sitter.NewTreeCursor(tree.RootNode())
	defer cursor.Close()
	if err := w.walk(ctx, cursor); err != nil {
		return "", fmt.Errorf("hash the tokens of %s: %w", lang, err)
	}
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

// walk visits the nodes of the span in order. It is a loop and not a recursion,
// since generated code can be nested very deeply.
func (w *tokenWriter) walk(ctx context.Context, cursor *sitter.TreeCursor) error {
	var blocks []bool // of each open node: whether it is a block
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if block, down := w.visit(cursor.CurrentNode()); down && cursor.GoToFirstChild() {
			blocks = append(blocks, block)
			continue
		}
		for !cursor.GoToNextSibling() {
			if !cursor.GoToParent() {
				w.gap(w.span.End)
				return nil
			}
			if blocks[len(blocks)-1] {
				w.write(blockClose)
			}
			blocks = blocks[:len(blocks)-1]
		}
	}
}

// visit writes a leaf, or says that the node's children are to be visited.
func (w *tokenWriter) visit(n *sitter.Node) (block, down bool) {
	at := spanOf(n)
	if at.End <= w.span.Start || at.Start >= w.span.End {
		return false, false
	}
	kind := n.Type()
	switch {
	case strings.Contains(kind, "comment"):
		w.gap(at.Start)
		w.last = max(w.last, at.End)
	case n.ChildCount() == 0 || strings.Contains(kind, "string"):
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
