package memory

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
	"manicule/memory/file"
)

// Git is the clone that the workspace is in: where an operation of git's stopped, what the sides of a
// merge have of the memories, and which of their versions the history holds. It writes nothing, and
// must not know what becomes of what it finds.
type Git struct {
	place  *workspace.Workspace
	author func() string
	now    func() time.Time

	autoMerge autoMerge
	past      pastVersions
}

// pastVersions are the versions in git of the memories that were asked about last, as of one commit: an editor asks again
// whenever something changed, and thousands of commits and large trees are read to answer.
type pastVersions struct {
	mu sync.Mutex
	at string // the commit, and where a shallow clone ends
	of map[string][]gitVersion
}

// maxPast bounds the memories whose versions are kept.
const maxPast = 100

// get returns what is kept, and what was read otherwise, which is kept if it is complete. The memories are the caller's.
func (p *pastVersions) get(at, uuid string, read func() (list []gitVersion, complete bool)) []gitVersion {
	p.mu.Lock()
	list, ok := p.of[uuid]
	ok = ok && p.at == at
	p.mu.Unlock()
	if !ok {
		var complete bool
		if list, complete = read(); complete {
			p.put(at, uuid, list)
		}
	}
	out := slices.Clone(list)
	for i := range out {
		out[i].memory = out[i].memory.Clone()
	}
	return out
}

func (p *pastVersions) put(at, uuid string, list []gitVersion) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.at != at || len(p.of) >= maxPast {
		p.at, p.of = at, map[string][]gitVersion{}
	}
	p.of[uuid] = list
}

// NoGit is what a folder has that is in no clone.
func NoGit() *Git { return &Git{place: &workspace.Workspace{}} }

// Dir is git's folder of this worktree, "" without git.
func (g *Git) Dir() string { return g.place.GitDir }

// Merging reports whether git may have stopped in this worktree and left files for a person.
func (g *Git) Merging() bool {
	if g.place.GitDir == "" {
		return false
	}
	return merging(g.place.GitDir) || g.autoMerge.waits(g.place.GitDir, func() bool {
		repo, done := g.open()
		defer done()
		return repo.Merged()
	})
}

// Shallow reports whether this is a shallow clone, where git lacks earlier versions of memories and of code.
func (g *Git) Shallow() bool {
	return g.place.GitDir != "" && gitinfo.Shallow(g.place.GitCommonDir)
}

// Unfinished reports whether git still waits for a decision about a file, given by its absolute path.
func (g *Git) Unfinished(name string) bool {
	return g.unmerged(name, func(gittree.Unmerged) bool { return true })
}

// hasSides reports whether git's index has two versions of a file, given by its absolute path.
func (g *Git) hasSides(name string) bool {
	return g.unmerged(name, func(u gittree.Unmerged) bool { return u.Ours != "" && u.Theirs != "" })
}

func (g *Git) unmerged(name string, is func(gittree.Unmerged) bool) bool {
	rel, err := filepath.Rel(g.place.Root, name)
	if err != nil || !g.Merging() {
		return false
	}
	repo, done := g.open()
	defer done()
	return slices.ContainsFunc(repo.Unmerged(), func(u gittree.Unmerged) bool { return u.Path == filepath.ToSlash(rel) && is(u) })
}

// open opens the repository for reading, until done is called.
func (g *Git) open() (repo *gittree.Repo, done func()) {
	repo = gittree.Open(g.place.GitDir, g.place.GitCommonDir, g.place.GitPrefix())
	return repo, func() { _ = repo.Close() } // nothing was written
}

// head is the commit that is checked out, "" without one.
func (g *Git) head() string {
	if g.place.GitDir == "" {
		return ""
	}
	return gitinfo.Head(g.place.GitDir, g.place.GitCommonDir)
}

// at is the absolute path of a file of the workspace.
func (g *Git) at(name string) string {
	return filepath.Join(g.place.Root, filepath.FromSlash(name))
}

// waits reports whether git still waits for a decision about a file, and is not about to take one: it holds its index
// while it removes files. `git cherry-pick --skip` may end while somebody looks, and leave the very same file.
func (g *Git) waits(repo *gittree.Repo, u gittree.Unmerged) bool {
	return slices.Contains(repo.Unmerged(), u) && !gitWrites(g.place.GitDir)
}

// isVersion reports whether the file at a path still holds a version, as git left it.
func isVersion(name string, m *file.Memory) (bool, error) {
	now, err := file.Read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	is, err := now.Hash()
	if err != nil {
		return false, err
	}
	was, err := m.Hash()
	return is == was, err
}

// isMemory reports whether a file is that memory alone, or gone: what nobody has to take apart.
func isMemory(name, id string) bool {
	data, err := file.ReadBytes(name)
	if err != nil {
		return true
	}
	m, err := file.Parse(data)
	return err == nil && m.UUID == id && !file.HoldsMarkers(data)
}

// sideOf returns the commits of one side of an unfinished merge.
func (g *Git) sideOf(repo *gittree.Repo, ours bool) []string {
	if !ours {
		return g.pendingCommits(repo)
	}
	if head := g.head(); head != "" {
		return []string{head}
	}
	return nil
}

// pendingCommits returns the commits that an unfinished operation brings. Files of other operations may be left over.
func (g *Git) pendingCommits(repo *gittree.Repo) []string {
	gitDir := g.place.GitDir
	var names []string
	switch gitinfo.Operation(gitDir) {
	case "merge":
		names = []string{"MERGE_HEAD"}
	case "rebase":
		names = []string{"REBASE_HEAD", "rebase-merge/stopped-sha", "rebase-apply/original-commit"}
	case "cherry-pick":
		names = []string{"CHERRY_PICK_HEAD"}
	case "revert": // it brings what was before the commit
		for _, id := range hashesIn(gitDir, "REVERT_HEAD") {
			return repo.Parents(id)
		}
	case "":
		if tips := squashedCommits(gitDir); len(tips) > 0 {
			return tips
		}
		return hashesIn(g.place.GitCommonDir, "refs/stash") // kept by `git stash pop` that stopped
	}
	for _, name := range names {
		if tips := hashesIn(gitDir, name); len(tips) > 0 {
			return tips
		}
	}
	return nil
}

// deleterOf returns the commit that deleted a memory on one side of an unfinished merge. ok is false if that side only
// moved it; a commit that nobody finds is empty.
func (g *Git) deleterOf(repo *gittree.Repo, uuid string, ours bool) (by gittree.Commit, ok bool) {
	tips := g.sideOf(repo, ours)
	if len(tips) == 0 && !ours && gitinfo.Operation(g.place.GitDir) == "" {
		return by, false // git is at work: it names the other side after the index
	}
	for _, tip := range tips {
		if placeIn(repo, tip, filePaths(uuid)) != "" {
			return by, false
		}
	}
	if !ours {
		if by, ok := g.deleterHere(); ok {
			return by, true
		}
	}
	for _, tip := range tips {
		if v := repo.FileVersions(tip, filePaths(uuid), maxDeletionCommits); len(v) > 0 && v[0].Blob == "" {
			return v[0].Commit, true
		}
	}
	return by, true
}

// deleterHere is who deletes with an operation that brings no commit of this repository that did: whoever takes a commit
// or a stash back in this clone, and the author of a mailed patch.
func (g *Git) deleterHere() (by gittree.Commit, ok bool) {
	switch gitinfo.Operation(g.place.GitDir) {
	case "revert":
	case "rebase": // and git am
		return patchAuthor(g.place.GitDir)
	case "":
		if len(squashedCommits(g.place.GitDir)) > 0 {
			return by, false
		}
	default:
		return by, false
	}
	return gittree.Commit{Author: g.author(), Time: g.now()}, true
}

type gitVersion struct {
	gittree.FileVersion
	memory *file.Memory
}

// versions reads the versions of a memory's file from the history, newest first.
func (g *Git) versions(uuid string) []gitVersion {
	head := g.head()
	if head == "" {
		return nil
	}
	return g.past.get(head+" "+gitinfo.ShallowEdge(g.place.GitCommonDir), uuid, func() ([]gitVersion, bool) {
		repo, done := g.open()
		defer done()
		return versionsIn(repo, head, uuid)
	})
}

// versionsIn is complete unless the text of a version could not be read, as one that a partial clone has yet to fetch.
func versionsIn(repo *gittree.Repo, head, uuid string) (out []gitVersion, complete bool) {
	complete = true
	for _, v := range repo.FileVersions(head, memoryPaths(uuid), MaxCommits) {
		if v.Blob == "" {
			continue
		}
		data, err := repo.Blob(v.Blob)
		if err != nil {
			complete = false
			continue
		}
		if m, err := file.Parse(data); err == nil && m.UUID == uuid {
			out = append(out, gitVersion{v, m})
		}
	}
	return out, complete
}

// committed reads a memory from the last commit. It is nil if that has no sound version of it.
func (g *Git) committed(uuid string) *file.Memory {
	repo, done := g.open()
	defer done()
	tree, ok := repo.Tree(g.head())
	if !ok {
		return nil
	}
	for _, at := range memoryPaths(uuid) {
		if blob := tree.Blob(at); blob != "" {
			if m := memoryIn(repo, blob); m != nil && m.UUID == uuid {
				return m
			}
			return nil
		}
	}
	return nil
}
