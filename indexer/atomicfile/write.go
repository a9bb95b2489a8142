package atomicfile

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// prefix begins the names of temporary files: what a killed process left is
// known by it.
const prefix = ".manicule-tmp-"

// Write writes data to name so that a reader, or a crash, sees the old content
// or the new: a temporary file in the same folder, synced, renamed, and the
// folder synced. When it returns nil the content outlives a power cut.
func Write(name string, data []byte, perm fs.FileMode) error { return WriteParts(name, perm, data) }

// WriteParts is Write for a content that lies in several parts of the memory.
func WriteParts(name string, perm fs.FileMode, parts ...[]byte) (err error) {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return write(root, prefix+rand.Text(), filepath.Base(name), perm, parts...)
}

// WriteIn is Write for a file below root, without following links out of it.
// The temporary file lies in the folder tmp of root, which is made if need be, so
// that one place can be swept (see [Sweep]), and which git ignores. name and tmp
// have forward slashes; name's folder must be there.
func WriteIn(root *os.Root, tmp, name string, data []byte, perm fs.FileMode) error {
	if err := makeIgnored(root, tmp); err != nil {
		return err
	}
	return write(root, path.Join(tmp, prefix+rand.Text()), name, perm, data)
}

func write(root *os.Root, tmp, name string, perm fs.FileMode, parts ...[]byte) (err error) {
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, root.Remove(tmp))
		}
	}()
	for _, part := range parts {
		if err == nil {
			_, err = f.Write(part)
		}
	}
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := root.Rename(tmp, name); err != nil {
		return err
	}
	// From here on the file is in place: a folder that can't be synced is no reason
	// to say that it isn't.
	_ = syncDir(root, path.Dir(filepath.ToSlash(name)))
	return nil
}

// ignoreAll is what makes git pass over a folder and what is in it, whatever the
// repository's own rules are.
const ignoreAll = "*\n"

func makeIgnored(root *os.Root, dir string) error {
	if _, err := root.Lstat(path.Join(dir, ".gitignore")); err == nil {
		return nil
	}
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	f, err := root.OpenFile(path.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was quicker
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(ignoreAll)
	return errors.Join(err, f.Close())
}

// Remove removes a file below root and syncs its folder: when it returns nil the
// file does not come back after a power cut. One that is not there is fine.
func Remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = syncDir(root, path.Dir(name)) // the file is gone for everybody who looks
	return nil
}

// Sync writes what the system holds of a file to the disk.
func Sync(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Sweep removes the temporary files of killed processes from the folder dir of
// root: those that were last changed before a time. It returns how many.
func Sweep(root *os.Root, dir string, before time.Time) (n int, err error) {
	list, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("look for temporary files: %w", err)
	}
	for _, e := range list {
		if !IsTemporary(e.Name()) {
			continue
		}
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() || !st.ModTime().Before(before) {
			continue // gone, not ours, or somebody may be writing it
		}
		if err := root.Remove(path.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, fmt.Errorf("remove a temporary file: %w", err)
		}
		n++
	}
	return n, nil
}
