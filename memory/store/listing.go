package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"manicule/indexer/treefile"
	"manicule/memory/file"
)

// racy is the age below which a file's modification time proves nothing. A second change within one
// tick of the file system's clock would look the same (git calls such index entries racy).
const racy = 20 * time.Millisecond

// diskFile is a memory file in a folder listing.
type diskFile struct {
	mtimeNS, size int64
	fresh         bool // within the racy window
}

// stamp is what its row keeps of a file; its time only if that proves something.
func (f diskFile) stamp() (mtimeNS, size int64) {
	if f.fresh {
		return 0, f.size
	}
	return f.mtimeNS, f.size
}

// listing is the content of the memory folders.
type listing struct {
	files   map[string]diskFile
	folders map[string]int64
	count   int
	digest  uint64
	clean   bool // no file is racy or unread
	// unread are folders and files that could not be checked, with the reason. Their memories must
	// not count as deleted.
	unread    map[string]error
	irregular map[string]bool // a link or a pipe in place of a folder or file
}

// folder stats a memory folder. It reports a link, which could point anywhere, as irregular. ok is
// false if there is nothing to read.
func (l *listing) folder(dir, rel string) (st fs.FileInfo, ok bool, err error) {
	if l.irregular["."] || l.irregular[pathDir(rel)] {
		return nil, false, nil
	}
	st, err = os.Lstat(filepath.Join(dir, filepath.FromSlash(rel)))
	switch {
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("look at memory folder: %w", err)
	case !st.IsDir():
		l.markIrregular(rel)
		return nil, false, nil
	}
	return st, true, nil
}

// markIrregular records an unusable entry. It is part of the digest, so a sync notices it.
func (l *listing) markIrregular(path string) {
	if l.irregular == nil {
		l.irregular = map[string]bool{}
	}
	l.irregular[path] = true
	l.digest += diskFile{}.digest(path)
	l.count++
}

// markUnread records a folder or a file that could not be checked.
func (l *listing) markUnread(rel string, err error) {
	if l.unread == nil {
		l.unread = map[string]error{}
	}
	l.unread[rel], l.clean = err, false
}

// covers reports whether an unlisted file may exist.
func (l *listing) covers(path string) bool {
	return l.unread[path] != nil || l.unread[pathDir(path)] != nil
}

// listFiles reads the memory folders and marks unreadable ones.
func listFiles(dir string, now time.Time) (listing, error) {
	return listing{files: map[string]diskFile{}}.read(dir, now)
}

// listDigest is listFiles with the digest in place of the files, which is cheap enough for the start of a command.
func listDigest(dir string, now time.Time) (listing, error) {
	return listing{}.read(dir, now)
}

func (l listing) read(dir string, now time.Time) (listing, error) {
	l.folders, l.clean = map[string]int64{}, true
	for _, rel := range append([]string{"."}, file.Folders()...) {
		st, ok, err := l.folder(dir, rel)
		if err != nil {
			if rel == "." {
				return l, err
			}
			l.markUnread(rel, err)
			continue
		}
		if !ok {
			continue
		}
		l.folders[rel] = st.ModTime().UnixNano()
		if rel == "." {
			continue
		}
		if err := l.readDir(filepath.Join(dir, filepath.FromSlash(rel)), rel, now); err != nil {
			l.markUnread(rel, err)
		}
	}
	return l, nil
}

// statWorkers goroutines stat the files of a folder with more than largeFolder files.
const statWorkers, largeFolder = 2, 1000

func (l *listing) readDir(abs, rel string, now time.Time) error {
	d, err := os.Open(abs)
	if err != nil {
		return fmt.Errorf("read memory folder: %w", err)
	}
	names, err := d.Readdirnames(-1)
	if err == nil {
		n := 1
		if len(names) >= largeFolder {
			n = statWorkers
		}
		found := make([]listing, n)
		var wg sync.WaitGroup
		for i := range n {
			part := &found[i]
			part.clean = true
			if l.files != nil {
				part.files = map[string]diskFile{}
			}
			wg.Go(func() { part.statFiles(d, rel, names[i*len(names)/n:(i+1)*len(names)/n], now) })
		}
		wg.Wait()
		for _, part := range found {
			l.add(part)
		}
	}
	if err := errors.Join(err, d.Close()); err != nil {
		return fmt.Errorf("read memory folder: %w", err)
	}
	return nil
}

// errNoFile is a link, a folder or a pipe with the name of a memory.
var errNoFile = errors.New("it is no regular file")

func (l *listing) statFiles(dir *os.File, rel string, names []string, now time.Time) {
	for _, name := range names {
		path := rel + "/" + name
		if !file.IsMemoryPath(path) {
			continue
		}
		f, err := statIn(dir, name)
		switch {
		case errors.Is(err, errNoFile):
			l.markIrregular(path)
			continue
		case errors.Is(err, fs.ErrNotExist):
			continue // just removed
		case err != nil:
			l.markUnread(path, err)
			continue
		}
		age := now.UnixNano() - f.mtimeNS
		f.fresh = age < int64(racy) && age > -int64(racy) // a time far ahead is as good as one far behind
		l.clean = l.clean && !f.fresh
		l.count++
		l.digest += f.digest(path)
		if l.files != nil {
			l.files[path] = f
		}
	}
}

func (l *listing) add(o listing) {
	l.clean = l.clean && o.clean
	l.count += o.count
	l.digest += o.digest
	maps.Copy(l.files, o.files)
	for rel, err := range o.unread {
		l.markUnread(rel, err)
	}
	if l.irregular == nil {
		l.irregular = o.irregular
	} else {
		maps.Copy(l.irregular, o.irregular)
	}
}

// digest returns a file's part of the listing's digest, which is a sum.
func (f diskFile) digest(path string) uint64 {
	h := fnv.New64a()
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:8], uint64(f.mtimeNS))
	binary.LittleEndian.PutUint64(b[8:], uint64(f.size))
	_, _ = h.Write([]byte(path)) // a hash never fails
	_, _ = h.Write(b[:])
	return h.Sum64()
}

func (l listing) key() string {
	return strconv.Itoa(l.count) + ":" + strconv.FormatUint(l.digest, 16)
}

// keyAfter returns the key after one file changed, given that the digest is a sum. An empty key
// stays empty.
func keyAfter(key, path string, was, is *diskFile) string {
	n, sum, ok := strings.Cut(key, ":")
	count, err1 := strconv.Atoi(n)
	digest, err2 := strconv.ParseUint(sum, 16, 64)
	if !ok || err1 != nil || err2 != nil {
		return ""
	}
	if was != nil {
		count--
		digest -= was.digest(path)
	}
	if is != nil {
		count++
		digest += is.digest(path)
	}
	return listing{count: count, digest: digest}.key()
}

// irregularError describes an irregular entry in place of a folder or a file.
func irregularError(dir, path string) error {
	err := treefile.CheckNoLinks(filepath.Join(dir, filepath.FromSlash(path)))
	if e, ok := errors.AsType[*treefile.Error](err); ok {
		return &file.Error{Line: 1, Column: 1, Msg: e.Msg, Hint: e.Hint, Err: err}
	}
	what := "file"
	if !strings.HasSuffix(path, ".json") {
		what = "folder"
	}
	return &file.Error{Line: 1, Column: 1, Msg: "it is no " + what + ", where one belongs", Hint: "Remove it, or put a " + what + " in its place."}
}

// folderTimes is a listing without files.
func folderTimes(dir string) (listing, error) {
	l := listing{folders: map[string]int64{}}
	for _, rel := range append([]string{"."}, file.Folders()...) {
		st, ok, err := l.folder(dir, rel)
		if err != nil {
			return l, err
		}
		if ok {
			l.folders[rel] = st.ModTime().UnixNano()
		}
	}
	return l, nil
}
