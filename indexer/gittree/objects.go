package gittree

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"

	"manicule/indexer/gitinfo"
	"manicule/indexer/treefile"
)

// Cache sizes. Reading a pack reads neighbouring objects too, which are often
// requested next. Some are worth their memory, but not go-git's default of 96 MiB for
// each store.
const (
	keptObjects = 16 * cache.MiByte
	mostObjects = 96 * cache.MiByte // where objects are large
	keptLarge   = 32                // objects of the largest size that are kept up to there
	keptEntries = 200_000           // of trees; about 20 MB
)

// maxBlob is the size in bytes above which a blob is not read.
const maxBlob = 16 << 20

// Bounds of the alternates that a repository may name.
const (
	maxAlternates = 64 << 10 // bytes of a list
	maxStores     = 16       // repositories, alternates of alternates included
)

// objects is the object database of a repository: blobs, trees and commits by their ids. The mutex of the [Repo] guards it.
type objects struct {
	commonDir string
	none      bool // there is no repository

	stores []store   // its own first, then the alternates'
	packs  time.Time // modification time of the pack folder when the stores were opened
	trees  map[plumbing.Hash]*node
	most   int       // maximum number of cached tree entries
	kept   int       // number of cached tree entries
	used   time.Time // time of the last request for an object or the index
}

func (o *objects) forgetTrees() {
	o.trees, o.kept = make(map[plumbing.Hash]*node), 0
}

func (o *objects) close() error {
	var errs []error
	for _, s := range o.stores {
		errs = append(errs, s.Close())
	}
	o.stores = nil
	return errors.Join(errs...)
}

// read reads one object.
func (o *objects) read(kind plumbing.ObjectType, id string) (data []byte, err error) {
	err = o.open(kind, id, func(rd io.Reader, size int64) (err error) {
		var out bytes.Buffer
		out.Grow(int(max(size, 0)) + bytes.MinRead)
		_, err = out.ReadFrom(io.LimitReader(rd, maxBlob+1))
		if data = out.Bytes(); len(data) > maxBlob {
			err = errors.New("it is larger than it says") // the size is only what the object claims
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return data, nil
}

// open calls use with one object. It notices new packs: a fetch or a
// repack may have moved the object.
func (o *objects) open(kind plumbing.ObjectType, id string, use func(rd io.Reader, size int64) error) error {
	if o.none || !plumbing.IsHash(id) || len(id) != 40 {
		return fmt.Errorf("read %s %q: %w", kind, id, ErrAbsent)
	}
	err := o.find(kind, plumbing.NewHash(id), use)
	if errors.Is(err, plumbing.ErrObjectNotFound) && o.stores != nil && !o.packTime().Equal(o.packs) {
		if err := o.close(); err != nil {
			return fmt.Errorf("close the packs: %w", err)
		}
		err = o.find(kind, plumbing.NewHash(id), use)
	}
	if errors.Is(err, plumbing.ErrObjectNotFound) {
		err = ErrAbsent
	}
	if err != nil {
		return fmt.Errorf("read %s %s: %w", kind, id, err)
	}
	return nil
}

func (o *objects) find(kind plumbing.ObjectType, id plumbing.Hash, use func(rd io.Reader, size int64) error) error {
	o.used = time.Now()
	if o.stores == nil {
		o.packs = o.packTime()
		o.stores = openStores(o.commonDir)
	}
	for _, s := range o.stores {
		data, err := s.loose(kind, id)
		if errors.Is(err, errKind) {
			continue // go-git would read it to its end
		}
		if err == nil {
			return use(bytes.NewReader(data), int64(len(data)))
		}
		if !errors.Is(err, plumbing.ErrObjectNotFound) {
			return err
		}
		found, err := s.EncodedObject(kind, id)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if found.Size() > maxBlob {
			return fmt.Errorf("it has %d bytes", found.Size())
		}
		rd, err := found.Reader()
		if err != nil {
			return err
		}
		return errors.Join(use(rd, found.Size()), rd.Close())
	}
	return plumbing.ErrObjectNotFound
}

func (o *objects) packTime() time.Time {
	st, err := os.Stat(filepath.Join(o.commonDir, "objects", "pack"))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// openStores opens the object folders of a repository and of its alternates. go-git
// reads objects/info/alternates only if the paths are absolute.
func openStores(commonDir string) []store {
	var out []store
	seen := map[string]bool{}
	for queue := []string{filepath.Join(commonDir, "objects")}; len(queue) > 0 && len(out) < maxStores; queue = queue[1:] {
		folder := filepath.Clean(queue[0])
		if seen[folder] {
			continue
		}
		seen[folder] = true
		files := gitinfo.Files(filepath.Dir(folder))
		dir := dotgit.New(files)
		out = append(out, store{files, filesystem.NewObjectStorageWithOptions(dir, newObjectCache(), filesystem.Options{KeepDescriptors: true, LargeObjectThreshold: maxBlob})})
		queue = append(queue, alternates(folder)...)
	}
	return out
}

// objectCache is a cache of objects that grows where objects are large. In a pack the tree of a folder with ten thousands
// of files is a chain of differences to earlier ones: where few links of it fit, each tree is put together from its very
// beginning again. The mutex of the [Repo] guards it.
type objectCache struct{ *cache.ObjectLRU }

func newObjectCache() objectCache { return objectCache{cache.NewObjectLRU(keptObjects)} }

// Put implements [cache.Object].
func (c objectCache) Put(o plumbing.EncodedObject) {
	c.MaxSize = max(c.MaxSize, min(keptLarge*cache.FileSize(o.Size()), mostObjects))
	c.ObjectLRU.Put(o)
}

func alternates(folder string) []string {
	data, err := treefile.Read(filepath.Join(folder, "info", "alternates"), maxAlternates)
	if err != nil {
		return nil // no alternates
	}
	var out []string
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(folder, line)
		}
		out = append(out, line)
	}
	return out
}

// commit is the header of a commit object.
type commit struct {
	tree    string
	parents []string
}

// commit reads a commit. It reads only the first lines: the
// rest is for people.
func (o *objects) commit(id string) (commit, error) {
	data, err := o.read(plumbing.CommitObject, id)
	if err != nil {
		return commit{}, err
	}
	var c commit
	for line := range bytes.Lines(data) {
		key, value, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
		switch key {
		case "tree":
			c.tree = value
		case "parent":
			c.parents = append(c.parents, value)
		default:
			return c, nil
		}
	}
	return c, nil
}

// node reads a tree object once.
//
// It does not use go-git's reader for trees and commits, because that package links
// OpenPGP, which slows every start of a program.
func (o *objects) node(id string) (*node, error) {
	key := plumbing.NewHash(id)
	if n, ok := o.trees[key]; ok {
		o.used = time.Now()
		return n, nil
	}
	data, err := o.read(plumbing.TreeObject, id)
	if err != nil {
		return nil, err
	}
	n, err := parseTree(data)
	if err != nil {
		return nil, fmt.Errorf("read tree %s: %w", id, err)
	}
	if o.kept > o.most {
		o.forgetTrees()
	}
	o.trees[key] = n
	o.kept += len(n.files) + len(n.folders)
	return n, nil
}

// entries reads those entries of a tree that have one of some names. It keeps nothing of the others, which may be a hundred
// thousand.
func (o *objects) entries(id string, names []string) (out []treeEntry) {
	if n, ok := o.trees[plumbing.NewHash(id)]; ok {
		return n.some(names)
	}
	err := o.open(plumbing.TreeObject, id, func(rd io.Reader, _ int64) (err error) {
		out, err = entriesIn(io.LimitReader(rd, maxBlob), names)
		return err
	})
	if err != nil {
		return nil // as of a tree that is read as a whole
	}
	return out
}

func (o *objects) names(id string, each func(name string)) bool {
	data, err := o.read(plumbing.TreeObject, id)
	if err != nil {
		return false
	}
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := bytes.Cut(head, []byte{' '})
		if !ok || !named || len(rest) < 20 {
			return false
		}
		switch string(bytes.TrimLeft(mode, "0")) {
		case modeFolder:
			if !o.names(plumbing.Hash(rest[:20]).String(), each) {
				return false
			}
		case modeLink, modeModule:
		default:
			each(string(name))
		}
		data = rest[20:]
	}
	return true
}

func (o *objects) diff(a, b, prefix string, out *[]string) {
	if a == b {
		return
	}
	x, y := o.orEmpty(a), o.orEmpty(b)
	for name, id := range x.files {
		if y.files[name] != id {
			*out = append(*out, prefix+name)
		}
	}
	for name := range y.files {
		if _, both := x.files[name]; !both {
			*out = append(*out, prefix+name)
		}
	}
	for name := range union(x.folders, y.folders) {
		o.diff(x.folders[name], y.folders[name], prefix+name+"/", out)
	}
}

func (o *objects) orEmpty(id string) *node {
	if id != "" {
		if n, err := o.node(id); err == nil {
			return n
		}
	}
	return &node{}
}
