//go:build !linux && !darwin

package extract

import sitter "github.com/smacker/go-tree-sitter"

func walk(root *sitter.Node) []visited { return walkByGo(root) }
