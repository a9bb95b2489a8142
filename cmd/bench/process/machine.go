package process

import (
	"cmp"
	"fmt"
	"runtime"
	"time"

	"manicule/cmd/internal/evalkit"
)

// machine describes the machine that the figures depend on.
type machine struct {
	cpu, system string
	cores       int
}

// thisMachine reads the description from the system.
func thisMachine() machine {
	return machine{cpu: cmp.Or(evalkit.Field("/proc/cpuinfo", "model name"), "unknown processor"), system: runtime.GOOS + "/" + runtime.GOARCH, cores: runtime.NumCPU()}
}

// memoryOf returns the memory of a process in megabytes: all resident pages, and its own
// pages without those of its binary.
func memoryOf(pid int) (resident, own float64, err error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	if resident, own = evalkit.Megabytes(path, "VmRSS"), evalkit.Megabytes(path, "RssAnon"); resident == 0 {
		return 0, 0, fmt.Errorf("read the server's memory: no VmRSS in %s", path)
	}
	return resident, own, nil
}

// sample is a list of times.
type sample []time.Duration

func (s sample) median() time.Duration { return evalkit.Percentile(s, 0.5) }
func (s sample) p99() time.Duration    { return evalkit.Percentile(s, 0.99) }

// times is the median as a multiple of another sample's.
func (s sample) times(floor sample) float64 { return float64(s.median()) / float64(floor.median()) }
