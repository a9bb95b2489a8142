package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.lsp.dev/protocol"

	"manicule/lsp/lsptest"
)

// sharedFolderName runs a command for which a folder is served by this program, as a server or a host serves it: whoever
// else changes the folder, no event is sent.
const sharedFolderName = "shared-folder"

const exitNoShare = 78

// runSharedFolder runs the command of its arguments in the folder that comes before it, in a namespace of mounts of its own.
func runSharedFolder() int {
	dir := os.Args[1]
	below, err := os.Open(dir)
	if err == nil {
		defer func() { _ = below.Close() }()
		err = syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "")
	}
	var device *os.File
	if err == nil {
		device, err = os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	}
	if err == nil {
		options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device.Fd())
		err = syscall.Mount("shared", dir, "fuse.shared", syscall.MS_NOSUID|syscall.MS_NODEV|syscall.MS_RDONLY, options)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no folder can be shared:", err)
		return exitNoShare
	}
	defer func() { _ = device.Close() }() // which ends the mount; a file that is not used any more is closed, too
	s := &share{nodes: map[uint64]string{1: fmt.Sprintf("/proc/self/fd/%d", below.Fd())}}
	go s.serve(int(device.Fd()))
	cmd := exec.Command(os.Args[2], os.Args[3:]...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitError
	}
	return exitOK
}

// share answers the kernel's questions about a folder, by the protocol of FUSE (linux/fuse.h), 7.31. It can't be written to.
type share struct {
	mu    sync.Mutex
	nodes map[uint64]string // paths
	last  uint64
}

// The requests that are answered.
const (
	fuseLookup, fuseForget, fuseGetattr, fuseReadlink        = 1, 2, 3, 5
	fuseOpen, fuseRead, fuseStatfs, fuseRelease              = 14, 15, 17, 18
	fuseInit, fuseOpendir, fuseReaddir, fuseReleasedir       = 26, 27, 28, 29
	fuseInterrupt, fuseBatchForget, fuseHeader, fuseMaxWrite = 36, 42, 40, 128 << 10
)

func (s *share) serve(device int) {
	in := make([]byte, fuseMaxWrite+4096)
	for {
		n, err := syscall.Read(device, in)
		if errors.Is(err, syscall.EINTR) || errors.Is(err, syscall.ENOENT) {
			continue
		}
		if err != nil {
			return // the mount is gone
		}
		op, unique := binary.NativeEndian.Uint32(in[4:]), binary.NativeEndian.Uint64(in[8:])
		if op == fuseForget || op == fuseBatchForget || op == fuseInterrupt {
			continue // nothing is answered to these
		}
		body, err := s.answer(op, binary.NativeEndian.Uint64(in[16:]), in[:n])
		failed := syscall.Errno(0)
		if err != nil {
			body = nil
			if !errors.As(err, &failed) {
				failed = syscall.EIO
			}
		}
		out := packed(uint32(16+len(body)), -int32(failed), unique)
		_, _ = syscall.Write(device, append(out, body...)) // an asker that was killed has no answer
	}
}

// packed is values one after the other, as the kernel has them.
func packed(values ...any) []byte {
	var b bytes.Buffer
	for _, v := range values {
		if err := binary.Write(&b, binary.NativeEndian, v); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func (s *share) answer(op uint32, node uint64, in []byte) ([]byte, error) {
	s.mu.Lock()
	name := s.nodes[node]
	s.mu.Unlock()
	body := in[fuseHeader:]
	switch op {
	case fuseInit:
		return packed(uint32(7), uint32(31), uint32(0), uint32(0), uint32(0), uint32(fuseMaxWrite), uint32(1), make([]byte, 36)), nil
	case fuseLookup:
		child := filepath.Join(name, string(bytes.TrimRight(body, "\x00")))
		attr, err := sharedAttributes(child, in)
		if err != nil {
			return nil, err
		}
		return packed(s.node(child), make([]byte, 32), attr), nil
	case fuseGetattr:
		attr, err := sharedAttributes(name, in)
		return packed(make([]byte, 16), attr), err
	case fuseReadlink:
		to, err := os.Readlink(name)
		return []byte(to), err
	case fuseOpen, fuseOpendir:
		return make([]byte, 16), nil
	case fuseRelease, fuseReleasedir:
		return nil, nil
	case fuseStatfs:
		return make([]byte, 80), nil
	case fuseRead, fuseReaddir:
		offset, size := binary.NativeEndian.Uint64(body[8:]), binary.NativeEndian.Uint32(body[16:])
		if op == fuseReaddir {
			return listShared(name, offset, int(size))
		}
		return readShared(name, int64(offset), int(size))
	}
	return nil, syscall.ENOSYS
}

// node is the number of a path.
func (s *share) node(name string) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n, p := range s.nodes {
		if p == name {
			return n
		}
	}
	s.last++
	s.nodes[1+s.last] = name
	return 1 + s.last
}

// attributes are those of a file, which belongs to whoever asks.
func sharedAttributes(name string, in []byte) ([]byte, error) {
	var st syscall.Stat_t
	stat := syscall.Lstat
	if filepath.Dir(name) == "/proc/self/fd" {
		stat = syscall.Stat
	}
	if err := stat(name, &st); err != nil {
		return nil, err
	}
	return packed(st.Ino, st.Size, st.Blocks, st.Atim.Sec, st.Mtim.Sec, st.Ctim.Sec, uint32(st.Atim.Nsec), uint32(st.Mtim.Nsec), uint32(st.Ctim.Nsec),
		st.Mode, uint32(st.Nlink), in[24:32], uint64(0), uint32(4096)), nil
}

func readShared(name string, offset int64, size int) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b := make([]byte, size)
	n, err := f.ReadAt(b, offset)
	if n > 0 || strings.Contains(fmt.Sprint(err), "EOF") {
		err = nil
	}
	return b[:n], err
}

func listShared(name string, offset uint64, size int) (out []byte, err error) {
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	for i := int(offset); i < len(entries); i++ {
		e := entries[i]
		kind := map[fs.FileMode]uint32{fs.ModeDir: syscall.DT_DIR, fs.ModeSymlink: syscall.DT_LNK, 0: syscall.DT_REG}[e.Type()]
		one := packed(uint64(i+2), uint64(i+1), uint32(len(e.Name())), kind, []byte(e.Name()))
		one = append(one, make([]byte, -len(one)&7)...)
		if len(out)+len(one) > size {
			break
		}
		out = append(out, one...)
	}
	return out, nil
}

// shared is a place whose servers have it from elsewhere, and p as somebody else has it, where it is.
func shared(t *testing.T) (p, servers *place) {
	p = newPlace(t)
	p.must(os.MkdirAll(filepath.Join(p.root, ".git"), 0o755))
	p.must(os.WriteFile(filepath.Join(p.root, ".git/HEAD"), []byte("ref: refs/heads/main\n"), 0o644))
	p.must(p.run("", "init"))
	p.must(os.WriteFile(filepath.Join(p.root, "go.mod"), []byte("module example.com/a\n"), 0o644))
	p.must(os.WriteFile(filepath.Join(p.root, "src/a.go"), []byte("package a\n\nfunc Used() {}\n"), 0o644))
	p.must(p.run("", "remember", "Used was there before", "--scope", "src/**"))
	there := *p
	there.in = []string{"unshare", "--user", "--map-root-user", "--mount", sharedFolderName, p.root}
	try := slices.Concat(there.in[1:], []string{"stat", "-f", "-c", "%T", "."})
	if out, err := exec.Command(there.in[0], try...).CombinedOutput(); err != nil || !strings.Contains(string(out), "fuse") {
		t.Skipf("no folder can be shared here: %v\n%s", err, out)
	}
	return p, &there
}

// withoutEvents is how long what somebody else does to a shared folder may remain unseen: the longest rest between two looks at code.
const withoutEvents = 40*time.Second + slack

// TestSharedFolderInEditor: what comes into a folder of a server or a host from elsewhere is seen, though no event tells of it.
func TestSharedFolderInEditor(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the looks of a server")
	}
	p, servers := shared(t)
	e := lsptest.Start(t, p.root, servers.serve)
	e.Initialize(lsptest.Full()) // an editor that watches the memories hears no more than a server does
	e.Open("src/a.go")
	graph := func() string {
		raw, err := e.Call("manicule/graph", map[string]any{"textDocument": map[string]any{"uri": e.URI("src/a.go")}, "symbol": "Used"})
		p.must(err)
		return string(raw)
	}
	e.Await(lsptest.When("it says that it looks", func(s lsptest.State) bool {
		return slices.ContainsFunc(s.Logs, func(l protocol.LogMessageParams) bool { return strings.Contains(l.Message, "they are on fuse") })
	}))
	p.must(p.run("", "remember", "Used is used by hand", "--at", "src/a.go#Used"))
	p.must(os.Mkdir(filepath.Join(p.root, "lib"), 0o755))
	p.must(os.WriteFile(filepath.Join(p.root, "lib/new.go"), []byte("package x\n\nimport \"example.com/a/src\"\n\nfunc New() { a.Used() }\n"), 0o644))
	within(t, withoutEvents, "the memory is seen", func() bool {
		raw, err := e.Call("textDocument/hover", e.At("src/a.go", 2, 6))
		return err == nil && strings.Contains(string(raw), "used by hand")
	})
	within(t, withoutEvents, "the code is seen", func() bool { return strings.Contains(graph(), "new.go") })
	e.Shutdown()
	if err := e.Served(); err != nil {
		t.Error(err)
	}
}

// TestSharedFolderForAgents is the same for the MCP server.
func TestSharedFolderForAgents(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for the looks of a server")
	}
	p, servers := shared(t)
	ctx := t.Context()
	cmd := servers.command("mcp")
	var log bytes.Buffer
	cmd.Stderr = &log
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "codex", Version: "1"}, nil).Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	p.must(err)
	defer func() { _ = cs.Close() }() // ended already where all is well
	impact := func() string {
		return p.callTool(ctx, cs, "impact", map[string]any{"targets": []string{"src/a.go#Used"}})
	}
	impact()
	p.must(p.run("", "remember", "Used is used by hand", "--at", "src/a.go#Used"))
	p.must(os.WriteFile(filepath.Join(p.root, "src/new.go"), []byte("package a\n\nfunc New() { Used() }\n"), 0o644))
	within(t, withoutEvents, "the memory is seen", func() bool {
		return strings.Contains(p.callTool(ctx, cs, "recall", map[string]any{"paths": []string{"src/a.go"}}), "used by hand")
	})
	within(t, withoutEvents, "the code is seen", func() bool { return strings.Contains(impact(), "new.go") })
	p.must(cs.Close())
	if n := strings.Count(log.String(), "they are on fuse"); n != 1 {
		t.Errorf("it was said %d times:\n%s", n, log.String())
	}
}
