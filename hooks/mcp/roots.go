package mcp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"manicule/hooks/nudge"
	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/nearby"
)

// rooted is a root for a question, with those of its paths that lie in it.
type rooted struct {
	*Space
	root  string // its name in answers; "" if there is only one root
	paths []string
}

// found is a memory in an answer, with its root.
type found struct {
	memory.Hit
	in *rooted
}

// found assigns the root to hits.
func (p *rooted) found(hits []memory.Hit) []found {
	out := make([]found, len(hits))
	for i, h := range hits {
		out[i] = found{h, p}
	}
	return out
}

// rootsFor returns the roots for a question: those of its paths, or all if it has none.
func (x *spaces) rootsFor(ctx context.Context, paths ...string) ([]*rooted, error) {
	first, err := x.current(ctx)
	if err != nil {
		return nil, err
	}
	all := x.all(ctx, first)
	if len(all) == 1 {
		return []*rooted{{Space: first, paths: paths}}, nil
	}
	roots := make([]*rooted, len(all))
	for i, name := range rootNames(all) {
		roots[i] = &rooted{Space: all[i], root: name}
	}
	if len(paths) == 0 {
		return roots, nil
	}
	for _, p := range paths {
		for _, i := range rootsOf(all, p) {
			roots[i].paths = append(roots[i].paths, p)
		}
	}
	return slices.DeleteFunc(roots, func(p *rooted) bool { return len(p.paths) == 0 }), nil
}

// rootsOf returns the roots of a path. An absolute path belongs to the innermost root. A
// relative one belongs to the roots that contain most of it, because it need not exist
// yet. A path in no root gets the first one, which reports that.
func rootsOf(all []*Space, path string) []int {
	name := fileOf(path)
	if filepath.IsAbs(name) {
		owner, depth := 0, -1
		for i, sp := range all {
			if _, ok := sp.Memories.Place().Rel(name); ok && len(sp.Memories.Root()) > depth {
				owner, depth = i, len(sp.Memories.Root())
			}
		}
		return []int{owner}
	}
	if !filepath.IsLocal(name) {
		return []int{0}
	}
	var out []int
	most := -1
	for i, sp := range all {
		switch n := existingElements(sp.Memories.Root(), name); {
		case n > most:
			out, most = []int{i}, n
		case n == most:
			out = append(out, i)
		}
	}
	return out
}

// fileOf returns the file of FILE, FILE#Symbol, FILE:LINE or FILE:LINE-LINE.
func fileOf(place string) string {
	name, _, _ := anchor.CutSymbol(place)
	if i := strings.LastIndexByte(name, ':'); i > 0 && i+1 < len(name) && strings.Trim(name[i+1:], "0123456789-") == "" {
		name = name[:i]
	}
	return strings.TrimSpace(name)
}

// existingElements counts the leading elements of a relative path that exist below a folder.
func existingElements(root, path string) int {
	n := 0
	at := root
	for _, name := range strings.Split(filepath.ToSlash(filepath.Clean(path)), "/") {
		if name == "." {
			continue
		}
		at = filepath.Join(at, name)
		if _, err := os.Lstat(at); err != nil {
			break
		}
		n++
	}
	return n
}

// rootNames returns the last elements of the roots' paths, as many as make them unique.
func rootNames(all []*Space) []string {
	paths := make([][]string, len(all))
	for i, sp := range all {
		paths[i] = strings.Split(strings.Trim(filepath.ToSlash(sp.Memories.Root()), "/"), "/")
	}
	name := func(i, n int) string { return strings.Join(paths[i][max(0, len(paths[i])-n):], "/") }
	out := make([]string, len(all))
	for i := range paths {
		n := 1
		for j := 0; j < len(paths) && n < len(paths[i]); {
			if j != i && name(j, n) == name(i, n) {
				n++
				j = 0
				continue
			}
			j++
		}
		out[i] = placeText(name(i, n))
	}
	return out
}

// each runs a question on several roots in parallel and returns the error of each. A
// panic in a root is its error.
func (x *spaces) each(c *call, roots []*rooted, ask func(i int, p *rooted) error) []error {
	errs := make([]error, len(roots))
	one := func(i int, p *rooted) {
		defer func() {
			if v := recover(); v != nil {
				x.s.log.Error("a tool panicked", "tool", c.tool, "panic", v, "stack", string(debug.Stack()))
				errs[i] = fmt.Errorf("%s crashed; this is a fault in Manicule", c.tool)
			}
		}()
		errs[i] = ask(i, p)
	}
	if len(roots) == 1 {
		one(0, roots[0])
		return errs
	}
	var all sync.WaitGroup
	for i, p := range roots {
		all.Go(func() { one(i, p) })
	}
	all.Wait()
	return errs
}

// successful returns the roots that answered. It passes the errors of the others to warn,
// unless only the requested item is missing there. If no root answered, it returns an
// error.
func successful(ctx context.Context, roots []*rooted, errs []error, warn func(format string, args ...any)) ([]int, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	var out []int
	var first error
	for i, err := range errs {
		switch {
		case err == nil:
			out = append(out, i)
		case first == nil || errors.Is(first, memory.ErrNotFound) && !errors.Is(err, memory.ErrNotFound):
			first = err // another error says more than "not found"
		}
	}
	if len(out) == 0 {
		return nil, first
	}
	for i, err := range errs {
		if err != nil && (len(roots[i].paths) > 1 || !errors.Is(err, memory.ErrNotFound)) {
			warn("%s: %v", roots[i].root, err)
		}
	}
	return out, nil
}

// interleave merges lists by taking the first of each, then the second of each, and so on.
// Each memory appears once, because roots may be worktrees of one repository.
func interleave(lists [][]found) []found {
	var out []found
	seen := map[string]bool{}
	for i := 0; ; i++ {
		more := false
		for _, l := range lists {
			if i >= len(l) {
				continue
			}
			more = true
			if id := l[i].Memory.UUID; !seen[id] {
				seen[id] = true
				out = append(out, l[i])
			}
		}
		if !more {
			return out
		}
	}
}

// look resolves the anchors of memories, each in its root.
func look(ctx context.Context, hits []found) []found {
	out := slices.Clone(hits)
	done := map[*Space]bool{}
	for _, h := range hits {
		if done[h.in.Space] {
			continue
		}
		done[h.in.Space] = true
		var at []int
		var list []memory.Hit
		for i, o := range hits {
			if o.in.Space == h.in.Space {
				at, list = append(at, i), append(list, o.Hit)
			}
		}
		for i, now := range h.in.Look(ctx, list) {
			out[at[i]].Hit = now
		}
	}
	return out
}

// inRoot appends the root's name to a place, if there are several roots.
func inRoot(text, root string) string {
	if root == "" {
		return text
	}
	return text + " in " + nudge.Cut(root, maxPlaceLen)
}

// checkedRoots returns the roots for a question about some paths. It refuses a path in no
// root, because an answer without memories would be misread as one about it.
func (x *spaces) checkedRoots(ctx context.Context, paths []string) ([]*rooted, error) {
	roots, err := x.rootsFor(ctx, paths...)
	if err != nil {
		return nil, err
	}
	for _, p := range roots {
		if err := checkPaths(p.Space, p.paths); err != nil {
			return nil, err
		}
	}
	return roots, nil
}

// find returns a memory from the root that has it.
func (x *spaces) find(ctx context.Context, id string) (*Space, memory.Hit, error) {
	sp, err := x.withID(ctx, id)
	if err != nil {
		return nil, memory.Hit{}, err
	}
	if err := sp.Fresh(ctx); err != nil {
		return nil, memory.Hit{}, err
	}
	h, err := sp.Memories.Get(ctx, id)
	if err == nil && readerOf(ctx).mayNotSee(h.Memory) {
		return nil, memory.Hit{}, memory.NotFound(id)
	}
	if errors.Is(err, memory.ErrNotFound) {
		for _, p := range sp.Memories.Merges().LeftByMerge(ctx) {
			if left := p.ID(); left != "" && file.Abbreviates(id, left) {
				err = &memory.UserError{Msg: p.ForAgents(), Err: memory.ErrNotFound}
			}
		}
	}
	return sp, h, err
}

// writable returns the workspace for a write, which must be a project.
func (x *spaces) writable(ctx context.Context, paths []string) (*Space, error) {
	sp, err := x.forPaths(ctx, paths...)
	if err != nil {
		return nil, err
	}
	if len(paths) > maxList {
		return nil, userError(fmt.Sprintf("%d places are too many", len(paths)), fmt.Sprintf("Name %d at most, or a glob.", maxList))
	}
	return project(sp)
}

// writableOf returns the workspace of the memory or draft to write.
func (x *spaces) writableOf(ctx context.Context, id string) (*Space, error) {
	sp, err := x.withID(ctx, id)
	if err != nil {
		return nil, err
	}
	return project(sp)
}

func project(sp *Space) (*Space, error) {
	if !sp.Memories.Place().IsProject() {
		return nil, userError(sp.Memories.Root()+" is no project: nothing is remembered here",
			"Start the agent in a git repository or in a folder where `manicule init` ran, or give the server --root.")
	}
	return sp, nil
}

// places parses FILE[#Symbol] in the roots that contain them. Without places it returns
// all roots.
func (x *spaces) places(ctx context.Context, targets []string) ([]*rooted, [][]nearby.Place, error) {
	if len(targets) > maxTargets {
		return nil, nil, userError(fmt.Sprintf("%d targets are too many", len(targets)), fmt.Sprintf("Name %d at most, or their file.", maxTargets))
	}
	if slices.ContainsFunc(targets, func(t string) bool { return strings.ContainsRune(t, 0) }) {
		return nil, nil, userError("a target holds a NUL character", "Name a file below the workspace.")
	}
	roots, err := x.rootsFor(ctx, targets...)
	if err != nil {
		return nil, nil, err
	}
	out := make([][]nearby.Place, len(roots))
	for i, p := range roots {
		for _, t := range p.paths {
			place, err := nearby.Parse(p.Memories, strings.TrimSpace(t))
			if err != nil {
				return nil, nil, err
			}
			out[i] = append(out[i], place)
		}
	}
	return roots, out, nil
}
