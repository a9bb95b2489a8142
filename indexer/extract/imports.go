package extract

import (
	"bytes"
	"strings"

	"manicule/indexer/sorting"
)

// Import is one name, or all names, that a file imports from another.
type Import struct {
	Module   string // as written, without quotes; "" for a name of this file that is exported as Alias
	Name     string // the name in the module; "" for the module itself, "*" for all its names
	Alias    string // the local name; "" if it equals Name
	Reexport bool   // other files may import it from here
	Start    int    // of the module
	Line     int    // of the name if it is written, else of the module; from 1
}

type importMatch struct {
	Import
	name Span // of Import.Name if it is written
	at   int  // of the text that represents the import
}

// importGroup is a list of imports with their common part.
type importGroup struct {
	span     Span
	prefix   string // of their modules, with the trailing separator
	reexport bool
}

// addImport adds what an imports query says about one imported name, or a list of
// them.
func (u *uses) addImport(m match) {
	i := Import{Start: -1}
	var statement, name, alias, group, prefix Span
	first := len(u.src)
	for _, c := range m.captures {
		text := func() string { return cleanName(u.src[c.span.Start:c.span.End]) }
		switch c.role {
		case roleModule:
			if i.Start < 0 {
				i.Start = c.span.Start
			}
			i.Module = cleanName(u.src[i.Start:c.span.End]) // a path may be many nodes
		case roleImported:
			i.Name = strings.TrimPrefix(text(), ":")
			name = c.span
			first = min(first, c.span.Start)
		case roleDefault:
			i.Name = "default"
		case roleStar:
			i.Name = "*"
			first = min(first, c.span.Start)
		case roleAlias:
			i.Alias = text()
			alias = c.span
		case roleReexport:
			i.Reexport = true
		case rolePackage:
			u.pkg = text()
		case roleImport:
			statement = c.span
		case roleGroup:
			group = c.span
		case rolePrefix:
			prefix = c.span
		case rolePath:
			i.Module, i.Start = strings.TrimPrefix(text(), `\`), c.span.Start
			if n := strings.LastIndexAny(i.Module, `.\`); n >= 0 {
				i.Module, i.Name = i.Module[:n], i.Module[n+1:]
			}
		}
	}
	if group.End > group.Start {
		u.groups = append(u.groups, importGroup{group, u.prefix(prefix), i.Reexport})
		return
	}
	switch {
	case i.Start >= 0 || i.Name == "" && i.Alias == "":
	case statement.End > statement.Start:
		i.Start = statement.Start
	default:
		i.Start = first
	}
	if i.Start >= 0 && i.Start < len(u.src) {
		at := i.Start
		switch {
		case name.End > name.Start:
			at = name.Start
		case i.Name == "default" && alias.End > alias.Start:
			at = alias.Start
		}
		u.imports = append(u.imports, importMatch{i, name, at})
	}
}

// prefix returns the text of a path with the separator behind it.
func (u *uses) prefix(s Span) string {
	end := s.End
	for end < len(u.src) && s.End > s.Start && bytes.IndexByte([]byte(`.:/\`), u.src[end]) >= 0 {
		end++
	}
	return fold(u.src[s.Start:end])
}

// completeGroups adds the common part of a list to its imports.
func (u *uses) completeGroups() {
	sorting.Func(u.groups, func(a, b importGroup) int { return compareSpans(b.span, a.span) }) // inner ones first
	for n := range u.imports {
		i := &u.imports[n].Import
		for _, g := range u.groups {
			if g.span.Start > i.Start || i.Start >= g.span.End {
				continue
			}
			i.Reexport = i.Reexport || g.reexport
			i.Module = g.prefix + i.Module
			if i.Module == g.prefix {
				i.Module = strings.TrimRight(i.Module, `.:/\`)
			}
		}
	}
}

// collectImports returns the imports, and adds their names to the uses. It omits an
// import of a whole module if the same statement takes a name of it or gives it one.
func (u *uses) collectImports(lines func(int) int) []Import {
	u.completeGroups()
	sorting.StableFunc(u.imports, func(a, b importMatch) int { return a.Start - b.Start })
	named := make(map[int]bool)
	for _, i := range u.imports {
		named[i.Start] = named[i.Start] || i.Name != "" || i.Alias != ""
		if i.Module != "" && i.name.End > i.name.Start {
			ref := Ref{Kind: RefImport, Name: i.Name, Start: i.name.Start, End: i.name.End}
			u.refs = append(u.refs, refMatch{Ref: ref, pattern: -1})
		}
	}
	var all []Import
	for _, i := range u.imports {
		if i.Name != "" || i.Alias != "" || !named[i.Start] {
			i.Line = lines(i.at)
			all = append(all, i.Import)
		}
	}
	return all
}
