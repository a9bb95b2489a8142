package ignore

import (
	"path/filepath"
	"strings"

	"manicule/indexer/treefile"
)

// GitIgnores reports whether git ignores a file by its own rules: core.excludesFile of
// the machine, info/exclude of the repository, and each .gitignore from the top down,
// where a deeper one has the last word. What lies in an ignored folder stays ignored.
// rel is relative to top, with slashes, and need not exist. It does not check whether
// git already tracks the file.
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
		if excludes(patterns, parts[:i+1], i+1 < len(parts)) {
			return true
		}
	}
	return false
}
