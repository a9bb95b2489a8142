package gitinfo

import (
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"

	"manicule/indexer/treefile"
)

// Sizes in bytes above which git's own files are not read. Packs have none: only
// parts of them are.
const (
	maxSmall = 1 << 20  // HEAD, a reference, a configuration
	maxLists = 64 << 20 // of references and of commits
)

// Files is a folder of git's for reading. The .git of an archive is as its maker
// left it: what is no regular file, or far too large for what it is, can't be opened.
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
		return nil, &treefile.Error{Path: full, Msg: "it is too large for what it is", Hint: "`git fsck` looks what is wrong.", Err: treefile.ErrTooBig}
	}
	return f.Filesystem.Open(name)
}

// maxSizeOf is the size above which a file is not read, 0 for none.
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
