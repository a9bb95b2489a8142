//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package linefile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneRotates: of the processes that find a file full one rotates it. The other one's rename would put the new file over
// the part that was just rotated.
func TestOneRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	const limit = 100
	full := strings.Repeat("a line\n", 20)
	if err := os.WriteFile(path, []byte(full), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := open(path) // and found it full
	if err != nil {
		t.Fatal(err)
	}
	if !tryLock(first) {
		t.Fatal("the file is locked")
	}
	if err := Append(path, limit, []byte("second")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path + ".1"); err == nil {
		t.Error("the second renamed a file that the first is rotating")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Append(path, limit, []byte("third")); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path + ".1"); err != nil || string(data) != full+"second\nthird\n" {
		t.Errorf("rotated: %q, %v", data, err)
	}
}
