package graph

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"manicule/grammars"
	"manicule/indexer/extract"
	"manicule/indexer/ignore"
	"manicule/indexer/resolve"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
)

// found is a file of the workspace that may be indexed.
type found struct {
	path string
	lang string // "" for a build file without a language
	stat stat
}

// walkers is how many folders are read concurrently, beside the first.
const walkers = 4

// walk lists the files to index, sorted by path: those with a language that are not
// ignored. It follows no links. It skips a nested repository unless that is a
// submodule.
func walk(ctx context.Context, root string, m *ignore.Matcher) ([]found, error) {
	w := &walker{root: root, ignored: m}
	w.group.SetLimit(walkers)
	err := w.folder(ctx, "")
	if other := w.group.Wait(); err == nil {
		err = other
	}
	if err != nil {
		return nil, fmt.Errorf("walk %s: %w", root, err)
	}
	sorting.Func(w.found, func(a, b found) int { return strings.Compare(a.path, b.path) })
	return w.found, nil
}

// walker is one walk, by several goroutines.
type walker struct {
	root    string
	ignored *ignore.Matcher
	group   errgroup.Group

	mu    sync.Mutex
	found []found // guarded by mu
}

// folder lists one folder and everything below it. It skips what can't be read: it
// vanished, or is not readable for us.
func (w *walker) folder(ctx context.Context, rel string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	dir := filepath.Join(w.root, filepath.FromSlash(rel))
	entries, err := readDir(dir)
	if err != nil && rel == "" {
		return err
	}
	if rel != "" && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == ".git" }) && isNestedRepo(dir) {
		return nil
	}
	ignored := w.ignored.Folder(rel, entries)
	var files []found
	var below []string
	for _, e := range entries {
		name, at := e.Name(), path.Join(rel, e.Name())
		switch {
		case e.IsDir():
			if name != ".git" && name != ".manicule" && !ignored.Ignored(name, true) {
				below = append(below, at)
			}
		case e.Type().IsRegular():
			lang := languageOf(name)
			if lang == "" && !resolve.BuildFile(name) || ignored.Ignored(name, false) {
				continue
			}
			if info, err := e.Info(); err == nil {
				files = append(files, found{path: at, lang: lang, stat: statOf(info)})
			}
		}
	}
	w.mu.Lock()
	w.found = append(w.found, files...)
	w.mu.Unlock()
	for _, b := range below {
		if !w.group.TryGo(func() error { return w.folder(ctx, b) }) {
			if err := w.folder(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// readDir returns the entries of a folder, in no order.
func readDir(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	return f.ReadDir(-1)
}

// elsewhere reports whether a file, by its path relative to root, is in a folder that a walk does not enter whatever the
// ignore files say.
func elsewhere(root, file string) bool {
	for dir := path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if name := path.Base(dir); name == ".git" || name == ".manicule" || isNestedRepo(filepath.Join(root, filepath.FromSlash(dir))) {
			return true
		}
	}
	return false
}

// isNestedRepo reports whether a folder is another repository: a clone, or a worktree.
// A submodule belongs to the outer one.
func isNestedRepo(dir string) bool {
	st, err := os.Lstat(filepath.Join(dir, ".git"))
	if err != nil {
		return false
	}
	if st.IsDir() {
		return true
	}
	data, err := treefile.Read(filepath.Join(dir, ".git"), 64<<10)
	return err != nil || !strings.Contains(filepath.ToSlash(string(data)), "/modules/")
}

// minifiedLineLength is the mean length of a line in bytes above which no person wrote
// it.
const minifiedLineLength = 400

// maxData is the size in bytes above which a file without code (a lock file, a
// changelog) is skipped: its outline helps nobody and takes longest to parse.
const maxData = 64 << 10

// maxOutlined is that size for a language without a grammar: people write long files of
// Terraform or SQL, but longer ones are a dump or a style sheet that a tool made.
const maxOutlined = 256 << 10

// A text with more than maxEscapes terminal escape sequences in its first bytes is a
// recording, whatever its name says. A grammar takes a hundred times as long to make
// nothing of it: up to a second for 15 KB.
const (
	escapesIn  = 4 << 10
	maxEscapes = 16
)

// tooMuch reports whether a file without code is too large to be of use.
func tooMuch(name string, size int) bool {
	l, ok := grammars.ForPath(name)
	switch {
	case !ok || l.Resolution != grammars.ResolveNone:
		return false
	case l.Outline != nil:
		return size > maxOutlined
	default:
		return size > maxData
	}
}

// skipReason says why a file is not indexed, "" if it is.
func skipReason(name string, src []byte) string {
	switch {
	case len(src) > extract.MaxSize:
		return fmt.Sprintf("larger than %d MB", extract.MaxSize>>20)
	case bytes.IndexByte(src, 0) >= 0:
		return "binary"
	case bytes.Count(src[:min(len(src), escapesIn)], []byte("\x1b[")) > maxEscapes:
		return "what a terminal shows, no code"
	case tooMuch(name, len(src)):
		return "much data, no code"
	case strings.Contains(path.Base(name), ".min."):
		return "minified"
	case languageOf(name) == "jupyter": // its pictures are long lines
		return ""
	case len(src) > 20_000 && len(src)/(1+bytes.Count(src, []byte{'\n'})) > minifiedLineLength:
		return "minified"
	}
	return ""
}

// languageOf returns the language of a path, or "".
func languageOf(p string) string {
	l, _ := grammars.ForPath(p)
	return l.ID
}
