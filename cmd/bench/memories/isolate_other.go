//go:build !linux

package memories

import (
	"context"
	"errors"
)

var errOnlyLinux = errors.New("networks and disks of its own are made on Linux only")

func withoutNetwork(context.Context) error { return errOnlyLinux }
func smallDisk(string) error               { return errOnlyLinux }
func readOnly(string) error                { return errOnlyLinux }
func unmount(string) error                 { return errOnlyLinux }
