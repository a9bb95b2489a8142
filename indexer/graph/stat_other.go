//go:build !unix

package graph

import "io/fs"

func statOf(info fs.FileInfo) stat {
	return stat{size: info.Size(), mtime: info.ModTime().UnixNano()}
}
