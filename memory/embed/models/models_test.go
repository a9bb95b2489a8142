package models

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"time"

	"manicule/indexer/must"
	"manicule/memory/embed/onnx"
)

func sum(b []byte) string { s := sha256.Sum256(b); return hex.EncodeToString(s[:]) }

// testPack is a published package with two files, and its bytes. Its content
// does not compress, so that a transfer can break off in the middle.
func testPack(t *testing.T) (npmPackage, []byte) {
	t.Helper()
	files := map[string][]byte{"a.bin": noise(60_000, 1), "b.json": []byte(`{"b":1}`)}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	p := npmPackage{Name: "@scope/thing@1.0.0", File: "thing-1.0.0.tgz", URL: "https://registry.example/@scope/thing/-/thing-1.0.0.tgz"}
	for _, name := range []string{"a.bin", "../../evil", "b.json"} {
		data := files[name]
		must.OK(t, w.WriteHeader(&tar.Header{Name: "package/" + name, Mode: 0o644, Size: int64(len(data))}))
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if data != nil {
			p.Parts = append(p.Parts, part{name, "package/" + name, int64(len(data)), sum(data)})
		}
	}
	must.OK(t, errors.Join(w.Close(), z.Close()))
	p.Size, p.SHA256 = int64(b.Len()), sum(b.Bytes())
	return p, b.Bytes()
}

// noise is bytes without a pattern, always the same.
func noise(n int, seed byte) []byte {
	var out []byte
	for block := sha256.Sum256([]byte{seed}); len(out) < n; block = sha256.Sum256(block[:]) {
		out = append(out, block[:]...)
	}
	return out[:n]
}

// put installs a package without converting anything.
func put(t *testing.T, s *Store, p npmPackage, from Source) (string, bool, error) {
	t.Helper()
	dir := filepath.Join(s.dir, "thing")
	done, err := s.place(t.Context(), p, dir, p.Parts, from, func(map[string][]byte) error { return nil })
	return dir, done, err
}

// web is a source that downloads from a server of the test.
func web(s *Store, url string, progress Progress) *Web {
	w := s.Web(progress)
	w.url = func(p npmPackage) string { return url + "/" + p.File }
	return w
}

func TestInstallFromTheWeb(t *testing.T) {
	p, archive := testPack(t)
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.ServeContent(w, r, p.File, time.Time{}, bytes.NewReader(archive))
	}))
	defer server.Close()
	s := Open(t.TempDir())
	var last int64
	from := web(s, server.URL, func(_ string, done, total int64) {
		if done < last || total != p.Size {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	})
	dir, done, err := put(t, s, p, from)
	if err != nil || !done || last != p.Size {
		t.Fatalf("%t, %d bytes: %v", done, last, err)
	}
	if err := verify(dir, p.Parts); err != nil {
		t.Error(err)
	}
	var left []string
	err = filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if !d.IsDir() {
			left = append(left, filepath.Base(path))
		}
		return err
	})
	if err != nil || strings.Join(left, " ") != "install.lock a.bin b.json" {
		t.Errorf("on disk: %v, %v", left, err)
	}
	if _, done, err := put(t, s, p, from); err != nil || done || requests.Load() != 1 {
		t.Errorf("a second time: %t, %d requests: %v", done, requests.Load(), err)
	}
	// A damaged file is repaired.
	must.Write(t, filepath.Join(dir, "b.json"), `{"b":2}`)
	if err := verify(dir, p.Parts); !errors.Is(err, ErrDamaged) {
		t.Errorf("damage was not seen: %v", err)
	}
	last = 0
	if _, done, err := put(t, s, p, from); err != nil || !done || verify(dir, p.Parts) != nil {
		t.Errorf("not put right: %t, %v", done, err)
	}
}

// TestDownloadGoesOn: a transfer that breaks off is gone on with in the same
// run, and by the next one after an interruption; nothing is asked for twice.
func TestDownloadGoesOn(t *testing.T) {
	p, archive := testPack(t)
	var sent atomic.Int64
	half := len(archive) / 2
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := 0
		if r.Header.Get("Range") != "" {
			at = half
			w.Header().Set("Content-Range", "bytes")
			w.WriteHeader(http.StatusPartialContent)
			sent.Add(int64(len(archive) - at))
			_, _ = w.Write(archive[at:]) // the client's fault when it fails
			return
		}
		w.Header().Set("Content-Length", "999999")
		sent.Add(int64(half))
		_, _ = w.Write(archive[:half]) // and the connection ends
	}))
	defer server.Close()
	s := Open(t.TempDir())
	if _, _, err := put(t, s, p, web(s, server.URL, nil)); err != nil {
		t.Fatal(err)
	}
	if sent.Load() != int64(len(archive)) {
		t.Errorf("%d bytes were sent for %d", sent.Load(), len(archive))
	}
	// An interrupted process left half a file.
	s = Open(t.TempDir())
	w := web(s, server.URL, nil)
	must.Mkdir(t, w.dir)
	must.Write(t, filepath.Join(w.dir, p.File+".part"), archive[:half])
	sent.Store(0)
	if _, _, err := put(t, s, p, w); err != nil || sent.Load() != int64(len(archive)-half) {
		t.Errorf("%d bytes were sent: %v", sent.Load(), err)
	}
}

// TestRefused: what has another checksum is never installed, and not kept.
func TestRefused(t *testing.T) {
	p, archive := testPack(t)
	other := bytes.Clone(archive)
	other[len(other)/2] ^= 1
	for name, handler := range map[string]http.HandlerFunc{
		"changed": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(other) },
		"longer":  func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(append(bytes.Clone(archive), 'x')) },
		"absent":  http.NotFound,
		"HTML": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte("<p>sign in"), 20_000))
		},
		"redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusNotModified)
		},
	} {
		server := httptest.NewServer(handler)
		s := Open(t.TempDir())
		w := web(s, server.URL, nil)
		dir, done, err := put(t, s, p, w)
		if err == nil || done {
			t.Errorf("%s: installed", name)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something is there: %v", name, err)
		}
		if st, err := os.Stat(filepath.Join(w.dir, p.File+".part")); err == nil && st.Size() > 0 {
			t.Errorf("%s: %d bytes are kept", name, st.Size())
		}
		server.Close()
	}
}

// TestInstallFromFiles: archives by either name, one archive of any name, or
// the files that were in it; and what is wrong is said.
func TestInstallFromFiles(t *testing.T) {
	p, archive := testPack(t)
	files, err := members(t.Context(), bytes.NewReader(archive), p)
	must.OK(t, err)
	for name, tt := range map[string]struct {
		files map[string][]byte
		path  string // below the folder; the folder itself when empty
		want  error
	}{
		"archive":          {files: map[string][]byte{"thing-1.0.0.tgz": archive}},
		"as npm pack says": {files: map[string][]byte{"scope-thing-1.0.0.tgz": archive}},
		"one file":         {files: map[string][]byte{"renamed.bin": archive}, path: "renamed.bin"},
		"unpacked":         {files: files},
		"other bytes":      {files: map[string][]byte{"thing-1.0.0.tgz": archive[1:]}, want: ErrDamaged},
		"one file missing": {files: map[string][]byte{"a.bin": files["a.bin"]}, want: fs.ErrNotExist},
		"nothing":          {want: fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for f, data := range tt.files {
				must.Write(t, filepath.Join(dir, f), data)
			}
			from, err := FromPath(filepath.Join(dir, tt.path))
			must.OK(t, err)
			_, done, err := put(t, Open(t.TempDir()), p, from)
			if !errors.Is(err, tt.want) || done != (tt.want == nil) {
				t.Errorf("%t, %v", done, err)
			}
		})
	}
	if _, err := FromPath(filepath.Join(t.TempDir(), "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
}

func TestCancelledDownload(t *testing.T) {
	p, _ := testPack(t)
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() }))
	defer server.Close()
	s := Open(t.TempDir())
	if _, err := web(s, server.URL, nil).fetch(ctx, p); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestCatalogue: every entry is complete, and one default leads.
func TestCatalogue(t *testing.T) {
	check := func(p npmPackage) {
		t.Helper()
		if len(p.SHA256) != 64 || p.Size == 0 || !strings.HasPrefix(p.URL, registry) || !strings.HasSuffix(p.URL, "/"+p.File) || p.License == "" {
			t.Errorf("%+v", p)
		}
		for _, f := range p.Parts {
			if len(f.SHA256) != 64 || f.Size == 0 || filepath.Base(f.Member) != f.Name {
				t.Errorf("%s: %+v", p.Name, f)
			}
		}
	}
	for i, m := range Catalogue() {
		check(m.source)
		if (m.Name == Default) != (i == 0) || m.Dims == 0 || m.MaxTokens == 0 || len(m.file.SHA256) != 64 {
			t.Errorf("%+v", m)
		}
		if got, err := Find(strings.ToUpper(m.Name)); err != nil || got.Name != m.Name {
			t.Errorf("%s: %v", m.Name, err)
		}
	}
	for _, name := range []string{"linux/amd64", "linux/arm64", "darwin/arm64", "darwin/amd64", "windows/amd64"} {
		p, err := ParsePlatform(name)
		must.OK(t, err)
		l, ok := library(p)
		if !ok {
			t.Fatalf("no library for %s", name)
		}
		check(l)
	}
	if Open(t.TempDir()).For(Platform{"plan9", "amd64"}).HasLibrary() {
		t.Error("a library for Plan 9")
	}
	if _, err := Find("gpt"); !errors.Is(err, errUnknown) {
		t.Errorf("%v", err)
	}
}

// TestForCode: each model of the catalogue has a part for code with the same vectors. One that an
// earlier version installed, without that part, is still whole.
func TestForCode(t *testing.T) {
	ids := map[string]bool{}
	for _, m := range Catalogue() {
		s := Open(t.TempDir())
		put := func(parts []part) {
			t.Helper()
			for _, f := range parts { // files of the right size
				path := filepath.Join(s.ModelDir(m), f.Name)
				must.OK(t, errors.Join(os.MkdirAll(s.ModelDir(m), 0o700), os.WriteFile(path, nil, 0o600), os.Truncate(path, f.Size)))
			}
		}
		if _, ok := s.ForCode(m); ok {
			t.Errorf("%s: a part of what is not installed", m.Name)
		}
		put(m.parts())
		if _, ok := s.ForCode(m); !s.Installed(m) || ok != (m.Precision == onnx.Int8) {
			t.Errorf("%s, without a part for code: installed %t, and has it: %t", m.Name, s.Installed(m), ok)
		}
		put(m.allParts())
		c, ok := s.ForCode(m)
		if !ok || c.ID == m.ID || c.Dims != m.Dims || c.MaxTokens != codeTokens || c.Dir != s.ModelDir(m) {
			t.Errorf("%s: %+v, %t", m.Name, c, ok)
		}
		ids[c.ID] = true
		if _, err := os.Stat(filepath.Join(c.Dir, c.File)); err != nil {
			t.Error(err)
		}
	}
	if len(ids) != 1 {
		t.Errorf("vectors of code have several ids: %v", ids)
	}
}

// TestSelection: the first that is installed, until another is chosen.
func TestSelection(t *testing.T) {
	s := Open(t.TempDir())
	if _, err := s.Selected(); !errors.Is(err, ErrAbsent) {
		t.Errorf("none: %v", err)
	}
	all := Catalogue()
	for _, m := range all[1:] { // files of the right size: selecting does not read them
		for _, f := range m.parts() {
			path := filepath.Join(s.ModelDir(m), f.Name)
			must.OK(t, errors.Join(os.MkdirAll(s.ModelDir(m), 0o700), os.WriteFile(path, nil, 0o600), os.Truncate(path, f.Size)))
		}
	}
	selected := func(want Model) {
		t.Helper()
		if got, err := s.Selected(); err != nil || got.Name != want.Name {
			t.Errorf("%s, want %s: %v", got.Name, want.Name, err)
		}
	}
	selected(all[1])
	if err := s.Use(all[0]); !errors.Is(err, ErrAbsent) {
		t.Errorf("an absent model is in use: %v", err)
	}
	must.OK(t, s.Use(all[2]))
	selected(all[2])
	if err := s.Verify(all[2]); !errors.Is(err, ErrDamaged) {
		t.Errorf("zeros are a model: %v", err)
	}
	must.OK(t, s.Remove(all[2]))
	selected(all[1])
}
