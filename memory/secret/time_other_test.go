//go:build !linux

package secret

import (
	"testing"
	"time"
)

// threadTime is the time of the clock, where that of one thread is not known.
func threadTime(*testing.T) time.Duration { return time.Duration(time.Now().UnixNano()) }
