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
	References  string // uses of names and what local names stand for; empty where the language has structure only
}

// Recovery says how to go on behind syntax that the grammar does not
// understand: what stands at the first column starts anew.
type Recovery struct {
	Opener  string   // without which the grammar does not take a piece for code (PHP)
	Flat    bool     // whether what a namespace holds begins at the first column (C++)
	Starts  []string // with which a line at the first column begins a declaration
	Closers []string // what a torn declaration may lack at its end
	Headers []Header // the first line of a declaration of which nothing else is understood
	Keys    string   // a regular expression of the keys of a data file, whose indentation says how they nest; its first group is the key
	Blank   []string // regular expressions of what a grammar takes amiss, as macros; the first group is read as white space
}

// Header is a last resort to find the name of a declaration.
type Header struct {
	Kind    string // empty for what is no symbol but holds methods of the named type
	Pattern string // a regular expression; its first group is the name
}

// Language describes one language. ID is stable: it is written into memory files.
type Language struct {
	ID         string
	Name       string
	Extensions []string // lower case, with the dot
	Filenames  []string // whole names of files without such an extension, as "Rakefile"
	Queries    func() Queries
	Recovery   Recovery
	Comments   Comments
	Dialects   []Dialect
	Strings    []string // what opens and closes a string, the longest first
	Resolution Resolution
	// BareMembers says that code names the members of its own type without "this.".
	BareMembers bool
	// Gaps is the syntax that the pinned grammar does not understand: the sections
	// of modern.txtar on which it fails, no more and no less.
	Gaps   []string
	Limits []string // what else is not seen
}

// Dialect is a language that has files by the same names: what its sources have
// on some line, and those of the language itself never.
type Dialect struct {
	ID      string // as Language.ID
	Pattern string // a regular expression
}

// Comments are the forms of a language's comments.
type Comments struct {
	Line  []string    // what a comment to the end of the line begins with
	Block [][2]string // what begins and ends a longer one
}

// Resolution names the rules by which a language's names lead to declarations
// in other files; package resolve implements each.
type Resolution string

// The rules of resolution.
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

// query is the text of the named files of a language's folder, one after the
// other. A file that does not exist is a mistake in this package, which a test finds.
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

// braces are the closers of a language with braces. A line end comes first, in
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
		markdown(), json(), yaml(), toml(),
	}
}

// index is All by what languages are looked up by.
type index struct{ ids, extensions, filenames map[string]Language }

var indexed = sync.OnceValue(func() index {
	x := index{map[string]Language{}, map[string]Language{}, map[string]Language{}}
	for _, l := range All() {
		x.ids[l.ID] = l
		for _, e := range l.Extensions {
			x.extensions[e] = l
		}
		for _, f := range l.Filenames {
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

// ForPath returns the language of a file by its name or its extension. Both
// kinds of separators are understood.
func ForPath(name string) (Language, bool) {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	x := indexed()
	if l, ok := x.filenames[base]; ok {
		return l, true
	}
	l, ok := x.extensions[strings.ToLower(path.Ext(base))]
	return l, ok
}
