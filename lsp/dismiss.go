package lsp

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"manicule/lsp/rpc"
	"manicule/memory"
	"manicule/memory/file"
)

// The surfaces on which a person may not want to see a memory.
const (
	surfaceDiagnostic = "diagnostic"
	surfaceLens       = "lens"
	surfaceHover      = "hover"
	surfaceFix        = "fix" // quick fixes over other servers' diagnostics
)

func surfaces() []string { return []string{surfaceDiagnostic, surfaceLens, surfaceHover, surfaceFix} }

// unasked are the surfaces that come without being asked for: what "not here"
// means where nothing more is said. The hover still has the memory.
func unasked() []string { return []string{surfaceDiagnostic, surfaceLens, surfaceFix} }

// loadDismissed reads what a person does not want to see in a folder, and reports
// whether that is not what it was.
func (s *server) loadDismissed(ctx context.Context, f *folder) bool {
	list, err := f.mem.Dismissed(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("read what is not to be shown", "dir", f.dir, "err", err)
		}
		return false
	}
	before := f.unwanted.Swap(&list)
	return before == nil || !maps.EqualFunc(*before, list, slices.Equal)
}

// shows reports whether a memory may be shown on a surface.
func (f *folder) shows(uuid, surface string) bool {
	list := f.unwanted.Load()
	return list == nil || !slices.Contains((*list)[uuid], surface)
}

// dismissed is the answer of manicule.dismiss.
type dismissed struct {
	UUID     string   `json:"uuid"`
	Surfaces []string `json:"surfaces"` // on which it is not shown now
}

// dismiss keeps a memory from being shown on a surface of this machine's
// editors; its third argument false shows it again.
func (r *request) dismiss(ctx context.Context, args arguments) (any, error) {
	f, h, err := r.theMemory(ctx, args)
	if err != nil {
		return nil, err
	}
	surface, on := "", true
	if err := args.read(1, "the name of a surface", &surface); err != nil {
		return nil, err
	}
	if err := args.read(2, "true or false", &on); err != nil {
		return nil, err
	}
	list := unasked()
	switch {
	case surface == "" && !on:
		list = surfaces()
	case surface != "" && !slices.Contains(surfaces(), surface):
		return nil, rpc.InvalidParams("%s: argument 2: there is no surface %q; there are %v", args.command, surface, surfaces())
	case surface != "":
		list = []string{surface}
	}
	for _, x := range list {
		if err := f.mem.Dismiss(ctx, h.Memory.UUID, x, on); err != nil {
			return nil, err
		}
	}
	r.loadDismissed(ctx, f)
	r.markStale()
	out := dismissed{UUID: h.Memory.UUID, Surfaces: []string{}}
	for _, x := range surfaces() {
		if !f.shows(h.Memory.UUID, x) {
			out.Surfaces = append(out.Surfaces, x)
		}
	}
	return out, nil
}

// learnedFrom is how many dismissals of one type on a surface say something of
// the type.
const learnedFrom = 3

// tired are the types that a person has dismissed again and again on a surface.
func (f *folder) tired(surface string) map[file.Type]bool {
	list := f.unwanted.Load()
	if list == nil || len(*list) < learnedFrom {
		return nil
	}
	view, counts := f.mem.View(), make(map[file.Type]int)
	for uuid, on := range *list {
		if h, ok := view.Get(uuid); ok && slices.Contains(on, surface) {
			counts[h.Memory.Type]++
		}
	}
	out := make(map[file.Type]bool)
	for t, n := range counts {
		if n >= learnedFrom {
			out[t] = true
		}
	}
	return out
}

// chosen returns which of some places, by their index, a surface shows when it has
// room for n: of each memory one place in turn, so that one with many anchors
// does not take the room of all others. The places of a memory come in the order
// given.
func (f *folder) chosen(places [][]memory.Hit, surface string, n int) map[int]bool {
	var hits []memory.Hit
	of := make(map[string][]int)
	for i, at := range places {
		for _, h := range at {
			uuid := h.Memory.UUID
			if len(of[uuid]) == 0 {
				hits = append(hits, h)
			}
			of[uuid] = append(of[uuid], i)
		}
	}
	hits = f.ranked(hits, surface)
	out := make(map[int]bool, n)
	for turn, more := 0, true; more; turn++ {
		more = false
		for _, h := range hits {
			if len(out) >= n {
				return out
			}
			if list := of[h.Memory.UUID]; turn < len(list) {
				out[list[turn]], more = true, true
			}
		}
	}
	return out
}

// ranked sorts memories for a surface that has not room for all: what was pinned
// or is important first, types that were dismissed again and again last, else the
// surer ones.
func (f *folder) ranked(hits []memory.Hit, surface string) []memory.Hit {
	sorted := slices.Clone(hits)
	tired := f.tired(surface)
	weight := func(h memory.Hit) int {
		m := h.Memory
		switch {
		case m.Pinned:
			return 3
		case m.Importance == file.High:
			return 2
		case tired[m.Type]:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sorted, func(a, b memory.Hit) int {
		return cmp.Or(cmp.Compare(weight(b), weight(a)), cmp.Compare(b.Confidence(), a.Confidence()), cmp.Compare(a.Memory.UUID, b.Memory.UUID))
	})
	return sorted
}
