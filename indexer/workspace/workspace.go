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
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"manicule/indexer/treefile"
)

// Folder is the name of the project's own folder at a workspace root.
const Folder = treefile.Folder

// GitFolder is the name of Manicule's folder in git's own.
const GitFolder = "manicule"

// maxGitFile is the size in bytes above which one of git's small files is not read,
// such as a .git that names a folder.
const maxGitFile = 64 << 10

// Workspace is a discovered root with its identity. All paths are absolute with
// symbolic links resolved.
type Workspace struct {
	Root         string
	GitTop       string // "" outside git
	GitDir       string // this worktree's own git folder
	GitCommonDir string // shared by all worktrees of the repository
	RepoID       string // shared by the worktrees of a repository
	WorktreeID   string // 16 hex digits of a hash of the root

	stateHome, cacheHome, dataHome, configHome, runtimeDir string

	temporary bool // the state is in the temporary folder
}

// Env is the input of discovery from the process.
type Env struct {
	Getenv func(string) string
	Random io.Reader // for a new repository's id
}

// OSEnv returns the environment of the running process.
func OSEnv() Env { return Env{Getenv: Getenv, Random: rand.Reader} }

// Getenv returns a variable of the running process. HOME is the user's folder on Windows
// too, where only shells of Unix set it.
func Getenv(name string) string { return variable(runtime.GOOS, os.Getenv, name) }

func variable(system string, getenv func(string) string, name string) string {
	value := getenv(name)
	if value == "" && name == "HOME" && system == "windows" {
		return getenv("USERPROFILE")
	}
	return value
}

// Discover finds the workspace of dir: the nearest folder at or above it that has a
// .manicule folder, else the top of the git worktree, else that of another version
// control's, else dir itself.
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
	own := upwards(abs, w.GitTop, hasProjectFiles)
	if own == "" && w.GitTop != abs && isHome(w.GitTop, env.Getenv) {
		// A git repository of dotfiles in the home folder is one project. It does not
		// own everything else in the home folder.
		w.GitTop, w.GitDir, w.GitCommonDir = "", "", ""
	}
	if own != "" {
		w.Root = own
	} else if w.GitTop != "" {
		w.Root = w.GitTop
	} else if top := upwards(abs, "", hasVersionControl); top != "" && !isHome(top, env.Getenv) {
		w.Root = top
	} else {
		w.Root = abs
	}
	w.WorktreeID = digest(w.Root)
	if err := w.setHomes(env.Getenv); err != nil {
		return nil, err
	}
	if w.RepoID, err = w.repoID(env.Random); err != nil {
		return nil, err
	}
	return w, nil
}

// homeOf returns the user's home folder from the environment, or "". A relative one would be another folder for each current one,
// often within a repository.
func homeOf(getenv func(string) string) string {
	for _, name := range []string{"HOME", "USERPROFILE"} {
		if home := getenv(name); filepath.IsAbs(home) {
			return home
		}
	}
	return ""
}

func isHome(dir string, getenv func(string) string) bool {
	home, err := filepath.EvalSymlinks(homeOf(getenv))
	return err == nil && dir != "" && dir == home
}

// realDir resolves links. For a file or a missing path it returns the nearest existing
// folder.
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

// upwards walks from dir to the file system's root, or to stop if given, and returns
// the first folder that ok accepts.
func upwards(dir, stop string, ok func(string) bool) string {
	for start := dir; ; {
		// Anybody may create a folder in /tmp. It must not govern what is below.
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

// hasProjectFiles accepts a folder with memories or configuration. A bare ".manicule"
// is not enough: a home directory may hold a state folder of that name.
func hasProjectFiles(dir string) bool {
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
		return // a clone that names a foreign folder must not cause writes there
	}
	w.GitTop, w.GitDir, w.GitCommonDir = top, filepath.Clean(gitDir), filepath.Clean(common)
}

// isGit accepts what git itself takes for a repository.
func isGit(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// repoID reads or creates the repository's id. A repository that is not writable, or
// not initialised, is named after its path.
func (w *Workspace) repoID(random io.Reader) (string, error) {
	if w.GitCommonDir == "" {
		return digest(w.Root), nil
	}
	dir := filepath.Join(w.GitCommonDir, GitFolder)
	if st, err := os.Lstat(dir); err == nil && !st.IsDir() { // a link could lead out of the repository
		return digest(w.GitCommonDir), nil
	}
	path := filepath.Join(dir, "id")
	if id, ok, err := readID(path); err != nil {
		return "", err
	} else if ok {
		return w.boundID(id, path), nil
	}
	if !hasProjectFiles(w.Root) {
		return digest(w.GitCommonDir), nil
	}
	b := make([]byte, 8)
	if _, err := io.ReadFull(random, b); err != nil {
		return "", fmt.Errorf("create a repository id: %w", err)
	}
	id := hex.EncodeToString(b)
	// State that was written before the workspace was set up keeps its name, unless a repository that was here took it along.
	if before := digest(w.GitCommonDir); !w.isOthers(before) {
		if _, err := os.Stat(filepath.Join(w.stateHome, before)); err == nil {
			id = before
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return digest(w.GitCommonDir), nil
	}
	// The hard link decides a race and makes the file appear whole.
	tmp := path + "." + rand.Text() // no archive of a repository brings a link of this name
	if err := writeNew(tmp, id+"\n"); err != nil {
		return digest(w.GitCommonDir), nil
	}
	defer func() { _ = os.Remove(tmp) }() // a leftover is harmless
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

// writeNew writes a file that does not exist yet.
func writeNew(name, text string) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// readID returns an error only for temporary failures: anything written under another
// id meanwhile would be lost.
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

func (w *Workspace) setHomes(getenv func(string) string) error {
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
	w.temporary = homeless
	w.cacheHome = pick("XDG_CACHE_HOME", ".cache")
	w.dataHome = pick("XDG_DATA_HOME", ".local", "share")
	w.configHome = pick("XDG_CONFIG_HOME", ".config")
	w.runtimeDir = filepath.Join(w.stateHome, "run") // in the temporary folder another user could be first
	if v := getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(v) {
		w.runtimeDir = filepath.Join(v, "manicule")
	}
	if !homeless {
		return nil
	}
	// Everybody may create folders there, so the creator decides what is in this one.
	_ = os.Mkdir(temporary, 0o700) // it may exist; if it can't be created it can't be used either
	if err := treefile.CheckPrivate(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("find the home folder: %w", err)
	}
	return nil
}

// temporaryDir returns the user's folder below the temporary folder, for want of a
// better place.
func temporaryDir() string {
	return filepath.Join(os.TempDir(), "manicule-"+strconv.Itoa(os.Getuid()))
}

// hasVersionControl reports whether a folder is the top of a working copy of Jujutsu,
// Sapling, Mercurial or Subversion.
func hasVersionControl(dir string) bool {
	for _, name := range []string{".jj", ".sl", ".hg", ".svn"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err == nil && st.IsDir() {
			return true
		}
	}
	return false
}

// IsProject reports whether somebody declared the root a project: with git or another
// version control around it, or with memories or a configuration file in its own .manicule
// folder. A home folder or the file system's root without these is none.
func (w *Workspace) IsProject() bool {
	return w.GitTop != "" || hasProjectFiles(w.Root) || hasVersionControl(w.Root)
}

// IsSetUp reports whether there is a .manicule folder.
func (w *Workspace) IsSetUp() bool {
	_, err := os.Stat(filepath.Join(w.Root, Folder))
	return err == nil
}

// CheckNoLinks returns an error if the .manicule folder, or its folder for memories,
// is a link: then nothing is read or written there.
func (w *Workspace) CheckNoLinks() error { return treefile.CheckNoLinks(w.MemoriesDir()) }

// MemoriesDir returns the folder of the memory files.
func (w *Workspace) MemoriesDir() string { return filepath.Join(w.Root, Folder, "memories") }

// ConfigFile returns the repository's configuration file.
func (w *Workspace) ConfigFile() string { return filepath.Join(w.Root, Folder, "config.toml") }

// UserConfigFile returns the user's configuration file.
func (w *Workspace) UserConfigFile() string { return filepath.Join(w.configHome, "config.toml") }

// LocalConfigFile returns the user's configuration file for this repository. It is not in the
// repository: a commit must not write it.
func (w *Workspace) LocalConfigFile() string { return filepath.Join(w.StateDir(), "config.toml") }

// StateDir returns the folder for state that only this machine knows of the
// repository.
func (w *Workspace) StateDir() string { return filepath.Join(w.stateHome, w.RepoID) }

// Temporary reports whether the state is in the temporary folder, for want of a home folder: the system may empty that.
func (w *Workspace) Temporary() bool { return w.temporary }

// CacheDir returns the folder for data of this worktree that can be derived again.
func (w *Workspace) CacheDir() string { return filepath.Join(w.cacheHome, w.WorktreeID) }

// VectorsDir returns the folder for embeddings. All workspaces of a user share it,
// since equal texts have equal vectors.
func (w *Workspace) VectorsDir() string { return filepath.Join(w.cacheHome, "vectors") }

// ModelsDir returns the folder for downloaded models.
func (w *Workspace) ModelsDir() string { return filepath.Join(w.dataHome, "models") }

// GitPrefix returns the root relative to the top of the git worktree, with forward
// slashes; "" at the top and outside git.
func (w *Workspace) GitPrefix() string {
	if w.GitTop == "" {
		return ""
	}
	rel, ok := within(w.GitTop, w.Root)
	if !ok {
		return ""
	}
	return rel
}

// LockFile returns the lock that the leader of this worktree holds.
func (w *Workspace) LockFile() string { return filepath.Join(w.CacheDir(), "leader.lock") }

// Socket returns the path of the leader's socket: short enough for every Unix (104
// bytes with its terminator on macOS). Before listening or connecting there, check who
// owns it.
func (w *Workspace) Socket() string {
	p := filepath.Join(w.runtimeDir, w.WorktreeID+".sock")
	if len(p) >= 104 {
		p = filepath.Join(temporaryDir(), w.WorktreeID+".sock")
	}
	return p
}

// Rel turns an absolute path, or one relative to the root, into a path relative to the
// root with forward slashes. It resolves links as far as the path exists. ok is false
// for a path outside the workspace.
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

// Below takes the root off the front of an absolute path, or of a place that begins with one: in what is left, a "#" or a ":"
// in the names of the folders above can't be taken for the place in a file.
func (w *Workspace) Below(place string) string {
	if rest, ok := strings.CutPrefix(filepath.FromSlash(place), w.Root+string(filepath.Separator)); ok && rest != "" {
		return place[len(place)-len(rest):]
	}
	return place
}

// Real returns the path of what a path relative to the root leads to through links: the path itself without any. ok is false if it
// leads out of the workspace.
func (w *Workspace) Real(rel string) (real string, ok bool) {
	return within(w.Root, RealPath(filepath.Join(w.Root, filepath.FromSlash(rel))))
}

// RealPath resolves the links in the longest existing prefix of an absolute path.
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

// ResolvePath turns a path from a person or an agent into a path relative to the root.
// isDir says whether it ends in a separator or is a folder. ok is false for a path
// outside the workspace.
func (w *Workspace) ResolvePath(path string) (rel string, isDir, ok bool) {
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
