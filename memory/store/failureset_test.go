package store

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"manicule/indexer/must"
)

// TestMayHaveFailed: a call whose failure is stored is never ruled out, whatever becomes of the file;
// another one is, as long as the file is sound.
func TestMayHaveFailed(t *testing.T) {
	s := OpenState(t.TempDir(), "", time.Now)
	dir := filepath.Dir(s.Path())
	name := filepath.Join(dir, failureSetName)
	check := func(what string, tool, subject string, want bool) {
		t.Helper()
		if got := MayHaveFailed(dir, s.root, tool, []string{"another", subject}); got != want {
			t.Errorf("%s: %s %s: %v, want %v", what, tool, subject, got, want)
		}
	}
	check("no state", "shell", "make", false)
	must.OK(t, s.Usage().CountSaidAgain(t.Context(), uuid(1)))
	check("nothing failed", "shell", "make", false)
	observe := func(session string, subjects ...string) {
		t.Helper()
		o := Observation{Session: session, Log: session, Ended: 1}
		for _, x := range subjects {
			o.Errors = append(o.Errors, ObservedError{Tool: "shell", Subject: x, Fingerprint: "f", Count: 1})
		}
		_, err := s.Sessions().Put(t.Context(), o, nil)
		must.OK(t, err)
	}
	observe("s1", "make", "make", "go test")
	for _, x := range []string{"make", "go test"} {
		check("it failed", "shell", x, true)
	}
	check("its error", "shell", PrintSubject("f"), true)
	check("another error", "shell", PrintSubject("g"), false)
	check("another tool", "read", "make", false)
	check("another call", "shell", "npm test", false)
	st, err := os.Stat(name)
	must.OK(t, err)
	if want := int64(len(failureSetMagic) + 3*8); st.Size() != want {
		t.Errorf("the file has %d bytes, want %d", st.Size(), want)
	}
	for what, harm := range map[string]func() error{
		"cut off": func() error { return os.Truncate(name, st.Size()-3) },
		"empty":   func() error { return os.Truncate(name, 0) },
		"gone":    func() error { return os.Remove(name) },
	} {
		must.OK(t, harm())
		check(what, "shell", "make", true)
		check(what, "shell", "npm test", true)
		observe("s2 "+what, "npm "+what)
		check("mended after "+what, "shell", "make", true)
		check("mended after "+what, "shell", "npm "+what, true)
		check("mended after "+what, "shell", "npm test", false)
		check("mended after "+what, "shell", PrintSubject("f"), true)
		check("mended after "+what, "shell", PrintSubject("g"), false)
	}
}
