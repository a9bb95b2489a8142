package memory

import (
	"context"
	"fmt"

	"manicule/memory/file"
)

// Resolution is what a person decides about a memory of which a merge kept several
// versions.
type Resolution struct {
	// Version is the one that the memory keeps: 1 is what it says now, 2 the first of
	// its Conflict.
	Version int
	// Rest is what becomes of the other versions.
	Rest Rest
}

// Rest is what becomes of the versions that a memory does not keep.
type Rest int

const (
	// DropRest removes them; the history keeps them.
	DropRest Rest = iota
	// KeepRest makes each a memory of its own.
	KeepRest
	// SupersedeRest makes each a memory of its own that the kept one supersedes.
	SupersedeRest
)

// Resolve ends a conflict between versions of a memory, as its next version.
func (q *Decisions) Resolve(ctx context.Context, id string, r Resolution) (Result, error) {
	h, _, err := q.find.any(ctx, id)
	if err != nil {
		return Result{}, err
	}
	versions := h.Memory.Versions()
	switch {
	case len(versions) == 1:
		return Result{}, &UserError{Msg: fmt.Sprintf("memory %s has one version", h.Memory.ShortID()), Hint: "`manicule resolve` lists the memories that have several."}
	case r.Version < 1 || r.Version > len(versions):
		return Result{}, &UserError{Msg: fmt.Sprintf("memory %s has no version %d", h.Memory.ShortID(), r.Version),
			Hint: fmt.Sprintf("It has %d; `manicule show %s` lists them.", len(versions), h.Memory.ShortID())}
	}
	seen, err := h.Memory.Hash()
	if err != nil {
		return Result{}, err
	}
	kept := versions[r.Version-1]
	// The versions that become memories come first: nothing is lost where the second
	// write fails.
	var split []*file.Memory
	if r.Rest != DropRest {
		for i, v := range versions {
			if i == r.Version-1 || v.Deleted { // nothing is lost with a deletion
				continue
			}
			made, err := q.split(ctx, h.Memory, v)
			if err != nil || !made.Accepted {
				return made, err
			}
			split = append(split, made.Memory)
		}
	}
	if kept.Deleted {
		return q.finishDeletion(ctx, h, seen, kept)
	}
	note := fmt.Sprintf("kept version %d of %d", r.Version, len(versions))
	if v, ok := h.Memory.Deletion(); ok {
		note = "kept, though " + file.OneName(v.Contributor) + " deleted it"
	}
	return q.edits.ChangeInsisting(ctx, h.Memory.UUID, func(m *file.Memory) error {
		if m.Lineage.Parent != seen {
			return &UserError{Msg: fmt.Sprintf("memory %s was changed meanwhile", m.ShortID()), Hint: "Look at it again: `manicule show " + m.ShortID() + "`."}
		}
		m.TakeVersion(m.Versions()[r.Version-1])
		m.Conflict = nil
		if r.Rest == SupersedeRest {
			for _, s := range split {
				m.Relations = append(m.Relations, file.Relation{Type: "supersedes", Memory: s.UUID, Confidence: 1})
			}
		}
		return nil
	}, "resolve", note, true) // its words are those of files that were judged
}

// split stores a version as a memory of its own, or finds the one that says the same.
func (q *Decisions) split(ctx context.Context, from *file.Memory, v file.Version) (Result, error) {
	m := from.Clone()
	id, err := q.maker.NewID()
	if err != nil {
		return Result{}, err
	}
	m.TakeVersion(v)
	m.UUID, m.Conflict, m.Relations, m.Pinned = id, nil, nil, false
	// What was confirmed, disputed or imported is the memory that it was a version of.
	m.Trust.VerifiedBy, m.Trust.VerifiedAt = "", nil
	m.Trust.SetViews(nil)
	if v.Contributor != "" {
		m.Contributor = v.Contributor
	}
	if m.Provenance != nil {
		m.Provenance.Import = nil
	}
	m.CreatedAt, m.UpdatedAt = file.At(q.now()), file.At(q.now())
	parent, err := from.Hash()
	if err != nil {
		return Result{}, err
	}
	m.Lineage = file.Lineage{Version: 1, Parent: parent, ChangeKind: "create", ChangeNote: "a version of " + from.ShortID()}
	return q.saver.save(ctx, m, true, onlyExact)
}

// finishDeletion removes a memory that one side of a merge deleted, as that side did. Its copy can be restored.
func (q *Decisions) finishDeletion(ctx context.Context, h Hit, seen string, v file.Version) (Result, error) {
	if now, err := file.Read(h.Path); err != nil {
		return Result{}, writeError(err)
	} else if hash, err := now.Hash(); err != nil || hash != seen {
		return Result{}, &UserError{Msg: fmt.Sprintf("memory %s was changed meanwhile", h.Memory.ShortID()), Hint: "Look at it again: `manicule show " + h.Memory.ShortID() + "`."}
	}
	by := file.OneName(v.Contributor)
	if err := q.forgotten.ForgetBecause(ctx, h.Memory.UUID, "deleted by "+by+", and so decided"); err != nil {
		return Result{}, err
	}
	return Result{Accepted: true, Memory: h.Memory, Code: "deleted", Reason: fmt.Sprintf("deleted, as %s had; `manicule restore %s` brings it back", by, h.Memory.ShortID())}, nil
}
