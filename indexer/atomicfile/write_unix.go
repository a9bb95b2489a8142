//go:build !windows

package atomicfile

import (
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write writes data to name so that a reader, or a crash, sees the old
// content or the new: a temporary file in the same folder, synced, then renamed.
func Write(name string, data []byte, perm fs.FileMode) error {
	return renameio.WriteFile(name, data, perm, renameio.WithTempDir(filepath.Dir(name)))
}
