// Package gittree reads trees from a git repository: a blob, the tree of a commit, the
// difference of two trees, and the working tree with the help of git's index. It does
// not run git and writes nothing. It reports what it can't read (in a shallow or
// partial clone, or in an unknown format) as missing. It must not know what its
// callers do with the answers.
package gittree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"manicule/indexer/gitinfo"
	"manicule/indexer/treefile"
)

// ErrAbsent is wrapped when the repository lacks an object.
var ErrAbsent = errors.New("git has no such object")

// Cache sizes. Reading a pack reads neighbouring objects too, which are often
// requested next. Some are worth their memory, but not go-git's default of 96 MiB for
// each store.
const (
	keptObjects = 16 * cache.MiByte
	keptEntries = 200_000 // of trees; about 20 MB
)

// maxBlob is the size in bytes above which a blob is not read.
const maxBlob = 16 << 20

// Bounds of the alternates that a repository may name.
const (
	maxAlternates = 64 << 10 // bytes of a list
	maxStores     = 16       // repositories, alternates of alternates included
)

// maxIndex is the size in bytes above which git's index is not read: one of a million
// files has 100 MB.
const maxIndex = 256 << 20

// Repo is the object database of a repository. It is safe for concurrent use.
type Repo struct {
	gitDir, commonDir string
	prefix            string // the workspace below the repository's top

	mu       sync.Mutex
	stores   []store   // guarded by mu, like all below; its own first, then the alternates'
	packs    time.Time // modification time of the pack folder when the stores were opened
	trees    map[plumbing.Hash]*node
	most     int       // maximum number of cached tree entries
	entries  int       // number of cached tree entries
	used     time.Time // time of the last request for an object or the index
	index    *index
	indexRef stamp
	folds    map[foldKey]fold // see [Repo.unchanged]
}

// ShallowEdge is [gitinfo.ShallowEdge] of the repository.
func (r *Repo) ShallowEdge() string { return gitinfo.ShallowEdge(r.commonDir) }

// Open returns the repository with these folders, which differ only in a linked
// worktree. below is the workspace's folder in it, with forward slashes, "" for the
// top: all paths are relative to it. Open reads nothing yet.
func Open(gitDir, commonDir, below string) *Repo {
	return &Repo{gitDir: gitDir, commonDir: commonDir, prefix: below, most: keptEntries, trees: make(map[plumbing.Hash]*node)}
}

// ReleaseIdle frees caches and files if nothing was requested for the given time. The
// next request reads again.
func (r *Repo) ReleaseIdle(unusedFor time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.used) < unusedFor {
		return nil
	}
	r.forgetTrees()
	r.index, r.indexRef, r.folds = nil, stamp{}, nil
	return r.closeStores()
}

func (r *Repo) forgetTrees() {
	r.trees, r.entries = make(map[plumbing.Hash]*node), 0
}

// Close releases the files.
func (r *Repo) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closeStores()
}

func (r *Repo) closeStores() error {
	var errs []error
	for _, s := range r.stores {
		errs = append(errs, s.Close())
	}
	r.stores = nil
	return errors.Join(errs...)
}

// Blob returns the content of a file by its id.
func (r *Repo) Blob(id string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.object(plumbing.BlobObject, id)
}

// object reads one object; the caller holds r.mu. It notices new packs: a fetch or a
// repack may have moved the object.
func (r *Repo) object(kind plumbing.ObjectType, id string) ([]byte, error) {
	if r.gitDir == "" || !plumbing.IsHash(id) || len(id) != 40 {
		return nil, fmt.Errorf("read %s %q: %w", kind, id, ErrAbsent)
	}
	data, err := r.find(kind, plumbing.NewHash(id))
	if errors.Is(err, plumbing.ErrObjectNotFound) && r.stores != nil && !r.packTime().Equal(r.packs) {
		if err := r.closeStores(); err != nil {
			return nil, fmt.Errorf("close the packs: %w", err)
		}
		data, err = r.find(kind, plumbing.NewHash(id))
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = ErrAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	return data, nil
}

func (r *Repo) find(kind plumbing.ObjectType, id plumbing.Hash) ([]byte, error) {
	r.used = time.Now()
	if r.stores == nil {
		r.packs = r.packTime()
		r.stores = openStores(r.commonDir)
	}
	for _, s := range r.stores {
		data, err := s.loose(kind, id)
		if errors.Is(err, errKind) {
			continue // go-git would read it to its end
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return data, err
		}
		o, err := s.EncodedObject(kind, id)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if o.Size() > maxBlob {
			return nil, fmt.Errorf("it has %d bytes", o.Size())
		}
		rd, err := o.Reader()
		if err != nil {
			return nil, err
		}
		data, err = io.ReadAll(io.LimitReader(rd, maxBlob+1)) // the size above is only what the object claims
		if len(data) > maxBlob {
			err = errors.New("it is larger than it says")
		}
		return data, errors.Join(err, rd.Close())
	}
	return nil, plumbing.ErrObjectNotFound
}

func (r *Repo) packTime() time.Time {
	st, err := os.Stat(filepath.Join(r.commonDir, "objects", "pack"))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// openStores opens the object folders of a repository and of its alternates. go-git
// reads objects/info/alternates only if the paths are absolute.
func openStores(commonDir string) []store {
	var out []store
	seen := map[string]bool{}
	for queue := []string{filepath.Join(commonDir, "objects")}; len(queue) > 0 && len(out) < maxStores; queue = queue[1:] {
		objects := filepath.Clean(queue[0])
		if seen[objects] {
			continue
		}
		seen[objects] = true
		files := gitinfo.Files(filepath.Dir(objects))
		dir := dotgit.New(files)
		out = append(out, store{files, filesystem.NewObjectStorageWithOptions(dir, cache.NewObjectLRU(keptObjects), filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: maxBlob})})
		queue = append(queue, alternates(objects)...)
	}
	return out
}

func alternates(objects string) []string {
	data, err := treefile.Read(filepath.Join(objects, "info", "alternates"), maxAlternates)
	if err != nil {
		return nil // no alternates
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		out = append(out, line)
	}
	return out
}

// commit is the header of a commit object.
type commit struct {
	tree    string
	parents []string
}

// commit reads a commit; the caller holds r.mu. It reads only the first lines: the
// rest is for people.
func (r *Repo) commit(id string) (commit, error) {
	data, err := r.object(plumbing.CommitObject, id)
	if err != nil {
		return commit{}, err
	}
	var c commit
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		default:
			return c, nil
		}
	}
	return c, nil
}

// HasCommit reports whether a commit and its tree can be read.
func (r *Repo) HasCommit(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, err := r.commit(id)
	if err != nil {
		return false
	}
	_, err = r.node(c.tree)
	return err == nil
}

// Ancestors lists a commit and its first parents, newest first, as far as they can be
// read and at most max.
func (r *Repo) Ancestors(id string, max int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for id != "" && len(out) < max {
		c, err := r.commit(id)
		if err != nil {
			break
		}
		out = append(out, id)
		id = ""
		if len(c.parents) > 0 {
			id = c.parents[0]
		}
	}
	return out
}

// stamp identifies the version of a file that was read.
type stamp struct {
	size    int64
	changed time.Time
}

func stampOf(info fs.FileInfo) stamp { return stamp{info.Size(), info.ModTime()} }
