package branch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"manicule/indexer/gittree"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
)

// folder is the folder of memory files below a workspace's root.
const folder = workspace.Folder + "/memories"

// names collects the names of the memory files in some commits.
type names struct {
	of    map[string]bool
	trees []string // that were read
}

// add reads a commit. ok is false if it can't be read.
func (n *names) add(repo *gittree.Repo, commit string) (ok bool) {
	t, ok := repo.Tree(commit)
	if !ok {
		return false
	}
	return n.addTree(t.Subtree(folder))
}

func (n *names) addTree(t gittree.Tree) (ok bool) {
	for _, id := range n.trees {
		if id == t.ID() {
			return true
		}
	}
	n.trees = append(n.trees, t.ID())
	return t.EachName(func(name string) { n.of[name] = true })
}

// The names of the default branch's memory files are kept beside the other derived files, since git has to inflate them:
// for ten thousand that takes longer than all else at the start of a session.
const (
	keptNames  = "branch.names"
	keptFormat = "1"
	fewNames   = 500 // are read from git
)

// tipNames returns the names in the tips of the default branch; ok is false if one can't be read. dir is the
// worktree's folder of derived files. What can't be kept there is read again the next time.
func tipNames(repo *gittree.Repo, tips []string, dir string) (n names, ok bool) {
	var trees []gittree.Tree
	var ids []string
	for _, tip := range tips {
		t, ok := repo.Tree(tip)
		if !ok {
			return n, false
		}
		t = t.Subtree(folder)
		trees, ids = append(trees, t), append(ids, t.ID())
	}
	key := strings.Join(ids, " ")
	if of := readNames(dir, key); of != nil {
		return names{of: of, trees: ids}, true
	}
	n.of = map[string]bool{}
	for _, t := range trees {
		if !n.addTree(t) {
			return n, false
		}
	}
	if len(n.of) >= fewNames {
		_ = writeNames(dir, key, n.of) // a folder that can't be written has none
	}
	return n, true
}

// readNames reads the kept names of some trees; nil if others are kept, or none.
func readNames(dir, key string) map[string]bool {
	data, err := treefile.ReadMade(filepath.Join(dir, keptNames))
	if err != nil {
		return nil
	}
	head, rest, ok := strings.Cut(string(data), "\n")
	count := 0
	if !ok {
		return nil
	}
	if _, err := fmt.Sscanf(head, keptFormat+" %d", &count); err != nil || head != namesHead(key, count) || count > strings.Count(rest, "\n") {
		return nil
	}
	of := make(map[string]bool, count)
	for name := range strings.SplitSeq(strings.TrimSuffix(rest, "\n"), "\n") {
		of[name] = true
	}
	if len(of) != count { // a part of the file is lost
		return nil
	}
	return of
}

func namesHead(key string, count int) string { return fmt.Sprintf("%s %d %s", keptFormat, count, key) }

// writeNames replaces the kept names. The file is derived, and says how many names it has: nothing waits for the disk.
func writeNames(dir, key string, of map[string]bool) error {
	var b strings.Builder
	b.WriteString(namesHead(key, len(of)) + "\n")
	for name := range of {
		if strings.Contains(name, "\n") {
			return nil
		}
		b.WriteString(name + "\n")
	}
	return replace(dir, keptNames, []byte(b.String()))
}

// replace puts a derived file in its place as a whole. Nothing waits for the disk.
func replace(dir, name string, data []byte) error {
	f, err := os.CreateTemp(dir, "."+name+"-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
