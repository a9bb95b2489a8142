//go:build !linux

package main

var surroundings map[string]func() int
