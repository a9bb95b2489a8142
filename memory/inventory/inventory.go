// Package inventory finds what Manicule keeps about a repository on this machine: the workspaces of
// its worktrees, their memory files, other files and folders, and the keys of their vectors. It must not know
// how any of it is exported or removed.
package inventory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"manicule/indexer/code"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/builds"
	"manicule/memory/embed"
	"manicule/memory/exporter"
	"manicule/memory/file"
	"manicule/memory/store"
	"manicule/memory/thread"
)

// maxFile is the size above which a memory file is not read.
const maxFile = 1 << 20

// Places returns the workspaces that share the state of p, p first: the same folder in the other
// worktrees of the repository.
func Places(p *workspace.Workspace, env workspace.Env) []*workspace.Workspace {
	out := []*workspace.Workspace{p}
	if p.GitCommonDir == "" {
		return out
	}
	tops := []string{filepath.Dir(p.GitCommonDir)}
	for _, name := range treefile.Glob(p.GitCommonDir, "worktrees/*/gitdir") {
		if data, err := treefile.Read(name, 64<<10); err == nil {
			tops = append(tops, filepath.Dir(strings.TrimSpace(string(data))))
		}
	}
	slices.Sort(tops[1:])
	for _, top := range tops {
		dir := filepath.Join(top, filepath.FromSlash(p.GitPrefix()))
		if st, err := os.Stat(dir); err != nil || !st.IsDir() {
			continue
		}
		other, err := workspace.Discover(dir, env)
		if err != nil || other.GitCommonDir != p.GitCommonDir || other.RepoID != p.RepoID || other.GitPrefix() != p.GitPrefix() ||
			slices.ContainsFunc(out, func(w *workspace.Workspace) bool { return w.Root == other.Root }) {
			continue
		}
		out = append(out, other)
	}
	return out
}

// MemoryFile is one file below the folder of memories.
type MemoryFile struct {
	Path     string // absolute
	Personal bool   // by its place
	Data     []byte
	Memory   *file.Memory // nil if it can't be read or parsed
	Err      error        // why it can't be read, as when it is too large
}

// MemoryFiles reads the memory files of a workspace, in order, until ctx ends. It follows no link.
func MemoryFiles(ctx context.Context, p *workspace.Workspace) (out []MemoryFile, err error) {
	err = EachMemoryFile(ctx, p, func(f MemoryFile) error {
		out = append(out, f)
		return nil
	})
	return out, err
}

// CountMemoryFiles returns how many files [EachMemoryFile] reads.
func CountMemoryFiles(ctx context.Context, p *workspace.Workspace) (n int, err error) {
	err = Walk(ctx, p.MemoriesDir(), func(path string, _ fs.FileInfo) error {
		if filepath.Ext(path) == ".json" {
			n++
		}
		return nil
	})
	return n, err
}

// EachMemoryFile is [MemoryFiles] for who needs one after the other: all of a large workspace take hundreds of MB.
func EachMemoryFile(ctx context.Context, p *workspace.Workspace, each func(MemoryFile) error) error {
	if err := p.CheckNoLinks(); err != nil {
		return err
	}
	return Walk(ctx, p.MemoriesDir(), func(path string, _ fs.FileInfo) error {
		if filepath.Ext(path) != ".json" {
			return nil
		}
		data, err := treefile.ReadOwn(path, maxFile)
		f := MemoryFile{Path: path, Data: data, Err: err, Personal: filepath.Base(filepath.Dir(path)) == "personal"}
		if m, err := file.Parse(data); err == nil {
			f.Memory, f.Personal = m, f.Personal || m.Visibility == file.Personal
		}
		return each(f)
	})
}

// ProjectFile is a file in the project's folder beside its memories.
type ProjectFile struct {
	Path string // absolute
	Name string // below the project's folder, with slashes
	What string // what people call it
	Made bool   // it can be made again from the memories
	Data []byte
}

// ProjectFiles reads what a workspace's folder in the project has beside memories and settings: core documents, plans
// of work, shared threads, and files for agents. It follows no link, and passes over what others keep there.
func ProjectFiles(ctx context.Context, p *workspace.Workspace) ([]ProjectFile, error) {
	if err := p.CheckNoLinks(); err != nil {
		return nil, err
	}
	dir := filepath.Join(p.Root, workspace.Folder)
	var out []ProjectFile
	err := Walk(ctx, dir, func(name string, _ fs.FileInfo) error {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		f := ProjectFile{Path: name, Name: filepath.ToSlash(rel)}
		folder, base := path.Split(f.Name)
		switch {
		case folder == "" && base == "core.json":
			f.What = "core document"
		case folder == "" && strings.HasPrefix(base, "core.") && strings.HasSuffix(base, ".json"):
			f.What = "core document of an agent"
		case folder == builds.Folder+"/" && path.Ext(base) == ".md":
			f.What = "plan of work"
		case folder == thread.SharedFolder+"/" && path.Ext(base) == ".json":
			f.What = "shared thread"
		case folder == "bootstrap/" && path.Ext(base) == ".md":
			f.What, f.Made = "file for agents", true
		default:
			return nil
		}
		if f.Data, err = treefile.ReadOwn(name, maxFile); err != nil {
			return err
		}
		if f.Made && !bytes.HasPrefix(f.Data, []byte(exporter.Marker)) {
			return nil // somebody else's
		}
		out = append(out, f)
		return nil
	})
	return out, err
}

// Walk calls f for the regular files at or below a path, in order, until ctx ends. It follows no link,
// and a path that does not exist has no files.
func Walk(ctx context.Context, path string, f func(path string, st fs.FileInfo) error) error {
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		st, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return f(name, st)
	})
}

// Size sums the sizes of the regular files at or below a path.
func Size(ctx context.Context, path string) (n int64, err error) {
	err = Walk(ctx, path, func(_ string, st fs.FileInfo) error { n += st.Size(); return nil })
	return n, err
}

// Exists reports whether there is anything of a name, also a link.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// MemoryKeys returns the vectors' keys of memories, by key.
func MemoryKeys(list []*file.Memory) map[string]*file.Memory {
	out := map[string]*file.Memory{}
	for _, m := range list {
		for _, k := range KeysOf(m) {
			out[k] = m
		}
	}
	return out
}

// KeysOf returns the keys of a memory's vectors.
func KeysOf(m *file.Memory) []string {
	return []string{embed.Key(embed.MemoryText(m)), embed.Key(m.What)}
}

// ErrDamaged is wrapped by [CodeKeys] if the index of a workspace's code can't be read as a whole.
var ErrDamaged = errors.New("the index of the code is damaged")

// CodeKeys returns the keys of the vectors of a workspace's code, as far as its code was searched: with [ErrDamaged], those that
// could be read.
func CodeKeys(ctx context.Context, p *workspace.Workspace) (out []string, err error) {
	if len(treefile.Glob(p.CacheDir(), "code.*db")) == 0 {
		return nil, nil // code was never searched
	}
	x, err := code.Open(ctx, p.CacheDir(), p.Root, time.Now)
	if err != nil {
		return nil, err
	}
	err = x.Keys(ctx, func(_ int64, key string) { out = append(out, key) })
	switch {
	case code.IsDamaged(err):
		err = fmt.Errorf("%w: %w", ErrDamaged, err)
	case err == nil && x.Replaced():
		err = ErrDamaged
	}
	return out, errors.Join(err, x.Close())
}

// Vectors opens the user's store of vectors, or returns nil if there is none.
func Vectors(ctx context.Context, p *workspace.Workspace, now func() time.Time) (*store.Vectors, error) {
	if !Exists(p.VectorsDir()) {
		return nil, nil
	}
	return store.OpenVectors(ctx, p.VectorsDir(), now)
}
