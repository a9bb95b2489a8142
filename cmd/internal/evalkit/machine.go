package evalkit

import (
	"os"
	"strconv"
	"strings"
)

// Load is the load average of the last minute, "?" where the system doesn't tell it.
func Load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// Field is the first value of a name in a file of lines "name: value", "" where
// there is none.
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

// Megabytes is a field that is given in kilobytes, 0 where there is none.
func Megabytes(path, name string) float64 {
	kb, _ := strconv.ParseFloat(strings.TrimSuffix(Field(path, name), " kB"), 64) // what is no number is none
	return kb / 1024
}
