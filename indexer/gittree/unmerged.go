package gittree

import format "github.com/go-git/go-git/v5/plumbing/format/index"

// Unmerged is a file that a merge left for a person to decide, as git's index has it: the blobs of the version that both
// sides come from and of the two sides. "" is a side that has no such file.
type Unmerged struct {
	Path               string
	Base, Ours, Theirs string
}

// Deleted reports whether one side removed a file that the other changed, and whether that was our side.
func (u Unmerged) Deleted() (ours, ok bool) {
	return u.Ours == "", u.Base != "" && (u.Ours == "") != (u.Theirs == "")
}

// Unmerged lists the files that an unfinished merge, rebase, cherry-pick or revert left for a person. It is empty
// if the index can't be read.
func (r *Repo) Unmerged() []Unmerged {
	ix := r.readIndex()
	if ix == nil {
		return nil
	}
	return ix.merging
}

// Merged reports whether git's index can be read and has no file that waits for a person to decide.
func (r *Repo) Merged() bool {
	ix := r.readIndex()
	return ix != nil && len(ix.merging) == 0
}

// noteUnmerged notes one of the up to three entries of a path, which stand one after the other.
func (ix *index) noteUnmerged(name string, e *format.Entry) {
	if n := len(ix.merging); n == 0 || ix.merging[n-1].Path != name {
		ix.merging = append(ix.merging, Unmerged{Path: name})
	}
	u := &ix.merging[len(ix.merging)-1]
	switch id := e.Hash.String(); e.Stage {
	case format.AncestorMode:
		u.Base = id
	case format.OurMode:
		u.Ours = id
	case format.TheirMode:
		u.Theirs = id
	}
}
