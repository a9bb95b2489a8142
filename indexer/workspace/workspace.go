// Package workspace locates a workspace: its root, the git repository around it, and
// this machine's folders for its state and cache. It must not know what is stored
// there.
package workspace

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"manicule/indexer/treefile"
)

// Folder is the name of the project's own folder at a workspace root.
const Folder = treefile.Folder

// maxGitFile is the size in bytes above which one of git's small files, such as
// a .git that names a folder, is not read.
const maxGitFile = 64 << 10

// Workspace is a discovered root with its identity. All paths are absolute
// with symbolic links resolved.
type Workspace struct {
	Root         string
	GitTop       string // "" outside git
	GitDir       string // this worktree's own git folder
	GitCommonDir string // shared by all worktrees of the repository
	RepoID       string // shared by the worktrees of a repository
	WorktreeID   string // 16 hex digits of a hash of the root

	stateHome, cacheHome, dataHome, configHome, runtimeDir string
}

// Env is what discovery takes from its process.
type Env struct {
	Getenv func(string) string
	Random io.Reader // for a new repository's id
}

// OS is the environment of the running process.
func OS() Env { return Env{Getenv: os.Getenv, Random: rand.Reader} }

// Discover finds the workspace that dir lies in: the nearest folder upwards
// with a .manicule folder, else the top of the git worktree, else dir itself.
func Discover(dir string, env Env) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find the workspace of %s: %w", dir, err)
	}
	abs, err = realDir(abs)
	if err != nil {
		return nil, fmt.Errorf("find the workspace of %s: %w", dir, err)
	}
	w := &Workspace{}
	w.findGit(abs)
	own := upwards(abs, w.GitTop, isOwn)
	if own == "" && w.GitTop != abs && isHome(w.GitTop, env.Getenv) {
		// Whoever keeps dotfiles in git has one project there, and not all else that
		// lies in the home folder.
		w.GitTop, w.GitDir, w.GitCommonDir = "", "", ""
	}
	if own != "" {
		w.Root = own
	} else if w.GitTop != "" {
		w.Root = w.GitTop
	} else {
		w.Root = abs
	}
	w.WorktreeID = digest(w.Root)
	if err := w.homes(env.Getenv); err != nil {
		return nil, err
	}
	if w.RepoID, err = w.repoID(env.Random); err != nil {
		return nil, err
	}
	return w, nil
}

// homeOf is the user's home folder as the environment names it, "" where it
// doesn't.
func homeOf(getenv func(string) string) string {
	if home := getenv("HOME"); home != "" {
		return home
	}
	return getenv("USERPROFILE")
}

func isHome(dir string, getenv func(string) string) bool {
	home, err := filepath.EvalSymlinks(homeOf(getenv))
	return err == nil && dir != "" && dir == home
}

// realDir resolves links; a path that isn't there (yet) or is a file resolves
// to its nearest existing folder.
func realDir(abs string) (string, error) {
	for p := abs; ; p = filepath.Dir(p) {
		st, err := os.Stat(p)
		switch {
		case err == nil && st.IsDir():
			return filepath.EvalSymlinks(p)
		case err != nil && errors.Is(err, fs.ErrPermission):
			return "", err
		case p == filepath.Dir(p):
			return "", fs.ErrNotExist
		}
	}
}

// upwards walks from dir to the file system's root, or to stop where given,
// and returns the first folder that ok accepts.
func upwards(dir, stop string, ok func(string) bool) string {
	for start := dir; ; {
		// Anybody may put a folder of theirs into /tmp: it must not rule what is below.
		if ok(dir) && (dir == start || !worldWritable(dir)) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir || dir == stop {
			return ""
		}
		dir = parent
	}
}

// worldWritable asks for the mode. Where a folder's access is not in it (Windows),
// Go says 0777 of every one.
func worldWritable(dir string) bool {
	if !modes {
		return false
	}
	st, err := os.Stat(dir)
	return err == nil && st.Mode().Perm()&0o002 != 0
}

// isOwn accepts a folder with memories or configuration: a bare ".manicule"
// is not enough, a state folder of that name may sit in a home directory.
func isOwn(dir string) bool {
	for _, name := range []string{"memories", "config.toml"} {
		if _, err := os.Stat(filepath.Join(dir, Folder, name)); err == nil {
			return true
		}
	}
	return false
}

func (w *Workspace) findGit(dir string) {
	top := upwards(dir, "", func(d string) bool {
		_, err := os.Lstat(filepath.Join(d, ".git"))
		return err == nil
	})
	if top == "" {
		return
	}
	gitDir := filepath.Join(top, ".git")
	if data, err := treefile.Read(gitDir, maxGitFile); err == nil { // a worktree or a submodule
		rest, ok := strings.CutPrefix(strings.TrimSpace(string(data)), "gitdir:")
		if !ok {
			return
		}
		if gitDir = strings.TrimSpace(rest); !filepath.IsAbs(gitDir) {
			gitDir = filepath.Join(top, gitDir)
		}
	}
	if st, err := os.Stat(gitDir); err != nil || !st.IsDir() {
		return
	}
	common := gitDir
	if data, err := treefile.Read(filepath.Join(gitDir, "commondir"), maxGitFile); err == nil {
		if common = strings.TrimSpace(string(data)); !filepath.IsAbs(common) {
			common = filepath.Join(gitDir, common)
		}
	}
	if real, err := filepath.EvalSymlinks(common); err == nil {
		common = real
	}
	if common != filepath.Join(top, ".git") && !isGit(common) {
		return // a clone that names a folder elsewhere must not have things written to any
	}
	w.GitTop, w.GitDir, w.GitCommonDir = top, filepath.Clean(gitDir), filepath.Clean(common)
}

// isGit accepts what git itself would take for a repository.
func isGit(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// repoID reads or makes the repository's id. A repository that can't be
// written to, or that has not been initialised, is named after its path.
func (w *Workspace) repoID(random io.Reader) (string, error) {
	if w.GitCommonDir == "" {
		return digest(w.Root), nil
	}
	path := filepath.Join(w.GitCommonDir, "manicule", "id")
	if id, ok, err := readID(path); ok || err != nil {
		return id, err
	}
	if !isOwn(w.Root) {
		return digest(w.GitCommonDir), nil
	}
	b := make([]byte, 8)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("make a repository id: %w", err)
	}
	id := hex.EncodeToString(b)
	// State that was written before the workspace was set up keeps its name.
	if _, err := os.Stat(filepath.Join(w.stateHome, digest(w.GitCommonDir))); err == nil {
		id = digest(w.GitCommonDir)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return digest(w.GitCommonDir), nil
	}
	// The link makes the winner of a race, and a whole file, certain.
	tmp := path + "." + strconv.Itoa(os.Getpid())
	if err := os.WriteFile(tmp, []byte(id+"\n"), 0o644); err != nil {
		return digest(w.GitCommonDir), nil
	}
	defer func() { _ = os.Remove(tmp) }() // a left-over is harmless
	if err := os.Link(tmp, path); err != nil {
		if !errors.Is(err, fs.ErrExist) {
			if err := os.Rename(tmp, path); err != nil {
				return digest(w.GitCommonDir), nil
			}
		}
	}
	if won, ok, err := readID(path); ok || err != nil {
		return won, err
	}
	return digest(w.GitCommonDir), nil
}

// readID returns an error only for faults that pass: what is written under
// another id meanwhile would be lost.
func readID(path string) (string, bool, error) {
	data, err := treefile.Read(path, maxGitFile)
	for _, passing := range []error{syscall.EMFILE, syscall.ENFILE, syscall.EIO, syscall.ENOMEM} {
		if errors.Is(err, passing) {
			return "", false, fmt.Errorf("read the repository's id: %w", err)
		}
	}
	id := strings.TrimSpace(string(data))
	if err != nil || len(id) < 8 || len(id) > 64 || strings.Trim(id, "0123456789abcdef") != "" {
		return "", false, nil
	}
	return id, true, nil
}

func digest(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

func (w *Workspace) homes(getenv func(string) string) error {
	home := homeOf(getenv)
	temporary := temporaryDir()
	homeless := false
	pick := func(env string, below ...string) string {
		if v := getenv(env); filepath.IsAbs(v) {
			return filepath.Join(v, "manicule")
		}
		if home == "" {
			homeless = true
			return filepath.Join(append([]string{temporary}, below...)...)
		}
		return filepath.Join(append(append([]string{home}, below...), "manicule")...)
	}
	w.stateHome = pick("XDG_STATE_HOME", ".local", "state")
	w.cacheHome = pick("XDG_CACHE_HOME", ".cache")
	w.dataHome = pick("XDG_DATA_HOME", ".local", "share")
	w.configHome = pick("XDG_CONFIG_HOME", ".config")
	w.runtimeDir = filepath.Join(w.stateHome, "run") // below the temporary folder others could be first
	if v := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) {
		w.runtimeDir = filepath.Join(v, "manicule")
	}
	if !homeless {
		return nil
	}
	// Everybody may make folders there: who made this one decides what is in it.
	_ = os.Mkdir(temporary, 0o700) // it may be there; what can't be made can't be used either
	if err := treefile.Private(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("without a home folder: %w", err)
	}
	return nil
}

// temporaryDir is the user's folder where there is no better place.
func temporaryDir() string {
	return filepath.Join(os.TempDir(), "manicule-"+strconv.Itoa(os.Getuid()))
}

// IsProject reports whether somebody has said that the root is a project: by a
// git repository around it, or by memories or a configuration file in its own
// .manicule folder. A home folder or the file system's root is none unless it
// has one of these.
func (w *Workspace) IsProject() bool { return w.GitTop != "" || isOwn(w.Root) }

// IsSetUp reports whether there is a .manicule folder.
func (w *Workspace) IsSetUp() bool {
	_, err := os.Stat(filepath.Join(w.Root, Folder))
	return err == nil
}

// Sound reports a .manicule folder, or one for memories in it, that leads
// elsewhere: nothing is read or written there.
func (w *Workspace) Sound() error { return treefile.Unlinked(w.MemoriesDir()) }

// MemoriesDir is the folder of the memory files.
func (w *Workspace) MemoriesDir() string { return filepath.Join(w.Root, Folder, "memories") }

// ConfigFile is the repository's configuration file.
func (w *Workspace) ConfigFile() string { return filepath.Join(w.Root, Folder, "config.toml") }

// UserConfigFile is the user's configuration file.
func (w *Workspace) UserConfigFile() string { return filepath.Join(w.configHome, "config.toml") }

// StateDir holds what this machine alone knows of the repository.
func (w *Workspace) StateDir() string { return filepath.Join(w.stateHome, w.RepoID) }

// CacheDir holds what can be derived again for this worktree.
func (w *Workspace) CacheDir() string { return filepath.Join(w.cacheHome, w.WorktreeID) }

// VectorsDir holds the embeddings of texts, which all workspaces of this user
// share: the same text has the same vector everywhere.
func (w *Workspace) VectorsDir() string { return filepath.Join(w.cacheHome, "vectors") }

// ModelsDir holds downloaded models.
func (w *Workspace) ModelsDir() string { return filepath.Join(w.dataHome, "models") }

// Below is the root relative to the top of the git worktree, with forward
// slashes; "" at the top and outside git.
func (w *Workspace) Below() string {
	if w.GitTop == "" {
		return ""
	}
	rel, ok := within(w.GitTop, w.Root)
	if !ok {
		return ""
	}
	return rel
}

// LockFile is held by the process that leads this worktree.
func (w *Workspace) LockFile() string { return filepath.Join(w.CacheDir(), "leader.lock") }

// Socket is the path of the leader's socket: short enough for every Unix
// (104 bytes with its terminator on macOS). Who listens or asks there looks first
// whose it is.
func (w *Workspace) Socket() string {
	p := filepath.Join(w.runtimeDir, w.WorktreeID+".sock")
	if len(p) >= 104 {
		p = filepath.Join(temporaryDir(), w.WorktreeID+".sock")
	}
	return p
}

// Rel turns an absolute path, or one relative to the root, into a path
// relative to the root with forward slashes. It reports false for a path
// outside the workspace. Links are resolved as far as the path exists.
func (w *Workspace) Rel(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.Root, path)
	}
	path = filepath.Clean(path)
	if rel, ok := within(w.Root, path); ok {
		return rel, true
	}
	return within(w.Root, RealPath(path))
}

// RealPath follows the links of the longest part of an absolute path that exists.
func RealPath(path string) string {
	rest := ""
	for p := path; ; p = filepath.Dir(p) {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		if p == filepath.Dir(p) {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
	}
}

func within(root, path string) (string, bool) {
	rel, err := filepath.Rel(root, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	if rel == "." {
		rel = ""
	}
	return filepath.ToSlash(rel), true
}

// Query turns a path that a person or an agent gave into a path relative to
// the root, and says whether it means a folder: it ends in a separator, or is
// one. It reports false for a path outside the workspace.
func (w *Workspace) Query(path string) (rel string, isDir, ok bool) {
	rel, ok = w.Rel(path)
	if !ok {
		return "", false, false
	}
	isDir = rel == "" || strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(filepath.Separator))
	if !isDir {
		st, err := os.Stat(filepath.Join(w.Root, filepath.FromSlash(rel)))
		isDir = err == nil && st.IsDir()
	}
	return rel, isDir, true
}
