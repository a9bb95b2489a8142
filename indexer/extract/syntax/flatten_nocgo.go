//go:build !cgo

package syntax

import (
	"errors"

	"manicule/indexer/extract/treesitter"
)

// flatten fails: without C there are no trees.
func flatten(*treesitter.Tree, int, []Node) ([]Node, error) {
	return nil, errors.New("this program is built without grammars")
}
