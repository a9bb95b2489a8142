//go:build !cgo

package treesitter

import (
	"context"
	"errors"
)

// The binding's types, as far as they are used. There are no values of [Tree] and
// [Language]: no grammar is compiled in.
type (
	Tree     struct{}
	Language struct{}
	Parser   struct{}
	Node     struct{}
	Symbol   uint16
	Point    struct{ Row, Column uint32 }
	// EditInput says what was edited in a text.
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

// errNone is what every parse ends with.
var errNone = errors.New("this program is built without grammars")

// Grammar is the grammar of a language, nil where none is compiled in.
func Grammar(string) *Language { return nil }

// SymbolCount is the number of symbols.
func (*Language) SymbolCount() uint32 { return 0 }

// SymbolName is the name of a symbol.
func (*Language) SymbolName(Symbol) string { return "" }

// SymbolType is the kind of a symbol.
func (*Language) SymbolType(Symbol) SymbolType { return SymbolTypeAuxiliary }

// FieldName is the name of a field.
func (*Language) FieldName(int) string { return "" }

// NewParser makes a parser without a language. The caller closes it.
func NewParser() *Parser { return &Parser{} }

// SetLanguage does nothing.
func (*Parser) SetLanguage(*Language) {}

// ParseCtx refuses.
func (*Parser) ParseCtx(context.Context, *Tree, []byte) (*Tree, error) { return nil, errNone }

// Reset does nothing.
func (*Parser) Reset() {}

// Close does nothing.
func (*Parser) Close() {}

// Edit does nothing.
func (*Tree) Edit(EditInput) {}

// Copy is the tree.
func (t *Tree) Copy() *Tree { return t }

// RootNode is the node above all others.
func (*Tree) RootNode() *Node { return &Node{} }

// HasError reports whether a part of the source was not understood.
func (*Node) HasError() bool { return true }

// Close does nothing.
func (*Tree) Close() {}
