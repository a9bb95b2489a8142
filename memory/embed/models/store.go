package models

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"manicule/indexer/atomicfile"
	"manicule/indexer/treefile"
)

// Store is the folder of models. Each model has a subfolder with its name, the library one with its
// version. A subfolder is complete or absent, because it is created elsewhere and renamed.
type Store struct {
	dir      string
	platform Platform
}

// Open returns the store in a folder, which need not exist yet.
func Open(dir string) *Store { return &Store{dir, Here()} }

// For returns the same store for another platform.
func (s *Store) For(p Platform) *Store { return &Store{s.dir, p} }

// Dir returns the store's folder.
func (s *Store) Dir() string { return s.dir }

// ModelDir returns the folder of a model.
func (s *Store) ModelDir(m Model) string { return filepath.Join(s.dir, strings.ToLower(m.Name)) }

func (s *Store) libraryDir() string {
	return filepath.Join(s.dir, "onnxruntime-"+LibraryVersion+"-"+s.platform.OS+"-"+s.platform.Arch)
}

// Library returns the path of onnxruntime's shared library, "" if it is not installed. It checks
// only the size; see VerifyLibrary.
func (s *Store) Library() string {
	p, ok := library(s.platform)
	if !ok || !complete(s.libraryDir(), p.Parts) {
		return ""
	}
	return filepath.Join(s.libraryDir(), p.Parts[0].Name)
}

// HasLibrary reports whether onnxruntime is published for this platform.
func (s *Store) HasLibrary() bool { _, ok := library(s.platform); return ok }

// Installed reports whether a model is present, by the sizes of its files.
func (s *Store) Installed(m Model) bool { return m.fault == nil && complete(s.ModelDir(m), m.parts()) }

// allParts returns the files that an installation writes.
func (m Model) allParts() []part {
	if m.code.Name == "" {
		return m.parts()
	}
	return append(m.parts(), m.code)
}

// parts returns the files that an installed model needs.
func (m Model) parts() []part {
	if m.Kind == Reranker {
		return slices.Clone(m.own)
	}
	out := []part{m.file}
	for _, p := range m.source.Parts {
		if p.Name != checkpointFile {
			out = append(out, p)
		}
	}
	return out
}

func complete(dir string, parts []part) bool {
	for _, p := range parts {
		st, err := os.Stat(filepath.Join(dir, p.Name))
		if err != nil || !st.Mode().IsRegular() || st.Size() != p.Size {
			return false
		}
	}
	return true
}

// DownloadSize returns how many bytes an installation of a model and the library downloads.
func (s *Store) DownloadSize(m Model) int64 {
	n := m.source.Size
	if p, ok := library(s.platform); ok && s.Library() == "" {
		n += p.Size
	}
	return n
}

// Size returns the size of a model on disk in bytes.
func (m Model) Size() int64 {
	n := int64(0)
	for _, p := range m.allParts() {
		n += p.Size
	}
	return n
}

// License returns the model's licence, "" if unknown.
func (m Model) License() string { return m.source.License }

// selection is the file that names the selected model.
const selection = "in-use"

// Selected returns the selected model, else the first installed one of the catalogue. It returns
// ErrAbsent if there is none.
func (s *Store) Selected() (Model, error) {
	data, err := treefile.ReadMade(filepath.Join(s.dir, selection))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Model{}, fmt.Errorf("read which model is in use: %w", err)
	}
	if name := strings.TrimSpace(string(data)); name != "" {
		if m, err := Find(name); err == nil && s.Installed(m) {
			return m, nil
		}
	}
	for _, m := range Catalogue() {
		if s.Installed(m) {
			return m, nil
		}
	}
	return Model{}, fmt.Errorf("a model is %w", ErrAbsent)
}

// Use selects an installed model for its kind.
func (s *Store) Use(m Model) error {
	if !s.Installed(m) {
		return fmt.Errorf("%s is %w", m.Name, ErrAbsent)
	}
	place := selection
	if m.Kind == Reranker {
		place = rerankerSelection
	}
	if err := atomicfile.Write(filepath.Join(s.dir, place), []byte(m.Name+"\n"), 0o600); err != nil {
		return fmt.Errorf("note which model is in use: %w", err)
	}
	return nil
}

// Verify reads every byte of a model and compares it with the catalogue or the manifest.
func (s *Store) Verify(m Model) error {
	if m.fault != nil {
		return m.fault
	}
	if _, err := os.Stat(s.ModelDir(m)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is %w", m.Name, ErrAbsent)
	}
	parts := m.allParts()
	if _, err := os.Stat(filepath.Join(s.ModelDir(m), codeFile)); errors.Is(err, fs.ErrNotExist) {
		parts = m.parts()
	}
	return verify(s.ModelDir(m), parts)
}

// VerifyLibrary is Verify for onnxruntime.
func (s *Store) VerifyLibrary() error {
	p, ok := library(s.platform)
	if !ok {
		return fmt.Errorf("onnxruntime is not published for %s: %w", s.platform, ErrAbsent)
	}
	if _, err := os.Stat(s.libraryDir()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("onnxruntime is %w", ErrAbsent)
	}
	return verify(s.libraryDir(), p.Parts)
}

func verify(dir string, parts []part) error {
	for _, p := range parts {
		path := filepath.Join(dir, p.Name)
		sum, err := digest(path)
		if err != nil {
			return fmt.Errorf("verify: %w", err)
		}
		if sum != p.SHA256 {
			return fmt.Errorf("%s is %w: its checksum is %s, want %s", path, ErrDamaged, sum, p.SHA256)
		}
	}
	return nil
}

func digest(path string) (_ string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// Remove deletes a model.
func (s *Store) Remove(m Model) error {
	if _, err := os.Stat(s.ModelDir(m)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is %w", m.Name, ErrAbsent)
	}
	return remove(s.ModelDir(m))
}

// RemoveLibrary deletes onnxruntime, if it is installed.
func (s *Store) RemoveLibrary() error { return remove(s.libraryDir()) }

// remove renames a folder before it deletes it, so that nobody finds half of it.
func remove(dir string) error {
	old := dir + ".old"
	err := os.Rename(dir, old)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = os.RemoveAll(old)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	return nil
}
