package ignore

import (
	"path/filepath"
	"strings"

	"manicule/indexer/treefile"
)

// GitIgnores reports whether git leaves a file out, by its own rules alone: those of
// the whole machine (core.excludesFile), those of the repository (info/exclude),
// and the .gitignore of each folder from the top on, where the deeper one has the
// last word. What lies in a folder that is left out stays out. rel is relative to
// top, with slashes, and need not exist. Whether git tracks the file already is
// another question.
func GitIgnores(top, excludesFile, exclude, rel string) bool {
	var patterns []pattern
	for _, name := range []string{excludesFile, exclude} {
		if name == "" {
			continue
		}
		if text, err := readSmall(name); err == nil {
			patterns = append(patterns, parse(text, nil)...)
		}
	}
	parts := strings.Split(rel, "/")
	for i := range parts {
		name := filepath.Join(top, filepath.Join(parts[:i]...), ".gitignore")
		if _, err := treefile.Lstat(top, strings.Join(append(parts[:i:i], ".gitignore"), "/")); err == nil && !isLink(name) {
			if text, err := readSmall(name); err == nil {
				patterns = append(patterns, parse(text, parts[:i])...)
			}
		}
		if decides(patterns, parts[:i+1], i+1 < len(parts)) {
			return true
		}
	}
	return false
}
