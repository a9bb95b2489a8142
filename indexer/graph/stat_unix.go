//go:build unix

package graph

import (
	"io/fs"
	"syscall"
)

func statOf(info fs.FileInfo) stat {
	s := stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.inode = int64(st.Ino)
		s.ctime = ctimeOf(st)
	}
	return s
}
