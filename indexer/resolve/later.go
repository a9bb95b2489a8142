package resolve

import (
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
)

// Declared is a file whose declarations a table may read later.
type Declared struct {
	ID   int32
	Path string
	Lang string
}

// A Reader reads what files declare.
type Reader interface {
	// Read returns the declarations of a file, nil if it has none.
	Read(Declared) (*File, error)
	// Declaring returns the ids of the files that may declare a name, sorted.
	Declaring(name string) ([]int32, error)
}

// later are the files that a table lacks. Those of a group are added together as soon as one of their
// units, their methods or one of themselves is asked for, so that what the table has of a unit is always
// all of it. A workspace has thousands of files, and the uses in one file lead to some hundred.
//
// Only one goroutine may resolve while there are such files.
type later struct {
	t      *Table
	from   Reader
	groups map[string][]Declared // in the order of ids
	byPath map[string]Declared
	byID   map[int32]Declared
	err    error // of the first file that could not be read

	components bool // all components were added
}

// Defer leaves files to be added when they are first reached. The table must be empty.
func (t *Table) Defer(files []Declared, from Reader) {
	l := &later{t: t, from: from, groups: make(map[string][]Declared, len(files)), byPath: make(map[string]Declared, len(files)), byID: make(map[int32]Declared, len(files))}
	for _, d := range files {
		key := groupOf(d)
		l.groups[key] = append(l.groups[key], d)
		l.byPath[d.Path], l.byID[d.ID] = d, d
	}
	for _, all := range l.groups {
		slices.SortFunc(all, func(a, b Declared) int { return int(a.ID - b.ID) })
	}
	t.later = l
}

// Fill adds what was deferred, of which the caller has read some files meanwhile, and returns an error
// if anything could not be read.
func (t *Table) Fill(read ...*File) error {
	l := t.later
	if l == nil {
		return nil
	}
	var some []*File
	for _, f := range read {
		if _, ok := l.byID[f.ID]; ok {
			delete(l.byID, f.ID)
			delete(l.byPath, f.Path)
			some = append(some, f)
		}
	}
	l.add(l.all(), some)
	if l.err == nil {
		t.later = nil
	}
	return l.err
}

// Unread returns why a deferred file could not be read: then nothing that was resolved since is true.
func (t *Table) Unread() error {
	if t.later == nil {
		return nil
	}
	return t.later.err
}

// groupOf returns the group of a file: the files of one unit, or of all languages that share units where
// a unit is only known when its files are read.
func groupOf(d Declared) string {
	switch rulesOf(d.Lang).(type) {
	case goRules: // with the external tests of the package
		return "go:" + path.Dir(d.Path)
	case esRules:
		return "es:" + d.Path
	case pythonRules:
		return "py:" + d.Path
	case noRules:
		return d.Path
	}
	return family(d.Lang)
}

// all returns the files that are not read, in the order of ids.
func (l *later) all() []Declared {
	return slices.SortedFunc(maps.Values(l.byID), func(a, b Declared) int { return int(a.ID - b.ID) })
}

// reach adds a group.
func (l *later) reach(group string) {
	if all := l.groups[group]; all != nil {
		delete(l.groups, group)
		l.add(all, nil)
	}
}

// add reads files and adds them, with others that are read.
func (l *later) add(files []Declared, read []*File) {
	for _, d := range files {
		if _, ok := l.byID[d.ID]; !ok {
			continue
		}
		delete(l.byID, d.ID)
		delete(l.byPath, d.Path)
		f, err := l.from.Read(d)
		if err != nil && l.err == nil {
			l.err = err
		}
		if f != nil {
			read = append(read, f)
		}
	}
	for _, f := range read {
		l.t.files[f.Path] = f
	}
	if l.t.project == nil {
		l.t.unassigned = append(l.t.unassigned, read...)
		return
	}
	slices.SortStableFunc(read, func(a, b *File) int { return int(a.ID - b.ID) })
	for _, f := range read {
		l.t.assignUnit(f, l.t.unitOf(f))
	}
}

// unit returns the unit of a key, nil if there is none.
func (t *Table) unit(key string) *Unit {
	if t.later != nil {
		t.later.reach(strings.TrimSuffix(key, "#test"))
	}
	return t.units[key]
}

// unitAt is unit for a key that is built in place.
func (t *Table) unitAt(key []byte) *Unit {
	if t.later != nil {
		t.later.reach(string(key))
	}
	return t.units[string(key)]
}

// file returns the file of a path, nil if there is none.
func (t *Table) file(at string) *File {
	if t.later != nil {
		if d, ok := t.later.byPath[at]; ok {
			t.later.reach(groupOf(d))
		}
	}
	return t.files[at]
}

// methodsNamed returns the methods of a name in a family of languages, all of them if they are at most
// maxCandidates.
func (t *Table) methodsNamed(fam, name string) []*Symbol {
	key := fam + "\x00" + name
	if l := t.later; l != nil {
		ids, err := l.from.Declaring(name)
		if err != nil && l.err == nil {
			l.err = err
		}
		for _, id := range ids {
			if len(t.methods[key]) > maxCandidates {
				break
			}
			if d, ok := l.byID[id]; ok && family(d.Lang) == fam {
				l.reach(groupOf(d))
			}
		}
	}
	return t.methods[key]
}

// component returns the only component of a name, nil if there are none or several.
func (t *Table) component(name string) *File {
	if l := t.later; l != nil && !l.components {
		l.components = true
		for _, d := range l.all() {
			if isComponentLanguage(d.Lang) {
				l.reach(groupOf(d))
			}
		}
	}
	if found := t.components[name]; len(found) == 1 {
		return found[0]
	}
	return nil
}

// pathsIn returns the paths of the files in a language.
func (t *Table) pathsIn(lang string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for p, f := range t.files {
			if f.Lang == lang && !yield(p) {
				return
			}
		}
		if t.later == nil {
			return
		}
		for p, d := range t.later.byPath {
			if d.Lang == lang && !yield(p) {
				return
			}
		}
	}
}
