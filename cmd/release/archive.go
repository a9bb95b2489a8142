package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file in an archive.
type entry struct {
	name string // with forward slashes, below the archive's folder
	from string // the file
	exec bool
}

func (e entry) mode() os.FileMode {
	if e.exec {
		return 0o755
	}
	return 0o644
}

// writeArchive packs entries below one folder. Nothing of the machine gets into it:
// the order is that of the names, the times are the commit's, the owner is root.
func writeArchive(out, folder string, entries []entry, when time.Time) error {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return toFile(out, func(w io.Writer) error {
		if strings.HasSuffix(out, ".zip") {
			return writeZip(w, folder, entries, when)
		}
		return writeTar(w, folder, entries, when)
	})
}

func toFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return write(f)
}

func writeTar(w io.Writer, folder string, entries []entry, when time.Time) error {
	packed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(packed)
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		head := &tar.Header{Name: folder + "/" + e.name, Mode: int64(e.mode()), Size: int64(len(data)), ModTime: when, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := t.WriteHeader(head); err != nil {
			return err
		}
		if _, err := t.Write(data); err != nil {
			return err
		}
	}
	return errors.Join(t.Close(), packed.Close())
}

func writeZip(w io.Writer, folder string, entries []entry, when time.Time) error {
	z := zip.NewWriter(w)
	for _, e := range entries {
		data, err := os.ReadFile(e.from)
		if err != nil {
			return err
		}
		head := &zip.FileHeader{Name: folder + "/" + e.name, Method: zip.Deflate, Modified: when}
		head.SetMode(e.mode())
		one, err := z.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := one.Write(data); err != nil {
			return err
		}
	}
	return z.Close()
}

func sha256Of(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// writeChecksums lists the files of a folder as sha256sum does.
func writeChecksums(dir, name string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, f := range files {
		if f.IsDir() || strings.HasPrefix(f.Name(), name) {
			continue
		}
		sum, err := sha256Of(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, f.Name())
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(b.String()), 0o644)
}
