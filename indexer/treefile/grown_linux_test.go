package treefile

import (
	"errors"
	"strings"
	"testing"
)

// TestGrown reads to the end what is longer than it said, up to the limit: the
// system's own files say that they are empty.
func TestGrown(t *testing.T) {
	if data, err := Read("/proc/self/status", 1<<20); err != nil || !strings.Contains(string(data), "Threads:") {
		t.Errorf("%q, %v", data, err)
	}
	if data, err := Read("/proc/self/status", 8); !errors.Is(err, ErrTooBig) || data != nil {
		t.Errorf("longer than the limit: %q, %v", data, err)
	}
}
