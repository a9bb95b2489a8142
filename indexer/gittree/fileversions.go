package gittree

import (
	"slices"
	"strings"
	"time"
)

// FileVersion is the content of a file in a commit that changed it.
type FileVersion struct {
	Commit Commit
	Blob   string // "" if the commit removed the file
}

// FileVersions lists the commits that changed a file, which may lie at one of several paths, with
// all sides of merges; newest first along each side. Where one side of a merge already had the
// result, only that side is followed. It looks at max commits at most.
func (r *Repo) FileVersions(head string, paths []string, max int) []FileVersion {
	return r.FileVersionsSince(head, paths, time.Time{}, max)
}

// FileVersionsSince is FileVersions without commits from before a time, and those that only they lead to.
func (r *Repo) FileVersionsSince(head string, paths []string, since time.Time, max int) []FileVersion {
	var out []FileVersion
	dir := folderOf(paths)
	seen := map[string]bool{}
	todo := []string{head}
	files := newFilesIn(r, paths)
	for looked := 0; len(todo) > 0 && looked < max; {
		id := todo[0]
		todo = todo[1:]
		if id == "" || seen[id] {
			continue
		}
		if dir != "" {
			to, n := r.unchanged(id, dir, since, max-looked)
			if looked += n; looked >= max || seen[to] {
				continue
			}
			id = to
		}
		seen[id] = true
		looked++
		at, parents, ok := r.timeAndParents(id)
		if !ok || at.Before(since) {
			continue
		}
		now := files.in(id)
		if !now.ok {
			continue
		}
		same, known := "", 0
		for _, p := range parents {
			was := files.in(p)
			if !was.ok {
				continue // beyond a shallow clone
			}
			known++
			if was == now {
				same = p
				break
			}
		}
		if same != "" {
			todo = append(todo, same)
			continue
		}
		if now.blob != "" || known > 0 {
			if c, _, ok := r.readCommit(id); ok {
				out = append(out, FileVersion{c, now.blob})
			}
		}
		todo = append(todo, parents...)
	}
	return out
}

// folderOf returns the folder at the top in which all paths lie, "" if there is none.
func folderOf(paths []string) string {
	dir := ""
	for i, p := range paths {
		top, _, deeper := strings.Cut(p, "/")
		if !deeper || i > 0 && top != dir {
			return ""
		}
		dir = top
	}
	return dir
}

// fold is a way along first parents on which a folder stays as it is.
type fold struct {
	to string
	n  int // commits before that one
}

type foldKey struct{ commit, dir string }

// maxFolds bounds the ways that are kept, at about 200 bytes each.
const maxFolds = 50_000

// unchanged follows the first parents of a commit to the one that changed a folder or is from before a time, or over max commits. No file in it changed on
// the way. It returns how many commits that are. Most commits of a repository change no memory, and a caller asks about many files:
// each commit is read once for all of them.
func (r *Repo) unchanged(commit, dir string, since time.Time, max int) (to string, n int) {
	to = commit
	for n < max {
		f, ok := r.fold(foldKey{to, dir})
		if !ok {
			f = r.follow(to, dir, since, max-n)
		}
		if f.n == 0 {
			break
		}
		to, n = f.to, n+f.n
	}
	return to, n
}

func (r *Repo) fold(key foldKey) (f fold, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, ok = r.folds[key]
	return f, ok
}

// follow reads what [Repo.unchanged] does not know yet, up to a commit that it knows.
func (r *Repo) follow(commit, dir string, since time.Time, max int) fold {
	way := []string{commit}
	is, ok := folderIn(r, commit, dir)
	ended := false
	for ok && len(way) <= max {
		at, parents, read := r.timeAndParents(way[len(way)-1])
		if ended = !read || len(parents) == 0; ended || at.Before(since) {
			break
		}
		was, read := folderIn(r, parents[0], dir)
		if ended = !read || was != is; ended {
			break
		}
		way = append(way, parents[0])
		if _, known := r.fold(foldKey{parents[0], dir}); known {
			break
		}
	}
	last := len(way) - 1
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.folds == nil || len(r.folds) > maxFolds {
		r.folds = map[foldKey]fold{}
	}
	for i, c := range way {
		if i < last || ended || !ok {
			r.folds[foldKey{c, dir}] = fold{way[last], last - i}
		}
	}
	return fold{way[last], last}
}

// folderIn returns the id of a folder in a commit, "" if it has none. ok is false if the commit can't be read.
func folderIn(r *Repo, commit, dir string) (id string, ok bool) {
	t, ok := r.Tree(commit)
	return t.Subtree(dir).ID(), ok
}

// fileAt is where a file is in a commit. ok is false if the commit can't be read.
type fileAt struct {
	path, blob string
	ok         bool
}

// filesIn finds the first of some paths that is a file in a commit. It looks once: a commit is the parent of another, and
// the tree of a large folder takes milliseconds. Of a tree it keeps only what lies on the paths: in a history of thousands of
// commits nearly all trees are read for one name.
type filesIn struct {
	repo  *Repo
	paths []string
	names []string // of the folders and files on the paths
	known map[string]fileAt
	trees map[string][]treeEntry
}

// maxTrees bounds the trees whose entries on the paths are kept.
const maxTrees = 50_000

func newFilesIn(r *Repo, paths []string) *filesIn {
	f := &filesIn{repo: r, paths: paths, known: map[string]fileAt{}, trees: map[string][]treeEntry{}}
	for _, p := range paths {
		f.names = append(f.names, strings.Split(p, "/")...)
	}
	slices.Sort(f.names)
	f.names = slices.Compact(f.names)
	return f
}

func (f *filesIn) in(commit string) fileAt {
	at, ok := f.known[commit]
	if !ok {
		at = f.read(commit)
		f.known[commit] = at
	}
	return at
}

func (f *filesIn) read(commit string) fileAt {
	t, ok := f.repo.Tree(commit)
	if !ok {
		return fileAt{}
	}
	f.repo.mu.Lock()
	defer f.repo.mu.Unlock()
	for _, p := range f.paths {
		if b := f.blob(t.ID(), p); b != "" {
			return fileAt{p, b, true}
		}
	}
	return fileAt{ok: true}
}

// blob is [Tree.Blob]. The mutex of the repository is held.
func (f *filesIn) blob(tree, path string) string {
	for tree != "" {
		name, rest, deeper := strings.Cut(path, "/")
		e := f.entry(tree, name)
		if !deeper {
			if e.folder {
				return ""
			}
			return e.id
		}
		if tree = ""; e.folder {
			tree, path = e.id, rest
		}
	}
	return ""
}

func (f *filesIn) entry(tree, name string) treeEntry {
	list, ok := f.trees[tree]
	if !ok {
		if len(f.trees) >= maxTrees {
			clear(f.trees)
		}
		list = f.repo.objects.entries(tree, f.names)
		f.trees[tree] = list
	}
	for _, e := range list {
		if e.name == name {
			return e
		}
	}
	return treeEntry{}
}
