//go:build !unix

package lockfile

// nonblock is for named pipes, which don't exist here.
const nonblock = 0
