package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Merged is a cluster that was merged into one memory.
type Merged struct {
	ID       string   `json:"id"`
	Kept     string   `json:"kept"`
	Version  int      `json:"version"`
	Archived []string `json:"archived"` // uuids; `manicule restore` has them for 30 days
}

// Failed is a cluster that could not be merged, with the reason. Nothing of it was lost.
type Failed struct {
	ID     string `json:"id"`
	Kept   string `json:"kept"`
	Reason string `json:"reason"`
}

// Outcome is the result of merging a report's clusters.
type Outcome struct {
	Merged []Merged `json:"merged"`
	Failed []Failed `json:"failed"`
	// Stopped is true if the context ended before all clusters were merged.
	Stopped bool `json:"stopped"`
}

// Apply merges each cluster, as a person decided. If one can't be merged, it is reported and the
// rest continues. When ctx ends, Apply stops between two clusters. told, which may be nil, is
// called before the first cluster and after each.
func (c *Consolidator) Apply(ctx context.Context, clusters []Cluster, told func(Progress)) Outcome {
	out := Outcome{Merged: []Merged{}, Failed: []Failed{}}
	if told == nil {
		told = func(Progress) {}
	}
	for i, x := range clusters {
		if ctx.Err() != nil {
			out.Stopped = true
			return out
		}
		told(Progress{Merge, i, len(clusters)})
		m, err := c.one(context.WithoutCancel(ctx), x)
		if err != nil {
			out.Failed = append(out.Failed, Failed{x.ID, x.Kept.UUID, err.Error()})
		} else {
			out.Merged = append(out.Merged, m)
		}
		told(Progress{Merge, i + 1, len(clusters)})
	}
	return out
}

// one merges a cluster.
func (c *Consolidator) one(ctx context.Context, x Cluster) (Merged, error) {
	g := memory.MergeRequest{Keep: x.Kept.UUID, Hashes: map[string]string{x.Kept.UUID: x.Kept.hash}, What: x.Wording.What, Represents: x.stands}
	g.Change = func(kept *file.Memory, others []*file.Memory) {
		merge(kept, others)
		if x.Wording.Model != "" {
			kept.GeneratedBy = cmp.Or(kept.GeneratedBy, &file.GeneratedBy{Tool: file.OwnTool, AuthorType: "agent"})
			kept.GeneratedBy.Model = &x.Wording.Model
		}
	}
	var short []string
	for _, o := range x.Others {
		g.Others, g.Hashes[o.UUID] = append(g.Others, o.UUID), o.hash
		short = append(short, o.UUID[max(0, len(o.UUID)-8):])
	}
	g.Note = "consolidated with " + strings.Join(short, ", ")
	if x.Wording.Model != "" {
		g.Note += ", worded by " + x.Wording.Model
	}
	r, err := c.o.Workspace.Consolidations().Merge(ctx, g)
	if err == nil && !r.Accepted {
		err = errors.New(r.Reason)
	}
	if err != nil {
		return Merged{}, fmt.Errorf("merge into %s: %w", x.Kept.UUID, err)
	}
	return Merged{x.ID, x.Kept.UUID, r.Memory.Lineage.Version, g.Others}, nil
}

// Pick returns the clusters with the given ids, and the ids without a cluster: its memories have
// changed, or were merged already.
func (r Report) Pick(ids []string) (picked []Cluster, unknown []string) {
	for _, id := range ids {
		i := slices.IndexFunc(r.Clusters, func(c Cluster) bool { return c.ID == id })
		if i < 0 {
			unknown = append(unknown, id)
			continue
		}
		picked = append(picked, r.Clusters[i])
	}
	return picked, unknown
}

// KeepApart records that a person does not want a cluster's memories merged.
func (c *Consolidator) KeepApart(ctx context.Context, x Cluster) error {
	all := append([]Member{x.Kept}, x.Others...)
	var pairs []store.Pair
	for i, a := range all {
		for _, b := range all[:i] {
			pairs = append(pairs, store.Paired(a.UUID, b.UUID))
		}
	}
	if err := c.o.Workspace.State().Consolidations().KeepApart(ctx, pairs); err != nil {
		return fmt.Errorf("keep memories apart: %w", err)
	}
	return nil
}

// Note writes a run into the log. settled is the number of clusters that a person decided to keep
// apart.
func (c *Consolidator) Note(ctx context.Context, r Report, o Outcome, settled int) error {
	x := store.Consolidation{
		At: r.At, Model: r.Model, Looked: r.Looked, Known: max(0, len(r.Clusters)-len(o.Merged)-settled), Merged: len(o.Merged), Failed: len(o.Failed), Skipped: r.Skipped, Took: r.Took,
	}
	for _, m := range o.Merged {
		x.Archived += len(m.Archived)
	}
	state := c.o.Workspace.State()
	if r.Unavailable != "" { // keep the last known count
		last, err := state.Consolidations().Latest(ctx, 1)
		if err != nil {
			return fmt.Errorf("read the last consolidation: %w", err)
		}
		for _, l := range last {
			x.Known = l.Known
		}
	}
	if err := state.Consolidations().Note(ctx, x); err != nil {
		return fmt.Errorf("note the consolidation: %w", err)
	}
	return nil
}

// Run finds the clusters, merges those with the given ids, and logs the run. It ignores unknown
// ids. The outcome is valid even if logging fails.
func (c *Consolidator) Run(ctx context.Context, ids []string, progress func(Progress)) (Report, Outcome, error) {
	out := Outcome{Merged: []Merged{}, Failed: []Failed{}}
	r, err := c.Find(ctx, progress)
	if err != nil {
		return r, out, err
	}
	if len(ids) > 0 {
		picked, _ := r.Pick(ids)
		out = c.Apply(ctx, picked, progress)
	}
	err = c.Note(context.WithoutCancel(ctx), r, out, 0)
	if err != nil && len(out.Merged) > 0 {
		c.o.Log.Warn("note what was merged", "merged", len(out.Merged), "err", err)
		err = nil
	}
	return r, out, err
}
