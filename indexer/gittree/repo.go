// Package gittree reads trees from a git repository: a blob, the tree of a commit, the
// difference of two trees, and the working tree with the help of git's index. It does
// not run git and writes nothing. It reports what it can't read (in a shallow or
// partial clone, or in an unknown format) as missing. It must not know what its
// callers do with the answers.
package gittree

import (
	"errors"
	"io/fs"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"manicule/indexer/gitinfo"
)

// ErrAbsent is wrapped when the repository lacks an object.
var ErrAbsent = errors.New("git has no such object")

// maxIndex is the size in bytes above which git's index is not read: one of a million
// files has 100 MB.
const maxIndex = 256 << 20

// Repo is a repository, as far as it can be read without git. It is safe for concurrent use.
type Repo struct {
	gitDir string
	prefix string // the workspace below the repository's top

	mu       sync.Mutex
	objects  *objects // guarded by mu, like all below
	index    *index
	indexRef stamp
	folds    map[foldKey]fold // see [Repo.unchanged]
}

// ShallowEdge is [gitinfo.ShallowEdge] of the repository.
func (r *Repo) ShallowEdge() string { return gitinfo.ShallowEdge(r.objects.commonDir) }

// Open returns the repository with these folders, which differ only in a linked
// worktree. below is the workspace's folder in it, with forward slashes, "" for the
// top: all paths are relative to it. Open reads nothing yet.
func Open(gitDir, commonDir, below string) *Repo {
	return &Repo{gitDir: gitDir, prefix: below, objects: &objects{commonDir: commonDir, none: gitDir == "", most: keptEntries, trees: make(map[plumbing.Hash]*node)}}
}

// ReleaseIdle frees caches and files if nothing was requested for the given time. The
// next request reads again.
func (r *Repo) ReleaseIdle(unusedFor time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.objects.used) < unusedFor {
		return nil
	}
	r.objects.forgetTrees()
	r.index, r.indexRef, r.folds = nil, stamp{}, nil
	return r.objects.close()
}

// Close releases the files.
func (r *Repo) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.objects.close()
}

// Blob returns the content of a file by its id.
func (r *Repo) Blob(id string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.objects.read(plumbing.BlobObject, id)
}

// HasCommit reports whether a commit and its tree can be read.
func (r *Repo) HasCommit(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, err := r.objects.commit(id)
	if err != nil {
		return false
	}
	_, err = r.objects.node(c.tree)
	return err == nil
}

// Ancestors lists a commit and its first parents, newest first, as far as they can be
// read and at most max.
func (r *Repo) Ancestors(id string, max int) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for id != "" && len(out) < max {
		c, err := r.objects.commit(id)
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
