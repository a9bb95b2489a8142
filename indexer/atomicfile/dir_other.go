//go:build !unix

package atomicfile

import "os"

// syncDir does nothing: folders can't be synced here.
func syncDir(*os.Root, string) error { return nil }
