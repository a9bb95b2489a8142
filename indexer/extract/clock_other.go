//go:build !linux

package extract

import "time"

// threadTime is not available here.
func threadTime() func() (time.Duration, bool) {
	return func() (time.Duration, bool) { return 0, false }
}
