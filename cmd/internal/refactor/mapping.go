package refactor

import (
	"strings"

	"manicule/indexer/extract"
)

// Spot is a declaration, or a line where Symbol is empty.
type Spot struct {
	Path    string `json:"path"`
	Symbol  string `json:"symbol,omitzero"`
	Ordinal int    `json:"ordinal,omitzero"`
	Line    int    `json:"line"`           // 1-based; of a declaration its first line
	Focus   string `json:"focus,omitzero"` // the word on the line
}

// mapping maps a spot of one state to the next. ok is false if it is unknown or gone.
type mapping interface {
	at(s Spot) (Spot, bool)
}

// spotOf returns the spot of a declaration.
func spotOf(st State, path string, s extract.Symbol) Spot {
	return Spot{Path: path, Symbol: s.Path, Ordinal: s.Ordinal, Line: 1 + strings.Count(st[path][:s.Start], "\n")}
}

// renames maps states that differ only in names: lines stay the same, and declarations
// keep their order.
type renames struct {
	was, is State
	words   map[string]string
	files   map[string]string
}

func (m renames) at(s Spot) (Spot, bool) {
	to := s
	if p, ok := m.files[s.Path]; ok {
		to.Path = p
	}
	if strings.Count(m.was[s.Path], "\n") != strings.Count(m.is[to.Path], "\n") {
		return Spot{}, false
	}
	if s.Symbol == "" {
		if w, ok := m.words[s.Focus]; ok {
			to.Focus = w
		}
		return to, true
	}
	was, is := m.was.symbols(s.Path), m.is.symbols(to.Path)
	if len(was) != len(is) {
		return Spot{}, false
	}
	for i, t := range was {
		if t.Path == s.Symbol && t.Ordinal == s.Ordinal {
			return spotOf(m.is, to.Path, is[i]), t.Kind == is[i].Kind
		}
	}
	return Spot{}, false
}

// texts maps states between which code moved unchanged. A line is where its text is, if
// that is unique before and after in all differing files. A declaration is where its path
// is, else where its name appeared.
type texts struct {
	was, is State
	from    map[string][]Spot // by trimmed text
	to      map[string][]Spot
	moved   map[string]bool // names of declarations that left their place
	differ  []string
}

// shortLine is the length under which a line's text says nothing.
const shortLine = 10

func newTexts(was, is State, moved ...string) *texts {
	m := &texts{was: was, is: is, from: map[string][]Spot{}, to: map[string][]Spot{}, moved: map[string]bool{}, differ: was.Differing(is)}
	for _, n := range moved {
		m.moved[n] = true
	}
	for _, path := range m.differ {
		index(was, path, m.from)
		index(is, path, m.to)
	}
	return m
}

func index(s State, path string, into map[string][]Spot) {
	if _, ok := s[path]; !ok {
		return
	}
	for i, line := range s.lines(path) {
		if text := strings.TrimSpace(line); len(text) >= shortLine {
			into[text] = append(into[text], Spot{Path: path, Line: i + 1})
		}
	}
}

func (m *texts) at(s Spot) (Spot, bool) {
	if m.was[s.Path] == m.is[s.Path] {
		return s, true
	}
	if s.Symbol != "" {
		return m.declaration(s)
	}
	lines := m.was.lines(s.Path)
	if s.Line > len(lines) {
		return Spot{}, false
	}
	text := strings.TrimSpace(lines[s.Line-1])
	if len(m.from[text]) != 1 || len(m.to[text]) != 1 {
		return Spot{}, false
	}
	to := m.to[text][0]
	to.Focus = s.Focus
	return to, true
}

func (m *texts) declaration(s Spot) (Spot, bool) {
	name := s.Symbol[strings.LastIndexByte(s.Symbol, '.')+1:]
	if !m.moved[name] {
		if t, ok := only(m.was, s.Path, func(t extract.Symbol) bool { return t.Path == s.Symbol }); ok {
			if u, ok := only(m.is, s.Path, func(u extract.Symbol) bool { return u.Path == s.Symbol && u.Kind == t.Kind }); ok {
				return spotOf(m.is, s.Path, u), true
			}
		}
		return Spot{}, false
	}
	var found []Spot
	for _, path := range m.differ {
		for _, u := range m.is.symbols(path) {
			if u.Name == name {
				found = append(found, spotOf(m.is, path, u))
			}
		}
	}
	if len(found) != 1 {
		return Spot{}, false
	}
	return found[0], true
}

// only returns the one matching declaration of a file.
func only(s State, path string, fits func(extract.Symbol) bool) (extract.Symbol, bool) {
	var found extract.Symbol
	n := 0
	for _, t := range s.symbols(path) {
		if fits(t) {
			found = t
			n++
		}
	}
	return found, n == 1
}
