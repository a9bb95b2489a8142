package file

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"manicule/indexer/atomicfile"
)

// RelPath is where a memory is filed, relative to the memories folder, with
// forward slashes: LAYER/UUID.json, LAYER/personal/UUID.json for personal
// ones, and preferences/shared/UUID.json for shared preferences (AIDE-STO-03).
func (m *Memory) RelPath() string {
	name := m.UUID + ".json"
	switch {
	case m.Visibility == Personal:
		return path.Join(string(m.Layer), "personal", name)
	case m.Layer == Preferences:
		return path.Join(string(m.Layer), "shared", name)
	}
	return path.Join(string(m.Layer), name)
}

// IsMemoryPath reports whether a path relative to the memories folder has the
// place and the name of a memory file.
func IsMemoryPath(rel string) bool {
	parts := strings.Split(rel, "/")
	if len(parts) < 2 || len(parts) > 3 || !strings.HasSuffix(rel, ".json") {
		return false
	}
	if strings.HasPrefix(parts[len(parts)-1], ".") {
		return false // a temporary file of an atomic write
	}
	if len(parts) == 3 && parts[1] != "personal" && parts[1] != "shared" {
		return false
	}
	return Layer(parts[0]).Rank() < len(Layers())
}

// Folders lists the folders, relative to the memories folder, that can hold
// memory files.
func Folders() []string {
	var out []string
	for _, l := range Layers() {
		out = append(out, string(l), string(l)+"/personal", string(l)+"/shared")
	}
	return out
}

// Read reads and parses one memory file.
func Read(name string) (*Memory, error) {
	data, err := readRegular(name)
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	return Parse(data)
}

// readRegular reads a regular file up to just over MaxSize. A commit may bring
// a link to a device, or a pipe: neither may hold the reader up.
func readRegular(name string) (data []byte, err error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("it is no regular file")}
	}
	return io.ReadAll(io.LimitReader(f, MaxSize+1))
}

// Write writes a memory's canonical form below dir, atomically: a temporary
// file in the same folder, synced, then renamed. It returns the absolute path.
func Write(dir string, m *Memory) (string, error) {
	data, err := m.Marshal()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, filepath.FromSlash(m.RelPath()))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", fmt.Errorf("write memory %s: %w", m.UUID, err)
	}
	perm := fs.FileMode(0o644)
	if m.Visibility == Personal {
		perm = 0o600
	}
	if err := atomicfile.Write(name, data, perm); err != nil {
		return "", fmt.Errorf("write memory %s: %w", m.UUID, err)
	}
	return name, nil
}
