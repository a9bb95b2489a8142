//go:build !linux

package main

// lowerPriority does nothing: only Linux lowers the priority of single threads.
func lowerPriority() {}
