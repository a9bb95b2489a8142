package anchoring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"manicule/grammars"
	"manicule/indexer/anchor"
	"manicule/indexer/extract"
	"manicule/indexer/fault"
	"manicule/indexer/sorting"
	"manicule/indexer/typo"
)

// maxSuggestions is how many symbols a SymbolError suggests.
const maxSuggestions = 5

// Make ties an anchor to a place in a source. p.Path is stored in the record, so it is
// relative to the workspace root with forward slashes. lang is a grammars.Language ID,
// or empty. The end of a symbol's path suffices if it is unambiguous; a missing symbol
// is a *SymbolError.
func Make(ctx context.Context, p anchor.Place, lang string, src []byte) (_ anchor.Anchor, err error) {
	defer fault.Catch(&err)
	a := anchor.Anchor{Kind: anchor.KindFile, Path: p.Path, Language: lang}
	if p.Symbol == "" && p.Lines == nil {
		return a, nil
	}
	f, tree, err := extract.ParseTree(ctx, lang, src)
	if err != nil && (p.Symbol != "" || !unparsable(err)) {
		return anchor.Anchor{}, fmt.Errorf("anchor at %s: %w", p, err)
	}
	m := maker{file: f, tree: tree, lines: newLineTable(src), anchor: a}
	if p.Symbol != "" {
		err = m.symbol(p.Symbol, p.Ordinal, p.Ask)
	} else {
		err = m.cite(*p.Lines)
	}
	if err != nil {
		return anchor.Anchor{}, fmt.Errorf("anchor at %s: %w", p, err)
	}
	return m.anchor, nil
}

// unparsable reports whether a file can have line anchors only.
func unparsable(err error) bool {
	return errors.Is(err, extract.ErrUnsupported) || errors.Is(err, extract.ErrTooLarge) || errors.Is(err, extract.ErrBinary) ||
		errors.Is(err, extract.ErrDeep) || errors.Is(err, extract.ErrSlow)
}

// maker builds one record.
type maker struct {
	file   *extract.File // nil if the file can't be parsed
	tree   *extract.Tree // likewise
	lines  lineTable
	anchor anchor.Anchor
}

func (m *maker) symbol(name string, ordinal int, ask bool) error {
	s, ok := m.file.Find(name, ordinal)
	if !ok {
		var err error
		if s, ok = m.atLine(name); ok {
			ask = false
		} else if s, err = lookUp(m.file, m.anchor.Path, name); err != nil {
			return err
		}
	}
	if ask && ordinal == 0 {
		if s, ok = m.implementation(s); ok {
			ask = false
		}
	}
	if ask && ordinal == 0 {
		if several := m.several(s.Path); len(several) > 1 {
			return &anchor.SymbolError{Path: m.anchor.Path, Symbol: s.Path, Ambiguous: true, Near: several}
		}
	}
	m.anchor.Kind = kindOf(s)
	m.anchor.Lines = &anchor.LineRange{Start: m.lines.line(s.Start), End: m.lines.line(max(s.Start, s.End-1))}
	if s.Arity >= 0 {
		m.anchor.Arity = &s.Arity
	}
	m.describe(s)
	return nil
}

// atLine finds a symbol by its path and one of its lines, as in "Parse:12".
func (m *maker) atLine(name string) (found extract.Symbol, ok bool) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return found, false
	}
	line, err := strconv.ParseUint(name[colon+1:], 10, 31)
	if err != nil {
		return found, false
	}
	for _, s := range m.file.Symbols {
		if s.Path == name[:colon] && m.lines.line(s.DocStart) <= int(line) && int(line) <= m.lines.line(max(s.Start, s.End-1)) {
			found, ok = s, true
		}
	}
	return found, ok
}

// implementation returns the last of the overloads that a symbol is one of, which is the one
// with a body: who names the function means all of them. Other symbols of one path, as two
// methods in Java, are different things.
func (m *maker) implementation(s extract.Symbol) (extract.Symbol, bool) {
	var all []extract.Symbol
	for _, other := range m.file.Symbols {
		if other.Path == s.Path {
			all = append(all, other)
		}
	}
	for i, one := range all {
		if last := i == len(all)-1; one.Parent != s.Parent || (!last && !m.overload(one)) {
			return s, false
		}
	}
	return all[len(all)-1], len(all) > 1
}

// overload reports whether a declaration only says how a function may be called.
func (m *maker) overload(s extract.Symbol) bool {
	text := func(start, end int) string { return string(m.lines.src[start:end]) }
	switch grammars.CodeOf(m.anchor.Language) {
	case "typescript", "tsx":
		// Its signature is all of it: there is no body.
		whole := strings.Join(strings.Fields(text(s.Start, s.End)), " ")
		return s.Arity >= 0 && strings.TrimSuffix(whole, ";") == strings.TrimSuffix(s.Signature, ";")
	case "python":
		return slices.ContainsFunc(strings.Split(text(s.DocStart, s.Start), "\n"), func(line string) bool {
			name, isDecorator := strings.CutPrefix(strings.TrimSpace(line), "@")
			return isDecorator && (name == "overload" || strings.HasSuffix(name, ".overload"))
		})
	default:
		return false
	}
}

// several lists the symbols of one path, with their lines.
func (m *maker) several(path string) []string {
	var all []string
	for _, s := range m.file.Symbols {
		if s.Path == path {
			all = append(all, m.file.DisplayPath(s, m.lines.line(s.Start)))
		}
	}
	return all
}

// kindOf returns the kind of an anchor at a declaration.
func kindOf(s extract.Symbol) anchor.Kind {
	switch s.Kind {
	case "key":
		return anchor.KindKey
	case "section":
		return anchor.KindHeading
	default:
		return anchor.KindSymbol
	}
}

// describe records a symbol, the hash of its tokens and its fingerprint.
func (m *maker) describe(s extract.Symbol) {
	m.anchor.Symbol, m.anchor.SymbolKind, m.anchor.Ordinal = s.Path, s.Kind, s.Ordinal
	m.anchor.TokenHash = m.tree.Digest(m.lines.src, extract.Span{Start: s.Start, End: s.End})
	print := newPrint(m.tree, s).record()
	nested := childrenOf(m.file.Symbols)
	at := slices.IndexFunc(m.file.Symbols, func(t extract.Symbol) bool { return t.Path == s.Path && t.Ordinal == s.Ordinal })
	print.Parent = m.nameHash(s.Parent)
	print.Before = m.nameHash(sibling(m.file.Symbols, nested, at, -1))
	print.After = m.nameHash(sibling(m.file.Symbols, nested, at, 1))
	m.anchor.Fingerprint = print
}

// nameHash returns the hash of a symbol's name, "" for -1.
func (m *maker) nameHash(symbol int) string {
	if symbol < 0 {
		return ""
	}
	return Hash(extract.HashName(m.file.Symbols[symbol].Name)).String()
}

// contextLines is how many lines a record keeps on each side of the cited ones.
const contextLines = 2

// context records the lines around the cited ones.
func (m *maker) context(lines anchor.LineRange) {
	if lines.Start > 1 {
		m.anchor.Prefix = m.lines.quote(anchor.LineRange{Start: max(1, lines.Start-contextLines), End: lines.Start - 1})
	}
	if lines.End < m.lines.count() {
		m.anchor.Suffix = m.lines.quote(anchor.LineRange{Start: lines.End + 1, End: min(m.lines.count(), lines.End+contextLines)})
	}
}

func (m *maker) cite(lines anchor.LineRange) error {
	if lines.Start < 1 || lines.End < lines.Start {
		return fmt.Errorf("%w: lines %d to %d", anchor.ErrPlace, lines.Start, lines.End)
	}
	if lines.End > m.lines.count() {
		return fmt.Errorf("%s has only %d lines", m.anchor.Path, m.lines.count())
	}
	m.anchor.Kind = anchor.KindLines
	m.anchor.Lines = &lines
	m.anchor.Quote = m.lines.quote(lines)
	m.context(lines)
	if m.file == nil {
		return nil
	}
	if s, ok := m.around(lines); ok {
		m.describe(s)
	}
	return nil
}

// around returns the innermost symbol that holds the text of all the lines.
func (m *maker) around(lines anchor.LineRange) (extract.Symbol, bool) {
	start, end := m.lines.start(lines.Start), m.lines.end(lines.End)
	text := string(m.lines.src[start:end])
	start += len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	end = max(start, end-(len(text)-len(strings.TrimRight(text, " \t\r\n"))))
	var best extract.Symbol
	found := false
	for _, s := range m.file.Symbols {
		if s.DocStart <= start && end <= s.End && start < s.End && (!found || s.End-s.DocStart < best.End-best.DocStart) {
			best, found = s, true
		}
	}
	return best, found
}

// lookUp finds a symbol by its path, else by the end of its path, in the form that the name has or else in its
// plain one.
func lookUp(f *extract.File, path, name string) (extract.Symbol, error) {
	s, err := lookUpAs(f, path, name)
	if none, ok := errors.AsType[*anchor.SymbolError](err); !ok || none.Ambiguous {
		return s, err
	}
	plain := anchor.PlainSymbol(name)
	if plain == name {
		return s, err
	}
	return lookUpAs(f, path, plain)
}

func lookUpAs(f *extract.File, path, name string) (extract.Symbol, error) {
	if s, ok := f.Find(name, 0); ok {
		return s, nil
	}
	var found []extract.Symbol
	for _, s := range f.Symbols {
		if s.Ordinal == 0 && strings.HasSuffix(s.Path, "."+name) {
			found = append(found, s)
		}
	}
	found = withoutConstructors(found)
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return extract.Symbol{}, &anchor.SymbolError{Path: path, Symbol: name, Near: nearestPaths(f, name)}
	}
	ambiguous := &anchor.SymbolError{Path: path, Symbol: name, Ambiguous: true}
	for _, s := range found[:min(len(found), maxSuggestions)] {
		ambiguous.Near = append(ambiguous.Near, s.Path)
	}
	return extract.Symbol{}, ambiguous
}

// withoutConstructors leaves out the constructors of types that are there too, which C++, Java and others call like the type:
// who writes the name means the type. Type.Type names a constructor.
func withoutConstructors(found []extract.Symbol) []extract.Symbol {
	if len(found) < 2 {
		return found
	}
	types := map[string]bool{}
	for _, s := range found {
		switch s.Kind {
		case "class", "struct", "type", "enum":
			types[s.Path] = true
		}
	}
	return slices.DeleteFunc(found, func(s extract.Symbol) bool {
		of, is := strings.CutSuffix(s.Path, "."+s.Name)
		return is && s.Kind == "method" && types[of]
	})
}

// nearestPaths returns the paths of the symbols with the most similar names.
func nearestPaths(f *extract.File, name string) []string {
	type candidate struct {
		path     string
		distance int
	}
	var all []candidate
	for _, s := range f.Symbols {
		if d, ok := typo.Meant(s.Name, name); ok && s.Ordinal == 0 {
			all = append(all, candidate{s.Path, d})
		}
	}
	sorting.StableFunc(all, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	paths := make([]string, 0, maxSuggestions)
	for _, c := range all[:min(len(all), maxSuggestions)] {
		paths = append(paths, c.path)
	}
	return paths
}
