// Package ignore decides which paths of a workspace are ignored: those that git
// ignores, those that .maniculeignore files name, and always .git, node_modules, Jupyter's
// copies of notebooks and environments of Python. It reads only ignore files. It must not
// know what its callers look for.
package ignore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"

	"manicule/indexer/treefile"
)

// ownFile is the name of Manicule's own ignore files. They have gitignore's syntax and
// win over the .gitignore of the same folder.
const ownFile = ".maniculeignore"

// An environment of Python, of venv and virtualenv or of conda, holds what these write into
// it. It is other people's code like node_modules, is often hundreds of times as large as the
// project, and has a name of the user's choice.
const (
	venvFile    = "pyvenv.cfg"
	condaFolder = "conda-meta"
)

// maxFile is the largest ignore file that is read, in bytes.
const maxFile = 1 << 20

// Matcher answers for one workspace. It is safe for concurrent use. It reads the
// ignore files of a folder on first use and keeps them until Invalidate.
type Matcher struct {
	root    string
	exclude string // git's info/exclude, empty without a repository

	mu      sync.Mutex
	folders map[string]*folder // by path relative to the root, guarded by mu
	failed  error              // first ignore file that could not be read, guarded by mu
}

// folder holds the rules of one folder. It is immutable once stored.
type folder struct {
	ignored  bool // the folder itself is ignored, and so is everything in it
	patterns []pattern
}

// pattern is a line of an ignore file. A pattern without an inner slash matches names
// only, so it is compared with the last name of a path: the folders above were decided
// before.
type pattern struct {
	gitignore.Pattern
	name bool
	end  string // the literal suffix behind the pattern's last special character
}

func (p pattern) match(parts []string, isDir bool) gitignore.MatchResult {
	if p.name {
		parts = parts[len(parts)-1:]
		if !strings.HasSuffix(parts[0], p.end) {
			return gitignore.NoMatch // rejects most names far cheaper than a match
		}
	}
	return p.Match(parts, isDir)
}

// New returns a matcher for the workspace at root, which must be a folder.
func New(root string) (*Matcher, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("open the workspace: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("open the workspace %s: not a folder", root)
	}
	return &Matcher{root: root, exclude: excludeFile(root), folders: make(map[string]*folder)}, nil
}

// Ignored reports whether a path is ignored. rel is relative to the root, with either
// kind of separator, and need not exist. A path outside of the root is ignored; the
// root is not.
func (m *Matcher) Ignored(rel string, isDir bool) bool {
	rel = path.Clean(filepath.ToSlash(strings.ReplaceAll(rel, `\`, "/")))
	if rel == "." {
		return false
	}
	if rel == ".." || strings.HasPrefix(rel, "../") || path.IsAbs(rel) || filepath.IsAbs(rel) {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	parts := strings.Split(rel, "/")
	parent := m.folder(parts[:len(parts)-1], nil)
	return parent.ignored || matches(parent.patterns, parts, isDir)
}

// Folder answers for the entries of one folder. It is for one goroutine.
type Folder struct {
	folder *folder
	parts  []string // path of the folder, with room for one name
}

// Folder prepares the rules for one folder, which is much cheaper than calling Ignored
// for each entry. rel is relative to the root, with slashes, and "" for the root.
// entries is the content of the folder: an ignore file that is not listed is not read.
func (m *Matcher) Folder(rel string, entries []fs.DirEntry) *Folder {
	var parts []string
	if rel != "" {
		parts = strings.Split(rel, "/")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Folder{m.folder(parts, entries), append(parts, "")}
}

// Ignored reports whether the entry of this name is ignored.
func (f *Folder) Ignored(name string, isDir bool) bool {
	f.parts[len(f.parts)-1] = name
	return f.folder.ignored || matches(f.folder.patterns, f.parts, isDir)
}

// Exclude returns the path of the repository's info/exclude, which may not exist and, in a linked
// worktree, lies outside of the root. It is empty without a repository.
func (m *Matcher) Exclude() string { return m.exclude }

// Invalidate drops all cached rules. Call it when an ignore file changed.
func (m *Matcher) Invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.folders = make(map[string]*folder)
	m.failed = nil
}

// IsIgnoreFile reports whether a change of that path, of an ignore file or of the mark of an
// environment, requires Invalidate.
func IsIgnoreFile(name string) bool {
	name = filepath.ToSlash(strings.ReplaceAll(name, `\`, "/"))
	base := path.Base(name)
	return base == ownFile || base == ".gitignore" || base == venvFile || base == condaFolder || strings.HasSuffix(name, "info/exclude")
}

// Err returns the first ignore file that could not be read since the last Invalidate.
// Its rules count as absent.
func (m *Matcher) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// folder returns the rules of a folder; the caller holds m.mu. entries, if given, is
// the content of the folder.
func (m *Matcher) folder(parts []string, entries []fs.DirEntry) *folder {
	key := strings.Join(parts, "/")
	if known, ok := m.folders[key]; ok {
		return known
	}
	var made *folder
	if len(parts) == 0 {
		made = &folder{patterns: m.read(m.exclude, nil)}
	} else {
		parent := m.folder(parts[:len(parts)-1], nil)
		made = &folder{patterns: parent.patterns}
		made.ignored = parent.ignored || matches(parent.patterns, parts, true) || m.isEnvironment(key, entries)
	}
	if !made.ignored {
		dir := filepath.Join(m.root, filepath.FromSlash(key))
		var own []pattern
		for _, name := range []string{".gitignore", ownFile} {
			if entries == nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
				own = append(own, m.read(filepath.Join(dir, name), parts)...)
			}
		}
		if len(own) > 0 {
			made.patterns = append(made.patterns[:len(made.patterns):len(made.patterns)], own...)
		}
	}
	m.folders[key] = made
	return made
}

// isEnvironment reports whether a folder below the root is an environment of Python. The root
// is none: who opens it works in it.
func (m *Matcher) isEnvironment(rel string, entries []fs.DirEntry) bool {
	for _, mark := range []string{venvFile, condaFolder} {
		if entries != nil {
			if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == mark && e.IsDir() == (mark == condaFolder) }) {
				return true
			}
		} else if st, err := os.Lstat(filepath.Join(m.root, filepath.FromSlash(rel), mark)); err == nil && st.IsDir() == (mark == condaFolder) {
			return true
		}
	}
	return false
}

// matches reports whether the last pattern that matches a path excludes it.
func matches(patterns []pattern, parts []string, isDir bool) bool {
	switch parts[len(parts)-1] {
	case ".git", "node_modules", ".ipynb_checkpoints":
		return true
	}
	return excludes(patterns, parts, isDir)
}

// excludes reports whether the last pattern that matches excludes a path.
func excludes(patterns []pattern, parts []string, isDir bool) bool {
	for i := len(patterns) - 1; i >= 0; i-- {
		switch patterns[i].match(parts, isDir) {
		case gitignore.Exclude:
			return true
		case gitignore.Include:
			return false
		case gitignore.NoMatch:
		}
	}
	return false
}

// read returns the patterns of an ignore file, none if there is no such file. The
// caller holds m.mu.
func (m *Matcher) read(name string, domain []string) []pattern {
	if name == "" {
		return nil
	}
	if name != m.exclude && isLink(name) {
		if m.failed == nil {
			m.failed = fmt.Errorf("read ignore file: %s is a link, which git does not follow either", name)
		}
		return nil
	}
	text, err := readSmall(name)
	if err != nil {
		if m.failed == nil && !isAbsent(err) {
			m.failed = fmt.Errorf("read ignore file: %w", err)
		}
		return nil
	}
	return parse(text, domain)
}

// isAbsent reports whether err means that there is no such file.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, treefile.ErrNotFile) || errors.Is(err, treefile.ErrLink)
}

// readSmall reads a regular file up to maxFile.
func readSmall(name string) ([]byte, error) { return treefile.Read(name, maxFile) }

func isLink(name string) bool {
	st, err := os.Lstat(name)
	return err == nil && st.Mode()&fs.ModeSymlink != 0
}

// parse reads the lines of an ignore file.
func parse(text []byte, domain []string) []pattern {
	var patterns []pattern
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		within := domain
		text := strings.TrimSuffix(strings.TrimRight(line, " "), "/")
		name := !strings.Contains(text, "/")
		if name {
			within = nil
		}
		end := text[strings.LastIndexAny(text, `*?[]\!`)+1:]
		patterns = append(patterns, pattern{gitignore.ParsePattern(line, within), name, end})
	}
	return patterns
}

// excludeFile returns the info/exclude of the repository that root belongs to. In a
// linked worktree, .git is a file that names the git folder, whose commondir file
// names the folder with info. The patterns count as relative to the root.
func excludeFile(root string) string {
	dot := filepath.Join(root, ".git")
	info, err := os.Stat(dot)
	if err != nil {
		return ""
	}
	if info.IsDir() {
		return filepath.Join(dot, "info", "exclude")
	}
	text, err := readSmall(dot)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if !ok {
		return ""
	}
	dir = resolveIn(root, dir)
	if common, err := readSmall(filepath.Join(dir, "commondir")); err == nil {
		dir = resolveIn(dir, strings.TrimSpace(string(common)))
	}
	return filepath.Join(dir, "info", "exclude")
}

func resolveIn(base, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(base, name)
}
