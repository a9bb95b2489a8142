package sqlfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// SQLite locks a database with POSIX record locks. They belong to the process, and
// closing any descriptor of the file drops all locks that the process holds on it,
// those of other connections included, which then write while another process does
// (https://www.sqlite.org/howtocorrupt.html, section 2.2). So only SQLite may open a
// database file in this process. The functions here act on the file by its name alone.

// create makes an empty file, readable by its owner only, if there is none. SQLite
// gives its journals the same mode. The file gets its name after it was closed,
// because from then on any connection may hold locks on it. It reports whether it has made it.
func create(path string) (made bool, err error) {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), unfinished+"*") // mode 0600
	if err != nil {
		return false, err
	}
	err = errors.Join(tmp.Close(), os.Link(tmp.Name(), path))
	made = err == nil
	if _, serr := os.Lstat(path); serr == nil || lacksHardLinks(err) {
		err = nil // another process made it first, or SQLite will
	}
	return made, errors.Join(err, os.Remove(tmp.Name()))
}

// Sweep removes unfinished databases and copies that killed processes left in a folder
// before the given time.
func Sweep(dir string, before time.Time) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list unfinished databases: %w", err)
	}
	var errs []error
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), unfinished) && !strings.HasPrefix(e.Name(), CopyPrefix) {
			continue
		}
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() && st.ModTime().Before(before) {
			if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				errs = append(errs, err)
			}
		}
	}
	return errors.Join(errs...)
}

// Name prefixes of unfinished files, which [Sweep] removes.
const (
	unfinished = ".new-"
	// CopyPrefix begins the names of copies that are being made.
	CopyPrefix = ".copy-"
)

// lacksHardLinks reports whether err says that the file system has no hard links.
func lacksHardLinks(err error) bool {
	_, ok := errors.AsType[*os.LinkError](err)
	return ok
}

// Remove deletes a database with its journal files; missing ones are no error.
// Processes that have it open continue with nameless files. Don't create a database of
// the same name while any may: on close, SQLite deletes the journal by name.
func Remove(path string) error {
	return eachFile(path, func(name, _ string) error { return os.Remove(name) })
}

// Move renames a database that nobody has open, with its journals: they may hold data
// that the file lacks.
func Move(path, to string) error {
	return eachFile(path, func(name, suffix string) error { return os.Rename(name, to+suffix) })
}

// eachFile calls f for the files of a database, the main file last.
func eachFile(path string, f func(name, suffix string) error) error {
	var errs []error
	for _, suffix := range []string{"-wal", "-shm", "-journal", ""} {
		if err := f(path+suffix, suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
