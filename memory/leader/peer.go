package leader

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// errForeignPeer means that another user's process is at the other end of the socket.
var errForeignPeer = errors.New("the other end of the socket is another user's process")

// checkPeer refuses a connection from another user's process. Requests contain whole prompts, and
// answers are shown to agents.
func checkPeer(c net.Conn) error {
	s, ok := c.(syscall.Conn)
	if !ok {
		return nil // a pipe within this process
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return fmt.Errorf("look who is at the other end: %w", err)
	}
	var uid int
	var known bool
	var uerr error
	err = raw.Control(func(fd uintptr) { uid, known, uerr = userOf(int(fd)) })
	if err := errors.Join(err, uerr); err != nil {
		return fmt.Errorf("look who is at the other end: %w", err)
	}
	if known && uid != os.Geteuid() {
		return fmt.Errorf("%w (%d)", errForeignPeer, uid)
	}
	return nil
}
