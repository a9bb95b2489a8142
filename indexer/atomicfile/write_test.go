package atomicfile

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	for _, text := range []string{"one", "two, longer", ""} {
		if err := Write(name, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
		if data, err := os.ReadFile(name); err != nil || string(data) != text {
			t.Errorf("%q, %v", data, err)
		}
	}
	if err := Write(filepath.Join(dir, "no", "folder"), nil, 0o600); err == nil {
		t.Error("a file was written into a folder that is not there")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
