package retrieval

import (
	"fmt"
	"os"
	"runtime/pprof"
	"syscall"
)

// profile starts a CPU profile if a file is named.
func profile(name string) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("write a profile: %w", err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return fmt.Errorf("write a profile: %w", err)
	}
	return nil
}

func stopProfile(name string) {
	if name != "" {
		pprof.StopCPUProfile()
	}
}

// maxRSS is the peak memory of a process in megabytes.
func maxRSS(p *os.ProcessState) (float64, bool) {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return float64(u.Maxrss) * 1024 / 1e6, true
}
