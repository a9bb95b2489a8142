// Package coverage tells, folder by folder, which part of what changes in a repository has memories of its own. It is pure: values
// in, a report out. It must not know disks, git, or what a memory is.
package coverage

import (
	"cmp"
	"math"
	"path"
	"slices"
	"strings"
)

// LeastChanges is how many changes without a memory make a folder worth a word. Fewer are no reason to write something.
const LeastChanges = 5

// Tally counts the changes of the last months, and those of them in files with memories.
type Tally struct {
	Changes int `json:"changes"`
	Covered int `json:"covered"`
}

// Score is the covered part, from 0 to 100. It is 100 only if all is covered, and 0 only if nothing is. Without changes there is
// nothing to cover.
func (t Tally) Score() int {
	switch {
	case t.Covered >= t.Changes:
		return 100
	case t.Covered == 0:
		return 0
	}
	return max(1, min(99, int(math.Round(100*float64(t.Covered)/float64(t.Changes)))))
}

// Bare counts the changes in files without memories.
func (t Tally) Bare() int { return t.Changes - t.Covered }

func (t *Tally) add(changes int, covered bool) {
	t.Changes += changes
	if covered {
		t.Covered += changes
	}
}

// File is a file that changed and has no memory of its own.
type File struct {
	Path    string `json:"path"`
	Changes int    `json:"changes"`
}

// Folder is a folder with the changes of its files.
type Folder struct {
	Folder string // "." for the root
	Files  int    // that changed
	Tally
	// Without are its files without memories, those that changed most first.
	Without []File
}

// Report is the coverage of a repository, or of a part of it.
type Report struct {
	Tally
	// Folders are those with changes; first those with the most changes without a memory.
	Folders []Folder
}

// Of makes a report of how often each file changed. A folder has the files below it, too, if it is depth names deep; with a depth
// of 0 each folder has its own files only.
func Of(churn map[string]int, depth int, covered func(path string) bool) Report {
	var r Report
	folders := map[string]*Folder{}
	for p, n := range churn {
		dir := cut(path.Dir(p), depth)
		f := folders[dir]
		if f == nil {
			f = &Folder{Folder: dir}
			folders[dir] = f
		}
		has := covered(p)
		r.add(n, has)
		f.add(n, has)
		f.Files++
		if !has {
			f.Without = append(f.Without, File{p, n})
		}
	}
	for _, f := range folders {
		slices.SortFunc(f.Without, func(a, b File) int { return cmp.Or(b.Changes-a.Changes, strings.Compare(a.Path, b.Path)) })
		r.Folders = append(r.Folders, *f)
	}
	slices.SortFunc(r.Folders, func(a, b Folder) int {
		return cmp.Or(b.Bare()-a.Bare(), b.Changes-a.Changes, strings.Compare(a.Folder, b.Folder))
	})
	return r
}

// Bare are the folders that are worth a word and have not one memory that is about them, at most so many.
func (r Report) Bare(most int) []Folder {
	var out []Folder
	for _, f := range r.Folders {
		if f.Bare() >= LeastChanges && len(out) < most {
			out = append(out, f)
		}
	}
	return out
}

// cut returns the first names of a folder's path; all of them for 0.
func cut(dir string, depth int) string {
	if depth == 0 {
		return dir
	}
	names := strings.Split(dir, "/")
	return strings.Join(names[:min(depth, len(names))], "/")
}
