package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// backgroundNice is the priority of a command that computes for minutes: an editor and a
// build precede it.
const backgroundNice = 10

// lowerPriority lowers the priority of this process. On Linux each thread has its own,
// and later threads inherit it. If it fails, the work is only less polite.
func lowerPriority() {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return
	}
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, max(backgroundNice, niceOf(id)))
		}
	}
}

// niceOf returns the priority of a thread, which a person may have lowered further.
func niceOf(id int) int {
	n, err := unix.Getpriority(unix.PRIO_PROCESS, id)
	if err != nil {
		return 0
	}
	return 20 - n // the system call returns it turned around
}
