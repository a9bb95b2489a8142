package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// machine is what a figure depends on beside the program.
type machine struct {
	cpu, system string
	cores       int
}

// lookAtMachine reads what the system tells; what it doesn't stays "unknown".
func lookAtMachine() machine {
	m := machine{cpu: "unknown processor", system: runtime.GOOS + "/" + runtime.GOARCH, cores: runtime.NumCPU()}
	if v, ok := field("/proc/cpuinfo", "model name"); ok {
		m.cpu = v
	}
	return m
}

// load is the load average of the last minute, "?" where there is none.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// field is the first value of a "name: value" file.
func field(path, name string) (string, bool) {
	f, err := os.Open(path)
	if err != nil {
		return "", false
	}
	defer func() { _ = f.Close() }() // it was only read
	for s := bufio.NewScanner(f); s.Scan(); {
		if k, v, ok := strings.Cut(s.Text(), ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v), true
		}
	}
	return "", false
}

// memoryOf is a process's memory in megabytes: all that is resident, and the
// part that is its own and no page of its binary.
func memoryOf(pid int) (resident, own float64, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	for name, to := range map[string]*float64{"VmRSS": &resident, "RssAnon": &own} {
		v, ok := field(path, name)
		kb, err := strconv.ParseFloat(strings.TrimSuffix(v, " kB"), 64)
		if !ok || err != nil {
			return 0, 0, fmt.Errorf("read the server's memory: no %s", name)
		}
		*to = kb / 1024
	}
	return resident, own, nil
}

// sample is a list of times.
type sample []time.Duration

// quantile is the smallest time that a share q of the sample does not pass.
func (s sample) quantile(q float64) time.Duration {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(len(sorted)-1, max(0, int(float64(len(sorted))*q+0.9999)-1))]
}

func (s sample) median() time.Duration { return s.quantile(0.5) }
func (s sample) p99() time.Duration    { return s.quantile(0.99) }

// millis writes a time in milliseconds with three digits that matter.
func millis(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	switch {
	case ms < 1:
		return fmt.Sprintf("%.2f", ms)
	case ms < 100:
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", ms)
}
