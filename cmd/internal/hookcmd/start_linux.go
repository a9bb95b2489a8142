package hookcmd

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// ticks is how many times a second the kernel counts in what it tells of
// processes (USER_HZ): the same on every architecture that Go knows.
const ticks = 100

// ProcessStart is when this process was started, at the earliest that its deadline may
// count from: before the program was loaded. now is the time where the kernel
// doesn't say.
func ProcessStart(now time.Time) time.Time {
	data, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return now
	}
	var boot unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &boot); err != nil {
		return now
	}
	return startFrom(now, data, time.Duration(boot.Nano()))
}

// startField is the 22nd field of a process's stat, counted behind its name, which
// may hold anything.
const startField = 22 - 3

func startFrom(now time.Time, stat []byte, boot time.Duration) time.Time {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= startField {
		return now
	}
	n, err := strconv.ParseInt(string(fields[startField]), 10, 64)
	if err != nil {
		return now
	}
	// The end of the tick: what is rounded down would take time away.
	age := boot - time.Duration(n+1)*(time.Second/ticks)
	return now.Add(-max(0, age))
}
