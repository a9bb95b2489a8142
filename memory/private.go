package memory

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"manicule/indexer/atomicfile"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/ignore"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// GitIgnore is the file that keeps personal memories out of git.
const GitIgnore = "# Written by Manicule: personal memories stay on this machine.\n/memories/*/personal/\n"

// FolderIgnore is the one in a folder of personal memories. Of all such files the
// deepest has the last word: no rules that a clone has brought, or that a pull
// will bring, let git see what lies beside it.
const FolderIgnore = "# Written by Manicule: personal memories stay on this machine.\n*\n"

// keepPrivate makes sure that git does not take a personal memory along, before
// it is written: a clone may have brought rules that let it. Where that can't be
// had the memory is refused.
func (w *Workspace) keepPrivate(m *file.Memory) error {
	p := w.place
	if err := ignoring(filepath.Join(p.Root, workspace.Folder, ".gitignore"), GitIgnore); err != nil {
		return writeError(err)
	}
	own := filepath.Join(p.MemoriesDir(), filepath.FromSlash(path.Dir(m.RelPath())), ".gitignore")
	if err := ignoring(own, FolderIgnore); err != nil {
		return writeError(err)
	}
	if p.GitTop == "" {
		return nil
	}
	switch tracked, ignored := w.seenByGit(m.RelPath()); {
	case tracked:
		rel := path.Join(workspace.Folder, "memories", m.RelPath())
		return &UserError{Msg: rel + " is tracked by git: a personal memory in it would be committed", Err: errExposed,
			Hint: fmt.Sprintf("`git rm --cached -- %s` in %s, then try again.", rel, p.Root)}
	case !ignored:
		return &UserError{Msg: own + " has git see personal memories: this one would be committed", Err: errExposed,
			Hint: "Delete that file; Manicule writes one that keeps them out."}
	}
	return nil
}

// errExposed is wrapped when git would take a personal memory along.
var errExposed = errors.New("git would take a personal memory along")

// ignoring writes an ignore file where there is none.
func ignoring(name, text string) error {
	if err := treefile.CheckNoLinks(name); err != nil {
		return err
	}
	if _, err := os.Lstat(name); err == nil {
		return nil // the caller checks its content
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("make %s: %w", filepath.Dir(name), err)
	}
	return atomicfile.Write(name, []byte(text), 0o644)
}

// seenByGit reports whether git tracks a file below the memories folder, and
// whether its rules leave it out.
func (w *Workspace) seenByGit(rel string) (tracked, ignored bool) {
	p := w.place
	w.gitOnce.Do(func() { w.git = gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix()) }) // only its index is read, which keeps nothing open
	below := path.Join(workspace.Folder, "memories", rel)
	user, repository := gitinfo.ExcludeFiles(p.GitCommonDir, w.getenv)
	return w.git.Tracks(below), ignore.GitIgnores(p.GitTop, user, repository, path.Join(p.GitPrefix(), below))
}

// Exposed lists the personal memories, below the memories folder, that git would
// take along; rules is false where the repository's rules would let it take new
// ones. It is for a caller that looks for problems.
func (w *Workspace) Exposed() (files []string, rules bool) {
	rules = true
	if w.place.GitTop == "" {
		return nil, rules
	}
	for _, l := range file.Layers() {
		folder := path.Join(string(l), "personal")
		if _, ignored := w.seenByGit(path.Join(folder, "x.json")); !ignored {
			rules = false
		}
		if treefile.CheckNoLinks(filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(folder))) != nil {
			continue // nothing is read or written there
		}
		entries, err := os.ReadDir(filepath.Join(w.place.MemoriesDir(), filepath.FromSlash(folder)))
		if err != nil {
			continue // there is none
		}
		for _, e := range entries {
			rel := path.Join(folder, e.Name())
			if !file.IsMemoryPath(rel) {
				continue
			}
			if tracked, ignored := w.seenByGit(rel); tracked || !ignored {
				files = append(files, rel)
			}
		}
	}
	return files, rules
}
