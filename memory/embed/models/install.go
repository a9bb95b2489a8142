package models

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"

	"manicule/indexer/lockfile"
	"manicule/memory/embed/onnx"
)

// Source provides packages.
type Source interface {
	// open returns the archive of a package, with a verified checksum.
	open(ctx context.Context, p npmPackage) (io.ReadCloser, error)
	// done tells the source that the package is not needed any more.
	done(p npmPackage) error
}

// lockRetry is the interval of attempts to take the lock.
const lockRetry = 200 * time.Millisecond

// Install installs a model, unless it is there with the right checksum. The result reports whether
// anything was done.
func (s *Store) Install(ctx context.Context, m Model, from Source) (bool, error) {
	return s.place(ctx, m.source, s.ModelDir(m), m.allParts(), from, func(files map[string][]byte) (err error) {
		if files[ModelFile], err = onnx.Convert(files[checkpointFile], files[configFile], m.Precision); err != nil {
			return err
		}
		if m.code.Name != "" {
			files[m.code.Name], err = onnx.Convert(files[checkpointFile], files[configFile], onnx.Int8)
		}
		delete(files, checkpointFile)
		return err
	})
}

// InstallLibrary installs onnxruntime. It returns ErrAbsent if none is published for the platform.
func (s *Store) InstallLibrary(ctx context.Context, from Source) (bool, error) {
	p, ok := library(s.platform)
	if !ok {
		return false, fmt.Errorf("onnxruntime is not published for %s: %w", s.platform, ErrAbsent)
	}
	return s.place(ctx, p, s.libraryDir(), p.Parts, from, func(map[string][]byte) error { return nil })
}

// place extracts files from a package, converts them, and moves them into dir at once.
func (s *Store) place(ctx context.Context, p npmPackage, dir string, want []part, from Source, convert func(map[string][]byte) error) (_ bool, err error) {
	if verify(dir, want) == nil {
		return false, nil
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if verify(dir, want) == nil {
		return false, nil // another process did it meanwhile
	}
	files, err := unpack(ctx, p, from)
	if err != nil {
		return false, err
	}
	if err := convert(files); err != nil {
		return false, err
	}
	if err := write(dir, files, want); err != nil {
		return false, fmt.Errorf("install %s: %w", p.Name, err)
	}
	return true, from.done(p)
}

// lock waits for other installations.
func (s *Store) lock(ctx context.Context) (func() error, error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of models: %w", err)
	}
	l := lockfile.New(filepath.Join(s.dir, "install.lock"))
	if _, err := l.TryLockContext(ctx, lockRetry); err != nil {
		return nil, fmt.Errorf("wait for another installation: %w", err)
	}
	return l.Unlock, nil
}

// unpack reads the files of a package into memory and verifies each checksum. It ignores all other
// files.
func unpack(ctx context.Context, p npmPackage, from Source) (_ map[string][]byte, err error) {
	if d, ok := from.(*dirSource); ok {
		if files, err := d.loose(p); err == nil {
			return files, nil
		}
	}
	archive, err := from.open(ctx, p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, archive.Close()) }()
	files, err := members(ctx, archive, p)
	if err != nil {
		return nil, fmt.Errorf("unpack %s: %w", p.Name, err)
	}
	return files, nil
}

func members(ctx context.Context, archive io.Reader, p npmPackage) (map[string][]byte, error) {
	z, err := gzip.NewReader(archive)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for t := tar.NewReader(z); len(files) < len(p.Parts); {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("it has %d of %d files", len(files), len(p.Parts))
		}
		if err != nil {
			return nil, err
		}
		for _, want := range p.Parts {
			if path.Clean(h.Name) != want.Member {
				continue
			}
			if files[want.Name], err = readPart(t, want); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

// readPart reads a file and verifies its size and checksum.
func readPart(r io.Reader, want part) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(want.Size) + bytes.MinRead)
	if _, err := io.Copy(&b, io.LimitReader(r, want.Size+1)); err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != want.SHA256 {
		return nil, fmt.Errorf("%s is %w: another checksum than %s", want.Name, ErrDamaged, want.SHA256)
	}
	return b.Bytes(), nil
}

// write creates a folder of files beside dir and renames it to dir.
func write(dir string, files map[string][]byte, want []part) (err error) {
	next := dir + ".new"
	if err := os.RemoveAll(next); err != nil { // from an interrupted installation
		return err
	}
	if err := os.MkdirAll(next, 0o700); err != nil {
		return err
	}
	for _, p := range want {
		data := files[p.Name]
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != p.SHA256 {
			return fmt.Errorf("%s is %w: its checksum is %x, want %s", p.Name, ErrDamaged, sum, p.SHA256)
		}
		if err := writeFile(filepath.Join(next, p.Name), data); err != nil {
			return err
		}
	}
	if err := remove(dir); err != nil {
		return err
	}
	return os.Rename(next, dir)
}

// writeFile writes and syncs. A renamed folder must not contain empty files after a power loss.
func writeFile(name string, data []byte) (err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Sync()
}

// IsBundled reports whether this program contains a model, which is unpacked on first use.
func IsBundled() bool { _, err := Bundled(); return err == nil }

// fromFiles returns a source of local files: a folder of archives or of unpacked files. It never uses
// the network.
func fromFiles(fsys fs.FS, name string) Source { return &dirSource{fsys, name} }

// FromPath is a source of local files, a folder or one archive.
func FromPath(place string) (Source, error) {
	st, err := os.Stat(place)
	if err != nil {
		return nil, fmt.Errorf("install from %s: %w", place, err)
	}
	if st.IsDir() {
		return fromFiles(os.DirFS(place), place), nil
	}
	return &dirSource{single{place}, place}, nil
}

// single is a file system that has the same file under every archive name. Only the checksum
// matters.
type single struct{ path string }

// Open opens the file under any name.
func (s single) Open(name string) (fs.File, error) {
	if path.Ext(name) != ".tgz" {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return os.Open(s.path)
}

// dirSource is a source of files.
type dirSource struct {
	fsys fs.FS
	name string // for messages
}

func (d *dirSource) open(_ context.Context, p npmPackage) (io.ReadCloser, error) {
	var refused error
	for _, name := range []string{p.File, archiveName(p)} {
		f, err := d.fsys.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("open %s: %w", name, err)
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		if sum := hex.EncodeToString(h.Sum(nil)); sum != p.SHA256 {
			refused = fmt.Errorf("%s in %s is not %s: %w, %d bytes with the checksum %s", name, d.name, p.Name, ErrDamaged, n, sum)
			continue
		}
		return d.fsys.Open(name)
	}
	if refused != nil {
		return nil, refused
	}
	return nil, fmt.Errorf("%s has no %s: %w", d.name, p.File, fs.ErrNotExist)
}

// archiveName returns the name that `npm pack` gives to a package's archive.
func archiveName(p npmPackage) string {
	name := path.Base(p.URL)
	if scope, _, ok := cutScope(p.Name); ok {
		return scope + "-" + name
	}
	return name
}

// cutScope splits "@scope/name".
func cutScope(name string) (scope, rest string, ok bool) {
	if len(name) == 0 || name[0] != '@' {
		return "", name, false
	}
	dir, base := path.Split(name[1:])
	if dir == "" {
		return "", name, false
	}
	return dir[:len(dir)-1], base, true
}

// loose reads unpacked files of a package from the folder.
func (d *dirSource) loose(p npmPackage) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, want := range p.Parts {
		f, err := d.fsys.Open(want.Name)
		if err != nil {
			return nil, err
		}
		data, err := readPart(f, want)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		files[want.Name] = data
	}
	return files, nil
}

func (d *dirSource) done(npmPackage) error { return nil }
