// Package branch finds the memories of a branch: those whose file was added on it and
// is not on the default branch yet. It also finds what became of branches: whether their
// work reached the default one before they were deleted. It reads git's objects and the names
// of the memory files; it doesn't run git, and writes nothing but names that it keeps to be quick. It must not know how its
// result is shown.
package branch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/ignore"
	"manicule/indexer/sorting"
	"manicule/indexer/treefile"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// Limits of the search: a session waits for the answer.
const (
	maxCommits = 2_000
	maxFiles   = 500 // of the branch; the newest are kept
	// maxPrivate is how many files that git ignores are read to find the commit at which they were
	// made.
	maxPrivate = 20
)

// Memories are the memory files of the current branch. Without a Name nothing is known about it.
type Memories struct {
	Name    string
	Default string
	// Files are paths below the memories folder with forward slashes, newest first.
	Files []string
	More  bool // Files is incomplete
	Old   bool // this is what was found last, and git or the folders have changed since
}

// Of finds the memories of a workspace's current branch. The result is empty outside of git, on a
// detached HEAD, on the default branch or without one, in a shallow clone, and if ctx ends first.
//
// A memory belongs to the branch if its file exists, and neither the default branch (local, or
// remote as last fetched) nor the commit at which the branches parted has it. Files are identified
// by name, so a memory that was moved to another layer or edited is not new. Git ignores personal
// memories; one belongs to the branch if it was made at one of the branch's own commits. A file that
// was never committed goes along to each branch that is checked out; it belongs to the branch if it
// was made since the branch began.
func Of(ctx context.Context, p *workspace.Workspace, getenv func(string) string) (m Memories, err error) {
	name := gitinfo.Branch(p.GitDir)
	if name == "" {
		return Memories{}, nil
	}
	base, tips := gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, getenv)
	head := gitinfo.Head(p.GitDir, p.GitCommonDir)
	if base == "" || base == name || head == "" {
		return Memories{}, nil
	}
	k := newKey(p, name, base, head, tips)
	n, ok := readKept(p.CacheDir(), k)
	if !ok {
		if n, ok, err = find(ctx, p, head, tips); !ok || err != nil {
			return Memories{}, err
		}
		keep(p.CacheDir(), k, n)
	}
	return n.memories(ctx, p, name, base)
}

// Last returns what was found last of the workspace's current branch, without asking git what it is now. It is for callers
// that can't wait for [Of].
func Last(ctx context.Context, p *workspace.Workspace, getenv func(string) string) (m Memories, err error) {
	name := gitinfo.Branch(p.GitDir)
	base, _ := gitinfo.DefaultBranch(p.GitDir, p.GitCommonDir, getenv)
	if name == "" || base == "" || base == name {
		return Memories{}, nil
	}
	n, ok := readLast(p.CacheDir(), name, base)
	if !ok {
		return Memories{}, nil
	}
	m, err = n.memories(ctx, p, name, base)
	m.Old = true
	return m, err
}

// memories leaves out what git ignores, unless it was made on the branch.
func (n found) memories(ctx context.Context, p *workspace.Workspace, name, base string) (m Memories, err error) {
	m = Memories{Name: name, Default: base}
	var ignored *ignore.Matcher
	var since time.Time
	private := 0
	for _, f := range n.files {
		if ctx.Err() != nil {
			return Memories{}, nil
		}
		if !n.committed[f] {
			if ignored == nil {
				if ignored, err = ignore.New(p.Root); err != nil {
					return Memories{}, err
				}
				since = began(p.GitCommonDir, name)
			}
			if strings.Contains(f, "/personal/") || ignored.Ignored(folder+"/"+f, false) {
				if private++; private > maxPrivate || !madeAt(filepath.Join(p.MemoriesDir(), filepath.FromSlash(f)), n.own) {
					continue
				}
			} else if made, ok := created(f); ok && made.Before(since) {
				continue
			}
		}
		if len(m.Files) == maxFiles {
			m.More = true
			break
		}
		m.Files = append(m.Files, f)
	}
	return m, nil
}

// created returns when a memory file was made: its name is a UUID of version 7, which begins with the milliseconds.
func created(name string) (time.Time, bool) {
	base := path.Base(name)
	if len(base) < 15 || base[14] != '7' {
		return time.Time{}, false
	}
	ms, err := strconv.ParseInt(base[:8]+base[9:13], 16, 64)
	return time.UnixMilli(ms), err == nil
}

// found is what git and the names of files say of a branch's memories, without their content and without what git
// ignores.
type found struct {
	files     []string        // that the default branch does not have, newest first
	committed map[string]bool // those of them that the branch's tip has
	own       map[string]bool // the branch's own commits; nil if all is committed
}

// find looks for the memory files that the default branch does not have; ok is false if that is not known.
func find(ctx context.Context, p *workspace.Workspace, head string, tips []string) (n found, ok bool, err error) {
	repo := gittree.Open(p.GitDir, p.GitCommonDir, p.GitPrefix())
	defer func() { err = errors.Join(err, repo.Close()) }()
	known, ok := tipNames(repo, tips, p.CacheDir())
	if !ok {
		return found{}, false, nil
	}
	fresh, err := onDisk(ctx, p.MemoriesDir(), known.of)
	if err != nil || ctx.Err() != nil {
		return found{}, false, err
	}
	if len(fresh) == 0 {
		return found{}, true, nil
	}
	own, parted, ok := repo.CommitsAhead(head, tips, func(looked int) bool { return looked >= maxCommits || ctx.Err() != nil })
	if !ok || parted != "" && !known.add(repo, parted) {
		return found{}, false, nil
	}
	committed, ok := repo.Tree(head)
	if !ok {
		return found{}, false, nil
	}
	n.committed = map[string]bool{}
	for _, f := range fresh {
		if ctx.Err() != nil {
			return found{}, false, nil
		}
		if known.of[path.Base(f)] {
			continue // the default branch has removed it since
		}
		n.files = append(n.files, f)
		if committed.Blob(folder+"/"+f) != "" {
			n.committed[f] = true
		} else {
			n.own = own
		}
	}
	return n, true, nil
}

// onDisk lists the memory files on disk with unknown names, newest first: names start with the time
// of creation.
func onDisk(ctx context.Context, dir string, known map[string]bool) ([]string, error) {
	var out []string
	for _, rel := range file.Folders() {
		if ctx.Err() != nil {
			return nil, nil
		}
		name := filepath.Join(dir, filepath.FromSlash(rel))
		if errors.Is(treefile.CheckNoLinks(name), treefile.ErrLink) {
			continue
		}
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list the memory files: %w", err)
		}
		names, err := f.Readdirnames(-1)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("list the memory files: %w", err)
		}
		for _, n := range names {
			if known[n] {
				continue
			}
			if full := rel + "/" + n; file.IsMemoryPath(full) {
				out = append(out, full)
			}
		}
	}
	sorting.Func(out, func(a, b string) int { return strings.Compare(path.Base(b), path.Base(a)) })
	return out, nil
}

// madeAt reports whether a memory was made while one of these commits was checked out.
func madeAt(name string, commits map[string]bool) bool {
	if len(commits) == 0 {
		return false
	}
	m, err := file.Read(name)
	return err == nil && m.Provenance != nil && m.Provenance.Commit != nil && commits[*m.Provenance.Commit]
}
