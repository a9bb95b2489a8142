//go:build cgo

package treesitter

import (
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/bash"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/elixir"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/lua"
	markdown "github.com/smacker/go-tree-sitter/markdown/tree-sitter-markdown"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/swift"
	"github.com/smacker/go-tree-sitter/toml"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"
	"github.com/smacker/go-tree-sitter/yaml"
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

// Kinds of symbols.
const (
	SymbolTypeRegular   = sitter.SymbolTypeRegular
	SymbolTypeAuxiliary = sitter.SymbolTypeAuxiliary
)

// NewParser makes a parser without a language. The caller closes it.
func NewParser() *Parser { return sitter.NewParser() }

// grammars are the compiled ones by the id of their language.
var grammars = map[string]func() *Language{
	"go":         golang.GetLanguage,
	"typescript": typescript.GetLanguage,
	"tsx":        tsx.GetLanguage,
	"javascript": javascript.GetLanguage,
	"python":     python.GetLanguage,
	"rust":       rust.GetLanguage,
	"java":       java.GetLanguage,
	"kotlin":     kotlin.GetLanguage,
	"scala":      scala.GetLanguage,
	"bash":       bash.GetLanguage,
	"markdown":   markdown.GetLanguage,
	"yaml":       yaml.GetLanguage,
	"json":       yaml.GetLanguage, // flow YAML
	"toml":       toml.GetLanguage,
	"lua":        lua.GetLanguage,
	"elixir":     elixir.GetLanguage,
	"swift":      swift.GetLanguage,
	"c":          c.GetLanguage,
	"cpp":        cpp.GetLanguage,
	"csharp":     csharp.GetLanguage,
	"ruby":       ruby.GetLanguage,
	"php":        php.GetLanguage,
}

// Grammar returns the grammar of a language, nil if none is compiled in.
func Grammar(id string) *Language {
	get, ok := grammars[id]
	if !ok {
		return nil
	}
	return get()
}
