package session

import (
	"maps"
	"slices"
	"strings"

	"manicule/lsp/convert"
)

// Roots is an immutable set of folders with values. The zero value is empty.
type Roots[T any] struct {
	byRoot map[string]T
	order  []string // longest first, so that the first that contains a path is its nearest root
}

// With returns the set with a root added or replaced.
func (r Roots[T]) With(root string, v T) Roots[T] {
	m := maps.Clone(r.byRoot)
	if m == nil {
		m = make(map[string]T)
	}
	m[root] = v
	return newRoots(m)
}

// Without returns the set without a root.
func (r Roots[T]) Without(root string) Roots[T] {
	m := maps.Clone(r.byRoot)
	delete(m, root)
	return newRoots(m)
}

func newRoots[T any](m map[string]T) Roots[T] {
	order := slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return Roots[T]{byRoot: m, order: order}
}

// Get returns the value of a root.
func (r Roots[T]) Get(root string) (T, bool) {
	v, ok := r.byRoot[root]
	return v, ok
}

// Owner returns the value of the nearest root that contains path, and path relative to
// it.
func (r Roots[T]) Owner(path string) (v T, rel string, ok bool) {
	for _, root := range r.order {
		if rel, ok := convert.RelFrom(root, path); ok {
			return r.byRoot[root], rel, true
		}
	}
	return v, "", false
}

// All returns the values, ordered by root.
func (r Roots[T]) All() []T {
	var all []T
	for _, root := range slices.Sorted(slices.Values(r.order)) {
		all = append(all, r.byRoot[root])
	}
	return all
}
