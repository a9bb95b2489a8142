// Package treefile reads files of an untrusted tree, such as a clone or an archive. A
// link in it may lead anywhere, a name may be a pipe or a device, and a file may be
// larger than the memory. None of these may block a reader, or decide what is read or
// written elsewhere. The same holds for the program's own files, in whose place there may
// be something else by now. The package must not know what the files hold.
package treefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Folder is the project's own folder. Below it, no element of a path may be a link.
const Folder = ".manicule"

// The reasons for which a file is not read or written.
var (
	ErrLink    = errors.New("it is a link")
	ErrNotFile = errors.New("it is no regular file")
	ErrTooBig  = errors.New("it is too large")
	errForeign = errors.New("others can write there")
)

// Error says which file was refused and what a person can do about it.
type Error struct {
	Path string
	Msg  string
	Hint string
	Err  error // one of the above
}

// Error names the file and what is wrong with it.
func (e *Error) Error() string { return e.Path + ": " + e.Msg }

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }

func linkError(path string) error {
	return &Error{Path: path, Msg: "it is a link, and links in the " + Folder + " folder are not followed", Err: ErrLink,
		Hint: "Put the folder or file itself there, or remove the link."}
}

func irregularError(path string) error {
	return &Error{Path: path, Msg: "it is no regular file", Err: ErrNotFile, Hint: "Remove it, or put a file in its place."}
}

func sizeError(path string, limit int64) error {
	return &Error{Path: path, Msg: fmt.Sprintf("it is too large: more than %s are not read", size(limit)), Err: ErrTooBig,
		Hint: "Check its content; make it smaller, or remove it."}
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d KB", n>>10)
}

// Read reads a regular file of at most limit bytes. It follows links: use it for files
// that git, the user or the machine named.
func Read(name string, limit int64) ([]byte, error) {
	f, err := Open(name, limit)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, limit)
}

// Open opens a regular file of at most limit bytes. It follows links. It does not even
// open anything else: for a device that can have an effect.
func Open(name string, limit int64) (*os.File, error) {
	st, err := os.Stat(name)
	if errors.Is(err, syscall.ENOTDIR) { // as where HOME is /dev/null
		err = fmt.Errorf("%w (%w)", err, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, irregularError(name)
	}
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return f, recheck(f, name, limit)
}

// maxMade is the size in bytes above which a file of the program's own is not read: its writers
// keep theirs far smaller.
const maxMade = 1 << 30

// ReadMade reads a file that the program made in the user's folders for state and caches. A pipe in
// its place does not block, and a device does not fill the memory.
func ReadMade(name string) ([]byte, error) {
	f, err := openMade(name, maxMade)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, maxMade)
}

// ReadLarge is [ReadMade] for what may be as large as it likes: a model that somebody trained, or a database.
func ReadLarge(name string) ([]byte, error) {
	f, err := OpenMade(name)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, math.MaxInt64)
}

// OpenMade opens a file that [ReadMade] would read, of any size.
func OpenMade(name string) (*os.File, error) { return openMade(name, math.MaxInt64) }

// CheckMade returns an error if there is something else than a file in the place of one that the program made.
func CheckMade(name string) error {
	if st, err := os.Stat(name); err == nil && !st.Mode().IsRegular() {
		return irregularError(name)
	}
	return nil
}

// openMade looks at the open file alone: hooks have no time for one more system call.
func openMade(name string, limit int64) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	if err := recheck(f, name, limit); err != nil {
		return nil, err
	}
	return f, nil
}

// ReadWithin reads a regular file of at most limit bytes by its path relative to root.
// It follows links that stay below root.
func ReadWithin(root, rel string, limit int64) (data []byte, err error) {
	if data, ok := readBeneath(root, rel, limit); ok {
		return data, nil
	}
	return readRooted(root, rel, limit)
}

// readRooted is [ReadWithin] on any system.
func readRooted(root, rel string, limit int64) (data []byte, err error) {
	name := filepath.Join(root, filepath.FromSlash(rel))
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f, err := openIn(r, filepath.FromSlash(rel), name, limit)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, limit)
}

// StatWithin describes a file by its path relative to root. It follows links that stay
// below root.
func StatWithin(root, rel string) (st fs.FileInfo, err error) {
	r, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	return r.Stat(filepath.FromSlash(rel))
}

// Lstat describes a file by its path relative to root. It follows no link: what lies
// behind one does not exist for it, as for a walk.
func Lstat(root, rel string) (fs.FileInfo, error) {
	at := root
	rest := filepath.FromSlash(rel)
	for {
		part, more, deeper := strings.Cut(rest, string(filepath.Separator))
		at, rest = filepath.Join(at, part), more
		st, err := os.Lstat(at)
		if err != nil || !deeper {
			return st, err
		}
		if !st.IsDir() {
			return nil, &fs.PathError{Op: "lstat", Path: at, Err: fs.ErrNotExist}
		}
	}
}

// ReadOwn reads a regular file of at most limit bytes by its absolute path. From the
// folder .manicule on, no element of the path may be a link.
func ReadOwn(name string, limit int64) (data []byte, err error) {
	if err := CheckNoLinks(name); err != nil {
		return nil, err
	}
	root, rel := split(name)
	r, err := os.OpenRoot(root) // a link that appears meanwhile can't lead outside
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	f, err := openIn(r, rel, name, limit)
	if err != nil {
		return nil, err
	}
	return readAll(f, name, limit)
}

// OwnFolder reads many files of one folder as [ReadOwn] does, with a third of the system calls. It
// is safe for concurrent use.
type OwnFolder struct {
	root *os.Root
	dir  string
}

// OpenOwnFolder opens a folder by its absolute path. From the folder .manicule on, no element of the
// path may be a link.
func OpenOwnFolder(dir string) (f *OwnFolder, err error) {
	if err := CheckNoLinks(dir); err != nil {
		return nil, err
	}
	above, rel := split(dir)
	r, err := os.OpenRoot(above) // as in ReadOwn
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	root, err := r.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	return &OwnFolder{root, dir}, nil
}

// Read reads a regular file of at most limit bytes by its name. It may not be a link.
func (f *OwnFolder) Read(name string, limit int64) ([]byte, error) {
	path := filepath.Join(f.dir, name)
	st, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return nil, err
	case st.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
		return nil, linkError(path)
	}
	file, err := openIn(f.root, name, path, limit)
	if err != nil {
		return nil, err
	}
	return readAll(file, path, limit)
}

// Close releases the folder.
func (f *OwnFolder) Close() error { return f.root.Close() }

// CheckNoLinks returns an error if an element of an absolute path is a link, from the
// folder .manicule on. Missing elements are no error. Call it before writing there.
func CheckNoLinks(name string) error {
	at, rel := split(name)
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		st, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			return nil
		case err != nil:
			return err
		case st.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0: // Windows calls a junction irregular
			return linkError(at)
		}
	}
	return nil
}

// split cuts a path before its last element that is the project's own folder, else
// before its last element.
func split(name string) (root, rel string) {
	name = filepath.Clean(name)
	for at := name; at != filepath.Dir(at); at = filepath.Dir(at) {
		if filepath.Base(at) == Folder {
			root = filepath.Dir(at)
			rel, err := filepath.Rel(root, name)
			if err == nil {
				return root, rel
			}
		}
	}
	return filepath.Dir(name), filepath.Base(name)
}

func openIn(r *os.Root, rel, name string, limit int64) (*os.File, error) {
	f, err := r.OpenFile(rel, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	return f, recheck(f, name, limit)
}

// recheck verifies a file after it was opened, and closes it if it is not what it was.
func recheck(f *os.File, name string, limit int64) error {
	st, err := f.Stat()
	switch {
	case err != nil:
	case !st.Mode().IsRegular():
		err = irregularError(name)
	case st.Size() > limit:
		err = sizeError(name, limit)
	default:
		return nil
	}
	return errors.Join(err, f.Close())
}

// readAll reads an open file to its end, up to limit bytes, and closes it: it may have
// grown since.
func readAll(f *os.File, name string, limit int64) (data []byte, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data = make([]byte, 0, min(st.Size(), limit)+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, sizeError(name, limit)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// FS presents a tree as a read-only file system: its regular files of at most limit
// bytes. It follows links that stay below root.
func FS(root string, limit int64) fs.FS { return treeFS{root, limit} }

type treeFS struct {
	root  string
	limit int64
}

// Open opens a regular file.
func (t treeFS) Open(name string) (f fs.File, err error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	r, err := os.OpenRoot(t.root)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	rel := filepath.FromSlash(name)
	return openIn(r, rel, filepath.Join(t.root, rel), t.limit)
}

// Stat describes a file of any kind.
func (t treeFS) Stat(name string) (fs.FileInfo, error) { return StatWithin(t.root, name) }
