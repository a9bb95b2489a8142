// Package linefile owns append-only files of lines. Each line is one short write, so
// any number of processes may write at once, and a crash loses at most one line. It
// must not know what the lines mean.
package linefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"manicule/indexer/treefile"
)

// MaxLine is the longest line in bytes, with its line end: operating systems write
// that much in one piece.
const MaxLine = 4096

// Append adds one line to a file in one write, with mode 0600. It first ends a line
// that a crash left unfinished. A file over limit bytes is renamed to NAME.1,
// replacing the previous one.
func Append(path string, limit int64, line []byte) error {
	if len(line)+2 > MaxLine {
		return fmt.Errorf("append to %s: the line has %d bytes", path, len(line))
	}
	return AppendLines(path, limit, append(line[:len(line):len(line)], '\n'))
}

// AppendLines is [Append] for whole lines of any length, with their ends. A caller
// that writes more than [MaxLine] bytes must be the only writer.
func AppendLines(path string, limit int64, text []byte) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	return appendTo(path, f, limit, text, tryLock)
}

// AppendUnless is [Append] unless skip says that the line is not needed. Of several processes that ask at once each sees what
// those before it appended: the file is locked meanwhile. One that waited for long enough goes on without the lock.
func AppendUnless(path string, limit int64, line []byte, wait time.Duration, skip func() bool) error {
	if len(line)+2 > MaxLine {
		return fmt.Errorf("append to %s: the line has %d bytes", path, len(line))
	}
	f, locked, err := openLocked(path, wait)
	if err != nil {
		return err
	}
	if skip() {
		return f.Close()
	}
	return appendTo(path, f, limit, append(line[:len(line):len(line)], '\n'), func(*os.File) bool { return locked })
}

// lockPause is how long a process waits before it tries again to lock a file.
const lockPause = time.Millisecond

// openLocked opens a file and locks it until it is closed, as far as that is possible in time.
func openLocked(path string, wait time.Duration) (f *os.File, locked bool, err error) {
	for end := time.Now().Add(wait); ; time.Sleep(lockPause) {
		if f, err = open(path); err != nil {
			return nil, false, err
		}
		locked = tryLock(f)
		if locked && isAt(path, f) || time.Now().After(end) {
			return f, locked, nil
		}
		if err := f.Close(); err != nil { // another process holds it, or has rotated it
			return nil, false, fmt.Errorf("lock %s: %w", path, err)
		}
	}
}

// isAt reports whether an open file is still the one at its path.
func isAt(path string, f *os.File) bool {
	opened, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(path)
	return err == nil && os.SameFile(now, opened)
}

// appendTo appends text to an open file and closes it. The file is rotated if it was full and can be locked.
func appendTo(path string, f *os.File, limit int64, text []byte, lock func(*os.File) bool) error {
	was, err := write(f, text)
	if err != nil {
		return errors.Join(fmt.Errorf("append to %s: %w", path, err), f.Close())
	}
	full := was.Size() > limit && lock(f)
	if full && renamesOpen { // before the lock is gone
		rotate(path, was)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	if full && !renamesOpen {
		rotate(path, was)
	}
	return nil
}

// write appends text to a file, and returns what the file was before. Who writes to the next file finds the text in this one: it
// gives way only then.
func write(f *os.File, text []byte) (was fs.FileInfo, err error) {
	was, err = f.Stat()
	if err != nil {
		return nil, err
	}
	if !was.Mode().IsRegular() {
		return nil, treefile.ErrNotFile // a pipe would take the text, and nobody would read it
	}
	if torn(f, was.Size()) {
		text = append([]byte{'\n'}, text...)
	}
	_, err = f.Write(text)
	return was, err
}

func open(path string) (*os.File, error) {
	const mode = os.O_RDWR | os.O_CREATE | os.O_APPEND
	f, err := os.OpenFile(path, mode, 0o600)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, fmt.Errorf("create the folder of %s: %w", path, err)
		}
		f, err = os.OpenFile(path, mode, 0o600)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return f, nil
}

// rotate renames the file if it is still the one that was found full. Only who holds its lock does: else another process could
// rename it and begin a new one in between, which would then take the old one's place. A failure only
// means a longer file.
func rotate(path string, full fs.FileInfo) {
	if now, err := os.Stat(path); err == nil && os.SameFile(now, full) {
		_ = os.Rename(path, path+".1")
	}
}

func torn(f *os.File, size int64) bool {
	if size == 0 {
		return false
	}
	var last [1]byte
	_, err := f.ReadAt(last[:], size-1)
	return err == nil && last[0] != '\n'
}

// Read calls each for every line of the rotated file, then of the file. A missing file
// has no lines.
func Read(path string, each func(line []byte)) error {
	for _, p := range []string{path + ".1", path} {
		data, err := treefile.ReadMade(p)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", p, err)
		}
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSpace(line); len(line) > 0 {
				each(line)
			}
		}
	}
	return nil
}

// ReadFrom is [Read] for the lines after the first bytes of a file, from a line's end on. ok is
// false, and nothing is read, if the file was rotated or is shorter: then its beginning is another
// one's.
func ReadFrom(path string, bytesRead int64, each func(line []byte)) (ok bool, err error) {
	if _, err := os.Stat(path + ".1"); bytesRead == 0 || !errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	f, err := treefile.OpenMade(path)
	if err != nil {
		return false, nil // it is read as a whole, or reported there
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	from := bytesRead - 1 // of the last line's end
	if st, err := f.Stat(); err != nil || st.Size() < bytesRead {
		return false, nil
	}
	data, err := io.ReadAll(io.NewSectionReader(f, from, math.MaxInt64-from))
	if err != nil {
		return false, fmt.Errorf("read %s: %w", path, err)
	}
	if data[0] != '\n' {
		return false, nil // a torn line was counted
	}
	for line := range bytes.Lines(data) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			each(line)
		}
	}
	return true, nil
}

// FileName turns any id into a file name: the id itself if it is plain, else a digest
// of it.
func FileName(id string) string {
	if len(id) > 0 && len(id) <= 64 && strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" {
		return "s-" + id
	}
	sum := sha256.Sum256([]byte(id))
	return "h-" + hex.EncodeToString(sum[:16])
}

// Prune removes files of a folder that were last written before the given time.
func Prune(dir string, before time.Time) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("prune %s: %w", dir, err)
	}
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.IsDir() || !info.ModTime().Before(before) {
			continue // gone, not ours, or recent
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
