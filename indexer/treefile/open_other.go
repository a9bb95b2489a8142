//go:build !unix

package treefile

// nonblock is for named pipes, which don't exist here.
const nonblock = 0
