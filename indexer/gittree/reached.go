package gittree

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Reach is the way in which the work of a branch came to other branches.
type Reach string

// The ways.
const (
	NotReached Reach = ""
	Merged     Reach = "merge"  // its own commits are there
	Rebased    Reach = "rebase" // commits with the changes of each of them are there
	Squashed   Reach = "squash" // one commit with the changes of all of them is there
)

// Limits of the comparison of changes.
const (
	maxReachCommits = 1_000   // of the other branches since they parted
	maxReachOwn     = 200     // commits of the branch
	maxReachFiles   = 2_000   // changed by the branch
	maxReachBlob    = 1 << 20 // bytes; larger files count as changed as a whole
)

// Reached reports how the work of the branch with a tip came to other branches, named by their
// tips, and how many commits the branch is ahead by. A branch without commits of its own is merged.
// ok is false if a commit can't be read, as in a shallow clone, or stop ended the walk.
//
// Commits are compared by what they change, much as `git patch-id` does: by the lines that they
// remove and add, without white space, wherever these are in a file.
func (r *Repo) Reached(tip string, others []string, stop func(looked int) bool) (how Reach, ahead int, ok bool) {
	own, base, ok := r.CommitsAhead(tip, others, stop)
	if !ok {
		return NotReached, 0, false
	}
	if len(own) == 0 {
		return Merged, 0, true
	}
	if base == "" || len(own) > maxReachOwn {
		return NotReached, len(own), true
	}
	before, ok := r.Tree(base)
	after, ok2 := r.Tree(tip)
	if !ok || !ok2 {
		return NotReached, len(own), false
	}
	changed := after.Diff(before)
	if len(changed) == 0 || len(changed) > maxReachFiles {
		return NotReached, len(own), true // what was taken back on the branch itself reaches nobody
	}
	whole := patchID(r, before, after, changed)
	there := map[string]bool{} // patches of the other branches
	for _, other := range others {
		for i, c := range r.Log(other, func(id string) bool { return id == base }, time.Time{}, maxReachCommits) {
			if stop(i) {
				return NotReached, len(own), false
			}
			if !slices.ContainsFunc(c.Files, func(f string) bool { _, ok := slices.BinarySearch(changed, f); return ok }) {
				continue
			}
			now, ok := r.Tree(c.ID)
			if !ok {
				continue
			}
			if sameFiles(now, after, changed) {
				return Squashed, len(own), true
			}
			there[patchOf(r, c.ID)] = true
		}
	}
	if there[whole] {
		return Squashed, len(own), true
	}
	for id := range own {
		if c, _, ok := r.readCommit(id); !ok || c.Parents > 1 {
			continue // a merge of the others into the branch adds nothing
		}
		if p := patchOf(r, id); p != noPatch && !there[p] {
			return NotReached, len(own), true
		}
	}
	return Rebased, len(own), true
}

// sameFiles reports whether two trees agree in some files.
func sameFiles(a, b Tree, paths []string) bool {
	for _, p := range paths {
		if a.Blob(p) != b.Blob(p) {
			return false
		}
	}
	return true
}

// noPatch is the patch of a commit that changes no text.
const noPatch = ""

// patchOf identifies what a commit changes against its first parent.
func patchOf(r *Repo, id string) string {
	_, parent, ok := r.readCommit(id)
	if !ok {
		return "unreadable " + id
	}
	now, _ := r.Tree(id)
	before, _ := r.Tree(parent)
	return patchID(r, before, now, now.Diff(before))
}

// patchID identifies the change of some files between two trees.
func patchID(r *Repo, before, after Tree, paths []string) string {
	sum := sha256.New()
	some := false
	for _, p := range paths {
		was, is := before.Blob(p), after.Blob(p)
		if was == is {
			continue
		}
		some = true
		_, _ = fmt.Fprintf(sum, "file %q %t %t\n", p, was == "", is == "") // a hash takes all that is written
		addPatch(r, sum, was, is)
	}
	if !some {
		return noPatch
	}
	return hex.EncodeToString(sum.Sum(nil))
}

func addPatch(r *Repo, sum io.Writer, was, is string) {
	a, b := textOf(r, was), textOf(r, is)
	if a == nil || b == nil {
		_, _ = fmt.Fprintln(sum, was, is)
		return
	}
	lines := map[string]int{} // how many more there are now
	count := func(text []byte, n int) {
		for line := range strings.Lines(string(text)) {
			lines[strings.Map(dropSpace, line)] += n
		}
	}
	count(a, -1)
	count(b, 1)
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		if n := lines[line]; n != 0 {
			_, _ = fmt.Fprintln(sum, n, line)
		}
	}
}

func dropSpace(r rune) rune {
	if unicode.IsSpace(r) {
		return -1
	}
	return r
}

// textOf returns a blob, empty for none, nil if it is too large or no text.
func textOf(r *Repo, id string) []byte {
	if id == "" {
		return []byte{}
	}
	data, err := r.Blob(id)
	if err != nil || len(data) > maxReachBlob || bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 {
		return nil
	}
	return append([]byte{}, data...)
}
