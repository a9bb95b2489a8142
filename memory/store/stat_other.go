//go:build !unix

package store

import (
	"os"
	"path/filepath"
)

// statIn looks at a file of an open folder. Links are not followed, and
// what is no regular file is errNoFile.
func statIn(dir *os.File, name string) (diskFile, error) {
	st, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil {
		return diskFile{}, err
	}
	if !st.Mode().IsRegular() {
		return diskFile{}, errNoFile
	}
	return diskFile{mtimeNS: st.ModTime().UnixNano(), size: st.Size()}, nil
}
