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
	"manicule/memory"
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
	name, _, _ := strings.Cut(place, "#")
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
func (s *server) each(c *call, roots []*rooted, ask func(i int, p *rooted) error) []error {
	errs := make([]error, len(roots))
	one := func(i int, p *rooted) {
		defer func() {
			if v := recover(); v != nil {
				s.log.Error("a tool panicked", "tool", c.tool, "panic", v, "stack", string(debug.Stack()))
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

// shownOf is shown for memories of several roots. The text counts once.
func (s *server) shownOf(c *call, hits []found, answer string, paths ...string) {
	by := map[*Space][]memory.Hit{}
	var order []*Space
	for _, h := range hits {
		if by[h.in.Space] == nil {
			order = append(order, h.in.Space)
		}
		by[h.in.Space] = append(by[h.in.Space], h.Hit)
	}
	for _, sp := range order {
		s.shown(c, sp, by[sp], answer, paths...)
		answer = ""
	}
}

// inRoot appends the root's name to a place, if there are several roots.
func inRoot(text, root string) string {
	if root == "" {
		return text
	}
	return text + " in " + nudge.Cut(root, maxPlaceLen)
}
