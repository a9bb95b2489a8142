//go:build !cgo

package treesitter

import (
	"context"
	"errors"
)

// The used part of the binding's types. There are no values of [Tree] and [Language],
// because no grammar is compiled in.
type (
	Tree     struct{}
	Language struct{}
	Parser   struct{}
	Node     struct{}
	Symbol   uint16
	Point    struct{ Row, Column uint32 }
	// EditInput describes an edit of a text.
	EditInput struct {
		StartIndex, OldEndIndex, NewEndIndex uint32
		StartPoint, OldEndPoint, NewEndPoint Point
	}
)

// SymbolType is the kind of a symbol.
type SymbolType int

// Kinds of symbols.
const (
	SymbolTypeRegular SymbolType = iota
	SymbolTypeAnonymous
	SymbolTypeAuxiliary
)

// errNone is the error of every parse.
var errNone = errors.New("this program is built without grammars")

// Grammar returns nil: no grammar is compiled in.
func Grammar(string) *Language { return nil }

// SymbolCount returns the number of symbols.
func (*Language) SymbolCount() uint32 { return 0 }

// SymbolName returns the name of a symbol.
func (*Language) SymbolName(Symbol) string { return "" }

// SymbolType returns the kind of a symbol.
func (*Language) SymbolType(Symbol) SymbolType { return SymbolTypeAuxiliary }

// FieldName returns the name of a field.
func (*Language) FieldName(int) string { return "" }

// NewParser returns a parser without a language. The caller closes it.
func NewParser() *Parser { return &Parser{} }

// SetLanguage does nothing.
func (*Parser) SetLanguage(*Language) {}

// ParseCtx fails.
func (*Parser) ParseCtx(context.Context, *Tree, []byte) (*Tree, error) { return nil, errNone }

// Reset does nothing.
func (*Parser) Reset() {}

// Close does nothing.
func (*Parser) Close() {}

// Edit does nothing.
func (*Tree) Edit(EditInput) {}

// Copy returns the tree itself.
func (t *Tree) Copy() *Tree { return t }

// RootNode returns the root.
func (*Tree) RootNode() *Node { return &Node{} }

// HasError reports whether part of the source was not understood.
func (*Node) HasError() bool { return true }

// Close does nothing.
func (*Tree) Close() {}
