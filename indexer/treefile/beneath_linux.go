//go:build !android

package treefile

import (
	"errors"

	"golang.org/x/sys/unix"
)

// readBeneath is [ReadWithin] with one system call that finds the file, where [os.Root] opens each folder on the way. ok is
// false if that is not possible here, or the file can't be read: ReadWithin then says why.
func readBeneath(root, rel string, limit int64) (data []byte, ok bool) {
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = unix.Close(dir) }() // nothing was written
	how := unix.OpenHow{Flags: unix.O_RDONLY | nonblock | unix.O_NOCTTY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(dir, rel, &how)
	if err != nil { // since Linux 5.6, and not in each sandbox
		return nil, false
	}
	defer func() { _ = unix.Close(fd) }()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Size > limit {
		return nil, false
	}
	data = make([]byte, 0, st.Size+1)
	for {
		n, err := unix.Read(fd, data[len(data):cap(data)])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, false
		case n == 0:
			return data, true
		}
		if data = data[:len(data)+n]; int64(len(data)) > limit { // it has grown
			return nil, false
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}
