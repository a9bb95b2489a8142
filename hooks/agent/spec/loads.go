package spec

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Loads are the rule files that an agent gives to its model without being asked.
type Loads struct {
	// Files are patterns below a workspace root: of files that are always loaded,
	// or as soon as the agent works on what they are about.
	Files []string
	// Above are names that are loaded from the session's folder and those above it,
	// not from folders below.
	Above []string
	// Else are names that are loaded like Above, where none of Instead is there.
	Else, Instead []string
}

// All lists the patterns and names.
func (l Loads) All() []string { return slices.Concat(l.Files, l.Above, l.Else) }

// Has reports whether a file is one that the agent loads in a session. file and
// folder, in which the session is, are below the root, with forward slashes; read is
// the text of a file, "" where there is none.
func (l Loads) Has(file, folder string, read func(path string) string) bool {
	for _, p := range l.Files {
		if doublestar.MatchUnvalidated(p, file) {
			return true
		}
	}
	dir := path.Dir(file)
	if folder = path.Clean("/" + folder)[1:]; dir != "." && folder != dir && !strings.HasPrefix(folder, dir+"/") {
		return false
	}
	name := path.Base(file)
	if slices.Contains(l.Above, name) {
		return true
	}
	if !slices.Contains(l.Else, name) {
		return false
	}
	for at := folder; ; at = path.Dir(at) {
		for _, other := range l.Instead {
			if text := read(path.Join(at, other)); text != "" {
				return strings.Contains(text, "@"+name) || strings.Contains(text, "@./"+name) // it brings the other in
			}
		}
		if at == "." || at == "" {
			return true
		}
	}
}
