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

// SQLite locks a database by POSIX record locks. They belong to the process, and
// the close of any descriptor of a file drops all that the process holds on it:
// those of other connections too, which then write beside another process
// (https://www.sqlite.org/howtocorrupt.html, section 2.2). So no code of this
// process may open a database file but SQLite; what has to be done with the file
// itself is here, by its name alone.

// create makes an empty file that its owner alone can read, if there is none.
// SQLite gives its journals the same mode. The file gets its name after it was
// closed: from then on any connection may hold locks on it.
func create(path string) error {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), unfinished+"*") // mode 0600
	if err != nil {
		return err
	}
	err = errors.Join(tmp.Close(), os.Link(tmp.Name(), path))
	if _, serr := os.Lstat(path); serr == nil || lacksHardLinks(err) {
		err = nil // another made it first, or SQLite will
	}
	return errors.Join(err, os.Remove(tmp.Name()))
}

// Sweep removes what killed processes left in a folder of databases before a time:
// files that were to become a database or a copy of one.
func Sweep(dir string, before time.Time) error {
	list, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("look for unfinished databases: %w", err)
	}
	var errs []error
	for _, e := range list {
		if !strings.HasPrefix(e.Name(), unfinished) && !strings.HasPrefix(e.Name(), copying) {
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

// The beginnings of the names of files that are not finished.
const (
	unfinished = ".new-"
	copying    = ".copy-"
)

// lacksHardLinks reports whether the file system has no hard links.
func lacksHardLinks(err error) bool {
	_, ok := errors.AsType[*os.LinkError](err)
	return ok
}

// Remove deletes a database file with its journal files; absent ones are fine.
// Whoever has it open continues with files that have no name. A database of the
// same name must not be made while somebody may: at its close SQLite deletes the
// journal by name.
func Remove(path string) error {
	return eachFile(path, func(name, _ string) error { return os.Remove(name) })
}

// Move gives a database that nobody has open another name, with its journals:
// they may hold what the file lacks.
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
