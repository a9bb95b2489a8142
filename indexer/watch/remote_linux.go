package watch

import "golang.org/x/sys/unix"

// remotes are the file systems, by the number that statfs(2) has for each, whose files a server, a host or a program may
// change. The kernel reports what this machine does with them alone. A disk that FUSE serves (ntfs-3g) is among them: that
// costs scans.
var remotes = map[int64]string{
	unix.NFS_SUPER_MAGIC:   "nfs",
	unix.SMB_SUPER_MAGIC:   "smb",
	unix.SMB2_SUPER_MAGIC:  "smb",
	unix.CIFS_SUPER_MAGIC:  "cifs",
	unix.V9FS_MAGIC:        "9p",   // the disks of Windows in WSL, shares of QEMU
	unix.FUSE_SUPER_MAGIC:  "fuse", // sshfs, virtiofs
	unix.CEPH_SUPER_MAGIC:  "ceph",
	unix.AFS_SUPER_MAGIC:   "afs",
	unix.AFS_FS_MAGIC:      "afs",
	unix.CODA_SUPER_MAGIC:  "coda",
	unix.OCFS2_SUPER_MAGIC: "ocfs2",
	0x786f4256:             "vboxsf",
	0xbacbacbc:             "vmhgfs",
	0x0bd00bd0:             "lustre",
	0x01161970:             "gfs2",
}

func remote(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return "" // nothing is there to scan
	}
	return remotes[int64(st.Type)&0xffffffff]
}
