//go:build cgo

package treesitter

import (
	"unsafe"

	sitter "github.com/smacker/go-tree-sitter"

	"manicule/indexer/extract/treesitter/parsers/bash"
	"manicule/indexer/extract/treesitter/parsers/c"
	"manicule/indexer/extract/treesitter/parsers/cpp"
	"manicule/indexer/extract/treesitter/parsers/csharp"
	"manicule/indexer/extract/treesitter/parsers/elixir"
	"manicule/indexer/extract/treesitter/parsers/golang"
	"manicule/indexer/extract/treesitter/parsers/java"
	"manicule/indexer/extract/treesitter/parsers/javascript"
	"manicule/indexer/extract/treesitter/parsers/kotlin"
	"manicule/indexer/extract/treesitter/parsers/lua"
	"manicule/indexer/extract/treesitter/parsers/markdown"
	"manicule/indexer/extract/treesitter/parsers/php"
	"manicule/indexer/extract/treesitter/parsers/python"
	"manicule/indexer/extract/treesitter/parsers/ruby"
	"manicule/indexer/extract/treesitter/parsers/rust"
	"manicule/indexer/extract/treesitter/parsers/scala"
	"manicule/indexer/extract/treesitter/parsers/swift"
	"manicule/indexer/extract/treesitter/parsers/toml"
	"manicule/indexer/extract/treesitter/parsers/tsx"
	"manicule/indexer/extract/treesitter/parsers/typescript"
	"manicule/indexer/extract/treesitter/parsers/yaml"
)

// The binding's own types.
type (
	Tree      = sitter.Tree
	Language  = sitter.Language
	Parser    = sitter.Parser
	Symbol    = sitter.Symbol
	Point     = sitter.Point
	EditInput = sitter.EditInput
)

// ErrOperationLimit is the error of a parse that was stopped.
var ErrOperationLimit = sitter.ErrOperationLimit

// Kinds of symbols.
const (
	SymbolTypeRegular   = sitter.SymbolTypeRegular
	SymbolTypeAuxiliary = sitter.SymbolTypeAuxiliary
)

// NewParser makes a parser without a language. The caller closes it.
func NewParser() *Parser { return sitter.NewParser() }

// grammars are the compiled ones by the id of their language.
var grammars = map[string]func() unsafe.Pointer{
	"go":         golang.Language,
	"typescript": typescript.Language,
	"tsx":        tsx.Language,
	"javascript": javascript.Language,
	"python":     python.Language,
	"rust":       rust.Language,
	"java":       java.Language,
	"kotlin":     kotlin.Language,
	"scala":      scala.Language,
	"bash":       bash.Language,
	"markdown":   markdown.Language,
	"yaml":       yaml.Language,
	"json":       yaml.Language, // flow YAML
	"toml":       toml.Language,
	"lua":        lua.Language,
	"elixir":     elixir.Language,
	"swift":      swift.Language,
	"c":          c.Language,
	"cpp":        cpp.Language,
	"csharp":     csharp.Language,
	"ruby":       ruby.Language,
	"php":        php.Language,
}

// Grammar returns the grammar of a language, nil if none is compiled in.
func Grammar(id string) *Language {
	get, ok := grammars[id]
	if !ok {
		return nil
	}
	return sitter.NewLanguage(get())
}
