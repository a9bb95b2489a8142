// Package syntax holds a syntax tree as one flat slice of nodes, and matches queries
// in tree-sitter's query language against it. It must not know languages, symbols or
// files.
package syntax

import (
	"context"
	"fmt"
	"iter"

	"manicule/indexer/extract/treesitter"
)

// symbolError is the symbol of an ERROR node: what no rule of the grammar took.
const symbolError = 0xFFFF

// Node is one visible node of a tree. Its size is 24 bytes; the C walk writes this
// layout.
type Node struct {
	Start, End uint32 // bytes of the source
	Next       int32  // index of the first node behind this one and its descendants
	Parent     int32  // -1 at the root
	Symbol     uint16 // index into the names of the language, symbolError for an ERROR node
	Field      uint16 // its field in the parent, 0 for none
	flags      uint8
}

const (
	flagNamed = 1 << iota
	flagMissing
	flagExtra
)

// Named reports whether it represents a rule of the grammar and not a literal.
func (n *Node) Named() bool { return n.flags&flagNamed != 0 }

// Missing reports whether the parser inserted it where the source lacks it.
func (n *Node) Missing() bool { return n.flags&flagMissing != 0 }

// Extra reports whether it may be anywhere, like a comment.
func (n *Node) Extra() bool { return n.flags&flagExtra != 0 }

// Error reports whether no rule of the grammar covers it.
func (n *Node) Error() bool { return n.Symbol == symbolError }

// Tree holds the nodes of one source in preorder: the root comes first, and each node
// is followed by its descendants.
type Tree struct {
	Nodes    []Node
	Language *Language
}

// Flatten copies a tree of the binding. The nodes reuse buf if it has room; the tree
// may be closed afterwards.
func (l *Language) Flatten(tree *treesitter.Tree, buf []Node) (*Tree, error) {
	nodes, err := flatten(tree, buf[:0])
	if err != nil {
		return nil, fmt.Errorf("copy a syntax tree: %w", err)
	}
	return l.canonicalTree(nodes), nil
}

// Parse parses a text. The nodes reuse buf if it has room. It stops with the error of ctx.
func (l *Language) Parse(ctx context.Context, text []byte, buf []Node) (*Tree, error) {
	nodes, err := l.parse(ctx, text, buf[:0])
	if err != nil {
		return nil, err
	}
	return l.canonicalTree(nodes), nil
}

// canonicalTree makes a tree of nodes with the grammar's symbols.
func (l *Language) canonicalTree(nodes []Node) *Tree {
	for i := range nodes {
		if s := int(nodes[i].Symbol); s < len(l.canonical) {
			nodes[i].Symbol = l.canonical[s]
		}
	}
	return &Tree{Nodes: nodes, Language: l}
}

// Children yields the indices of a node's children in order.
func (t *Tree) Children(parent int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for at := parent + 1; at < t.Nodes[parent].Next; at = t.Nodes[at].Next {
			if !yield(at) {
				return
			}
		}
	}
}

// Leaf reports whether a node has no children.
func (t *Tree) Leaf(at int32) bool { return t.Nodes[at].Next == at+1 }

// Type returns the name of a node in the grammar.
func (t *Tree) Type(at int32) string { return t.Language.Name(t.Nodes[at].Symbol) }

// Language holds the names of a grammar's symbols and fields. It is immutable.
type Language struct {
	grammar   *treesitter.Language
	names     []string
	canonical []uint16 // the first of all symbols with the same name and kind
	symbols   map[symbolName]uint16
	fields    map[string]uint16
}

type symbolName struct {
	name  string
	named bool
}

// NewLanguage reads the names of a grammar.
func NewLanguage(grammar *treesitter.Language) *Language {
	l := &Language{grammar: grammar, symbols: make(map[symbolName]uint16), fields: make(map[string]uint16)}
	for i := range int(grammar.SymbolCount()) {
		symbol, name := uint16(i), grammar.SymbolName(treesitter.Symbol(i))
		l.names = append(l.names, name)
		l.canonical = append(l.canonical, symbol)
		kind := grammar.SymbolType(treesitter.Symbol(i))
		if kind == treesitter.SymbolTypeAuxiliary {
			continue
		}
		key := symbolName{name, kind == treesitter.SymbolTypeRegular}
		if first, ok := l.symbols[key]; ok {
			l.canonical[i] = first
			continue
		}
		l.symbols[key] = symbol
	}
	for i := 1; ; i++ { // field 0 is none
		name := grammar.FieldName(i)
		if name == "" {
			return l
		}
		l.fields[name] = uint16(i)
	}
}

// Name returns the name of a symbol, "ERROR" for that of an ERROR node.
func (l *Language) Name(symbol uint16) string {
	if int(symbol) < len(l.names) {
		return l.names[symbol]
	}
	return "ERROR"
}

// Field returns the number of a field, 0 if the grammar has none of that name.
func (l *Language) Field(name string) uint16 { return l.fields[name] }

// Symbol returns the number of a named node or of a literal of the grammar.
func (l *Language) Symbol(name string, named bool) (symbol uint16, ok bool) {
	symbol, ok = l.symbols[symbolName{name, named}]
	return symbol, ok
}
