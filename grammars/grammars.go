// Package grammars describes each programming language as data: its name, its file
// extensions and its tree-sitter queries. A language is one folder with .scm files
// and samples, and one entry in [All]. The package must not know tree-sitter, files
// or indexes.
package grammars

import (
	"embed"
	"path"
	"strings"
	"sync"
)

// Queries holds the text of a language's tree-sitter queries. README.md in
// this folder explains the capture names.
type Queries struct {
	Definitions string // declarations, their names, docs and wrappers
	Imports     string // import statements
	References  string // uses of names and bindings of local names; empty for a language with structure only
}

// Recovery says how to continue after syntax that the grammar does not understand: a
// declaration in the first column starts anew.
type Recovery struct {
	Opener  string   // opens code, for a grammar that would otherwise read a piece as text (PHP)
	Flat    bool     // whether the content of a namespace begins in the first column (C++)
	Starts  []string // prefixes that begin a declaration in the first column
	Closers []string // what a truncated declaration may lack at its end
	Headers []Header // patterns for the first line of a declaration that is otherwise not understood
	Keys    string   // a regular expression for the keys of a data file whose indentation shows the nesting; its first group is the key
	Blank   []string // regular expressions for text that confuses the grammar, such as macros; the first group is read as white space
}

// Header finds the name of a declaration when everything else fails.
type Header struct {
	Kind    string // empty for a block that is no symbol but holds methods of the named type
	Pattern string // a regular expression; its first group is the name
}

// Language describes one language. ID is stable: it is written into memory files.
type Language struct {
	ID         string
	Name       string
	Extensions []string // lower case, with the dot
	Filenames  []string // whole names of files, such as "Rakefile"; one that ends with a star is a beginning
	Queries    func() Queries
	Recovery   Recovery
	Comments   Comments
	Dialects   []Dialect
	Strings    []string // string delimiters, the longest first
	Resolution Resolution
	// BareMembers says that code refers to members of its own type without "this.".
	BareMembers bool
	// Embeds is the ID of the language of the code in the file, where everything else in
	// it is markup, as in a Vue component. Queries and rules are those of that language.
	Embeds string
	// Outline is set for a language without a grammar.
	Outline *Outline
	// Gaps lists syntax that the pinned grammar does not understand: exactly the
	// sections of modern.txtar on which it fails.
	Gaps   []string
	Limits []string // other constructs that are not seen
}

// Dialect is a language that shares file names with another one. Pattern matches some
// line of every source in the dialect and no line of the base language.
type Dialect struct {
	ID      string // a Language.ID
	Pattern string // a regular expression
}

// Comments lists the comment delimiters of a language.
type Comments struct {
	Line  []string    // begins a comment that ends with the line
	Block [][2]string // begins and ends a block comment
}

// Resolution names the rules that lead from a language's names to declarations in
// other files. Package resolve implements each.
type Resolution string

// The resolution rules.
const (
	ResolveNone   Resolution = ""       // structure only
	ResolveGo     Resolution = "go"     // packages by module path; the folder is the unit
	ResolveES     Resolution = "es"     // modules by relative path, tsconfig paths and package names
	ResolvePython Resolution = "python" // dotted modules, absolute and relative
	ResolveRust   Resolution = "rust"   // use trees over crate modules
	ResolveJVM    Resolution = "jvm"    // packages as declared, imports by full name
	ResolveC      Resolution = "c"      // includes by path
	ResolveDotted Resolution = "dotted" // namespaces as declared, imported by dotted name (C#, Scala, PHP, Elixir, Swift)
	ResolvePath   Resolution = "path"   // files required by path (Ruby, Lua, Bash)
)

//go:embed */*.scm
var queries embed.FS

// query returns the text of the named files in a language's folder, concatenated. A
// missing file is a bug in this package; a test finds it.
func query(names ...string) string {
	var all strings.Builder
	for _, name := range names {
		text, err := queries.ReadFile(name + ".scm")
		if err != nil {
			panic("grammars: " + err.Error())
		}
		all.Write(text)
		all.WriteByte('\n')
	}
	return all.String()
}

// braces returns the closers of a language with braces. A line end comes first, in
// case the text ends in a comment.
func braces() []string {
	return []string{"\n}", "\n)}", "\n}}", "\n)}}", "\n}}}", "\n})}"}
}

// All returns every language, in a fixed order. The caller owns the slice.
func All() []Language {
	return []Language{
		golang(), typescript(), tsx(), javascript(), python(),
		rust(), java(), kotlin(), clang(), cpp(), csharp(), ruby(), php(),
		swift(), scala(), bash(), lua(), elixir(),
		vue(), svelte(), astro(),
		markdown(), json(), yaml(), toml(),
		hcl(), dockerfile(), makefile(), sql(), proto(), graphql(), prisma(), css(), ini(), starlark(), nix(),
		dart(), rlang(), powershell(), perl(), groovy(), zig(),
	}
}

// index holds All by ID, extension and file name.
type index struct {
	ids, extensions, filenames map[string]Language
	beginnings                 []beginning
}

// beginning is the beginning of the names of a language's files.
type beginning struct {
	prefix   string
	language Language
}

var indexed = sync.OnceValue(func() index {
	x := index{ids: map[string]Language{}, extensions: map[string]Language{}, filenames: map[string]Language{}}
	for _, l := range All() {
		x.ids[l.ID] = l
		for _, e := range l.Extensions {
			x.extensions[e] = l
		}
		for _, f := range l.Filenames {
			if prefix, ok := strings.CutSuffix(f, "*"); ok {
				x.beginnings = append(x.beginnings, beginning{prefix, l})
				continue
			}
			x.filenames[f] = l
		}
	}
	return x
})

// ByID returns the language with that ID.
func ByID(id string) (Language, bool) {
	l, ok := indexed().ids[id]
	return l, ok
}

// CodeOf returns the ID of the language in which the code of a file is written: of one
// that is embedded in markup, else of the file.
func CodeOf(id string) string {
	if l, ok := ByID(id); ok && l.Embeds != "" {
		return l.Embeds
	}
	return id
}

// ForPath returns the language of a file, by its name or its extension. It accepts
// both kinds of separators.
func ForPath(name string) (Language, bool) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	x := indexed()
	if l, ok := x.filenames[base]; ok {
		return l, true
	}
	if l, ok := x.extensions[strings.ToLower(path.Ext(base))]; ok {
		return l, true
	}
	for _, b := range x.beginnings {
		if strings.HasPrefix(base, b.prefix) {
			return b.language, true
		}
	}
	return Language{}, false
}
