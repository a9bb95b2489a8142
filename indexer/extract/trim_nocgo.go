//go:build !cgo

package extract

// Trim does nothing: without C there are no trees outside of Go's heap.
func Trim() {}
