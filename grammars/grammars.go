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

// Recovery says how to go on behind syntax that the grammar does not
// understand: what stands at the first column starts anew.
type Recovery struct {
	Starts  []string // with which a line at the first column begins a declaration
	Closers []string // what a torn declaration may lack at its end
	Headers []Header // the first line of a declaration of which nothing else is understood
}

// Header is a last resort to find the name of a declaration.
type Header struct {
	Kind    string
	Pattern string // a regular expression; its first group is the name
}

// Language describes one language. ID is stable: it is written into memory files.
type Language struct {
	ID         string
	Name       string
	Extensions []string // lower case, with the dot
	Queries    Queries
	Recovery   Recovery
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

// ecmaRecovery is shared by JavaScript and TypeScript.
func ecmaRecovery() Recovery {
	return Recovery{
		Starts: []string{
			"export ", "import ", "function ", "function*", "async ", "class ", "abstract ", "interface ", "type ",
			"enum ", "namespace ", "declare ", "const ", "let ", "var ", "module.", "exports.", "@",
		},
		Closers: braces(),
		Headers: []Header{
			{"function", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:async\s+)?function\s*\*?\s*([\pL_$][\pL\pN_$]*)`},
			{"class", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?class\s+([\pL_$][\pL\pN_$]*)`},
			{"interface", `^(?:export\s+)?(?:default\s+)?(?:declare\s+)?interface\s+([\pL_$][\pL\pN_$]*)`},
			{"type", `^(?:export\s+)?(?:declare\s+)?type\s+([\pL_$][\pL\pN_$]*)`},
			{"enum", `^(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+([\pL_$][\pL\pN_$]*)`},
			{"const", `^(?:export\s+)?(?:declare\s+)?const\s+([\pL_$][\pL\pN_$]*)`},
			{"var", `^(?:export\s+)?(?:declare\s+)?(?:let|var)\s+([\pL_$][\pL\pN_$]*)`},
		},
	}
}

// braces are the closers of a language with braces. A line end comes first, in
// case the text ends in a comment.
func braces() []string {
	return []string{"\n}", "\n)}", "\n}}", "\n)}}", "\n}}}", "\n})}"}
}

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
			Recovery: Recovery{
				Starts:  []string{"func ", "type ", "var ", "const ", "import ", "//go:"},
				Closers: braces(),
				Headers: []Header{
					{"function", `^func\s+([\pL_][\pL\pN_]*)`},
					{"method", `^func\s*\([^)]*\)\s*([\pL_][\pL\pN_]*)`},
					{"type", `^type\s+([\pL_][\pL\pN_]*)`},
				},
			},
		},
		{
			ID: "typescript", Name: "TypeScript", Extensions: []string{".ts", ".mts", ".cts"},
			Queries: typescript, Recovery: ecmaRecovery(),
		},
		{
			ID: "tsx", Name: "TypeScript JSX", Extensions: []string{".tsx"},
			Queries: typescript, Recovery: ecmaRecovery(),
		},
		{
			ID: "javascript", Name: "JavaScript", Extensions: []string{".js", ".jsx", ".mjs", ".cjs"},
			Queries: Queries{
				Definitions: ecmaDefinitions + "\n" + javascriptDefinitions,
				Imports:     javascriptImports,
			},
			Recovery: ecmaRecovery(),
		},
		{
			ID: "python", Name: "Python", Extensions: []string{".py", ".pyi"},
			Queries: Queries{Definitions: pythonDefinitions, Imports: pythonImports},
			Recovery: Recovery{
				Starts:  []string{"def ", "class ", "async ", "@", "import ", "from ", "if ", "for ", "while ", "try:", "with "},
				Closers: []string{"\n", ")\n", "]\n", "}\n", "):\n  pass\n", "\n  pass\n"},
				Headers: []Header{
					{"function", `^(?:async\s+)?def\s+([\pL_][\pL\pN_]*)`},
					{"class", `^class\s+([\pL_][\pL\pN_]*)`},
				},
			},
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
