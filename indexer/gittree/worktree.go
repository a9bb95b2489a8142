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

// index is git's own note of the working tree: what it last saw of each file.
type index struct {
	entries map[string]entry // by path below the workspace
	others  map[string]bool  // paths that are tracked and are no settled files: links, conflicts, what is to be added
	written time.Time
}

type entry struct {
	id      string
	size    uint32
	changed time.Time
	skipped bool // a sparse checkout leaves the file out
}

// readIndex returns the index, nil when there is none that can be read: then
// files are hashed. It is read again when its file changed.
func (r *Repo) readIndex() *index {
	if r == nil || r.gitDir == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used = time.Now()
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
		return nil // an extension or a checksum that go-git doesn't know
	}
	r.index, r.indexRef = newIndex(raw, r.prefix, st.ModTime()), stampOf(st)
	return r.index
}

// Tracks reports whether git's index has a file at a path: what is written there
// is part of the next commit, ignored or not.
func (r *Repo) Tracks(path string) bool {
	ix := r.readIndex()
	if ix == nil {
		return false
	}
	_, ok := ix.entries[path]
	return ok || ix.others[path]
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
		if e.Stage != 0 || e.IntentToAdd || e.Mode != filemode.Regular && e.Mode != filemode.Executable {
			ix.others[name] = true
			continue
		}
		ix.entries[name] = entry{e.Hash.String(), e.Size, e.ModifiedAt, e.SkipWorktree}
	}
	return ix
}

// cleanID returns the id of a file that is as the index saw it. A file that
// changed in the moment in which the index was written may have changed again.
func (ix *index) cleanID(path string, info fs.FileInfo) (string, bool) {
	if ix == nil {
		return "", false
	}
	e, ok := ix.entries[path]
	same := ok && info.Mode().IsRegular() && uint32(info.Size()) == e.size && info.ModTime().Equal(e.changed) && e.changed.Before(ix.written)
	return e.id, same
}

// Worktree is the files of a workspace as they are on the disk, at one moment:
// what was looked at once is not looked at again. It is safe for concurrent use.
type Worktree struct {
	root    string
	repo    *Repo // nil outside of git
	index   *index
	ignored *ignore.Matcher

	mu    sync.Mutex
	blobs map[string]string // by path, "" for no file; guarded by mu
	plain map[string]bool   // folders that are reached without a link; guarded by mu
}

// NewWorktree looks at the folder of a workspace. repo is nil outside of git.
func NewWorktree(root string, repo *Repo) (*Worktree, error) {
	m, err := ignore.New(root)
	if err != nil {
		return nil, err
	}
	return &Worktree{root: root, repo: repo, index: repo.readIndex(), ignored: m, blobs: map[string]string{}, plain: map[string]bool{}}, nil
}

// Blob is the id of the file at a path, "" when there is none. A file that is
// too large to be read has a name of its own.
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
	if err != nil {
		if w.index != nil && w.index.entries[path].skipped {
			return w.index.entries[path].id
		}
		return ""
	}
	if !info.Mode().IsRegular() {
		return ""
	}
	if id, ok := w.index.cleanID(path, info); ok {
		return id
	}
	if info.Size() > maxBlob {
		return "large-" + strconv.FormatInt(info.Size(), 36) + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36)
	}
	data, err := treefile.ReadWithin(w.root, path, maxBlob)
	if err != nil {
		return ""
	}
	return gitinfo.BlobID(data)
}

// stat describes the file at a path; w.mu is held. A link that leads out of the
// workspace is none: a commit must not choose what is looked at there.
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

// isPlain reports whether a folder is reached without a link; w.mu is held.
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

// Read is the content of the file at a path.
func (w *Worktree) Read(path string) ([]byte, error) {
	data, err := treefile.ReadWithin(w.root, path, maxBlob)
	if errors.Is(err, fs.ErrNotExist) && w.index != nil && w.index.entries[path].skipped {
		return w.repo.Blob(w.index.entries[path].id)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}

// Paths lists the files that are there, sorted: ignored ones, those of other
// repositories and links left out. What git tracks is listed though it is
// ignored.
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
			return nil // gone meanwhile, or not ours to read
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
	if w.index != nil {
		for path := range w.index.entries {
			if !seen[path] && !inProjectFolder(path) && w.Blob(path) != "" {
				out = append(out, path)
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

func (w *Worktree) tracks(path string) bool {
	if w.index == nil {
		return false
	}
	_, ok := w.index.entries[path]
	return ok
}

// Diff lists the paths that don't have the content of a tree, sorted:
// changed, new and deleted ones. Manicule's own folder is left out.
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

// isToolFolder says whether a folder is never part of the code.
func isToolFolder(name string) bool { return name == ".git" || name == ".manicule" }

// inProjectFolder says whether a path lies in Manicule's own folder.
func inProjectFolder(path string) bool { return strings.HasPrefix(path, ".manicule/") }

// isNestedRepo reports whether a folder is another repository.
func isNestedRepo(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}
