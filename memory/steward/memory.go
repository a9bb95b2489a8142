package steward

import (
	"strings"

	"manicule/memory/file"
)

// Name names who decides about a disputed memory of a repository: the owners of its code by
// CODEOWNERS, else its author, also where the file can't be read. It is "" if nobody is known.
func Name(root string, m *file.Memory) (string, error) {
	rules, err := Read(root)
	if owners := rules.Of(ownedPaths(m)); len(owners) > 0 {
		return strings.Join(owners, ", "), err
	}
	return m.Contributor, err
}

// ownedPaths returns the paths for which a memory's owners are looked up: its anchors', else any
// file below its scopes, else any file.
func ownedPaths(m *file.Memory) (paths []string) {
	for _, a := range m.Anchors {
		paths = append(paths, a.Path)
	}
	for _, s := range m.Scope {
		if len(m.Anchors) == 0 && !strings.HasPrefix(s, "!") {
			paths = append(paths, anyBelow(s))
		}
	}
	if len(paths) == 0 {
		paths = []string{"*"}
	}
	return paths
}

// anyBelow makes a glob the path of a file that could lie below it: src/**/*.go becomes src/*.
func anyBelow(glob string) string {
	i := strings.IndexAny(glob, "*?[{")
	if i < 0 {
		return glob
	}
	return glob[:strings.LastIndex(glob[:i], "/")+1] + "*"
}
