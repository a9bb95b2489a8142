//go:build bundle

package models

import (
	"embed"
	"io/fs"
)

// bundled holds the packages that `make bundle` downloads before it builds.
//
//go:embed bundle/*.tgz
var bundled embed.FS

// Bundled returns the models inside this program.
func Bundled() (Source, error) {
	dir, err := fs.Sub(bundled, "bundle")
	if err != nil {
		return nil, err
	}
	return fromFiles(dir, "this program"), nil
}
