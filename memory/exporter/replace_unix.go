//go:build !windows

package exporter

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// replace writes data to name so that a reader, or a crash, sees the old
// content or the new.
func replace(name string, data []byte, perm fs.FileMode) error {
	return renameio.WriteFile(name, data, perm, renameio.WithTempDir(filepath.Dir(name)))
}
