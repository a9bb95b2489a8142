package watch

import "golang.org/x/sys/unix"

func remote(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil || st.Flags&unix.MNT_LOCAL != 0 {
		return "" // nothing is there to scan, or the disk is this machine's
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
