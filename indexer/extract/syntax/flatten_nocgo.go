//go:build !cgo

package syntax

import (
	"context"
	"errors"

	"manicule/indexer/extract/treesitter"
)

// errNone means that there are no trees without C.
var errNone = errors.New("this program is built without grammars")

func (*Language) parse(context.Context, []byte, []Node) ([]Node, error) { return nil, errNone }

func flatten(*treesitter.Tree, []Node) ([]Node, error) { return nil, errNone }
