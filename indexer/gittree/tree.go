package gittree

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// node is one folder of a tree.
type node struct {
	files   map[string]string // blob by name
	folders map[string]string // tree by name
}

// The modes of tree entries that matter here.
const (
	modeFolder = "40000"
	modeLink   = "120000"
	modeModule = "160000"
)

// kindOf reports what an entry is by its mode, without leading zeros. Links and modules are neither.
func kindOf(mode string) (folder, file bool) {
	return mode == modeFolder, mode != modeFolder && mode != modeLink && mode != modeModule
}

// treeEntry is a file or a folder in a tree.
type treeEntry struct {
	name, id string
	folder   bool
}

// some returns the entries that have one of some names.
func (n *node) some(names []string) (out []treeEntry) {
	for _, name := range names {
		if id := n.files[name]; id != "" {
			out = append(out, treeEntry{name, id, false})
		} else if id := n.folders[name]; id != "" {
			out = append(out, treeEntry{name, id, true})
		}
	}
	return out
}

// treeBuffer is how much of a tree is read at once. It has room for the longest name.
const treeBuffer = 64 << 10

// entriesIn reads those entries of a tree object that have one of some names.
func entriesIn(rd io.Reader, names []string) (out []treeEntry, err error) {
	in := bufio.NewReaderSize(rd, treeBuffer)
	for {
		head, err := in.ReadSlice(0)
		if err != nil {
			if errors.Is(err, io.EOF) && len(head) == 0 {
				return out, nil
			}
			return nil, errCutOff
		}
		mode, name, named := bytes.Cut(head[:len(head)-1], []byte{' '})
		if !named || len(name) == 0 {
			return nil, errCutOff
		}
		var found *treeEntry
		for _, x := range names {
			if string(name) != x {
				continue
			}
			if folder, file := kindOf(string(bytes.TrimLeft(mode, "0"))); folder || file {
				out = append(out, treeEntry{name: x, folder: folder})
				found = &out[len(out)-1]
			}
		}
		id, err := in.Peek(len(plumbing.Hash{}))
		if err != nil {
			return nil, errCutOff
		}
		if found != nil {
			found.id = plumbing.Hash(id).String()
		}
		if _, err := in.Discard(len(id)); err != nil {
			return nil, errCutOff
		}
	}
}

var errCutOff = errors.New("an entry is cut off")

// parseTree reads a sequence of "MODE NAME\0" and the 20 bytes of an id.
func parseTree(data []byte) (*node, error) {
	n := &node{files: map[string]string{}, folders: map[string]string{}}
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !ok || !named || name == "" || len(rest) < 20 {
			return nil, errCutOff
		}
		id := plumbing.Hash(rest[:20]).String()
		if folder, file := kindOf(strings.TrimLeft(mode, "0")); folder {
			n.folders[name] = id
		} else if file {
			n.files[name] = id
		}
		data = rest[20:]
	}
	return n, nil
}

// Tree is the workspace's part of a commit's tree. The zero value is empty.
type Tree struct {
	repo *Repo
	id   string
}

// Tree returns the state of the workspace in a commit; ok is false if it can't be
// read.
func (r *Repo) Tree(commit string) (t Tree, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c, err := r.objects.commit(commit)
	if err != nil {
		return Tree{}, false
	}
	id := c.tree
	if r.prefix != "" {
		for name := range strings.SplitSeq(r.prefix, "/") {
			n, err := r.objects.node(id)
			if err != nil {
				return Tree{}, false
			}
			if id = n.folders[name]; id == "" {
				return Tree{repo: r}, true // the workspace did not exist yet
			}
		}
	}
	if _, err := r.objects.node(id); err != nil {
		return Tree{}, false
	}
	return Tree{r, id}, true
}

// ID identifies the content: equal ids mean equal trees.
func (t Tree) ID() string { return t.id }

// Has reports whether there is a file or a folder at a path.
func (t Tree) Has(path string) bool {
	if t.id == "" {
		return false
	}
	t.repo.mu.Lock()
	defer t.repo.mu.Unlock()
	id := t.id
	for {
		n, err := t.repo.objects.node(id)
		if err != nil {
			return false
		}
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			return n.files[name] != "" || n.folders[name] != ""
		}
		if id = n.folders[name]; id == "" {
			return false
		}
		path = rest
	}
}

// Blob returns the id of the file at a path, or "".
func (t Tree) Blob(path string) string {
	if t.id == "" {
		return ""
	}
	t.repo.mu.Lock()
	defer t.repo.mu.Unlock()
	id := t.id
	for {
		n, err := t.repo.objects.node(id)
		if err != nil {
			return ""
		}
		name, rest, deeper := strings.Cut(path, "/")
		if !deeper {
			return n.files[name]
		}
		if id = n.folders[name]; id == "" {
			return ""
		}
		path = rest
	}
}

// Subtree returns a folder of the tree, empty if there is none.
func (t Tree) Subtree(path string) Tree {
	if t.id == "" {
		return t
	}
	t.repo.mu.Lock()
	defer t.repo.mu.Unlock()
	id := t.id
	for name := range strings.SplitSeq(path, "/") {
		n, err := t.repo.objects.node(id)
		if err != nil {
			return Tree{repo: t.repo}
		}
		if id = n.folders[name]; id == "" {
			return Tree{repo: t.repo}
		}
	}
	return Tree{t.repo, id}
}

// EachName calls each with the base names of all files, in no order: for one pass that
// is far cheaper than [Tree.Paths]. ok is false if part of the tree can't be read.
func (t Tree) EachName(each func(name string)) (ok bool) {
	if t.id == "" {
		return true
	}
	t.repo.mu.Lock()
	defer t.repo.mu.Unlock()
	return t.repo.objects.names(t.id, each)
}

// Paths lists all files, sorted.
func (t Tree) Paths() []string {
	return t.Diff(Tree{})
}

// Diff lists the paths whose content differs between two trees, sorted. It skips equal
// folders, and folders that git can't show.
func (t Tree) Diff(u Tree) []string {
	repo := t.repo
	if repo == nil {
		if repo = u.repo; repo == nil {
			return nil
		}
	}
	repo.mu.Lock()
	defer repo.mu.Unlock()
	var out []string
	repo.objects.diff(t.id, u.id, "", &out)
	slices.Sort(out)
	return out
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, b)
	return out
}
