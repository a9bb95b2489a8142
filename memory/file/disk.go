package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// RelPath is the path of a memory's file relative to the memories folder, with forward slashes:
// LAYER/UUID.json, LAYER/personal/UUID.json if it is personal, and preferences/shared/UUID.json for
// shared preferences.
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

// Home is RelPath for the next version of a memory whose file lies at a path ("" for none). A folder LAYER/shared may be another
// repository, a submodule that several projects share: what lies there stays there, whatever its layer's usual place is.
func (m *Memory) Home(was string) string {
	if shared := path.Join(string(m.Layer), "shared"); m.Visibility != Personal && path.Dir(was) == shared {
		return path.Join(shared, m.UUID+".json")
	}
	return m.RelPath()
}

// IsMemoryPath reports whether a path relative to the memories folder has the
// folder and the name of a memory file.
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

// Folders lists the folders that can hold memory files, relative to the memories folder.
func Folders() []string {
	var out []string
	for _, l := range Layers() {
		out = append(out, string(l), string(l)+"/personal", string(l)+"/shared")
	}
	return out
}

// Exists reports whether a memory has a file anywhere below the memories folder.
func Exists(dir, uuid string) bool {
	for _, folder := range Folders() {
		if _, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(folder), uuid+".json")); err == nil {
			return true
		}
	}
	return false
}

// Read reads and parses one memory file. One that git left with conflict markers is
// read as the merge of its sides (see [Merge]): a merge that nobody has finished
// takes no memory away.
func Read(name string) (*Memory, error) {
	data, err := ReadBytes(name)
	if err != nil {
		return nil, err
	}
	return ParseMerged(data)
}

// Reader reads many memory files, as Read does one. It keeps their folders open. It is not safe for
// concurrent use.
type Reader struct {
	dir     string
	folders map[string]*treefile.OwnFolder // by path below dir
}

// NewReader returns a reader of the files below dir.
func NewReader(dir string) *Reader {
	return &Reader{dir, map[string]*treefile.OwnFolder{}}
}

// Read reads and parses a file by its path below the folder, with forward slashes.
func (r *Reader) Read(rel string) (*Memory, error) {
	data, err := r.ReadBytes(rel)
	if err != nil {
		return nil, err
	}
	return ParseMerged(data)
}

// ReadBytes reads a file without parsing it.
func (r *Reader) ReadBytes(rel string) ([]byte, error) {
	at, name := path.Split(rel)
	f := r.folders[at]
	if f == nil {
		var err error
		if f, err = treefile.OpenOwnFolder(filepath.Join(r.dir, filepath.FromSlash(at))); err != nil {
			return ReadBytes(filepath.Join(r.dir, filepath.FromSlash(rel))) // it says what is wrong
		}
		r.folders[at] = f
	}
	data, err := f.Read(name, MaxSize)
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", readFault(err))
	}
	return data, nil
}

// Close releases the folders.
func (r *Reader) Close() error {
	var errs []error
	for _, f := range r.folders {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// ReadBytes reads one memory file without parsing it.
func ReadBytes(name string) ([]byte, error) {
	data, err := readRegular(name)
	if err != nil {
		return nil, fmt.Errorf("read memory: %w", err)
	}
	return data, nil
}

// readRegular reads a regular file of at most MaxSize. A commit may bring a link to a device, or a
// pipe; neither may block the reader. It does not follow linked folders.
func readRegular(name string) ([]byte, error) {
	data, err := treefile.ReadOwn(name, MaxSize)
	return data, readFault(err)
}

// readFault makes an *Error of a fault that the file itself has.
func readFault(err error) error {
	if errors.Is(err, treefile.ErrTooBig) {
		return tooLarge
	}
	if e, ok := errors.AsType[*treefile.Error](err); ok {
		return &Error{Line: 1, Column: 1, Msg: e.Msg, Hint: e.Hint, Err: err}
	}
	return err
}

// IsUnreadable reports whether a file could not be read for a temporary reason, such as too many
// open files or a failing disk. Such an error says nothing about the file's content.
func IsUnreadable(err error) bool {
	errno, ok := errors.AsType[syscall.Errno](err)
	switch {
	case !ok, errors.Is(err, fs.ErrNotExist):
		return false
	case errno == syscall.ELOOP, errno == syscall.ENOTDIR, errno == syscall.EISDIR, errno == syscall.ENXIO:
		return false // it is a link, a folder or a pipe, and stays one
	}
	return true
}

// Scratch is the folder below the memories folder in which files are written before they are
// renamed into place. Git ignores it.
const Scratch = ".tmp"

// Write writes a memory's canonical form below dir, atomically and durably (see
// [atomicfile.WriteIn]). It returns the absolute path.
func Write(dir string, m *Memory) (name string, err error) { return WriteAt(dir, m.RelPath(), m) }

// WriteAt is Write to a path relative to dir.
func WriteAt(dir, rel string, m *Memory) (name string, err error) {
	data, err := encode(m)
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, filepath.FromSlash(rel))
	if err := treefile.CheckNoLinks(name); err != nil {
		return "", fmt.Errorf("write a memory's file: %w", err)
	}
	err = in(dir, func(root *os.Root) error {
		if err := root.MkdirAll(path.Dir(rel), 0o777); err != nil {
			return err
		}
		return atomicfile.WriteIn(root, Scratch, rel, data, permOf(m))
	})
	if err != nil {
		return "", fmt.Errorf("write a memory's file: %w", err)
	}
	return filepath.Join(dir, filepath.FromSlash(rel)), nil
}

// WriteAll is Write for many new memories, in a fraction of the time. It returns the number of
// memories written, from the first on.
func WriteAll(dir string, list []*Memory) (written int, err error) {
	files := make([]atomicfile.File, len(list))
	folders := map[string]bool{}
	for i, m := range list {
		data, err := encode(m)
		if err != nil {
			return 0, err
		}
		files[i] = atomicfile.File{Name: m.RelPath(), Data: data, Perm: permOf(m)}
		folders[path.Dir(m.RelPath())] = true
	}
	err = in(dir, func(root *os.Root) (err error) {
		for folder := range folders {
			if err := treefile.CheckNoLinks(filepath.Join(dir, filepath.FromSlash(folder))); err != nil {
				return err
			}
			if err := root.MkdirAll(folder, 0o777); err != nil {
				return err
			}
		}
		written, err = atomicfile.WriteAllIn(root, Scratch, files)
		return err
	})
	if err != nil {
		return written, fmt.Errorf("write %d memories: %w", len(list), err)
	}
	return written, nil
}

// permOf is the mode of a memory's file before the umask has taken its part: as of what git writes, so that a group that shares a
// checkout (umask 002) shares its memories.
func permOf(m *Memory) fs.FileMode {
	if m.Visibility == Personal {
		return 0o600
	}
	return 0o666
}

// WriteOwn writes a file of a project's own folder dir that is no memory, as [Write] writes one: what a killed process leaves
// of it lies where git does not see it, and where [Sweep] finds it. name is relative to dir, with slashes.
func WriteOwn(dir, name string, data []byte) error {
	return in(dir, func(root *os.Root) error {
		if err := root.MkdirAll(path.Dir(name), 0o777); err != nil {
			return err
		}
		return atomicfile.WriteIn(root, path.Join("memories", Scratch), name, data, 0o666)
	})
}

// WriteNamed writes a file that a person named. Of one in the project whose own folder is dir, what a killed process leaves lies
// where that of [WriteOwn] does; elsewhere, and where that is on another file system, it lies beside the file.
func WriteNamed(dir, name string, data []byte, perm fs.FileMode) error {
	rel, err := filepath.Rel(filepath.Dir(dir), name)
	if st, serr := os.Lstat(filepath.Join(dir, "memories")); err == nil && filepath.IsLocal(rel) && serr == nil && st.IsDir() {
		err := in(filepath.Dir(dir), func(root *os.Root) error {
			return atomicfile.WriteIn(root, path.Join(filepath.Base(dir), "memories", Scratch), filepath.ToSlash(rel), data, perm)
		})
		if err == nil {
			return nil
		}
	}
	return atomicfile.Write(name, data, perm)
}

// Remove removes a memory's file, by its path relative to dir. If it returns nil, the removal
// survives a power loss.
func Remove(dir, rel string) error {
	if err := in(dir, func(root *os.Root) error { return atomicfile.Remove(root, rel) }); err != nil {
		return fmt.Errorf("remove %s: %w", rel, err)
	}
	return nil
}

// RemoveAll is Remove of many files. It returns how many are gone, also with an error.
func RemoveAll(dir string, rels []string) (n int, err error) {
	err = in(dir, func(root *os.Root) error {
		n, err = atomicfile.RemoveAll(root, rels)
		return err
	})
	if err != nil {
		return n, fmt.Errorf("remove memories: %w", err)
	}
	return n, nil
}

// Sweep removes temporary files below dir that killed processes left before a given time, and
// returns their number. Earlier versions wrote them beside the memories.
func Sweep(dir string, before time.Time) (n int, err error) {
	return sweep(dir, before, append([]string{Scratch}, Folders()...))
}

// SweepWritten is Sweep for the files of this version only, which lie in one folder.
func SweepWritten(dir string, before time.Time) (n int, err error) {
	return sweep(dir, before, []string{Scratch})
}

func sweep(dir string, before time.Time, folders []string) (n int, err error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	err = in(dir, func(root *os.Root) error {
		var errs []error
		for _, folder := range folders {
			some, err := atomicfile.Sweep(root, folder, before)
			n += some
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	return n, err
}

// in creates dir if needed and calls f with it as a root, out of which no link leads.
func in(dir string, f func(*os.Root) error) (err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return f(root)
}
