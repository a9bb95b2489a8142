package memory

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
)

// picked is a commit that git made of another one, as the three-way merge that made it: git takes the change from base to
// theirs over to ours.
type picked struct {
	by                         string // as [Concluded.By]
	result, base, theirs, ours string
	// acts is the commit that stands for theirs: who deleted or changed a memory on that side.
	acts string
}

// picks finds what the commits of this clone since a moment were made of, newest first. git notes that nowhere: a revert and a
// squashed merge name it in their message, as `cherry-pick -x` does; of the others author and time are those of what was picked.
func (g *Git) picks(repo *gittree.Repo, since time.Time) []picked {
	p := g.place
	log := gitinfo.Picks(p.GitDir, since, maxPicks)
	commits := map[string]gittree.Commit{}
	made, sought := map[string]bool{}, map[gittree.Authorship]bool{}
	for _, l := range log {
		if c, ok := repo.Commit(l.Result); ok {
			commits[l.Result] = c
			if l.By != "" {
				made[l.Result], sought[c.Authorship()] = true, true
			}
		}
	}
	var written map[gittree.Authorship][]string
	if len(sought) > 0 {
		written = repo.WrittenAs(sought, gitinfo.Tips(p.GitDir, p.GitCommonDir), maxPicked)
	}
	var out []picked
	for _, l := range log {
		c, ok := commits[l.Result]
		if !ok {
			continue
		}
		s := named(repo, c)
		if s.by == "" && l.By != "" {
			s = likeOf(repo, c, written[c.Authorship()], made, l.By)
		}
		if s.by != "" {
			s.result, s.ours = l.Result, l.Was
			out = append(out, s)
		}
	}
	return out
}

// named finds what a commit was made of in its message. by is "" if it doesn't say.
func named(repo *gittree.Repo, c gittree.Commit) (s picked) {
	message := c.Subject + "\n" + c.Body
	if id := idAfter(message, "This reverts commit "); id != "" {
		s = picked{by: "revert", base: id, theirs: firstParent(repo, id), acts: c.ID}
		if side := idAfter(message, "reversing\nchanges made to "); side != "" { // of a merge: the other parent stays
			s.theirs = side
		}
		return s
	}
	if id := idAfter(message, "(cherry picked from commit "); id != "" {
		return picked{by: "cherry-pick", base: firstParent(repo, id), theirs: id, acts: id}
	}
	if rest, ok := strings.CutPrefix(message, "Squashed commit of the following:"); ok {
		if id := idAfter(rest, "\ncommit "); id != "" { // the newest, which has all
			return picked{by: "squash", theirs: id, acts: id}
		}
	}
	return s
}

// likeOf finds what a commit was made of among those with its author and time: best one with its subject, one that was not
// made of others here itself, and the oldest.
func likeOf(repo *gittree.Repo, c gittree.Commit, like []string, made map[string]bool, by string) picked {
	var best gittree.Commit
	order := func(x, y gittree.Commit) int { // -1 if x is the better one
		no := func(b bool) int { return map[bool]int{true: 1}[b] }
		return cmp.Or(cmp.Compare(no(x.Subject != c.Subject), no(y.Subject != c.Subject)), cmp.Compare(no(made[x.ID]), no(made[y.ID])), x.Time.Compare(y.Time))
	}
	for _, id := range like {
		x, ok := repo.Commit(id)
		if !ok || id == c.ID || x.Time.After(c.Time) || x.Parents != 1 {
			continue
		}
		if best.ID == "" || order(x, best) < 0 {
			best = x
		}
	}
	if best.ID == "" {
		return picked{}
	}
	return picked{by: by, base: firstParent(repo, best.ID), theirs: best.ID, acts: best.ID}
}

func firstParent(repo *gittree.Repo, id string) string {
	if p := repo.Parents(id); len(p) > 0 {
		return p[0]
	}
	return ""
}

// idAfter returns the id of a commit that follows some words, "" if none does.
func idAfter(text, words string) string {
	_, rest, ok := strings.Cut(text, words)
	end := strings.IndexFunc(rest, func(r rune) bool { return !strings.ContainsRune("0123456789abcdef", r) })
	if end < 0 {
		end = len(rest)
	}
	if !ok || end != 40 {
		return ""
	}
	return rest[:end]
}

// concluded reports what the commit decided about a memory, if one side had deleted and the other changed it.
func (s picked) concluded(repo *gittree.Repo, uuid string) (c Concluded, ok bool) {
	paths := filePaths(uuid)
	was, there, here := placeIn(repo, s.base, paths), placeIn(repo, s.theirs, paths), placeIn(repo, s.ours, paths)
	if was == "" || (there == "") == (here == "") {
		return c, false
	}
	side, at := s.theirs, there
	if there == "" {
		side, at = s.ours, here
	}
	blob, old := blobIn(repo, side, at), blobIn(repo, s.base, was)
	if blob == old {
		return c, false // only one side touched it
	}
	mine := repo.FileVersions(s.ours, paths, maxDeletionCommits)
	act, known := repo.Commit(s.acts)
	if len(mine) == 0 || !known {
		return c, false
	}
	c = Concluded{Path: at, Thread: isThread(at), At: side, Merge: s.result, Kept: placeIn(repo, s.result, paths) != "", By: s.by, Deleted: act, Changed: mine[0].Commit}
	deleter := s.theirs
	if there != "" {
		c.Deleted, c.Changed, deleter = mine[0].Commit, act, s.ours
		if len(mine) < 2 || mine[0].Blob != "" {
			return c, false // it was never on our side
		}
	}
	// Whoever deleted these very words saw them; a revert takes back what everybody can see.
	if s.by != "revert" && slices.ContainsFunc(repo.FileVersions(deleter, paths, maxDeletionCommits), func(v gittree.FileVersion) bool { return v.Blob == blob }) {
		return c, false
	}
	c.Memory = memoryIn(repo, blob)
	return c, c.Memory != nil && c.Memory.UUID == uuid
}

func blobIn(repo *gittree.Repo, commit, at string) string {
	t, _ := repo.Tree(commit)
	return t.Blob(at)
}

// reached reports whether the work of a person goes back to a commit that a reflog tells of: it may be undone since.
func reached(repo *gittree.Repo, head, id string) bool {
	return slices.Contains(repo.Ancestors(head, maxDeletionCommits), id)
}
