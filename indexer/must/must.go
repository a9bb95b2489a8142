// Package must has the steps of a test that have to succeed: each ends the test where it fails. The product must not
// import it.
package must

import (
	"os"
	"path/filepath"
	"testing"
)

// OK ends the test at an error.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes a file, in folders that it makes.
func Write[T string | []byte](t testing.TB, name string, text T) {
	t.Helper()
	Mkdir(t, filepath.Dir(name))
	OK(t, os.WriteFile(name, []byte(text), 0o644))
}

// Mkdir makes a folder and those above it.
func Mkdir(t testing.TB, name string) {
	t.Helper()
	OK(t, os.MkdirAll(name, 0o755))
}

// Read reads a file.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	OK(t, err)
	return data
}
