package repair

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
	"manicule/memory/file"
)

// KeptFolder is the name of the folder, in the state folder of a repository, of what repairs changed.
const KeptFolder = "repairs"

// maxKept is the size in bytes of the largest list of edits that Undo reads.
const maxKept = 256 << 20

// ErrNothing is returned by Undo if there is nothing to take back.
var ErrNothing = errors.New("no repair is there to be taken back")

// receipt is what one Apply changes, as it is kept.
type receipt struct {
	At    time.Time `json:"at"`
	Dir   string    `json:"dir"`
	Edits []Edit    `json:"edits"`
}

// Apply mends files, and keeps what they were before. A file that changed since Find is left alone
// and returned.
func Apply(ctx context.Context, o Options, faults []Fault) (left []Fault, err error) {
	if len(faults) == 0 {
		return nil, nil
	}
	r := receipt{At: o.Now, Dir: o.Dir}
	for _, f := range faults {
		same, err := f.unchanged(o.Dir)
		switch {
		case err != nil:
			return nil, err
		case same:
			r.Edits = append(r.Edits, f.edits...)
		default:
			left = append(left, f)
		}
	}
	if len(r.Edits) == 0 {
		return left, nil
	}
	kept, err := o.keep(r)
	if err != nil {
		return left, err
	}
	done := 0
	err = inFolder(o.Dir, func(root *os.Root) error {
		for _, e := range r.Edits {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err := put(root, o.Dir, e.Path, e.After); err != nil {
				return err
			}
			done++
		}
		return nil
	})
	if err != nil {
		if done == 0 { // nothing is there to be taken back
			err = errors.Join(err, os.Remove(kept))
		}
		return left, fmt.Errorf("mend memory files: %w", err)
	}
	return left, nil
}

// unchanged reports whether the files of a fault are as Find saw them.
func (f Fault) unchanged(dir string) (bool, error) {
	for _, e := range f.edits {
		now, err := current(dir, e.Path)
		if err != nil || !equal(now, e.Before) {
			return false, err
		}
	}
	return true, nil
}

// keep writes what a repair will change, and returns where. It comes first, so that no change is without it.
func (o Options) keep(r receipt) (name string, err error) {
	name = filepath.Join(o.Kept, r.At.UTC().Format("20060102T150405.000")+".json")
	data, err := json.Marshal(r)
	if err == nil {
		err = os.MkdirAll(o.Kept, 0o700)
	}
	if err == nil {
		err = atomicfile.Write(name, data, 0o600)
	}
	if err != nil {
		return "", fmt.Errorf("keep the files as they are: %w", err)
	}
	return name, nil
}

// Undo takes the newest repair of a memories folder back. Files that changed since are left alone and
// returned.
func Undo(ctx context.Context, o Options) (restored, left []string, err error) {
	name, r, err := o.newest()
	if err != nil {
		return nil, nil, err
	}
	err = inFolder(o.Dir, func(root *os.Root) error {
		for _, e := range slices.Backward(r.Edits) {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			now, err := current(o.Dir, e.Path)
			switch {
			case err != nil:
				return err
			case equal(now, e.Before): // it was never done, or is undone
			case !equal(now, e.After):
				left = append(left, e.Path)
			default:
				if err := put(root, o.Dir, e.Path, e.Before); err != nil {
					return err
				}
				restored = append(restored, e.Path)
			}
		}
		return nil
	})
	if err == nil && len(left) == 0 {
		err = os.Remove(name)
	}
	if err != nil {
		return restored, left, fmt.Errorf("take a repair back: %w", err)
	}
	slices.Sort(restored)
	return restored, left, nil
}

// newest returns the newest repair of the folder.
func (o Options) newest() (name string, r receipt, err error) {
	list, err := os.ReadDir(o.Kept)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", r, fmt.Errorf("list the repairs: %w", err)
	}
	for _, e := range slices.Backward(list) {
		name = filepath.Join(o.Kept, e.Name())
		data, err := treefile.Read(name, maxKept)
		if err != nil {
			return "", r, fmt.Errorf("read a repair: %w", err)
		}
		r = receipt{}
		if err := json.Unmarshal(data, &r); err != nil {
			return "", r, fmt.Errorf("read %s: %w", name, err)
		}
		if r.Dir == o.Dir {
			return name, r, nil
		}
	}
	return "", r, ErrNothing
}

func inFolder(dir string, f func(*os.Root) error) (err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	return f(root)
}

// current returns the content of a file, nil if there is none.
func current(dir, rel string) ([]byte, error) {
	data, err := file.ReadBytes(filepath.Join(dir, filepath.FromSlash(rel)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return present(data), err
}

func equal(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

// put writes or removes a file.
func put(root *os.Root, dir, rel string, data []byte) error {
	if data == nil {
		return atomicfile.Remove(root, rel)
	}
	if err := treefile.CheckNoLinks(filepath.Join(dir, filepath.FromSlash(rel))); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(rel), 0o777); err != nil {
		return err
	}
	perm := fs.FileMode(0o666)
	if strings.Contains(rel, "/personal/") {
		perm = 0o600
	}
	return atomicfile.WriteIn(root, file.Scratch, rel, data, perm)
}
