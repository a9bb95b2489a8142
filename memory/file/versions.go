package file

import (
	"fmt"
	"slices"
)

// Versions lists what a memory says: as it leads with, and then as the versions do
// that a merge kept beside it.
func (m *Memory) Versions() []Version { return append([]Version{versionOf(m)}, m.Conflict...) }

// Deletion returns the version of a conflict that says that somebody deleted the memory. ok is false without one.
func (m *Memory) Deletion() (v Version, ok bool) {
	if i := slices.IndexFunc(m.Conflict, func(v Version) bool { return v.Deleted }); i >= 0 {
		return m.Conflict[i], true
	}
	return Version{}, false
}

// Undecided says that a memory has several versions, or that one side of a merge deleted it; "" where nothing
// has to be decided.
func (m *Memory) Undecided() string {
	n := len(m.Conflict) + 1
	deletion, deleted := m.Deletion()
	switch {
	case n == 1:
		return ""
	case !deleted:
		return fmt.Sprintf("%d versions, undecided", n)
	}
	by := "deleted by " + OneName(deletion.Contributor) + " and changed meanwhile, undecided"
	if n == 2 {
		return by
	}
	return fmt.Sprintf("%d versions, %s", n-1, by)
}

// OneName is a person's name for a line of text; git's authors may be anything.
func OneName(name string) string {
	const most = 40
	runes := []rune(name)
	for i, r := range runes {
		if r < ' ' || r == 0x7f {
			runes[i] = ' '
		}
	}
	if len(runes) > most {
		runes = append(runes[:most-1], '…')
	}
	if len(runes) == 0 {
		return Nameless
	}
	return string(runes)
}

// MarkDeleted notes in a memory, which one side of a merge changed, that the other side deleted it. base is what it
// said before, nil where nobody knows. It reports whether anything changed: a deletion is noted once.
func MarkDeleted(m, base *Memory, by string, at Time) (bool, error) {
	if _, known := m.Deletion(); known {
		return false, nil
	}
	hash, err := m.Hash()
	if err != nil {
		return false, err
	}
	if base == nil {
		base = m
	}
	v := versionOf(base)
	v.Deleted, v.Contributor, v.UpdatedAt = true, by, at
	if v.UpdatedAt.IsZero() {
		v.UpdatedAt = base.UpdatedAt
	}
	author := wordsBy(m)
	m.Conflict = append(m.Conflict, v)
	m.Lineage = Lineage{Version: m.Lineage.Next(), Parent: hash, ChangeKind: "merge", By: m.Lineage.By, Extra: m.Lineage.Extra}
	creditWords(m, author)
	return true, nil
}
