//go:build !linux && !darwin

package watch

// remote knows no file system whose changes are not reported; Windows asks the server of a share for them.
func remote(string) string { return "" }
