//go:build unix

package atomicfile

import (
	"errors"
	"os"
)

// syncDir makes the names in a folder durable.
func syncDir(root *os.Root, dir string) error {
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
