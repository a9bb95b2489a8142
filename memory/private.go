package memory

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sync"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/ignore"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// GitIgnore is the content of the ignore file that keeps personal memories out of git.
const GitIgnore = "# Written by Manicule: personal memories stay on this machine.\n/memories/*/personal/\n"

// FolderIgnore is the content of the ignore file inside a folder of personal memories. The deepest
// ignore file wins in git, so no other rules of a clone can expose the files beside it.
const FolderIgnore = "# Written by Manicule: personal memories stay on this machine.\n*\n"

// privacy keeps personal memories out of git. It is safe for concurrent use.
type privacy struct {
	place  *workspace.Workspace
	getenv func(string) string

	gitOnce sync.Once
	git     *gittree.Repo // for its index; opened by gitOnce
}

// Exposed lists the personal memories, below the memories folder, that git would commit. rules is
// false if the repository has rules that would include new ones. It serves diagnostics.
func (w *Workspace) Exposed() (files []string, rules bool) { return w.privacy.exposed() }

// keep ensures that git ignores a personal memory before it is written, because a clone may
// bring rules that include it. It returns an error if that is impossible.
func (v *privacy) keep(m *file.Memory) error {
	// The repository's own ignore file is left alone: on an old commit, as in a bisect, it is not there, and git would refuse
	// to check out a commit that has it.
	p := v.place
	own := filepath.Join(p.MemoriesDir(), filepath.FromSlash(path.Dir(m.RelPath())), ".gitignore")
	if err := writeIgnoreFile(own, FolderIgnore); err != nil {
		return writeError(err)
	}
	if p.GitTop == "" {
		return nil
	}
	switch tracked, ignored := v.gitStatus(m.RelPath()); {
	case tracked:
		rel := path.Join(workspace.Folder, "memories", m.RelPath())
		return &UserError{Msg: rel + " is tracked by git: a personal memory in it would be committed", Err: errExposed,
			Hint: fmt.Sprintf("`git rm --cached -- %s` in %s, then try again.", rel, p.Root)}
	case !ignored:
		return &UserError{Msg: own + " lets git include personal memories: this one would be committed", Err: errExposed,
			Hint: "Delete that file; Manicule writes one that keeps them out."}
	}
	return nil
}

// errExposed is wrapped if git would commit a personal memory.
var errExposed = errors.New("git would take a personal memory along")

// writeIgnoreFile writes an ignore file if none exists.
func writeIgnoreFile(name, text string) error {
	if err := treefile.CheckNoLinks(name); err != nil {
		return err
	}
	if _, err := os.Lstat(name); err == nil {
		return nil // the caller checks its content
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Dir(name), err)
	}
	return atomicfile.Write(name, []byte(text), 0o666)
}

// gitStatus reports whether git tracks a file below the memories folder, and whether it ignores the
// file.
func (v *privacy) gitStatus(rel string) (tracked, ignored bool) {
	p := v.place
	v.gitOnce.Do(func() { v.git = gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix()) }) // only the index is read, so nothing stays open
	below := path.Join(workspace.Folder, "memories", rel)
	user, repository := gitinfo.ExcludeFiles(p.GitDir, p.GitCommonDir, v.getenv)
	return v.git.Tracks(below), ignore.GitIgnores(p.GitTop, user, repository, path.Join(p.GitPrefix(), below))
}

// exposed is [Workspace.Exposed].
func (v *privacy) exposed() (files []string, rules bool) {
	rules = true
	if v.place.GitTop == "" {
		return nil, rules
	}
	_, err := os.Lstat(filepath.Join(v.place.Root, workspace.Folder, ".gitignore"))
	ruled := err == nil // without it, the file in each folder of personal memories keeps them out
	for _, l := range file.Layers() {
		folder := path.Join(string(l), "personal")
		if _, ignored := v.gitStatus(path.Join(folder, "x.json")); ruled && !ignored {
			rules = false
		}
		if treefile.CheckNoLinks(filepath.Join(v.place.MemoriesDir(), filepath.FromSlash(folder))) != nil {
			continue // nothing is read or written there
		}
		entries, err := os.ReadDir(filepath.Join(v.place.MemoriesDir(), filepath.FromSlash(folder)))
		if err != nil {
			continue // there is no such file
		}
		for _, e := range entries {
			rel := path.Join(folder, e.Name())
			if !file.IsMemoryPath(rel) {
				continue
			}
			if tracked, ignored := v.gitStatus(rel); tracked || !ignored {
				files = append(files, rel)
			}
		}
	}
	return files, rules
}
