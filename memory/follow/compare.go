package follow

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"manicule/indexer/anchor"
	"manicule/indexer/gitinfo"
	"manicule/indexer/gittree"
	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

// At resolves the anchors of a memory in a commit, given by its id. It also returns the memory's
// version in the commit, or the memory itself if the commit has no such file. It changes nothing.
func (t *Tracker) At(ctx context.Context, m *file.Memory, commit string) (*file.Memory, []Place, error) {
	tree, err := t.tree(commit)
	if err != nil {
		return nil, nil, err
	}
	if then, ok := t.memoryIn(tree, m.UUID); ok {
		m = then
	}
	s := newSolver(progressOf(ctx), t.repo, t.head(), committed{tree, t.repo})
	var out []Place
	for i, a := range m.Anchors {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("look for anchors in %s: %w", commit, err)
		}
		out = append(out, Place{m.UUID, i, a, placeOf(store.AnchorKey(a), s.resolve(a))})
	}
	return m, out, nil
}

func (t *Tracker) tree(commit string) (gittree.Tree, error) {
	if t.repo == nil {
		return gittree.Tree{}, &memory.UserError{Msg: t.w.Root() + " is in no git repository", Err: gittree.ErrAbsent, Hint: "A revision needs one."}
	}
	tree, ok := t.repo.Tree(commit)
	if what := gitinfo.Unread(t.w.Place().GitCommonDir); !ok && what != "" {
		return tree, &memory.UserError{Msg: "the files of " + commit + " can't be read: this repository keeps " + what, Err: gittree.ErrAbsent,
			Hint: "Memories are compared with the files as they are: leave out the revision."}
	}
	if !ok {
		return tree, &memory.UserError{Msg: "git does not have the files of " + commit, Err: gittree.ErrAbsent,
			Hint: "In a shallow clone, `git fetch --unshallow` brings them."}
	}
	return tree, nil
}

// memoryIn reads a memory's file in a commit, from whichever folder it was in.
func (t *Tracker) memoryIn(tree gittree.Tree, uuid string) (*file.Memory, bool) {
	for _, folder := range file.Folders() {
		blob := tree.Blob(".manicule/memories/" + folder + "/" + uuid + ".json")
		if blob == "" {
			continue
		}
		data, err := t.repo.Blob(blob)
		if err != nil {
			return nil, false
		}
		m, err := file.Parse(data)
		return m, err == nil
	}
	return nil, false
}

// Since compares the places of all anchors in a commit with those in the working tree, and returns
// the differences by memory and index. It uses the current records and changes nothing.
func (t *Tracker) Since(ctx context.Context, commit string) ([]Transition, error) {
	tree, err := t.tree(commit)
	if err != nil {
		return nil, err
	}
	files, err := t.working(ctx)
	if err != nil {
		return nil, err
	}
	unchanged := map[string]bool{} // by path, of the files with anchors
	isUnchanged := func(path string) bool {
		same, known := unchanged[path]
		if !known {
			id := tree.Blob(path)
			same = id != "" && files.Is(path, id)
			unchanged[path] = same
		}
		return same
	}
	then := newSolver(progressOf(ctx), t.repo, t.head(), committed{tree, t.repo})
	var out []Transition
	for _, now := range t.All() {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("compare with %s: %w", commit, err)
		}
		if isInPlace(now) && isUnchanged(now.Path) {
			continue
		}
		was := now
		if now.Anchor.Blob == "" || tree.Blob(now.Anchor.Path) != now.Anchor.Blob {
			was.Place = placeOf(now.Key, then.resolve(now.Anchor))
		} else {
			was.Place = recorded(now.Key, now.Anchor)
		}
		if !same(was.Place, now.Place) {
			out = append(out, Transition{was, now})
		}
	}
	sorting.Func(out, func(a, b Transition) int {
		return cmp.Or(cmp.Compare(a.Now.Memory, b.Now.Memory), cmp.Compare(a.Now.Index, b.Now.Index))
	})
	return out, nil
}

// isInPlace reports whether an anchor was found in its own file and depends on no other one, as in dependsOn.
func isInPlace(p Place) bool {
	return p.Anchor.Kind != anchor.KindGlob && p.State != anchor.Orphaned && (p.Rung != anchor.RungAlike || p.State == anchor.Followed) && p.Path == path.Clean(p.Anchor.Path)
}

// Worse reports whether an anchor fits the code less than before.
func (t Transition) Worse() bool { return weight(t.Now.State) > weight(t.Was.State) }

// weight orders states. A followed anchor fits as well as a fresh one.
func weight(s anchor.State) int {
	switch s {
	case anchor.Drifted:
		return 1
	case anchor.Stale:
		return 2
	case anchor.Orphaned:
		return 3
	default:
		return 0
	}
}
