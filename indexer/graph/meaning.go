package graph

import (
	"maps"
	"path"
	"slices"

	"manicule/indexer/extract"
	"manicule/indexer/resolve"
)

// meanings collects, while files are replaced, the names that may mean something else in other files.
type meanings struct {
	names   map[string]bool
	types   map[string]bool      // the types that are new or gone or have other bases
	stars   map[string]starNames // by path, where they differ
	methods bool                 // overriding or implementing methods may differ
}

// starNames are the imports of all names that a file has and had.
type starNames struct {
	lang    string
	imports []extract.Import
}

func newMeanings() meanings {
	return meanings{names: map[string]bool{}, types: map[string]bool{}, stars: map[string]starNames{}}
}

// replaced notes that a file has another text: nil is a file that is not there, or can't be indexed. It returns the summary of
// the new one.
func (m *meanings) replaced(file string, was, now *record) (after map[string]string) {
	before, after := map[string]string{}, map[string]string{}
	if was != nil {
		before = exportedAPI(was)
	}
	if now != nil {
		after = exportedAPI(now)
	}
	for n := range changedNames(before, after) {
		m.names[n] = true
	}
	maps.Copy(m.types, changedTypes(was, now, before, after))
	m.methods = m.methods || !sameTypes(was, now, before, after)
	a, b := starImports(was), starImports(now)
	if !slices.EqualFunc(a, b, func(x, y extract.Import) bool { return x.Module == y.Module && x.Reexport == y.Reexport }) {
		m.stars[file] = starNames{languageOf(file), append(a, b...)}
	}
	if was == nil || now == nil {
		m.moduleNamed(file, was == nil)
	}
	return after
}

// moduleNamed notes the names by which others may import a file that came or went.
func (m *meanings) moduleNamed(file string, came bool) {
	name := stem(file)
	m.names[name] = true
	switch name {
	case "index", "__init__", "mod", "init":
		m.names[path.Base(path.Dir(file))] = true
	default: // what a folder without it has is found by its own names
		if came {
			m.names[path.Base(path.Dir(file))] = true
		}
	}
	for _, n := range resolve.ComponentNames(file) {
		m.names[n] = true
	}
}

// expand adds the names that are passed on by a table that has the new files.
func (m *meanings) expand(t *resolve.Table) {
	for _, p := range slices.Sorted(maps.Keys(m.stars)) {
		t.ExpandStars(p, m.stars[p].lang, m.stars[p].imports, m.names)
	}
	t.ExpandTyped(m.types)
	maps.Copy(m.names, m.types)
}
