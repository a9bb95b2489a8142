package main

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// backgroundNice is the priority of a command that computes for minutes: an editor and a
// build precede it.
const backgroundNice = 10

// lowerPriority lowers the priority of this process. On Linux each thread has its own, and a
// thread inherits that of the one that starts it: one that is started while they are listed may
// be missed, so they are listed until none is left. If it fails, the work is only less polite.
func lowerPriority() {
	for range 10 {
		threads, err := os.ReadDir("/proc/self/task")
		if err != nil {
			return
		}
		lowered := false
		for _, t := range threads {
			id, err := strconv.Atoi(t.Name())
			if err != nil || niceOf(id) >= backgroundNice {
				continue
			}
			lowered = unix.Setpriority(unix.PRIO_PROCESS, id, backgroundNice) == nil || lowered
		}
		if !lowered {
			return
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
