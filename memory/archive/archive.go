// Package archive writes all that Manicule keeps about a workspace into one file, with a manifest,
// or its vectors alone. Secrets are masked. It must not know who asked.
package archive

import (
	"archive/tar"
	"bufio"
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
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"manicule/indexer/hashing"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/inventory"
	"manicule/memory/secret"
	"manicule/memory/store"
)

// ManifestName is the archive's last entry, which lists the others.
const ManifestName = "manifest.json"

// Entry is one file of an archive.
type Entry struct {
	Name   string `json:"name"`
	What   string `json:"what"`
	From   string `json:"from"` // where it lies on this machine
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Manifest describes an archive.
type Manifest struct {
	Shape      string    `json:"shape"`
	Version    string    `json:"version"` // of the program
	Created    time.Time `json:"created_at"`
	Root       string    `json:"root"`
	Repository string    `json:"repository_id"`
	Entries    []Entry   `json:"entries"`
	LeftOut    []string  `json:"left_out"` // what can be made again, and what could not be read
	Missing    []string  `json:"-"`        // those of LeftOut that damage left out
}

// Options says what to write.
type Options struct {
	Place   *workspace.Workspace
	State   *store.State
	Now     func() time.Time
	Version string
	// Progress is told how many of the memory files are written, and Step what else is. Both may be nil.
	Progress func(done, total int)
	Step     func(what string)
}

// writer is an archive in the making.
type writer struct {
	Options
	tar      *tar.Writer
	scratch  string
	manifest Manifest
}

// Write writes a compressed tar archive. scratch is a private folder for temporary copies.
func Write(ctx context.Context, out io.Writer, scratch string, o Options) (*Manifest, error) {
	gz := gzip.NewWriter(until{ctx, out})
	w := &writer{Options: o, tar: tar.NewWriter(gz), scratch: scratch, manifest: Manifest{
		Shape: "manicule/archive/1", Version: o.Version, Created: o.Now().UTC(), Root: o.Place.Root, Repository: o.Place.RepoID,
		LeftOut: []string{"caches of memories, code, graph and history: made again from files and git", "models: `manicule model install`", "files for agents: `manicule export --format bootstrap`"},
	}}
	for _, step := range []struct {
		what  string
		write func(context.Context) error
	}{
		{"", w.memories}, {"", w.project}, {"copies the state", w.state}, {"archives the logs", w.logs}, {"archives the vectors", w.vectors}, {"", w.settings}, {"", w.list},
	} {
		if o.Step != nil {
			o.Step(step.what)
		}
		if err := step.write(ctx); err != nil {
			return nil, err
		}
	}
	return &w.manifest, errors.Join(w.tar.Close(), gz.Close())
}

// until is a writer that takes nothing more once ctx has ended: to compress a large file takes seconds.
type until struct {
	ctx context.Context
	to  io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if u.ctx.Err() != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.to.Write(p)
}

// put adds one file of which data is the content, unless ctx has ended.
func (w *writer) put(ctx context.Context, name, what, from string, data []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	sum := hashing.Sum256(data)
	w.manifest.Entries = append(w.manifest.Entries, Entry{name, what, from, int64(len(data)), hex.EncodeToString(sum[:])})
	return w.entry(name, data)
}

// putFile is put of a file in the scratch folder, which may not fit into memory. Nobody else writes it.
func (w *writer) putFile(ctx context.Context, name, what, from, scratch string) (err error) {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	failed := func(err error) error { return fmt.Errorf("archive %s: %w", name, err) }
	f, err := os.Open(scratch)
	if err != nil {
		return failed(err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	st, err := f.Stat()
	if err != nil {
		return failed(err)
	}
	if err := w.header(name, st.Size()); err != nil {
		return err
	}
	hashing.Ready()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(w.tar, sum), f); err != nil {
		return failed(err)
	}
	w.manifest.Entries = append(w.manifest.Entries, Entry{name, what, from, st.Size(), hex.EncodeToString(sum.Sum(nil))})
	return nil
}

func (w *writer) entry(name string, data []byte) error {
	if err := w.header(name, int64(len(data))); err != nil {
		return err
	}
	if _, err := w.tar.Write(data); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

func (w *writer) header(name string, size int64) error {
	if err := w.tar.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: w.manifest.Created, Format: tar.FormatPAX}); err != nil {
		return fmt.Errorf("archive %s: %w", name, err)
	}
	return nil
}

func (w *writer) memories(ctx context.Context) error {
	done, total := 0, 0
	if w.Progress != nil {
		var err error
		if total, err = inventory.CountMemoryFiles(ctx, w.Place); err != nil {
			return err
		}
	}
	return inventory.EachMemoryFile(ctx, w.Place, func(f inventory.MemoryFile) error {
		if done++; w.Progress != nil {
			w.Progress(done, max(done, total))
		}
		if f.Err != nil {
			return f.Err
		}
		rel, err := filepath.Rel(w.Place.MemoriesDir(), f.Path)
		if err != nil {
			return err
		}
		what := "memory"
		if f.Personal {
			what = "personal memory"
		}
		return w.put(ctx, path.Join("memories", filepath.ToSlash(rel)), what, f.Path, []byte(mask(string(f.Data))))
	})
}

// project adds what else is in the project's folder: core documents, plans of work, shared threads.
func (w *writer) project(ctx context.Context) error {
	files, err := inventory.ProjectFiles(ctx, w.Place)
	if err != nil {
		return err
	}
	for _, f := range files {
		if f.Made {
			continue
		}
		if err := w.put(ctx, "project/"+f.Name, f.What, f.Path, []byte(mask(string(f.Data)))); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) state(ctx context.Context) error {
	name := filepath.Join(w.scratch, "state.db")
	ok, err := w.State.CopyTo(ctx, name, mask)
	if err != nil || !ok {
		return err
	}
	return w.putFile(ctx, "state/state.db", "drafts, candidates, tombstones, versions, mirrors, counts, observer, ledger", w.State.Path(), name)
}

// logs adds the other files of the state folder, and those in git's own folder.
func (w *writer) logs(ctx context.Context) error {
	dirs := map[string]string{"state": w.Place.StateDir()}
	if w.Place.GitCommonDir != "" {
		dirs["git"] = filepath.Join(w.Place.GitCommonDir, "manicule")
	}
	for _, name := range []string{"state", "git"} {
		if err := w.folder(ctx, name, dirs[name]); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) folder(ctx context.Context, name, dir string) error {
	if dir == "" {
		return nil
	}
	return inventory.Walk(ctx, dir, func(from string, _ fs.FileInfo) error {
		rel, err := filepath.Rel(dir, from)
		if err != nil {
			return err
		}
		base := filepath.Base(from)
		if strings.HasPrefix(base, "state.db") || strings.HasSuffix(base, ".lock") || strings.HasPrefix(base, ".copy-") || strings.HasPrefix(base, ".new-") {
			return nil // the copy stands for it
		}
		data, err := os.ReadFile(from)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a session ended
		}
		if err != nil {
			return err
		}
		first, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
		what := map[string]string{"sessions": "log of an agent's session", "shown": "ledger", "journal": "journal of writes", "id": "the repository's id", "init.json": "receipts of init"}[first]
		if what == "" {
			what = "state"
		}
		return w.put(ctx, path.Join(name, filepath.ToSlash(rel)), what, from, []byte(maskLines(ctx, string(data))))
	})
}

func (w *writer) vectors(ctx context.Context) error {
	name := filepath.Join(w.scratch, "vectors.jsonl")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("archive the vectors: %w", err)
	}
	lines := bufio.NewWriter(f)
	n, missing, err := Vectors(ctx, lines, w.Options)
	err = errors.Join(err, lines.Flush(), f.Close())
	w.manifest.LeftOut, w.manifest.Missing = append(w.manifest.LeftOut, missing...), missing
	if err != nil || n == 0 {
		return err
	}
	return w.putFile(ctx, "vectors.jsonl", "vectors of this workspace's memories and code", w.Place.VectorsDir(), name)
}

// maxSettings is the size in bytes above which a file is no file of settings.
const maxSettings = 4 << 20

func (w *writer) settings(ctx context.Context) error {
	for _, s := range []struct {
		name, what, from string
		read             func(name string, limit int64) ([]byte, error)
	}{
		{"settings/repository.toml", "settings of the repository", w.Place.ConfigFile(), treefile.ReadOwn}, // a commit must not choose the file that is read
		{"settings/local.toml", "your settings for the repository", w.Place.LocalConfigFile(), treefile.Read},
		{"settings/user.toml", "your settings", w.Place.UserConfigFile(), treefile.Read},
	} {
		data, err := s.read(s.from, maxSettings)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil { // a clone may have a link or a pipe there, which is none of ours
			w.manifest.LeftOut = append(w.manifest.LeftOut, fmt.Sprintf("%s: %v", s.what, err))
			continue
		}
		if err := w.put(ctx, s.name, s.what, s.from, []byte(secret.Mask(string(data)))); err != nil {
			return err
		}
	}
	return nil
}

func (w *writer) list(context.Context) error {
	data, err := json.Marshal(w.manifest, jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	return w.entry(ManifestName, append(data, '\n'))
}

// vectorLine is one line of the vectors' export.
type vectorLine struct {
	Memory string `json:"memory,omitzero"` // its id; none for a piece of code
	store.VectorRow
}

// Vectors writes the vectors of the workspace's memories and code, one JSON object a line, without
// any text. It returns how many, and what is missing if the index of the code is damaged.
func Vectors(ctx context.Context, out io.Writer, o Options) (n int, missing []string, err error) {
	of := map[string]string{} // ids of memories by key, without their texts
	take := func(m *file.Memory) {
		for _, k := range inventory.KeysOf(m) {
			of[k] = m.UUID
		}
	}
	texts, err := o.State.Texts(ctx)
	if err != nil {
		return 0, nil, err
	}
	for _, m := range texts {
		take(m)
	}
	if err := inventory.EachMemoryFile(ctx, o.Place, func(f inventory.MemoryFile) error {
		if f.Memory != nil {
			take(f.Memory)
		}
		return nil
	}); err != nil {
		return 0, nil, err
	}
	keys, err := inventory.CodeKeys(ctx, o.Place)
	if errors.Is(err, inventory.ErrDamaged) {
		missing = []string{"vectors of code: " + err.Error() + "; `manicule search --code` makes it again"}
	} else if err != nil {
		return 0, nil, err
	}
	for k := range of {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	v, err := inventory.Vectors(ctx, o.Place, o.Now)
	if v == nil || err != nil {
		return 0, missing, err
	}
	err = v.Each(ctx, slices.Compact(keys), func(r store.VectorRow) error {
		line := vectorLine{VectorRow: r, Memory: of[r.Hash]}
		data, err := json.Marshal(line)
		if err != nil {
			return fmt.Errorf("write a vector: %w", err)
		}
		n++
		_, err = out.Write(append(data, '\n'))
		return err
	})
	return n, missing, errors.Join(err, v.Close())
}

// mask masks the secrets of a text, which may be a JSON value.
func mask(text string) string {
	var v any
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		if json.Unmarshal([]byte(text), &v) == nil {
			v, changed := secret.MaskTree(v)
			if !changed {
				return text
			}
			if data, err := json.Marshal(v, json.Deterministic(true), jsontext.WithIndent("  ")); err == nil {
				return string(data) + "\n"
			}
		}
	}
	return secret.Mask(text)
}

// maskLines masks each line of a log by itself. It leaves out the rest once ctx has ended.
func maskLines(ctx context.Context, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if ctx.Err() != nil {
			break
		}
		body, end := strings.TrimSuffix(line, "\n"), ""
		if len(body) < len(line) {
			end = "\n"
		}
		masked := mask(body)
		if masked != body {
			masked = strings.ReplaceAll(strings.TrimSpace(masked), "\n", " ")
		}
		b.WriteString(masked + end)
	}
	return b.String()
}
