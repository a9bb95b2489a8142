package atomicfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
)

// File is one of many files that are written together. Name has forward slashes.
type File struct {
	Name string
	Data []byte
	Perm fs.FileMode
}

// syncers is how many files are synced concurrently: a journaling file system writes
// its journal once for all that wait.
const syncers = 32

// WriteAllIn is [WriteIn] for many files and takes a fraction of the time. It writes
// and syncs every file under a temporary name, renames them all, and then syncs each
// folder. It returns how many of the first files are in place; without an error that
// is all of them.
func WriteAllIn(root *os.Root, tmp string, files []File) (written int, err error) {
	if err := makeIgnored(root, tmp); err != nil {
		return 0, err
	}
	staged := make([]string, len(files))
	defer func() {
		for _, name := range staged[written:] {
			if name != "" {
				err = errors.Join(err, root.Remove(name))
			}
		}
	}()
	errs := make([]error, syncers)
	var wg sync.WaitGroup
	for w := range syncers {
		wg.Go(func() {
			for i := w; i < len(files) && errs[w] == nil; i += syncers {
				name := path.Join(tmp, prefix+rand.Text())
				var made bool
				if made, errs[w] = stage(root, name, files[i]); made {
					staged[i] = name
				}
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return 0, err
	}
	folders := map[string]bool{}
	for i, f := range files {
		if err := root.Rename(staged[i], f.Name); err != nil {
			return written, err
		}
		written++
		folders[path.Dir(f.Name)] = true
	}
	for folder := range folders {
		_ = syncDir(root, folder) // the files are in place: see write
	}
	return written, nil
}

// stage writes a file under a temporary name. made says whether that file exists.
func stage(root *os.Root, name string, file File) (made bool, err error) {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, file.Perm)
	if err != nil {
		return false, err
	}
	_, err = f.Write(file.Data)
	return true, errors.Join(err, f.Sync(), f.Close())
}
