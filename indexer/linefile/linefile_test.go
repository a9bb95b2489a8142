package linefile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestReadFrom reads what was added, and nothing of a file that may be another one.
func TestReadFrom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	from := func(n int64) (lines string, ok bool) {
		t.Helper()
		ok, err := ReadFrom(path, n, func(line []byte) { lines += string(line) + "|" })
		if err != nil {
			t.Fatal(err)
		}
		return lines, ok
	}
	write("one\ntwo\nthree\n")
	for n, want := range map[int64]string{4: "two|three|", 8: "three|", 14: ""} {
		if got, ok := from(n); !ok || got != want {
			t.Errorf("from %d: %q, %t", n, got, ok)
		}
	}
	for name, n := range map[string]int64{"nothing was read": 0, "a torn line was counted": 5, "it is shorter now": 15} {
		if got, ok := from(n); ok || got != "" {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
	if err := os.WriteFile(path+".1", []byte("zero\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, ok := from(8); ok || got != "" {
		t.Errorf("rotated: %q, %t", got, ok)
	}
	if ok, err := ReadFrom(path+"-absent", 8, func([]byte) {}); ok || err != nil {
		t.Errorf("absent: %t, %v", ok, err)
	}
}
