package gittree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	format "github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/go-git/go-git/v5/plumbing/filemode"

	"manicule/indexer/gitinfo"
	"manicule/indexer/ignore"
	"manicule/indexer/treefile"
)

// index is git's index: what git last saw of each file in the working tree.
type index struct {
	entries map[string]entry // by path below the workspace
	others  map[string]bool  // tracked paths that are no settled files: links, conflicts, intent to add
	merging []Unmerged       // what a merge left for a person, in the index's order
	written time.Time
}

type entry struct {
	id      string
	size    uint32
	changed time.Time
	skipped bool // a sparse checkout omits the file
}

// readIndex returns the index, or nil if it can't be read; then files are hashed. It
// rereads the index when its file changed.
func (r *Repo) readIndex() *index {
	if r == nil || r.gitDir == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.objects.used = time.Now()
	name := filepath.Join(r.gitDir, "index")
	st, err := os.Stat(name)
	if err != nil {
		return nil
	}
	if r.index != nil && r.indexRef == stampOf(st) {
		return r.index
	}
	f, err := treefile.Open(name, maxIndex)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	var raw format.Index
	if err := format.NewDecoder(f).Decode(&raw); err != nil {
		return nil // an extension or a checksum that go-git does not know
	}
	r.index, r.indexRef = newIndex(raw, r.prefix, st.ModTime()), stampOf(st)
	return r.index
}

// Tracks reports whether git's index has a file at a path: then changes to it go into
// the next commit, even if it is ignored.
func (r *Repo) Tracks(path string) bool {
	ix := r.readIndex()
	if ix == nil {
		return false
	}
	_, ok := ix.entries[path]
	return ok || ix.others[path]
}

// Missing lists the files below a folder that git's index has and the working tree does not, in no order. root is the
// folder that paths begin at.
func (r *Repo) Missing(root, folder string) (out []string) {
	ix := r.readIndex()
	if ix == nil {
		return nil
	}
	for name, e := range ix.entries {
		if e.skipped || !strings.HasPrefix(name, folder+"/") {
			continue
		}
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name))); errors.Is(err, fs.ErrNotExist) {
			out = append(out, name)
		}
	}
	return out
}

// LeftOut lists the files of the index below a folder that a sparse checkout leaves out.
func (r *Repo) LeftOut(folder string) (out []string) {
	ix := r.readIndex()
	if ix == nil {
		return nil
	}
	for name, e := range ix.entries {
		if e.skipped && strings.HasPrefix(name, folder+"/") {
			out = append(out, name)
		}
	}
	return out
}

// LeavesOut returns whether a sparse checkout leaves out the file at a path, or one in the folder there. It reads the index once.
func (r *Repo) LeavesOut() func(name string) bool {
	left := map[string]bool{}
	if ix := r.readIndex(); ix != nil {
		for name, e := range ix.entries {
			for ; e.skipped && name != "." && !left[name]; name = pathpkg.Dir(name) {
				left[name] = true
			}
		}
	}
	return func(name string) bool { return left[pathpkg.Clean(name)] }
}

func newIndex(raw format.Index, below string, written time.Time) *index {
	prefix := ""
	if below != "" {
		prefix = below + "/"
	}
	ix := &index{entries: make(map[string]entry, len(raw.Entries)), others: map[string]bool{}, written: written}
	for _, e := range raw.Entries {
		name, inside := strings.CutPrefix(e.Name, prefix)
		if !inside {
			continue
		}
		if e.Stage != 0 {
			ix.noteUnmerged(name, e)
		}
		if e.Stage != 0 || e.IntentToAdd || e.Mode != filemode.Regular && e.Mode != filemode.Executable {
			ix.others[name] = true
			continue
		}
		ix.entries[name] = entry{e.Hash.String(), e.Size, e.ModifiedAt, e.SkipWorktree}
	}
	return ix
}

// cleanID returns the id of a file that is unchanged since the index saw it. A file
// that changed at the moment at which the index was written may have changed again.
func (ix *index) cleanID(path string, info fs.FileInfo) (string, bool) {
	if ix == nil {
		return "", false
	}
	e, ok := ix.entries[path]
	same := ok && info.Mode().IsRegular() && uint32(info.Size()) == e.size && info.ModTime().Equal(e.changed) && e.changed.Before(ix.written)
	return e.id, same
}

// Worktree is a snapshot of the files of a workspace on disk: it looks at each file
// once. It is safe for concurrent use.
type Worktree struct {
	root      string
	repo      *Repo         // nil outside of git
	readIndex func() *index // reads it once, for the first caller that needs it
	ignored   *ignore.Matcher

	mu     sync.Mutex
	blobs  map[string]string // by path, "" for no file; guarded by mu
	hashes map[string]string // by path, what Is has hashed; guarded by mu
	plain  map[string]bool   // folders reached without a link; guarded by mu
	seen   map[string]stamp  // of the files in blobs, zero for no file; guarded by mu
	torn   bool              // a file was read whose id is of another content; guarded by mu
}

// NewWorktree returns a snapshot of the workspace at root. repo is nil outside of git.
func NewWorktree(root string, repo *Repo) (*Worktree, error) {
	m, err := ignore.New(root)
	if err != nil {
		return nil, err
	}
	return &Worktree{root: root, repo: repo, readIndex: sync.OnceValue(repo.readIndex), ignored: m,
		blobs: map[string]string{}, hashes: map[string]string{}, plain: map[string]bool{}, seen: map[string]stamp{}}, nil
}

// The files that [Worktree.Is] hashes before it reads git's index, and how large they may be. For a
// few files that takes less time than the index of a large repository.
const (
	maxHashed  = 64
	hashedSize = 256 << 10
)

// Is reports whether the file at a path has the content with an id. For a few small files it needs
// no index.
func (w *Worktree) Is(path, id string) bool { return w.hasHash(path, id) || w.Blob(path) == id }

// hasHash is Is by the file's content alone. It is false if that is not sure.
func (w *Worktree) hasHash(path, id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.blobs[path]; ok {
		return false
	}
	hash, ok := w.hashes[path]
	if !ok {
		if len(w.hashes) >= maxHashed {
			return false
		}
		if info, err := w.stat(path); err == nil && info.Mode().IsRegular() && info.Size() <= hashedSize {
			hash = w.hashContent(path)
		}
		w.hashes[path] = hash
	}
	return hash != "" && hash == id
}

// Exists reports whether there is a regular file at a path.
func (w *Worktree) Exists(path string) bool {
	w.mu.Lock()
	info, err := w.stat(path)
	w.mu.Unlock()
	return err == nil && info.Mode().IsRegular() || w.Blob(path) != ""
}

// Blob returns the id of the file at a path, or "". A file that is too large to read
// gets an id of its own.
func (w *Worktree) Blob(path string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	id, ok := w.blobs[path]
	if !ok {
		id = w.hashFile(path)
		w.blobs[path] = id
	}
	return id
}

func (w *Worktree) hashFile(path string) string {
	info, err := w.stat(path)
	w.seen[path] = stampIf(info, err)
	if err != nil {
		if ix := w.readIndex(); ix != nil && ix.entries[path].skipped {
			return ix.entries[path].id
		}
		return ""
	}
	if !info.Mode().IsRegular() {
		return ""
	}
	if id, ok := w.readIndex().cleanID(path, info); ok {
		return id
	}
	if info.Size() > maxBlob {
		return "large-" + strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36)
	}
	return w.hashContent(path)
}

// stampIf is the stamp of a file that may be missing.
func stampIf(info fs.FileInfo, err error) stamp {
	if err != nil {
		return stamp{}
	}
	return stampOf(info)
}

// Unchanged reports whether the file at a path is as it was when it was looked at first.
func (w *Worktree) Unchanged(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, ok := w.seen[path]
	return !ok || was == stampIf(w.stat(path))
}

// Torn reports whether a file was changed between its id and its content: what was found in it belongs to neither.
func (w *Worktree) Torn() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.torn
}

// hashContent returns the id of a file's content, "" if it can't be read.
func (w *Worktree) hashContent(path string) string {
	data, err := treefile.ReadWithin(w.root, path, maxBlob)
	if err != nil {
		return ""
	}
	return gitinfo.BlobID(data)
}

// stat describes the file at a path; the caller holds w.mu. It refuses a link that
// leads out of the workspace: a commit must not choose what is read there.
func (w *Worktree) stat(path string) (fs.FileInfo, error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, fs.ErrNotExist
	}
	if at, _ := pathpkg.Split(path); w.isPlain(strings.TrimSuffix(at, "/")) {
		info, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(path)))
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return info, err
		}
	}
	return treefile.StatWithin(w.root, path)
}

// isPlain reports whether a folder is reached without a link; the caller holds w.mu.
func (w *Worktree) isPlain(dir string) bool {
	if dir == "" {
		return true
	}
	known, ok := w.plain[dir]
	if !ok {
		above, _ := pathpkg.Split(dir)
		st, err := os.Lstat(filepath.Join(w.root, filepath.FromSlash(dir)))
		known = err == nil && st.IsDir() && w.isPlain(strings.TrimSuffix(above, "/"))
		w.plain[dir] = known
	}
	return known
}

// Read returns the content of the file at a path.
func (w *Worktree) Read(path string) ([]byte, error) {
	data, err := treefile.ReadWithin(w.root, path, maxBlob)
	if !w.Unchanged(path) {
		w.mu.Lock()
		w.torn = true
		w.mu.Unlock()
	}
	if errors.Is(err, fs.ErrNotExist) {
		if ix := w.readIndex(); ix != nil && ix.entries[path].skipped {
			return w.repo.Blob(ix.entries[path].id)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// Paths lists the existing files, sorted, without ignored files, other repositories
// and links. A tracked file is listed even if it is ignored.
func (w *Worktree) Paths(ctx context.Context) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	err := filepath.WalkDir(w.root, func(p string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || p == w.root {
			if p == w.root {
				return err
			}
			return nil // gone, or not readable for us
		}
		rel := filepath.ToSlash(p[len(w.root)+1:])
		if d.IsDir() {
			if isToolFolder(d.Name()) || w.ignored.Ignored(rel, true) || isNestedRepo(p) {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || !w.tracks(rel) && w.ignored.Ignored(rel, false) {
			return nil
		}
		seen[rel] = true
		out = append(out, rel)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("walk %s: %w", w.root, err)
	}
	if ix := w.readIndex(); ix != nil {
		for path := range ix.entries {
			if !seen[path] && !inProjectFolder(path) && w.Blob(path) != "" {
				out = append(out, path)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

func (w *Worktree) tracks(path string) bool {
	ix := w.readIndex()
	if ix == nil {
		return false
	}
	_, ok := ix.entries[path]
	return ok
}

// Diff lists the paths whose content differs from a tree, sorted: changed, new and
// deleted files. It omits Manicule's own folder.
func (w *Worktree) Diff(ctx context.Context, t Tree) ([]string, error) {
	paths, err := w.Paths(ctx)
	if err != nil {
		return nil, err
	}
	here := make(map[string]bool, len(paths))
	var out []string
	for _, p := range paths {
		here[p] = true
		if w.Blob(p) != t.Blob(p) {
			out = append(out, p)
		}
	}
	for _, p := range t.Paths() {
		if !here[p] && !inProjectFolder(p) && w.Blob(p) == "" {
			out = append(out, p)
		}
	}
	slices.Sort(out)
	return out, nil
}

// isToolFolder reports whether a folder is never part of the code.
func isToolFolder(name string) bool { return name == ".git" || name == ".manicule" }

// inProjectFolder reports whether a path lies in Manicule's own folder.
func inProjectFolder(path string) bool { return strings.HasPrefix(path, ".manicule/") }

// isNestedRepo reports whether a folder is another repository.
func isNestedRepo(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}
