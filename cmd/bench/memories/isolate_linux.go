package memories

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// withoutNetwork runs this program again where no network is but its own loopback, so
// that nothing that a tool tries can leave the machine.
func withoutNetwork(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, self, os.Args[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = os.Stdout, os.Stderr, append(os.Environ(), inside+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("run without a network: %w", err)
	}
	return nil
}

// smallDisk makes dir a disk of its own, of 96 MB.
func smallDisk(dir string) error {
	if err := errors.Join(os.Mkdir(dir, 0o755), unix.Mount("tmpfs", dir, "tmpfs", 0, "size=96m")); err != nil {
		return fmt.Errorf("make a disk: %w", err)
	}
	return nil
}

// readOnly makes a disk read-only. It fails while a file is open for writing.
func readOnly(dir string) error {
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("make the disk read-only: %w", err)
	}
	return nil
}

func unmount(dir string) error {
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		return fmt.Errorf("remove the disk: %w", err)
	}
	return nil
}
