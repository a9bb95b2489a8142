package peers

import (
	"io/fs"
	"slices"
)

// withoutGit is a tree without its repository, and without what os.CopyFS refuses:
// anything but folders and regular files.
type withoutGit struct{ fs.FS }

// ReadDir lists a folder.
func (w withoutGit) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(w.FS, name)
	return slices.DeleteFunc(all, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || !e.IsDir() && !e.Type().IsRegular()
	}), err
}
