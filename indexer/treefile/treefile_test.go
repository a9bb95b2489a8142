//go:build unix

package treefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"manicule/indexer/must"
)

// tree makes a folder with a project's own folder in it, and a secret beside it.
func newTree(t *testing.T) (root, secret string) {
	t.Helper()
	dir := t.TempDir()
	root, secret = filepath.Join(dir, "repo"), filepath.Join(dir, "outside", "secret")
	for name, text := range map[string]string{
		secret:                                  "secret",
		filepath.Join(root, Folder, "a", "f"):   "inside",
		filepath.Join(root, "src", "x.go"):      "package x",
		filepath.Join(root, Folder, "large.md"): "more than eight",
	} {
		must.OK(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must.OK(t, os.WriteFile(name, []byte(text), 0o644))
	}
	must.OK(t, syscall.Mkfifo(filepath.Join(root, Folder, "pipe"), 0o644))
	must.OK(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	for link, to := range map[string]string{
		filepath.Join(root, Folder, "out"):   "../../outside",
		filepath.Join(root, Folder, "here"):  "a",
		filepath.Join(root, Folder, "zero"):  "/dev/zero",
		filepath.Join(root, Folder, "loop"):  "loop",
		filepath.Join(root, "out"):           "../outside",
		filepath.Join(root, "abs"):           secret,
		filepath.Join(root, "link"):          "src",
		filepath.Join(root, "zero"):          "/dev/zero",
		filepath.Join(root, "loop"):          "loop",
		filepath.Join(root, "src", "topipe"): "../pipe",
	} {
		must.OK(t, os.Symlink(to, link))
	}
	return root, secret
}

func TestOwn(t *testing.T) {
	root, _ := newTree(t)
	for _, c := range []struct {
		rel  string
		want string
		err  error
	}{
		{"a/f", "inside", nil},
		{"here/f", "", ErrLink},
		{"out/secret", "", ErrLink},
		{"zero", "", ErrLink},
		{"loop", "", ErrLink},
		{"pipe", "", ErrNotFile},
		{"a", "", ErrNotFile},
		{"large.md", "", ErrTooBig},
		{"none", "", fs.ErrNotExist},
	} {
		got, err := ReadOwn(filepath.Join(root, Folder, c.rel), 8)
		if string(got) != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", c.rel, got, err, c.want, c.err)
		}
		if e, ok := errors.AsType[*Error](err); ok && e.Hint == "" {
			t.Errorf("%s: %v does not say what to do", c.rel, err)
		}
	}
}

// TestOwnFolderIsALink follows a link above the folder, never the folder itself.
func TestOwnFolderIsALink(t *testing.T) {
	root, _ := newTree(t)
	dir := filepath.Dir(root)
	must.OK(t, os.Symlink("repo", filepath.Join(dir, "named")))
	if _, err := ReadOwn(filepath.Join(dir, "named", Folder, "a", "f"), 8); err != nil {
		t.Errorf("through a link above: %v", err)
	}
	must.OK(t, os.Mkdir(filepath.Join(dir, "other"), 0o755))
	must.OK(t, os.Symlink(filepath.Join(root, Folder), filepath.Join(dir, "other", Folder)))
	if _, err := ReadOwn(filepath.Join(dir, "other", Folder, "a", "f"), 8); !errors.Is(err, ErrLink) {
		t.Errorf("the folder is a link: %v", err)
	}
	if err := CheckNoLinks(filepath.Join(dir, "other", Folder, "new", "file")); !errors.Is(err, ErrLink) {
		t.Errorf("to be written below a link: %v", err)
	}
	if err := CheckNoLinks(filepath.Join(root, Folder, "new", "file")); err != nil {
		t.Errorf("to be written: %v", err)
	}
}

func TestWithin(t *testing.T) {
	root, _ := newTree(t)
	fsys := FS(root, 9)
	for rel, want := range map[string]string{
		"src/x.go": "package x", "link/x.go": "package x",
		"out/secret": "", "abs": "", "../outside/secret": "", "zero": "", "loop": "", "pipe": "", "src/topipe": "", "src": "",
	} {
		got, err := ReadWithin(root, rel, 9)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v; want %q", rel, got, err, want)
		}
		got, err = readRooted(root, rel, 9)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s folder by folder: %q, %v; want %q", rel, got, err, want)
		}
		if got, ok := readBeneath(root, rel, 9); ok && (want == "" || string(got) != want) {
			t.Errorf("%s at once: %q; want %q", rel, got, want)
		}
		got, err = fs.ReadFile(fsys, rel)
		if string(got) != want || (err == nil) != (want != "") {
			t.Errorf("%s as a file system: %q, %v; want %q", rel, got, err, want)
		}
	}
	if _, err := ReadWithin(root, "src/x.go", 8); !errors.Is(err, ErrTooBig) {
		t.Errorf("too large: %v", err)
	}
	for rel, there := range map[string]bool{"src/x.go": true, "link/x.go": false, "link": true, "out/secret": false} {
		if _, err := Lstat(root, rel); (err == nil) != there {
			t.Errorf("%s: %v", rel, err)
		}
	}
}

// TestRead follows links, and waits for nothing.
func TestRead(t *testing.T) {
	root, secret := newTree(t)
	if got, err := Read(filepath.Join(root, "abs"), 8); err != nil || string(got) != "secret" {
		t.Errorf("by a link: %q, %v", got, err)
	}
	for _, name := range []string{"zero", "pipe", "src/topipe", "src"} {
		if _, err := Read(filepath.Join(root, name), 8); !errors.Is(err, ErrNotFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Read(secret, 5); !errors.Is(err, ErrTooBig) {
		t.Errorf("too large: %v", err)
	}
}

// TestLimits reads what is just as long as may be, and names the limit where a
// file is longer.
func TestLimits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	for n, limit := range map[int64]int64{0: 0, 1: 1, 4096: 4096} {
		must.OK(t, os.WriteFile(name, make([]byte, n), 0o600))
		if data, err := Read(name, limit); err != nil || int64(len(data)) != n {
			t.Errorf("%d of %d bytes: %d, %v", n, limit, len(data), err)
		}
	}
	for limit, want := range map[int64]string{2 << 10: "more than 2 KB", 1<<20 - 1: "more than 1023 KB", 1 << 20: "more than 1 MB", 3 << 20: "more than 3 MB"} {
		must.OK(t, os.Truncate(name, limit+1))
		if _, err := Read(name, limit); !errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// TestOwnFolder reads what ReadOwn reads, and refuses what it refuses.
func TestOwnFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), Folder, "memories")
	must.Mkdir(t, filepath.Join(dir, "sub"))
	for name, text := range map[string]string{"a.json": "text", "large.json": "too large"} {
		must.Write(t, filepath.Join(dir, name), text)
	}
	if err := os.Symlink("a.json", filepath.Join(dir, "link.json")); err != nil {
		t.Skip("no links here")
	}
	f, err := OpenOwnFolder(dir)
	must.OK(t, err)
	for _, name := range []string{"a.json", "large.json", "link.json", "gone.json", "sub"} {
		want, wantErr := ReadOwn(filepath.Join(dir, name), 5)
		got, err := f.Read(name, 5)
		if string(got) != string(want) || (err == nil) != (wantErr == nil) || errors.Is(err, ErrTooBig) != errors.Is(wantErr, ErrTooBig) ||
			errors.Is(err, fs.ErrNotExist) != errors.Is(wantErr, fs.ErrNotExist) {
			t.Errorf("%s: %q, %v; want %q, %v", name, got, err, want, wantErr)
		}
	}
	must.OK(t, f.Close())
	must.OK(t, os.Rename(dir, dir+"2"))
	must.OK(t, os.Symlink("memories2", dir))
	if _, err := OpenOwnFolder(dir); err == nil {
		t.Error("a link in place of the folder was followed")
	}
}
