package gittree

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/storage/filesystem"
)

// store is one folder of objects.
type store struct {
	files billy.Filesystem // the folder
	*filesystem.ObjectStorage
}

// errKind means that an object is of another kind than requested.
var errKind = errors.New("it is of another kind")

// maxHeader bounds the bytes of an object's kind and size.
const maxHeader = 64

// loose reads an object from a file of its own. go-git inflates a loose object without
// regard to its declared size, so a small file of an archive could take all memory.
// For packs it checks the sizes.
func (s store) loose(kind plumbing.ObjectType, id plumbing.Hash) (data []byte, err error) {
	name := id.String()
	f, err := s.files.Open(s.files.Join("objects", name[:2], name[2:]))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, plumbing.ErrObjectNotFound
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("it can't be inflated: %w", err)
	}
	r := bufio.NewReaderSize(z, maxHeader)
	head, err := r.ReadSlice(0)
	if err != nil {
		return nil, fmt.Errorf("it has no header: %w", err)
	}
	var said string
	var size int64
	if _, err := fmt.Sscanf(string(head[:len(head)-1]), "%s %d", &said, &size); err != nil {
		return nil, fmt.Errorf("read its header: %w", err)
	}
	switch {
	case said != kind.String():
		return nil, errKind
	case size < 0 || size > maxBlob:
		return nil, fmt.Errorf("it has %d bytes", size)
	}
	data, err = io.ReadAll(io.LimitReader(r, size+1))
	if err == nil && int64(len(data)) != size {
		err = fmt.Errorf("it does not have the %d bytes that it says", size)
	}
	return data, err
}
