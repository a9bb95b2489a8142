package services

import (
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"

	"manicule/indexer/must"
	"manicule/memory/exporter"
	"manicule/memory/httpjson"
)

// TestHintOfModelServers: an error of a configured server says what to do, and an error that only
// looks like one (a deadline of our own) is not taken for it.
func TestHintOfModelServers(t *testing.T) {
	t.Parallel()
	refuse := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refuse.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	ask := func(url string) error {
		c, err := httpjson.New(httpjson.Options{Name: "openai", URL: url, KeyName: "SOME_KEY", Retries: -1})
		must.OK(t, err)
		defer c.Close()
		_, err = c.Post(t.Context(), "embeddings", struct{}{})
		return fmt.Errorf("search: %w", err)
	}
	for name, c := range map[string]struct {
		err  error
		want string // part of the hint; none when ""
	}{
		"a wrong key":          {ask(refuse.URL), "SOME_KEY"},
		"nobody listens":       {ask(gone.URL), "server runs"},
		"a deadline of ours":   {fmt.Errorf("sync: %w", context.DeadlineExceeded), ""},
		"a file of somebody":   {fmt.Errorf("export: %w", &exporter.ForeignError{Path: "MEMORY.md"}), "Move it away"},
		"an unrelated failure": {fmt.Errorf("sync: %w", http.ErrAbortHandler), ""},
	} {
		got := Hint(c.err)
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: hint %q of %v", name, got, c.err)
		}
	}
}

// TestHintOfFolders: what sudo made in somebody's home is said to be another user's.
func TestHintOfFolders(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err       error
		want, not string
	}{
		"no permission": {&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.EACCES}, "sudo chown", "Free space"},
		"open files":    {&fs.PathError{Op: "open", Path: "/x", Err: syscall.EMFILE}, "ulimit -n", "disk"},
		"no locks":      {syscall.ENOLCK, "XDG_STATE_HOME", "Free space"},
		"a full disk":   {&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}, "Free space", "is yours"},
	} {
		if got := Hint(fmt.Errorf("make the state folder: %w", c.err)); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("%s: %q", name, got)
		}
	}
}
