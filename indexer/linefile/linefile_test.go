package linefile

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

func TestRotation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.log")
	for i := range 10 {
		if err := Append(path, 40, fmt.Appendf(nil, "line %d 0123456789", i)); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	if err := Read(path, func(l []byte) { lines = append(lines, string(l)) }); err != nil {
		t.Fatal(err)
	}
	if n := len(lines); n < 3 || n > 6 || !strings.HasPrefix(lines[n-1], "line 9") {
		t.Errorf("%q", lines)
	}
	if err := Append(path, 40, bytes.Repeat([]byte("x"), MaxLine)); err == nil {
		t.Error("a line that is too long was written")
	}
}

func TestFileName(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"5b1e-a", "", ".", "..", "a/b", `a\b`, "A", "a", "con", strings.Repeat("x", 300), "a\x00b", "é", "a.b"} {
		name := FileName(id)
		if strings.ContainsAny(name, "/\\.\x00") || len(name) > 70 || seen[strings.ToLower(name)] != "" {
			t.Errorf("FileName(%q) = %q", id, name)
		}
		seen[strings.ToLower(name)] = id + "!"
	}
}
