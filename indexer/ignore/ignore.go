// Package ignore decides which paths of a workspace are ignored: those that git
// ignores, those that .maniculeignore files name, and always .git and node_modules.
// It reads nothing but ignore files. It must not know what its callers look for.
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

// File is the name of Manicule's own ignore files. They have gitignore's syntax
// and win over a .gitignore of the same folder.
const File = ".maniculeignore"

// maxFile is the size in bytes above which an ignore file is not read.
const maxFile = 1 << 20

// Matcher answers for one workspace. It is safe for concurrent use. It reads
// the ignore files of a folder when it is first asked about something in it,
// and again only after Invalidate.
type Matcher struct {
	root    string
	exclude string // git's info/exclude, empty without a repository

	mu      sync.Mutex
	folders map[string]*folder // by path relative to the root, guarded by mu
	failed  error              // first ignore file that could not be read, guarded by mu
}

// folder is what is known of one folder. It does not change once it is stored.
type folder struct {
	ignored  bool // itself, so that all in it is too
	patterns []pattern
}

// pattern is a line of an ignore file. One without a slash inside is about a
// name alone. It is matched with the last name of a path: what it says of the
// folders above is known before anything in them is asked about.
type pattern struct {
	gitignore.Pattern
	name bool
	end  string // what a name must end with, from the last special character of the pattern on
}

func (p pattern) match(parts []string, isDir bool) gitignore.MatchResult {
	if p.name {
		parts = parts[len(parts)-1:]
		if !strings.HasSuffix(parts[0], p.end) {
			return gitignore.NoMatch // most names: far cheaper than to match them
		}
	}
	return p.Match(parts, isDir)
}

// New returns a matcher for the workspace at root, which must be a folder.
func New(root string) (*Matcher, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("look at the workspace: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("look at the workspace %s: not a folder", root)
	}
	return &Matcher{root: root, exclude: excludeFile(root), folders: make(map[string]*folder)}, nil
}

// Ignored says whether a path is never looked at. rel is relative to the root,
// with either kind of separators; it need not exist. What lies outside of the
// root is ignored, the root is not.
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

// Folder answers for what lies in one folder. It is used by one goroutine.
type Folder struct {
	folder *folder
	parts  []string // the path of the folder, with room for a name in it
}

// Folder returns what is asked about all that lies in a folder, which is much
// cheaper than to ask Ignored about each. rel is relative to the root, with
// slashes, "" for the root itself. entries is what is in the folder: an ignore
// file that is not among them is not looked for.
func (m *Matcher) Folder(rel string, entries []fs.DirEntry) *Folder {
	var parts []string
	if rel != "" {
		parts = strings.Split(rel, "/")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Folder{m.folder(parts, entries), append(parts, "")}
}

// Ignored says whether what has this name in the folder is never looked at.
func (f *Folder) Ignored(name string, isDir bool) bool {
	f.parts[len(f.parts)-1] = name
	return f.folder.ignored || matches(f.folder.patterns, f.parts, isDir)
}

// Invalidate forgets all that was read. Call it when an ignore file changed.
func (m *Matcher) Invalidate() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.folders = make(map[string]*folder)
	m.failed = nil
}

// IsIgnoreFile says whether a change of that path needs Invalidate.
func IsIgnoreFile(name string) bool {
	name = filepath.ToSlash(strings.ReplaceAll(name, `\`, "/"))
	base := path.Base(name)
	return base == File || base == ".gitignore" || strings.HasSuffix(name, "info/exclude")
}

// Err returns the first ignore file that could not be read since the last
// Invalidate. Its rules count as absent.
func (m *Matcher) Err() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.failed
}

// folder returns what is known of a folder; m.mu is held. Where entries is given
// it is what the folder has.
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
		made.ignored = parent.ignored || matches(parent.patterns, parts, true)
	}
	if !made.ignored {
		dir := filepath.Join(m.root, filepath.FromSlash(key))
		var own []pattern
		for _, name := range []string{".gitignore", File} {
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

// matches decides by the last pattern that says anything.
func matches(patterns []pattern, parts []string, isDir bool) bool {
	if name := parts[len(parts)-1]; name == ".git" || name == "node_modules" {
		return true
	}
	return decides(patterns, parts, isDir)
}

// decides says whether the last pattern that matches leaves a path out.
func decides(patterns []pattern, parts []string, isDir bool) bool {
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

// read returns the patterns of an ignore file, none when there is no such file; m.mu is held.
func (m *Matcher) read(name string, domain []string) []pattern {
	if name == "" {
		return nil
	}
	if name != m.exclude && isLink(name) {
		if m.failed == nil {
			m.failed = fmt.Errorf("read ignore file: %s is a link, which git doesn't follow either", name)
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

// isAbsent says whether an error means that there is no such file.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, treefile.ErrNotFile) || errors.Is(err, treefile.ErrLink)
}

// readSmall reads a regular file that is not too large.
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

// excludeFile returns the info/exclude of the repository that root belongs to.
// A linked worktree has a .git file that names its folder, whose commondir file
// names the folder with info. Its patterns are read as relative to the root.
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
