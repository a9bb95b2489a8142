package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"manicule/memory/file"
	"manicule/memory/store"
)

// Pending is a draft that waits for review, with the effect of its acceptance.
type Pending struct {
	store.DraftRow
	// Act is "" for a new memory.
	Act Act
	// Target is the current version of the memory that a proposal concerns. It is nil for a new
	// memory, or if the memory is gone. TargetID is its uuid in both cases.
	Target   *file.Memory
	TargetID string
	Why      string  // reason of the proposal
	Fields   []Field // what ActEdit changes
	// For and Against are the evidence for and against a candidate from all sessions.
	For, Against string
	// Doubt says what it reads like instead of a memory, "" for nothing.
	Doubt string
}

// Field is one member of a memory that a proposal changes. Lists are joined by commas.
type Field struct {
	Name string `json:"name"`
	Old  string `json:"old"`
	New  string `json:"new"`
}

// Pending lists what waits for review, oldest first.
func (q *Drafts) Pending(ctx context.Context) ([]Pending, error) {
	rows, err := q.reviewable(ctx)
	if err != nil {
		return nil, fmt.Errorf("list what waits for review: %w", err)
	}
	out := make([]Pending, len(rows))
	for i, r := range rows {
		if out[i], err = q.waiting(ctx, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (q *Drafts) waiting(ctx context.Context, r store.DraftRow) (Pending, error) {
	out := Pending{DraftRow: r, Doubt: doubtOf(r.Reason)}
	var d details
	if r.Status == store.StatusCandidate && json.Unmarshal(r.Memory.Details, &d) == nil {
		out.For, out.Against = d.For, d.Against
	}
	p := proposes(r.Memory)
	if p == nil {
		return out, nil
	}
	out.Act, out.TargetID, out.Why = p.Act, p.Memory, p.Reason
	if p.Act == ActCore {
		out.Fields = []Field{{string(p.Part), p.Parent, p.Text}}
		return out, nil
	}
	h, err := q.get(ctx, p.Memory)
	switch {
	case Unreadable(err):
		return out, nil // gone: nothing can be done with it
	case err != nil:
		return out, err
	}
	out.Target = h.Memory
	if p.Act == ActEdit {
		out.Fields = differ(h.Memory, r.Memory)
	}
	return out, nil
}

// Proposal returns the act that a draft proposes and the uuid of its memory. Both are "" for a
// draft of a new memory.
func Proposal(draft *file.Memory) (act Act, target string) {
	if p := proposes(draft); p != nil {
		return p.Act, p.Memory
	}
	return "", ""
}

// differ lists what accepting an edit would change, in a fixed order.
func differ(old, now *file.Memory) []Field {
	var out []Field
	add := func(name, a, b string) {
		if a != b {
			out = append(out, Field{name, a, b})
		}
	}
	add("what", old.What, now.What)
	add("why", old.Why, now.Why)
	add("type", string(old.Type), string(now.Type))
	add("layer", string(old.Layer), string(now.Layer))
	add("scope", strings.Join(old.Scope, ", "), strings.Join(now.Scope, ", "))
	add("anchors", strings.Join(anchorNames(old), ", "), strings.Join(anchorNames(now), ", "))
	add("tags", strings.Join(old.Tags, ", "), strings.Join(now.Tags, ", "))
	add("label", old.ContextLabel, now.ContextLabel)
	add("importance", string(old.Importance), string(now.Importance))
	add("details", strings.Join(old.DetailLines(), "; "), strings.Join(now.DetailLines(), "; "))
	return out
}

func anchorNames(m *file.Memory) []string {
	var out []string
	for _, a := range m.Anchors {
		name := a.Path
		if a.Symbol != "" {
			name += "#" + a.Symbol
		}
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
