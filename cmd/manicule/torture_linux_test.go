package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"manicule/lsp/lsptest"
)

// disks are small ones for the databases, where mounts can be made.
type disks struct{ dirs []string }

const diskSize = "size=96m"

func (d *disks) mount(dirs ...string) error {
	d.dirs = nil
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if os.Getenv(envOwnMounts) != "" {
			if err := remount(dir); err != nil {
				return err
			}
			d.dirs = append(d.dirs, dir)
		}
	}
	return nil
}

// envOwnMounts says that this process may mount what it likes: `make torture` runs
// it in a mount namespace of its own.
const envOwnMounts = "MANICULE_TEST_OWN_MOUNTS"

// remount puts a small disk over a folder, with what is in it.
func remount(dir string) error {
	aside, err := os.MkdirTemp(filepath.Dir(dir), "aside")
	if err != nil {
		return err
	}
	if err := os.CopyFS(aside, os.DirFS(dir)); err != nil {
		return err
	}
	if err := syscall.Mount("torture", dir, "tmpfs", 0, diskSize); err != nil {
		return fmt.Errorf("mount a disk on %s: %w", dir, err)
	}
	return errors.Join(os.CopyFS(dir, os.DirFS(aside)), os.RemoveAll(aside))
}

func (d *disks) fill() int {
	for _, dir := range d.dirs {
		f, err := os.Create(filepath.Join(dir, "fill"))
		if err != nil {
			continue
		}
		_, _ = io.Copy(f, zeros{}) // until it is full
		_ = f.Close()              // it is full
	}
	return len(d.dirs)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func (d *disks) protect() int {
	for _, dir := range d.dirs {
		_ = syscall.Mount("torture", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "") // busy with an open file: then not
	}
	return len(d.dirs)
}

func (d *disks) release() {
	for _, dir := range d.dirs {
		_ = syscall.Mount("torture", dir, "", syscall.MS_REMOUNT, "") // it may not be protected
		_ = os.Remove(filepath.Join(dir, "fill"))                     // it may not be full
	}
}

func (d *disks) unmount() {
	for _, dir := range d.dirs {
		_ = syscall.Unmount(dir, syscall.MNT_DETACH) // the namespace ends with the test
	}
	d.dirs = nil
}

// language starts a language server that can be killed.
func (p *place) language() (*lsptest.Editor, *exec.Cmd) {
	cmd := p.command("lsp")
	editor := lsptest.Start(p.t, p.root, func(_ context.Context, conn io.ReadWriteCloser) error {
		in, err := cmd.StdinPipe()
		if err != nil {
			return err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return err
		}
		cmd.Stderr = &bytes.Buffer{}
		if err := cmd.Start(); err != nil {
			return err
		}
		go func() {
			_, _ = io.Copy(in, conn) // ends with the connection
			_ = in.Close()           // the server may be gone already
		}()
		_, _ = io.Copy(conn, out) // ends with the server
		_ = conn.Close()
		_ = cmd.Wait() // it is killed
		return nil
	})
	editor.Initialize(lsptest.Full())
	return editor, cmd
}

func (s *servers) stop() int {
	return sent(s.lsp, syscall.SIGSTOP)
}

func (s *servers) goOn() { sent(s.lsp, syscall.SIGCONT) }

// end ends the servers, or kills them.
func (s *servers) end(kill bool) int {
	if kill {
		n := sent(s.lsp, syscall.SIGKILL) + sent(s.mcp, syscall.SIGKILL)
		_ = s.agent.Close() // it is dead
		return n
	}
	_ = s.agent.Close() // it ends on its own
	s.editor.Shutdown()
	return 0
}

func sent(cmd *exec.Cmd, sig syscall.Signal) int {
	if cmd.Process == nil || cmd.Process.Signal(sig) != nil {
		return 0
	}
	return 1
}
