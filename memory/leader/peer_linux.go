package leader

import (
	"golang.org/x/sys/unix"
)

// userOf returns the user of the process at the other end of a Unix socket.
func userOf(fd int) (uid int, known bool, err error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, false, err
	}
	return int(c.Uid), true, nil
}
