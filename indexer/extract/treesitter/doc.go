// Package treesitter owns the binding to tree-sitter: its parser, its trees and
// the grammars that are compiled in. They are C. A program built without C gets
// the same names and no grammar, so that the packages above compile for it: to
// such a program no language is known, and nothing can be parsed. The package must
// not know queries, symbols or files.
package treesitter
