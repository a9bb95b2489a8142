package follow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"manicule/indexer/gittree"
)

// state is one state of the tree that anchors are looked for in.
type state interface {
	// Blob is the id of a file's content, "" when there is no file.
	Blob(path string) string
	Read(path string) ([]byte, error)
	// Paths lists all files.
	Paths() []string
	// Diff lists the files that differ from a commit's, at least.
	Diff(base gittree.Tree) []string
	// ID names the state as a whole, "" when nothing does.
	ID() string
}

// working is the files as they are on the disk.
type working struct {
	*gittree.Worktree
	ctx   context.Context // of the refresh that this lives for: state's methods are asked by the ladder, which takes none
	head  gittree.Tree
	git   bool
	once  sync.Once
	dirty []string // what differs from head
}

func (s *working) changed() []string {
	s.once.Do(func() {
		list, err := s.Worktree.Diff(s.ctx, s.head)
		if err != nil {
			return // the context ended, or the root is gone: nothing is found
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

// Diff lists what differs between a commit and HEAD, and what is not as in HEAD.
func (s *working) Diff(base gittree.Tree) []string {
	return union(base.Diff(s.head), s.changed())
}

// ID is made of HEAD's tree and of what is not as in it.
func (s *working) ID() string {
	if !s.git {
		return ""
	}
	h := sha256.New()
	_, _ = h.Write([]byte(s.head.ID())) // a hash never fails
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

// Read is the content of a file.
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
