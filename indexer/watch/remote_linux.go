package watch

import "golang.org/x/sys/unix"

func remote(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return "" // nothing is there to scan
	}
	return remoteKind(uint32(st.Type))
}

// remoteKind names a file system, by the number that statfs(2) has for it, whose files a server, a host or a program may
// change: the kernel reports what this machine does with them alone. A disk that FUSE serves (ntfs-3g) is among them, which
// costs scans. It is no map, which each start of a program that links this would fill.
func remoteKind(number uint32) string {
	switch number {
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "smb"
	case unix.V9FS_MAGIC: // the disks of Windows in WSL, shares of QEMU
		return "9p"
	case unix.FUSE_SUPER_MAGIC: // sshfs, virtiofs
		return "fuse"
	case unix.CEPH_SUPER_MAGIC:
		return "ceph"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "afs"
	case unix.CODA_SUPER_MAGIC:
		return "coda"
	case unix.OCFS2_SUPER_MAGIC:
		return "ocfs2"
	case 0x786f4256:
		return "vboxsf"
	case 0xbacbacbc:
		return "vmhgfs"
	case 0x0bd00bd0:
		return "lustre"
	case 0x01161970:
		return "gfs2"
	}
	return ""
}
