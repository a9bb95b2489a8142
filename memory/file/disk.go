package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
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

// readRegular reads a regular file of at most MaxSize. A commit may bring a link
// to a device, or a pipe: neither may hold the reader up. Nor is a folder that is
// a link looked into.
func readRegular(name string) ([]byte, error) {
	data, err := treefile.Own(name, MaxSize)
	if errors.Is(err, treefile.ErrTooBig) {
		return nil, tooLarge
	}
	if e, ok := errors.AsType[*treefile.Error](err); ok {
		return nil, &Error{Line: 1, Column: 1, Msg: e.Msg, Hint: e.Hint, Err: err}
	}
	return data, err
}

// Write writes a memory's canonical form below dir, atomically: a temporary
// file in the same folder, synced, then renamed. It returns the absolute path.
func Write(dir string, m *Memory) (string, error) {
	data, err := m.Marshal()
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, filepath.FromSlash(m.RelPath()))
	if err := treefile.Unlinked(name); err != nil {
		return "", fmt.Errorf("write memory %s: %w", m.UUID, err)
	}
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
