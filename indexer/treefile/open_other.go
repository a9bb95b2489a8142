//go:build !unix

package treefile

// nonblock is for pipes in the file system, which there are none of here.
const nonblock = 0
