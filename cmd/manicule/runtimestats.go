//go:build vitals && unix

package main

import (
	"encoding/json"
	"os"
	"os/signal"
	"runtime"
	"runtime/metrics"
	"runtime/pprof"
	"syscall"
	"time"
)

// runtimeStats is the state that only the process itself knows. The process writes it on
// SIGUSR1 if MANICULE_VITALS names a file, and profiles beside it on SIGUSR2. Only builds
// with the tag vitals contain it; cmd/bench soak makes one.
type runtimeStats struct {
	Goroutines int    `json:"goroutines"`
	Live       uint64 `json:"live"`     // bytes of Go's heap in use
	Free       uint64 `json:"free"`     // free bytes of it, not returned
	Released   uint64 `json:"released"` // bytes returned to the system
	Mapped     uint64 `json:"mapped"`   // bytes that Go holds from the system, in all
	Cycles     uint64 `json:"cycles"`   // collections so far
}

func init() {
	name := os.Getenv("MANICULE_VITALS")
	if name == "" {
		return
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			if s == syscall.SIGUSR2 {
				profiles(name)
				continue
			}
			if data, err := json.Marshal(readRuntimeStats()); err == nil && os.WriteFile(name+".new", data, 0o600) == nil {
				_ = os.Rename(name+".new", name) // the reader notices that nothing comes
			}
		}
	}()
}

func readRuntimeStats() runtimeStats {
	all := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/gc/cycles/total:gc-cycles"},
	}
	metrics.Read(all)
	return runtimeStats{
		Goroutines: runtime.NumGoroutine(), Live: all[0].Value.Uint64(), Free: all[1].Value.Uint64() + all[2].Value.Uint64(),
		Released: all[3].Value.Uint64(), Mapped: all[4].Value.Uint64(), Cycles: all[5].Value.Uint64(),
	}
}

// profileFor is the duration of a CPU profile.
const profileFor = 5 * time.Second

// profiles writes a CPU profile, then the live heap after a collection and the
// goroutines.
func profiles(name string) {
	if f, err := os.Create(name + ".cpu"); err == nil {
		if pprof.StartCPUProfile(f) == nil {
			time.Sleep(profileFor)
			pprof.StopCPUProfile()
		}
		_ = f.Close() // the reader notices a short file
	}
	runtime.GC()
	for _, what := range []string{"heap", "goroutine"} {
		f, err := os.Create(name + "." + what)
		if err != nil {
			return
		}
		_ = pprof.Lookup(what).WriteTo(f, 0) // the reader notices a short file
		_ = f.Close()
	}
}
