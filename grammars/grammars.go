// Package grammars owns what Manicule knows about each programming language,
// as data: its name, its file extensions and its tree-sitter queries. A
// language is one folder with .scm files and samples, and one entry in All.
// The package runs nothing: it must not know tree-sitter, files or indexes.
package grammars

import (
	_ "embed"
	"path"
	"slices"
	"strings"
)

// Queries holds the text of a language's tree-sitter queries. README.md in
// this folder explains the capture names.
type Queries struct {
	Definitions string // declarations, their names, docs and wrappers
	Imports     string // import statements
}

// Language describes one language. ID is stable: it is written into memory files.
type Language struct {
	ID         string
	Name       string
	Extensions []string // lower case, with the dot
	Queries    Queries
}

//go:embed go/definitions.scm
var goDefinitions string

//go:embed go/imports.scm
var goImports string

//go:embed javascript/common.scm
var ecmaDefinitions string

//go:embed javascript/definitions.scm
var javascriptDefinitions string

//go:embed javascript/imports.scm
var javascriptImports string

//go:embed typescript/definitions.scm
var typescriptDefinitions string

//go:embed typescript/imports.scm
var typescriptImports string

//go:embed python/definitions.scm
var pythonDefinitions string

//go:embed python/imports.scm
var pythonImports string

// All returns every language, in a fixed order. The caller owns the slice.
func All() []Language {
	typescript := Queries{
		Definitions: ecmaDefinitions + "\n" + typescriptDefinitions,
		Imports:     typescriptImports,
	}
	return []Language{
		{
			ID: "go", Name: "Go", Extensions: []string{".go"},
			Queries: Queries{Definitions: goDefinitions, Imports: goImports},
		},
		{
			ID: "typescript", Name: "TypeScript", Extensions: []string{".ts", ".mts", ".cts"},
			Queries: typescript,
		},
		{
			ID: "tsx", Name: "TypeScript JSX", Extensions: []string{".tsx"},
			Queries: typescript,
		},
		{
			ID: "javascript", Name: "JavaScript", Extensions: []string{".js", ".jsx", ".mjs", ".cjs"},
			Queries: Queries{
				Definitions: ecmaDefinitions + "\n" + javascriptDefinitions,
				Imports:     javascriptImports,
			},
		},
		{
			ID: "python", Name: "Python", Extensions: []string{".py", ".pyi"},
			Queries: Queries{Definitions: pythonDefinitions, Imports: pythonImports},
		},
	}
}

// ByID returns the language with that ID.
func ByID(id string) (Language, bool) {
	for _, l := range All() {
		if l.ID == id {
			return l, true
		}
	}
	return Language{}, false
}

// ForPath returns the language of a file by its extension. Both kinds of
// separators are understood.
func ForPath(name string) (Language, bool) {
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	if ext == "" {
		return Language{}, false
	}
	for _, l := range All() {
		if slices.Contains(l.Extensions, ext) {
			return l, true
		}
	}
	return Language{}, false
}
