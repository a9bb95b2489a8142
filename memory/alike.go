package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"manicule/indexer/sorting"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/repair"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// Alike is two memories about the same code that say nearly the same, or contradict each other, as two merged branches
// bring them. First is the one that came first.
type Alike struct {
	First, Second *file.Memory
	// Contradicts says in what they contradict each other, or is "".
	Contradicts string
}

// maxAtOnePlace limits the memories of one place that are compared: a project may have as many.
const maxAtOnePlace = 2000

// Limits of what is compared, which takes half a second at most: whoever made a clone may have filled it with thousands of
// memories about one place that share their words, and with texts that are larger than any that is written here.
const (
	maxNearPairs    = 20_000
	maxCompared     = 4_000_000        // pairs whose words are compared: two places as full as a place may be
	maxComparedText = 4 * gate.MaxWhat // in bytes
)

// FindAlike finds the memories that say nearly the same, or contradict each other, by their words. What is there word for
// word belongs to [Twins].
func FindAlike(ctx context.Context, w *Workspace) ([]Alike, error) {
	if _, err := w.Sync(ctx); err != nil {
		return nil, fmt.Errorf("look for memories that say nearly the same: %w", err)
	}
	return AlikeOf(ctx, w, w.View().Live())
}

// AlikeOf finds those of some memories that say nearly the same or contradict each other. Those that a person or the gate
// related, or that a person keeps apart, are left out.
func AlikeOf(ctx context.Context, w *Workspace, hits []Hit) ([]Alike, error) {
	var settled map[store.Pair]bool
	var out []Alike
	for _, p := range nearPairs(hits) {
		a, b := p.a.m, p.b.m
		if related := relates(a, b) || relates(b, a); related || p.a.twinOf(p.b) {
			continue
		}
		verdict, why := p.a.read().JudgeHere(p.b.read())
		if verdict == restate.Other || verdict == restate.Same && !sameReach(a, b) {
			continue
		}
		if settled == nil { // seldom asked
			var err error
			if settled, err = w.state.Consolidations().Apart(ctx); err != nil {
				return nil, fmt.Errorf("read what is kept apart: %w", err)
			}
		}
		if settled[store.Paired(a.UUID, b.UUID)] {
			continue
		}
		if repair.OlderTwin(a, b) > 0 {
			a, b = b, a
		}
		out = append(out, Alike{First: a, Second: b, Contradicts: why})
	}
	sorting.Func(out, func(x, y Alike) int {
		return strings.Compare(x.First.UUID+x.Second.UUID, y.First.UUID+y.Second.UUID)
	})
	return out, nil
}

// relates reports whether a memory names another one in a relation.
func relates(m, other *file.Memory) bool {
	return slices.ContainsFunc(m.Relations, func(r file.Relation) bool { return r.Memory == other.UUID })
}

// sameReach reports whether the same people have both. Who keeps one for himself beside a shared one was told when he did.
func sameReach(a, b *file.Memory) bool {
	return (a.Visibility == file.Personal) == (b.Visibility == file.Personal)
}

// worded is a memory with its words.
type worded struct {
	m     *file.Memory
	words []int32 // numbers of the distinct words, ascending; nil until they are counted
	text  *restate.Text
	key   string // see [repair.TwinKey]; "" until it is made
}

// twinOf is areTwins with what was read before.
func (x *worded) twinOf(o *worded) bool {
	for _, y := range []*worded{x, o} {
		if y.key == "" {
			y.key = repair.TwinKey(y.m)
		}
	}
	return x.key == o.key && x.read().Differ(o.read()) == "" && mayBeTwins(x.m, o.m)
}

func (x *worded) read() *restate.Text {
	if x.text == nil {
		x.text = restate.Read(x.m.What)
	}
	return x.text
}

// wordNumbers numbers the words of some memories.
type wordNumbers map[string]int32

// count numbers the words of a memory, once.
func (n wordNumbers) count(x *worded) {
	if x.words != nil {
		return
	}
	x.words = []int32{}
	for w := range restate.WordSet(x.m.What) {
		number, ok := n[w]
		if !ok {
			number = int32(len(n)) //nolint:gosec // fewer than 2^31 words
			n[w] = number
		}
		x.words = append(x.words, number)
	}
	slices.Sort(x.words)
}

type wordedPair struct{ a, b *worded }

// nearPairs lists the pairs of memories that are about the same code and share words, each once.
func nearPairs(hits []Hit) (out []wordedPair) {
	words := wordNumbers{}
	byPlace := map[string][]*worded{}
	var order []string
	for _, h := range hits {
		m := h.Memory
		if len(m.Conflict) > 0 || m.Trust.Deprecated != nil || m.Trust.Unreviewed || m.Trust.NeedsReview {
			continue // a person has to decide about it first
		}
		if len(m.What) > maxComparedText {
			continue
		}
		x := &worded{m: m}
		for _, key := range placesOf(m) {
			if byPlace[key] == nil {
				order = append(order, key)
			}
			if len(byPlace[key]) < maxAtOnePlace {
				byPlace[key] = append(byPlace[key], x)
			}
		}
	}
	// The places of few come first: those of very many say little, and are what the bounds cut.
	sorting.StableFunc(order, func(x, y string) int { return len(byPlace[x]) - len(byPlace[y]) })
	seen := map[wordedPair]bool{}
	compared := 0
	for _, key := range order {
		list := byPlace[key]
		if len(list) == 1 {
			continue // most are alone at their place: their words need not be read
		}
		for i, a := range list {
			words.count(a)
			if compared += i; compared > maxCompared {
				return out
			}
			for _, b := range list[:i] {
				if !shareWords(a.words, b.words) || !sameOwner(a.m, b.m) || branchOf(a.m) != branchOf(b.m) || !covers(a.m, b.m) && !covers(b.m, a.m) {
					continue
				}
				if p := (wordedPair{a, b}); !seen[p] {
					seen[p] = true
					if out = append(out, p); len(out) == maxNearPairs {
						return out
					}
				}
			}
		}
	}
	return out
}

// placesOf returns keys of which two memories about the same code have one in common.
func placesOf(m *file.Memory) (out []string) {
	if everywhere(m) {
		return []string{""}
	}
	for _, a := range m.Anchors {
		out = append(out, "file "+a.Path)
	}
	for _, p := range m.Scope {
		if strings.ContainsAny(p, "*?[{!") {
			out = append(out, "scope "+p)
		} else {
			out = append(out, "file "+p)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// shareWords reports whether a quarter of the words of two texts is common, as [restate.MayRelate] asks.
func shareWords(a, b []int32) bool {
	const share = 4
	if len(a) > share*len(b) || len(b) > share*len(a) {
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			both, i, j = both+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return both > 0 && share*both >= len(a)+len(b)-both
}
