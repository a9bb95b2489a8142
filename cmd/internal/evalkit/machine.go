package evalkit

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Load returns the load average of the last minute, or "?" if the system doesn't report
// it.
func Load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// Field returns the first value of a name in a file of lines "name: value", or "".
func Field(path, name string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(data)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

// Megabytes returns a field that is in kilobytes, or 0 if it is absent.
func Megabytes(path, name string) float64 {
	kb, _ := strconv.ParseFloat(strings.TrimSuffix(Field(path, name), " kB"), 64) // a value that is no number counts as absent
	return kb / 1024
}

// CPUTime returns the processor time of this process so far.
func CPUTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
