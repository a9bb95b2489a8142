package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"manicule/indexer/gittree"
)

// state is one state of the tree in which anchors are resolved.
type state interface {
	// Blob returns the id of a file's content, "" without a file.
	Blob(path string) string
	// Is is Blob compared with an id. It may cost less.
	Is(path, id string) bool
	Exists(path string) bool
	Read(path string) ([]byte, error)
	// Paths lists all files.
	Paths() []string
	// Diff lists at least the files that differ from a commit's.
	Diff(base gittree.Tree) []string
	// ID identifies the state as a whole; "" if nothing does.
	ID() string
}

// working is the files on disk.
type working struct {
	*gittree.Worktree
	ctx   context.Context             // of the refresh; the methods of state take none
	head  func() (gittree.Tree, bool) // HEAD's tree, read once; false outside of git
	once  sync.Once
	dirty []string // files that differ from head
}

func (s *working) changed() []string {
	s.once.Do(func() {
		head, _ := s.head()
		list, err := s.Worktree.Diff(s.ctx, head)
		if err != nil {
			return // the context ended or the root is gone: nothing is found
		}
		s.dirty = list
	})
	return s.dirty
}

// Paths lists all files.
func (s *working) Paths() []string {
	list, err := s.Worktree.Paths(s.ctx)
	if err != nil {
		return nil // as above
	}
	return list
}

// Diff lists the files that differ between a commit and HEAD, and between HEAD and the disk.
func (s *working) Diff(base gittree.Tree) []string {
	head, _ := s.head()
	return union(base.Diff(head), s.changed())
}

// ID combines HEAD's tree and what differs from it on disk.
func (s *working) ID() string {
	head, git := s.head()
	if !git {
		return ""
	}
	h := sha256.New()
	_, _ = h.Write([]byte(head.ID())) // a hash never fails
	for _, p := range s.changed() {
		_, _ = h.Write([]byte("\x00" + p + "\x00" + s.Blob(p)))
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// committed is the tree of a commit.
type committed struct {
	gittree.Tree
	repo *gittree.Repo
}

// Is reports whether a file has the content with an id.
func (s committed) Is(path, id string) bool { return s.Blob(path) == id }

// Exists reports whether the commit has a file.
func (s committed) Exists(path string) bool { return s.Blob(path) != "" }

// Read returns the content of a file.
func (s committed) Read(path string) ([]byte, error) { return s.repo.Blob(s.Blob(path)) }

// union merges two sorted lists.
func union(a, b []string) []string {
	out := make([]string, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}
