package gitinfo

import (
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"

	"manicule/indexer/treefile"
)

// Size limits in bytes for git's own files. Packs have none, because only parts of
// them are read.
const (
	maxSmall = 1 << 20  // HEAD, a reference, a configuration
	maxLists = 64 << 20 // lists of references or commits
)

// Files opens one of git's folders for reading. The .git of an archive is as its maker
// left it, so anything that is not a regular file, or far too large, can't be opened.
func Files(dir string) billy.Filesystem { return files{osfs.New(dir)} }

type files struct{ billy.Filesystem }

// Open opens a file for reading.
func (f files) Open(name string) (billy.File, error) {
	full := filepath.Join(f.Root(), name)
	st, err := f.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &treefile.Error{Path: full, Msg: "it is no regular file", Hint: "Remove it.", Err: treefile.ErrNotFile}
	}
	if limit := maxSizeOf(name); limit > 0 && st.Size() > limit {
		return nil, &treefile.Error{Path: full, Msg: "it is far larger than such a file should be", Hint: "Run `git fsck`.", Err: treefile.ErrTooBig}
	}
	return f.Filesystem.Open(name)
}

// maxSizeOf returns the size above which a file is not read, 0 for no limit.
func maxSizeOf(name string) int64 {
	name = filepath.ToSlash(filepath.Clean(name))
	switch {
	case name == "packed-refs" || name == "shallow":
		return maxLists
	case strings.HasPrefix(name, "objects/") && !strings.HasPrefix(name, "objects/info/"):
		return 0
	}
	return maxSmall
}
