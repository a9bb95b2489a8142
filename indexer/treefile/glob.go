package treefile

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Glob lists the paths below a folder that match a pattern of [path.Match], sorted. Unlike [filepath.Glob] it takes the
// folder's own name as it is: a project may be in a folder [name].
func Glob(dir, pattern string) []string {
	first, rest, more := strings.Cut(pattern, "/")
	var out []string
	add := func(name string) {
		if name = filepath.Join(dir, name); more {
			out = append(out, Glob(name, rest)...)
		} else {
			out = append(out, name)
		}
	}
	if !strings.ContainsAny(first, `*?[\`) {
		if _, err := os.Lstat(filepath.Join(dir, first)); err == nil {
			add(first)
		}
		return out
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // nothing is there to be found
	}
	for _, e := range entries {
		if ok, err := path.Match(first, e.Name()); err == nil && ok {
			add(e.Name())
		}
	}
	return out
}
