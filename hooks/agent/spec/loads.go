package spec

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Loads are the rule files that an agent loads by itself.
type Loads struct {
	// Files are patterns below a workspace root. They match files that are loaded always, or
	// when the agent works on their subject.
	Files []string
	// Above are names of files in the session's folder and its parents, not below it.
	Above []string
	// Else are names like Above that are loaded if no file of Instead exists.
	Else, Instead []string
}

// All lists the patterns and names.
func (l Loads) All() []string { return slices.Concat(l.Files, l.Above, l.Else) }

// Has reports whether the agent loads a file in a session. file and folder (the
// session's) are relative to the root, with forward slashes. read returns the text of a
// file, or "" if it does not exist.
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
				return strings.Contains(text, "@"+name) || strings.Contains(text, "@./"+name) // it imports the other file
			}
		}
		if at == "." || at == "" {
			return true
		}
	}
}
