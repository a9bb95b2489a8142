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

// prefix begins the names of temporary files, so that a sweep knows what a killed
// process left behind.
const prefix = ".manicule-tmp-"

// Write replaces a file so that a reader, or a crash, sees either the old content or
// the new. It writes and syncs a temporary file in the same folder, renames it, and
// syncs the folder. Once it returns nil the content survives a power cut.
func Write(name string, data []byte, perm fs.FileMode) error { return WriteParts(name, perm, data) }

// WriteParts is Write for a content in several parts.
func WriteParts(name string, perm fs.FileMode, parts ...[]byte) (err error) {
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return write(root, prefix+rand.Text(), filepath.Base(name), perm, parts...)
}

// WriteIn is Write for a file below root; it does not follow links out of root. The
// temporary file goes to the folder tmp of root, which WriteIn creates if needed and
// which git ignores, so that [Sweep] can clean one place. name and tmp have forward
// slashes, and the folder of name must exist.
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
	// The file is in place now. A folder that can't be synced is no reason to report a
	// failure.
	_ = syncDir(root, path.Dir(filepath.ToSlash(name)))
	return nil
}

// ignoreAll makes git ignore a folder and its content, whatever the repository's own
// rules say.
const ignoreAll = "*\n"

func makeIgnored(root *os.Root, dir string) error {
	if _, err := root.Lstat(path.Join(dir, ".gitignore")); err == nil {
		return nil
	}
	if err := root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	f, err := root.OpenFile(path.Join(dir, ".gitignore"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process was faster
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(ignoreAll)
	return errors.Join(err, f.Close())
}

// Remove removes a file below root and syncs its folder: once it returns nil the file
// does not come back after a power cut. A missing file is no error.
func Remove(root *os.Root, name string) error {
	if err := root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = syncDir(root, path.Dir(name)) // no reader sees the file any more
	return nil
}

// RemoveAll is Remove of many files, which syncs each folder once. It stops at the first error and
// returns how many files are gone.
func RemoveAll(root *os.Root, names []string) (n int, err error) {
	folders := map[string]bool{}
	for _, name := range names {
		if err = root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			break
		}
		err = nil
		folders[path.Dir(name)] = true
		n++
	}
	for folder := range folders {
		_ = syncDir(root, folder) // no reader sees the files any more
	}
	return n, err
}

// Sync flushes a file to the disk.
func Sync(name string) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Sweep removes temporary files that killed processes left in the folder dir of root,
// if they were last changed before the given time. It returns how many.
func Sweep(root *os.Root, dir string, before time.Time) (n int, err error) {
	list, err := fs.ReadDir(root.FS(), dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("list temporary files: %w", err)
	}
	for _, e := range list {
		if !IsTemporary(e.Name()) {
			continue
		}
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() || !st.ModTime().Before(before) {
			continue // gone, not ours, or still being written
		}
		if err := root.Remove(path.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return n, fmt.Errorf("remove a temporary file: %w", err)
		}
		n++
	}
	return n, nil
}
