//go:build race

package main

// slowedDown says that the race detector multiplies what a process takes.
const slowedDown = true
