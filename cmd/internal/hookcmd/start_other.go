//go:build !linux

package hookcmd

import "time"

// ProcessStart is when this process was started, as far as it is known.
func ProcessStart(now time.Time) time.Time { return now }
