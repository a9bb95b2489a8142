package memory

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// autoMerge is git's file AUTO_MERGE. Git writes it wherever it merges files, and removes it when the merge ends, but `git stash pop`
// and `git checkout -m` leave it after a merge without conflicts, until the next commit. What the index said is kept for as long as
// both files are the same.
type autoMerge struct {
	mu          sync.Mutex // guards what follows
	file, index fs.FileInfo
	merged      bool // that index has no conflict
}

// waits reports whether the file is there and may be of a merge that waits for a person. merged reads the index, and reports whether it
// has no conflict.
func (a *autoMerge) waits(gitDir string, merged func() bool) bool {
	file, err := os.Lstat(filepath.Join(gitDir, "AUTO_MERGE"))
	if err != nil {
		return false
	}
	index, err := os.Lstat(filepath.Join(gitDir, "index"))
	if err != nil || gitWrites(gitDir) { // conflicts come into the index after AUTO_MERGE
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.index == nil || !sameFile(a.index, index) || !sameFile(a.file, file) {
		a.index, a.file, a.merged = index, file, merged()
	}
	return !a.merged
}

// sameFile reports whether a file was not replaced or written since.
func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
