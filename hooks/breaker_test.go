package hooks

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestBreaker(t *testing.T) {
	dir := t.TempDir()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	miss := func() {
		t.Helper()
		if err := missed(dir, at); err != nil {
			t.Fatal(err)
		}
	}
	miss()
	at = at.Add(11 * time.Minute) // that is forgotten
	miss()
	miss()
	if ReadBreaker(dir).Open(at) {
		t.Error("open after two misses within ten minutes")
	}
	miss()
	if !ReadBreaker(dir).Open(at) || ReadBreaker(dir).Open(at.Add(breakerFor)) {
		t.Errorf("after three: %+v", ReadBreaker(dir))
	}
	if err := os.WriteFile(filepath.Join(dir, breakerName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if ReadBreaker(dir).Open(at) {
		t.Error("a damaged file keeps it open")
	}
	miss()
}

// TestLess: while the breaker is open, files are still named and nothing is
// searched.
func TestLess(t *testing.T) {
	a := newAsking(t)
	for range breakerAfter {
		if err := os.MkdirAll(a.state, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := missed(a.state, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if got := a.say(prompt("Token expiry should be longer for mobile clients")); got != "" || len(a.asked) > 0 {
		t.Errorf("searched: %s", got)
	}
	if got := a.say(tool("Read", "file_path", "src/auth/x.ts")); got == "" {
		t.Error("files are not named any more")
	}
}
