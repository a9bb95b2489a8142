//go:build !unix

package file

// nonblock is for pipes in the file system, which there are none of here.
const nonblock = 0
