package follow

import (
	"cmp"
	"context"
	"fmt"
	"path"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/memory/file"
	"manicule/memory/store"
)

// At resolves the anchors of a memory in a commit, given by its id. It also returns the memory's
// version in the commit, or the memory itself if the commit has no such file. It changes nothing.
func (t *Tracker) At(ctx context.Context, m *file.Memory, commit string) (*file.Memory, []Place, error) {
	tree, err := t.code.tree(commit)
	if err != nil {
		return nil, nil, err
	}
	if then, ok := t.code.memoryIn(tree, m.UUID); ok {
		m = then
	}
	s := newSolver(progressOf(ctx), t.code.repo, t.code.head(), committed{tree, t.code.repo})
	var out []Place
	for i, a := range m.Anchors {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("look for anchors in %s: %w", commit, err)
		}
		out = append(out, Place{m.UUID, i, a, placeOf(store.AnchorKey(a), s.resolve(a))})
	}
	return m, out, nil
}

// Since compares the places of all anchors in a commit with those in the working tree, and returns
// the differences by memory and index. It uses the current records and changes nothing.
func (t *Tracker) Since(ctx context.Context, commit string) ([]Transition, error) {
	tree, err := t.code.tree(commit)
	if err != nil {
		return nil, err
	}
	files, err := t.code.working(ctx)
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
	then := newSolver(progressOf(ctx), t.code.repo, t.code.head(), committed{tree, t.code.repo})
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
