// Package atomicfile replaces whole files so that nobody ever sees half of one.
// It must not know what the files hold.
package atomicfile
