package gittree

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"manicule/indexer/must"
)

// TestLooseBomb: an object that says that it is small, and inflates without end
// as far as that goes, is refused before it takes the memory.
func TestLooseBomb(t *testing.T) {
	const id, size = "aa00000000000000000000000000000000000001", 256 << 20
	for name, head := range map[string]string{"small by its own word": "blob 10\x00", "as large as it is": fmt.Sprintf("blob %d\x00", size), "of another kind": "tree 10\x00", "no header": "blob 1"} {
		t.Run(name, func(t *testing.T) {
			git := t.TempDir()
			object := filepath.Join(git, "objects", id[:2], id[2:])
			must.Mkdir(t, filepath.Dir(object))
			f, err := os.Create(object)
			must.OK(t, err)
			z, err := zlib.NewWriterLevel(f, zlib.BestSpeed)
			must.OK(t, err)
			if _, err := z.Write([]byte(head)); err != nil {
				t.Fatal(err)
			}
			chunk := bytes.Repeat([]byte("1"), 1<<20)
			for range size >> 20 {
				if _, err := z.Write(chunk); err != nil {
					t.Fatal(err)
				}
			}
			must.OK(t, z.Close())
			must.OK(t, f.Close())
			r := Open(git, git, "")
			defer func() {
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			data, err := r.Blob(id)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("%d bytes, %v", len(data), err)
			}
			if took := after.TotalAlloc - before.TotalAlloc; took > maxBlob {
				t.Errorf("it took %d MB", took>>20)
			}
		})
	}
}
