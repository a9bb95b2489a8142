//go:build unix

package file

import "syscall"

// nonblock keeps the opening of a pipe from waiting for its writer, and links
// from being followed.
const nonblock = syscall.O_NONBLOCK | syscall.O_NOFOLLOW
