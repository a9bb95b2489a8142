//go:build !unix

package store

import (
	"os"
	"path/filepath"
)

// statIn looks at a file of an open folder. Links are not followed.
func statIn(dir *os.File, name string) (diskFile, bool) {
	st, err := os.Lstat(filepath.Join(dir.Name(), name))
	if err != nil || !st.Mode().IsRegular() {
		return diskFile{}, false
	}
	return diskFile{mtimeNS: st.ModTime().UnixNano(), size: st.Size()}, true
}
