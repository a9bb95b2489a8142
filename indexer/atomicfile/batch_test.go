package atomicfile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"manicule/indexer/must"
)

func TestWriteAllIn(t *testing.T) {
	dir, root := open(t)
	var files []File
	for i := range 100 {
		files = append(files, File{fmt.Sprintf("d%d/f%d", i%2, i), fmt.Append(nil, i), 0o600})
	}
	if n, err := WriteAllIn(root, "tmp", files); err == nil || n != 0 {
		t.Errorf("%d written into folders that are not there: %v", n, err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "tmp", prefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	for _, d := range []string{"d0", "d1"} {
		must.OK(t, os.Mkdir(filepath.Join(dir, d), 0o700))
	}
	if n, err := WriteAllIn(root, "tmp", files); err != nil || n != len(files) {
		t.Fatalf("%d written: %v", n, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(dir, f.Name))
		if err != nil || !bytes.Equal(data, f.Data) {
			t.Errorf("%s holds %q, %v", f.Name, data, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "tmp", prefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	// One that can't get its name ends it: those before it are there, those after not.
	files = []File{{"d0/a", []byte("a"), 0o600}, {"gone/b", []byte("b"), 0o600}, {"d0/c", []byte("c"), 0o600}}
	if n, err := WriteAllIn(root, "tmp", files); err == nil || n != 1 {
		t.Errorf("%d written: %v", n, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "d0", "c")); err == nil {
		t.Error("a file after the one that failed was written")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "tmp", prefix+"*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}
