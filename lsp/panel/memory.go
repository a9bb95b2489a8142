package panel

import (
	"context"
	"slices"
	"strings"

	"manicule/lsp/render"
	"manicule/lsp/rpc"
	"manicule/memory"
)

// memoryItem is the answer of manicule/memory: what an editor shows of one memory, and starts an
// edit from. Its texts are as they are in the file.
type memoryItem struct {
	item
	Tags    []string `json:"tags"`
	Instead string   `json:"instead,omitzero"` // of a dead end: what works
	Steps   []string `json:"steps,omitempty"`  // of a recipe, a line each
	Version int      `json:"version"`          // manicule.editMemory takes it back, to refuse an edit of an older one

	Disputes []disputeItem `json:"disputes,omitempty"` // newest first
}

// disputeItem is a view of a disputed memory.
type disputeItem struct {
	By   string `json:"by"`
	Says string `json:"says,omitzero"`
}

// memory answers with one memory.
func (c *call) memory(ctx context.Context, p params) (any, error) {
	if strings.TrimSpace(p.UUID) == "" {
		return nil, rpc.InvalidParams("uuid is missing; try: the uuid of a memory")
	}
	for _, f := range c.from(ctx, p) {
		h, ok := find(f.Memories.View(), p.UUID)
		if !ok {
			continue
		}
		m := h.Memory
		out := memoryItem{item: c.items(ctx, f).item(h), Tags: append([]string{}, m.Tags...), Version: m.Lineage.Version}
		out.What, out.Why, out.Instead = m.What, m.Why, m.Instead()
		for _, v := range slices.Backward(m.Trust.Views()) {
			out.Disputes = append(out.Disputes, disputeItem{render.Printable(v.By), render.Printable(v.Says)})
		}
		if d, err := m.ReadDetails(); err == nil {
			for _, s := range d.Steps {
				out.Steps = append(out.Steps, s.String())
			}
		}
		return out, nil
	}
	return nil, rpc.InvalidParams("there is no memory %q", p.UUID)
}

// find returns a memory by its id, or by the short form of it that is shown to people.
func find(v *memory.View, id string) (h memory.Hit, ok bool) {
	if h, ok = v.Get(id); ok {
		return h, true
	}
	for _, x := range v.Live() {
		if x.Memory.ShortID() != id {
			continue
		}
		if ok {
			return memory.Hit{}, false // two of them
		}
		h, ok = x, true
	}
	return h, ok
}
