package extract

import sitter "github.com/smacker/go-tree-sitter"

// visited is one node of a tree, as a walk in preorder notes it. Of a node
// without children, and of one of the kinds that count as a whole, no more is
// visited.
type visited struct {
	start, end uint32
	parent     uint32 // index of the node around it; its own for the root
	kind       uint16 // the grammar's symbol
	flags      uint16
}

// The flags of a visited node.
const (
	nodeNamed = 1 << iota
	nodeLeaf
	nodeBroken // an error, or missing from the source
)

// walkByGo is the walk in Go: a call into C for each question about each node.
// It is what the walk in C is tested against, and stands in where there is none.
func walkByGo(root *sitter.Node) []visited {
	cursor := sitter.NewTreeCursor(root)
	defer cursor.Close()
	var all []visited
	var parents []uint32
	for {
		n := cursor.CurrentNode()
		v := visited{start: n.StartByte(), end: n.EndByte(), kind: uint16(n.Symbol())}
		if len(parents) > 0 {
			v.parent = parents[len(parents)-1]
		}
		if n.IsNamed() {
			v.flags |= nodeNamed
		}
		if n.IsError() || n.IsMissing() {
			v.flags |= nodeBroken
		}
		at := uint32(len(all))
		if cursor.GoToFirstChild() {
			all = append(all, v)
			parents = append(parents, at)
			continue
		}
		v.flags |= nodeLeaf
		all = append(all, v)
		for !cursor.GoToNextSibling() {
			if !cursor.GoToParent() {
				return all
			}
			parents = parents[:len(parents)-1]
		}
	}
}
