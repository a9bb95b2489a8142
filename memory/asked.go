package memory

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/workspace"
)

// Asked is what somebody asks about: a folder, a file, or a symbol or lines of a file.
type Asked struct {
	Path   string // relative to the root, with slashes
	IsDir  bool
	Symbol string // or ""
	Line   int    // the first of the lines that were named, from 1; or 0
}

// Named reports whether a symbol or lines of a file are named.
func (a Asked) Named() bool { return a.Symbol != "" || a.Line > 0 }

// Ask reads a path from a person or an agent. FILE#Symbol is a symbol, FILE:LINE a line, as lists and compilers write
// them, unless a file has that very name. ok is false for a path outside of the workspace.
func Ask(place *workspace.Workspace, given string) (a Asked, ok bool) {
	rel, isDir, ok := place.ResolvePath(given)
	if !ok || isDir || !strings.ContainsAny(rel, "#:") || exists(place, rel) {
		return Asked{Path: rel, IsDir: isDir}, ok
	}
	p, err := anchor.ParsePlace(rel)
	if err != nil || p.Symbol == "" && p.Lines == nil || !exists(place, p.Path) && (p.Symbol == "" || path.Ext(p.Path) == "") {
		return Asked{Path: rel}, true
	}
	symbol, _, _ := strings.Cut(p.Symbol, ":") // a line behind it selects one of several
	a = Asked{Path: p.Path, Symbol: symbol}
	if p.Lines != nil {
		a.Line = p.Lines.Start
	}
	return a, true
}

func exists(place *workspace.Workspace, rel string) bool {
	_, err := os.Lstat(filepath.Join(place.Root, filepath.FromSlash(rel)))
	return err == nil || errors.Is(err, fs.ErrPermission) // what can't be a name on this system is none
}

// About reports whether a memory of the file is about what is asked. It is not if all of its anchors in the file are at
// other symbols. A symbol is named by its path (Pool.Close) or the end of it (Close); what stands inside of it and around it
// belongs to it.
func (a Asked) About(h Hit) bool {
	if a.Symbol == "" || h.Match != MatchAnchor {
		return true
	}
	for i, an := range h.Memory.Anchors {
		file, symbol := an.Path, an.Symbol
		if i < len(h.Places) && h.Places[i].Elsewhere() {
			file, symbol = path.Clean(h.Places[i].Path), h.Places[i].Symbol
		}
		if strings.EqualFold(file, a.Path) && (symbol == "" || sameOrAround(symbol, a.Symbol) || sameOrAround(symbol, anchor.PlainSymbol(a.Symbol))) {
			return true
		}
	}
	return false
}

// sameOrAround reports whether one of two paths of symbols names the other, or one that it stands in.
func sameOrAround(symbol, asked string) bool {
	return symbol == asked || strings.HasSuffix(symbol, "."+asked) ||
		strings.HasPrefix(symbol, asked+".") || strings.HasPrefix(asked, symbol+".") || strings.Contains(symbol, "."+asked+".")
}

// BareName returns the name of the symbol that a path from a person or an agent may be instead: one word that no file has, as
// Pool.Close, or as C++ (Pool::Close) and Java's documents (Pool#close) write it. ok is false for what names no symbol alone.
func BareName(place *workspace.Workspace, given string) (symbol string, ok bool) {
	owner, member, hash := strings.Cut(given, "#")
	symbol = given
	if hash && owner != "" && member != "" {
		symbol = owner + "." + member
	}
	symbol = anchor.PlainSymbol(symbol)
	if symbol == "" || strings.ContainsAny(symbol, "#:/\\*?[{ ") || hash && isFileName(owner) {
		return "", false
	}
	for _, name := range []string{given, owner} {
		if rel, inside := place.Rel(name); !inside || exists(place, rel) {
			return "", false
		}
	}
	return symbol, true
}

// isFileName reports whether a name without folders is one of a file, and not of a type in another one (Outer.Inner).
func isFileName(name string) bool {
	ext := path.Ext(name)
	if _, known := grammars.ForPath(name); known || ext == "" {
		return ext != ""
	}
	return !unicode.IsUpper([]rune(ext + " ")[1])
}

// AtSymbol returns the places of memories at symbols of this name, as FILE#Symbol relative to the root, sorted.
func AtSymbol(v *View, name string) (places []string) {
	for _, h := range v.Live() {
		for _, at := range h.Where() {
			_, symbol, named := anchor.CutSymbol(at)
			if named && (symbol == name || strings.HasSuffix(symbol, "."+name)) && !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
	}
	slices.Sort(places)
	return places
}
