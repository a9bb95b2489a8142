package memory

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/thread"
)

// Concluded is a memory or a shared thread that one side of a merge deleted and the other changed, where git's own
// commands concluded the merge: no version in the file says that there were two views.
//
// That happens without anybody's doing, too. Where git takes the deleted file for one that both sides added, it asks the
// merge driver, and forgets that the driver reported a conflict.
type Concluded struct {
	Memory  *file.Memory   // as the changed side had it
	Path    string         // of its file, relative to the workspace
	Deleted gittree.Commit // who deleted it
	Changed gittree.Commit // who changed it last on the other side
	Merge   string         // the commit that decided
	Thread  bool           // it is a shared thread
	Kept    bool           // the merge kept it
	Others  bool           // the merge deleted it, and a later one brought the file back with what others made of it
	At      string         // a commit with the file as the changed side had it
	// By is what of git's decided: "merge", or in this clone alone "rebase", whose end is Merge, "cherry-pick", "am",
	// "revert" or "squash".
	By string
}

// Bounds of the merges that are looked at: what was decided long ago, nobody asks about.
const (
	concludedFor = 30 * 24 * time.Hour
	maxMerged    = 500
	maxRebases   = 50
	maxPicks     = 200
	maxPicked    = 5_000 // commits among which those that were picked are sought
)

// Concluded lists the memories that a merge of the last days decided between a deletion and a change, newest
// merge first, then those that a rebase, a cherry-pick or the like did: no commit tells of these, only the reflog of the clone
// where it was. What was written, decided or forgotten with Manicule since is left out. It changes nothing: whoever typed
// git's commands decided.
func (g *Merges) Concluded(ctx context.Context) []Concluded {
	head := g.git.head()
	if head == "" {
		return nil
	}
	repo, done := g.git.open()
	defer done()
	var out []Concluded
	seen := map[string]bool{}
	tell := func(c Concluded, ok bool) {
		if !ok {
			return
		}
		first := !seen[c.Memory.UUID] // of several decisions about a memory the newest counts
		seen[c.Memory.UUID] = true
		c.Others = g.git.broughtBack(repo, head, c)
		if c.Others || first && g.stands(ctx, repo, head, c) {
			out = append(out, c)
		}
	}
	look := func(result, a, b, by string) {
		for _, rel := range differing(repo, a, b) {
			if ctx.Err() == nil {
				c, ok := concluded(repo, result, a, b, nameID(rel))
				c.By = by
				tell(c, ok)
			}
		}
	}
	since := g.now().Add(-concludedFor)
	for _, m := range repo.Merges(head, since, maxMerged) {
		for i, a := range m.Parents {
			for _, b := range m.Parents[i+1:] {
				look(m.ID, a, b, "merge")
			}
		}
	}
	rebases := gitinfo.Rebases(g.git.Dir(), since)
	for _, r := range rebases[:min(len(rebases), maxRebases)] {
		look(r.Result, r.Onto, r.Tip, "rebase")
	}
	for _, s := range g.git.picks(repo, since) {
		if s.by == "squash" {
			look(s.result, s.ours, s.theirs, s.by)
			continue
		}
		for _, rel := range differing(repo, s.base, s.theirs) {
			if ctx.Err() == nil {
				tell(s.concluded(repo, nameID(rel)))
			}
		}
	}
	return out
}

// differing lists the files of memories and shared threads that two commits don't have alike, relative to the workspace.
func differing(repo *gittree.Repo, a, b string) (out []string) {
	x, ok := repo.Tree(a)
	y, also := repo.Tree(b)
	if !ok || !also {
		return nil
	}
	for _, dir := range []string{path.Join(workspace.Folder, "memories"), path.Join(workspace.Folder, thread.SharedFolder)} {
		for _, rel := range x.Subtree(dir).Diff(y.Subtree(dir)) {
			if name := path.Join(dir, rel); isMerged(name) && file.ValidUUID(nameID(name)) {
				out = append(out, name)
			}
		}
	}
	return out
}

// concluded reports what a merge of two commits decided about a memory, if one of them has deleted it and the other
// changed it.
func concluded(repo *gittree.Repo, merge, a, b, uuid string) (c Concluded, ok bool) {
	paths := filePaths(uuid)
	x, y := placeIn(repo, a, paths), placeIn(repo, b, paths)
	if (x == "") == (y == "") {
		return c, false
	}
	deleter, changer, at := a, b, y
	if y == "" {
		deleter, changer, at = b, a, x
	}
	t, _ := repo.Tree(changer) // it was read before
	blob := t.Blob(at)
	there := repo.FileVersions(deleter, paths, maxDeletionCommits)
	if len(there) < 2 || there[0].Blob != "" || slices.ContainsFunc(there, func(v gittree.FileVersion) bool { return v.Blob == blob }) {
		return c, false // it was never on that side, or only one of them touched it
	}
	here := repo.FileVersions(changer, paths, maxDeletionCommits)
	data, err := repo.Blob(blob)
	if len(here) == 0 || err != nil {
		return c, false
	}
	m, err := file.Parse(data)
	if err != nil || m.UUID != uuid {
		return c, false
	}
	return Concluded{Memory: m, Path: at, Thread: isThread(at), Deleted: there[0].Commit, Changed: here[0].Commit, Merge: merge, Kept: placeIn(repo, merge, paths) != "", At: here[0].Commit.ID}, true
}

// placeIn returns which of some paths is a file of a commit, "" for none.
func placeIn(repo *gittree.Repo, commit string, paths []string) string {
	t, _ := repo.Tree(commit)
	for _, p := range paths {
		if t.Blob(p) != "" {
			return p
		}
	}
	return ""
}

// stands reports whether what a merge decided is still all that was said about it.
func (g *Merges) stands(ctx context.Context, repo *gittree.Repo, head string, c Concluded) bool {
	paths := filePaths(c.Memory.UUID)
	was, _ := repo.Tree(c.Merge)
	is, _ := repo.Tree(head)
	for _, p := range paths {
		if was.Blob(p) != is.Blob(p) {
			return false
		}
	}
	if c.Kept && c.By != "merge" && c.By != "rebase" && !reached(repo, head, c.Merge) {
		return false // undone
	}
	if !c.Kept {
		if c.Thread {
			_, err := os.Lstat(g.git.at(c.Path))
			return errors.Is(err, fs.ErrNotExist)
		}
		_, _, err := g.get(ctx, c.Memory.UUID)
		tombstones, terr := g.state.Tombstones().Of(ctx, c.Memory.UUID)
		return err != nil && terr == nil && len(tombstones) == 0
	}
	if c.Thread {
		return false // it is there, and whoever wants it gone closes it
	}
	h, _, err := g.get(ctx, c.Memory.UUID)
	if err != nil || len(h.Memory.Conflict) > 0 || h.Memory.Lineage.ChangeKind == "resolve" {
		return false // gone since, listed by resolve, or decided by it
	}
	now, err := h.Memory.Hash()
	then, terr := c.Memory.Hash()
	return err == nil && terr == nil && now == then
}

// broughtBack reports whether a later merge brought back the file that this one deleted, in a version that neither comes
// from the one that was dropped nor says the same.
func (g *Git) broughtBack(repo *gittree.Repo, head string, c Concluded) bool {
	paths := filePaths(c.Memory.UUID)
	at := placeIn(repo, head, paths)
	if c.By != "merge" || c.Kept || at == "" {
		return false
	}
	now, err := file.Read(g.at(at))
	if err != nil || slices.ContainsFunc(now.Versions(), func(v file.Version) bool { return v.What == c.Memory.What }) {
		return false
	}
	dropped := blobIn(repo, c.At, c.Path)
	return !slices.ContainsFunc(repo.FileVersions(head, paths, maxDeletionCommits), func(v gittree.FileVersion) bool { return v.Blob == dropped })
}
