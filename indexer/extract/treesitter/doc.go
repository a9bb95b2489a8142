// Package treesitter owns the binding to tree-sitter: its parser, its trees and the
// compiled grammars. They are C. A program built without C gets the same names and no
// grammar, so that the packages above compile for it: it knows no language and parses
// nothing. The package must not know queries, symbols or files.
package treesitter
