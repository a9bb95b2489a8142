package graph

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/ignore"
	"manicule/indexer/resolve"
)

// found is a file of the workspace that may be indexed.
type found struct {
	path string
	lang string // "" for a build file without a language
	stat stat
}

// walk lists the files that are indexed, sorted by path: what has a language
// and is not ignored. Links are not followed. Another repository inside is left
// alone, unless it is a submodule.
func walk(ctx context.Context, root string, m *ignore.Matcher) ([]found, error) {
	var out []found
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if p == root {
				return err
			}
			return nil // gone meanwhile, or not ours to read
		}
		if p == root {
			return nil
		}
		rel := filepath.ToSlash(p[len(root)+1:])
		if d.IsDir() {
			if d.Name() == ".git" || d.Name() == ".manicule" || m.Ignored(rel, true) || foreign(p) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		l, ok := grammars.ForPath(rel)
		if !ok && !resolve.BuildFile(rel) || m.Ignored(rel, false) {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		out = append(out, found{path: rel, lang: l.ID, stat: statOf(info)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk %s: %w", root, err)
	}
	return out, nil
}

// foreign reports whether a folder is another repository: a clone, or a
// worktree. A submodule belongs to the one around it.
func foreign(dir string) bool {
	st, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil {
		return false
	}
	if st.IsDir() {
		return true
	}
	data, err := os.ReadFile(filepath.Join(dir, ".git"))
	return err != nil || !strings.Contains(filepath.ToSlash(string(data)), "/modules/")
}

// minified is the mean length of a line in bytes above which nobody wrote it.
const minified = 400

// maxData is the size in bytes above which a file without code (a lock file, a
// changelog) is left out: its outline helps nobody and takes longest to parse.
const maxData = 64 << 10

func structureOnly(name string) bool {
	l, ok := grammars.ForPath(name)
	return ok && l.Resolution == grammars.ResolveNone
}

// unfit says why a file is not indexed, "" where it is.
func unfit(name string, src []byte) string {
	switch {
	case len(src) > extract.MaxSize:
		return fmt.Sprintf("larger than %d MB", extract.MaxSize>>20)
	case bytes.IndexByte(src, 0) >= 0:
		return "binary"
	case len(src) > maxData && structureOnly(name):
		return "much data, no code"
	case strings.Contains(path.Base(name), ".min."):
		return "minified"
	case len(src) > 20_000 && len(src)/(1+bytes.Count(src, []byte{'\n'})) > minified:
		return "minified"
	}
	return ""
}

// languageOf is the language of a path, "" where there is none.
func languageOf(p string) string {
	l, _ := grammars.ForPath(p)
	return l.ID
}
