package memory

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory/file"
	"manicule/memory/repair"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// Twins are memories that are there several times. It is safe for concurrent use.
type Twins struct {
	place    *workspace.Workspace
	rows     *store.Memories
	versions store.Versions
	maker    *Maker
	files    *refresher
	log      *slog.Logger
}

// List lists the memories that are there several times, word for word and about the same place, as two merged branches
// bring them. Of each the one comes first that a repair keeps.
func (t *Twins) List(ctx context.Context) ([][]*file.Memory, error) {
	const act = "look for memories that are there twice: %w"
	if _, err := t.files.refresh(ctx, t.rows.Sync); err != nil {
		return nil, fmt.Errorf(act, err)
	}
	repeated, err := t.rows.Repeated(ctx)
	if err != nil {
		return nil, fmt.Errorf(act, err)
	}
	if len(repeated) == 0 { // as nearly always: no memory is read
		return nil, nil
	}
	if _, err := t.files.sync(ctx); err != nil {
		return nil, fmt.Errorf(act, err)
	}
	byKey := map[string][]*file.Memory{}
	var keys []string
	view := t.files.views.Current()
	for _, uuid := range repeated {
		h, ok := view.Get(uuid)
		if !ok {
			continue
		}
		key := repair.TwinKey(h.Memory)
		if len(byKey[key]) == 0 {
			keys = append(keys, key)
		}
		byKey[key] = append(byKey[key], h.Memory)
	}
	slices.Sort(keys)
	var out [][]*file.Memory
	for _, key := range keys {
		list := byKey[key]
		if len(list) < 2 {
			continue
		}
		sorting.StableFunc(list, repair.OlderTwin)
		same := list[:1]
		for _, m := range list[1:] {
			if areTwins(list[0], m) {
				same = append(same, m)
			}
		}
		if len(same) > 1 {
			out = append(out, same)
		}
	}
	return out, nil
}

// areTwins reports whether m may become a part of the memory that says the same, as what is said again does. What a
// person still has to decide about one of them comes first.
func areTwins(to, m *file.Memory) bool {
	return repair.TwinKey(to) == repair.TwinKey(m) && restate.Differ(to.What, m.What) == "" && mayBeTwins(to, m)
}

// mayBeTwins is areTwins of memories that say the same.
func mayBeTwins(to, m *file.Memory) bool {
	return mergeable(to, m) && branchOf(to) == branchOf(m) &&
		len(to.Conflict) == 0 && len(m.Conflict) == 0 && to.Trust.Deprecated == nil && m.Trust.Deprecated == nil &&
		!m.Trust.Unreviewed && !supersedes(to, m) && !supersedes(m, to)
}

// Merge returns the next version of a memory that a twin was merged into, by the rule for what is said again: the
// memory itself if the twin adds nothing. ok is false if they may not become one, as when one of them is not active or
// not reviewed.
func (t *Twins) Merge(to, m *file.Memory) (next *file.Memory, ok bool, err error) {
	for _, x := range []*file.Memory{to, m} {
		h, active := t.files.views.Current().Get(x.UUID)
		if !active || h.Memory.Trust.Unreviewed { // one that is held says what nobody may be told
			return nil, false, nil
		}
	}
	if !areTwins(to, m) {
		return nil, false, nil
	}
	const once = 1 // each was said by somebody
	if m.Visibility == file.Personal && to.Visibility != file.Personal || !adds(to, m, once) {
		return to, true, nil
	}
	if next, err = t.maker.Successor(to, "merge", "the same as "+m.ShortID()); err != nil {
		return nil, false, err
	}
	addAgain(next, m, once)
	next.Relations = slices.DeleteFunc(next.Relations, func(r file.Relation) bool { return r.Memory == m.UUID })
	if hash, err := m.Hash(); err == nil {
		next.Lineage.Merged = append(next.Lineage.Merged, hash)
	}
	return next, true, nil
}

// KeepVersions notes memories as they are among this machine's versions, before a repair replaces or removes their files:
// one that a merge or a hand brought may be no version yet that `history` and `revert` know.
func (t *Twins) KeepVersions(ctx context.Context, list []*file.Memory) {
	if err := t.versions.PutAll(ctx, t.place.WorktreeID, list); err != nil {
		t.log.Warn("keep the versions before a repair", "err", err)
	}
}

// branchOf is the feature branch that a memory belongs to, "" for none.
func branchOf(m *file.Memory) string {
	if m.Provenance == nil {
		return ""
	}
	return m.Provenance.Branch
}

// ShortIDs names memories for a person.
func ShortIDs(list []*file.Memory) string {
	var ids []string
	for _, m := range list {
		ids = append(ids, m.ShortID())
	}
	return strings.Join(ids, ", ")
}
