//go:build !linux

package resolve

import (
	"testing"
	"time"
)

// spent returns the time since the process started.
func spent(*testing.T) time.Duration { return time.Since(started) }

var started = time.Now()
