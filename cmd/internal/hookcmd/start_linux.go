package hookcmd

import (
	"bytes"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// ticks is the frequency of the kernel's process times (USER_HZ), which is the same on
// every architecture that Go supports.
const ticks = 100

// ProcessStart returns the start of this process, before the program was loaded, from
// which its deadline counts. It returns now if the kernel doesn't report it.
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

// startField is the 22nd field of a process's stat, counted after the name, which may
// contain anything.
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
	// The end of the tick: rounding down would shorten the budget.
	age := boot - time.Duration(n+1)*(time.Second/ticks)
	return now.Add(-max(0, age))
}
