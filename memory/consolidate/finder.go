package consolidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"manicule/indexer/sorting"
	"manicule/memory"
	"manicule/memory/embed"
	"manicule/memory/file"
	"manicule/memory/restate"
	"manicule/memory/store"
)

// pageRows is how many vectors are in memory at once, unless one block has more.
const pageRows = 2000

// item is a memory to compare, with what it represents.
type item struct {
	hit        memory.Hit
	represents []represented // the first is the memory itself
}

// represented is one of the versions that a memory represents.
type represented struct {
	memory *file.Memory
	text   *restate.Text
	key    string // of the vector
	stands store.MergedVersion
}

// finder is one search for clusters.
type finder struct {
	*Consolidator
	r        *Report
	blocks   [][]*item
	apart    map[store.Pair]string // why a pair is kept apart
	skipped  map[string]int
	rejected map[string]int
	vectors  *store.Vectors
	cached   *embed.Cached
	info     embed.Info
}

// finder groups the memories into blocks.
func (c *Consolidator) finder(ctx context.Context, r *Report) (*finder, error) {
	w := c.o.Workspace
	f := &finder{Consolidator: c, r: r, apart: map[store.Pair]string{}, skipped: map[string]int{}, rejected: map[string]int{}}
	kept, err := w.State().Consolidations().Apart(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what is kept apart: %w", err)
	}
	for p := range kept {
		f.apart[p] = "a person keeps them apart"
	}
	stands, err := w.State().Consolidations().MergedVersions(ctx)
	if err != nil {
		return nil, fmt.Errorf("read what was merged before: %w", err)
	}
	view := w.View()
	past, err := f.past(view, stands)
	if err != nil {
		return nil, err
	}
	live := view.Live()
	r.Looked = len(live)
	named := map[string]bool{}
	for _, h := range view.All() {
		for _, rel := range h.Memory.Relations {
			named[rel.Memory] = named[rel.Memory] || !rel.Auto // an automatic conflict is found again with the kept one
		}
	}
	blocks := map[string][]*item{}
	var order []string
	for _, h := range live {
		if why := unfit(h, named[h.Memory.UUID]); why != "" {
			f.skipped[why]++
			continue
		}
		it := &item{hit: h, represents: []represented{{memory: h.Memory, text: restate.Read(h.Memory.What)}}}
		it.represents = append(it.represents, past[h.Memory.UUID]...)
		key := block(h.Memory, it.represents[0].text)
		if blocks[key] == nil {
			order = append(order, key)
		}
		blocks[key] = append(blocks[key], it)
	}
	for _, key := range order {
		if b := blocks[key]; len(b) > 1 {
			f.blocks, r.Compared = append(f.blocks, b), r.Compared+len(b)
		}
	}
	return f, nil
}

// past returns the versions that the kept memories represent, by uuid. A version whose memory
// exists again unchanged represents itself: its file came back with a branch, or a merge was
// interrupted. A version that a person restored or changed must not be merged into the same memory
// again. A kept memory whose text a person replaced represents only itself.
func (f *finder) past(view *memory.View, stands []store.MergedVersion) (map[string][]represented, error) {
	known, rewritten := map[store.MergedVersion]bool{}, map[string]time.Time{}
	for _, s := range stands {
		known[store.MergedVersion{Kept: s.Kept, UUID: s.UUID, Hash: s.Hash}] = true
		if kept, ok := view.Get(s.Kept); ok && s.UUID == s.Kept && s.Memory.What != kept.Memory.What && s.At.After(rewritten[s.Kept]) {
			rewritten[s.Kept] = s.At
		}
	}
	out := map[string][]represented{}
	for _, s := range stands {
		// A memory that a person restored stays apart even if the kept memory was rewritten or
		// archived since.
		if s.UUID != s.Kept {
			if back, ok := view.Get(s.UUID); ok {
				hash, err := back.Memory.Hash()
				if err != nil {
					return nil, err
				}
				if !known[store.MergedVersion{Kept: s.Kept, UUID: s.UUID, Hash: hash}] {
					f.apart[store.Paired(s.Kept, s.UUID)] = "a person brought one back after they were merged"
				}
				continue
			}
		}
		if _, ok := view.Get(s.Kept); !ok || !s.At.After(rewritten[s.Kept]) {
			continue
		}
		out[s.Kept] = append(out[s.Kept], represented{memory: s.Memory, text: restate.Read(s.Memory.What), stands: s})
	}
	return out, nil
}

// find compares the blocks in groups, so that one page of vectors is in memory.
func (f *finder) find(ctx context.Context, progress func(Progress)) (err error) {
	defer func() {
		f.r.Skipped, f.r.Apart = reasons(f.skipped), reasons(f.rejected)
		sorting.Func(f.r.Clusters, func(a, b Cluster) int {
			return cmp.Or(cmp.Compare(b.Least, a.Least), cmp.Compare(a.Kept.UUID, b.Kept.UUID))
		})
	}()
	if f.o.Model == nil {
		return embed.ErrNone
	}
	if len(f.blocks) == 0 {
		return nil
	}
	if f.vectors, err = store.OpenVectors(ctx, f.o.Workspace.Place().VectorsDir(), f.o.Workspace.Now); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.vectors.Close()) }()
	f.cached = embed.NewCached(f.o.Model, f.vectors)
	if f.o.Expect != nil {
		f.info = f.o.Expect()
	}
	if err := f.embed(ctx, progress); err != nil {
		return err
	}
	f.r.Model = f.info.Model
	done := 0
	for at := 0; at < len(f.blocks); {
		to, rows := at+1, len(f.blocks[at])
		for to < len(f.blocks) && rows+len(f.blocks[to]) <= pageRows {
			rows += len(f.blocks[to])
			to++
		}
		v, err := f.get(ctx, f.blocks[at:to])
		if err != nil {
			return err
		}
		for _, b := range f.blocks[at:to] {
			if err := f.compare(ctx, b, v, func(n int) {
				done += n
				progress(Progress{Compare, done, f.r.Compared})
			}); err != nil {
				return err
			}
		}
		at = to
	}
	return nil
}

// embed makes the missing vectors.
func (f *finder) embed(ctx context.Context, progress func(Progress)) error {
	var texts []string
	for _, b := range f.blocks {
		for _, it := range b {
			for i := range it.represents {
				it.represents[i].key = embed.Key(it.represents[i].memory.What)
				texts = append(texts, it.represents[i].memory.What)
			}
		}
	}
	if f.info.Model == "" { // only the loaded model knows its id
		info, _, err := f.cached.Embed(ctx, embed.Background, embed.Info{}, texts[:1])
		if err != nil {
			return fmt.Errorf("embed the memories: %w", err)
		}
		f.info = info
	}
	missing, err := f.missing(ctx, texts)
	if err != nil || len(missing) == 0 {
		return err
	}
	r, err := f.cached.Fill(ctx, f.info, missing, func(done, total int) { progress(Progress{Embed, done, total}) })
	if err != nil {
		return fmt.Errorf("embed the memories: %w", err)
	}
	if r.Info.Model == f.info.Model && r.Info.Dims == f.info.Dims {
		return nil
	}
	f.info = r.Info // it fell back to another model, which made all of them
	if missing, err = f.missing(ctx, texts); err != nil {
		return err
	}
	_, err = f.cached.Fill(ctx, f.info, missing, func(done, total int) { progress(Progress{Embed, done, total}) })
	if err != nil {
		return fmt.Errorf("embed the memories: %w", err)
	}
	return nil
}

// missing returns the distinct texts that have no vector.
func (f *finder) missing(ctx context.Context, texts []string) ([]string, error) {
	var out []string
	seen := map[string]bool{}
	for page := range slices.Chunk(texts, pageRows) {
		keys := make([]string, len(page))
		for i, t := range page {
			keys[i] = embed.Key(t)
		}
		have, err := f.vectors.Known(ctx, f.info.Model, f.info.Dims, keys)
		if err != nil {
			return nil, fmt.Errorf("look for vectors: %w", err)
		}
		for i, k := range keys {
			if !have[k] && !seen[k] {
				seen[k], out = true, append(out, page[i])
			}
		}
	}
	return out, nil
}

// get reads the vectors of some blocks.
func (f *finder) get(ctx context.Context, blocks [][]*item) (map[string][]float32, error) {
	var keys []string
	for _, b := range blocks {
		for _, it := range b {
			for _, x := range it.represents {
				keys = append(keys, x.key)
			}
		}
	}
	out := make(map[string][]float32, len(keys))
	for page := range slices.Chunk(keys, pageRows) {
		found, err := f.vectors.Get(ctx, f.info.Model, f.info.Dims, page)
		if err != nil {
			return nil, fmt.Errorf("read the vectors: %w", err)
		}
		for k, v := range found {
			if out[k] == nil {
				unit(v)
				out[k] = v
			}
		}
	}
	return out, nil
}

// compare finds the clusters of one block.
func (f *finder) compare(ctx context.Context, b []*item, vectors map[string][]float32, told func(int)) error {
	var items []*item
	var rows [][]float32
	for _, it := range b {
		if v := vectors[it.represents[0].key]; v != nil {
			items, rows = append(items, it), append(rows, v)
			continue
		}
		f.skipped["its vector went while they were compared"]++
	}
	pairs, whole, err := nearPairs(ctx, rows, f.o.Threshold, told)
	if err != nil {
		return err
	}
	if !whole {
		f.skipped["too many say the same: run it again when these are merged"] += len(items)
	}
	fit := pairs[:0]
	for _, p := range pairs {
		why := f.differ(items[p.a], items[p.b], vectors)
		if why != "" {
			f.rejected[why]++
			continue
		}
		fit = append(fit, p)
	}
	if len(fit) == 0 {
		return nil
	}
	uuid := func(i int32) string { return items[i].hit.Memory.UUID }
	for _, g := range group(len(items), fit, func(a, b int32) bool { return uuid(a) < uuid(b) }) {
		members := make([]*item, len(g))
		for i, row := range g {
			members[i] = items[row]
		}
		if err := f.cluster(members, vectors); err != nil {
			return err
		}
	}
	return nil
}

// differ says why two similar memories don't say the same, by their current versions and all that
// they represent.
func (f *finder) differ(a, b *item, vectors map[string][]float32) string {
	for _, x := range a.represents { // earlier merges may be kept apart too
		for _, y := range b.represents {
			if why := f.apart[store.Paired(x.memory.UUID, y.memory.UUID)]; why != "" {
				return why
			}
		}
	}
	limit := limitOf(f.o.Threshold)
	for i, x := range a.represents {
		for j, y := range b.represents {
			if why := x.text.Differ(y.text); why != "" {
				return why
			}
			if !overlap(x.memory, y.memory) {
				return "tied to other code"
			}
			if len(x.memory.Details) > 0 && len(y.memory.Details) > 0 && string(x.memory.Details) != string(y.memory.Details) {
				return "other details"
			}
			if i == 0 && j == 0 {
				continue // its vectors are near
			}
			v, u := vectors[x.key], vectors[y.key]
			if v == nil || u == nil {
				return "a vector of what was merged before is missing"
			}
			if _, near := within(v, u, limit); !near {
				return "too far from what was merged before"
			}
		}
	}
	return ""
}

// cluster makes a cluster of some memories.
func (f *finder) cluster(members []*item, vectors map[string][]float32) error {
	sorting.Func(members, func(a, b *item) int { return better(a.hit, b.hit) })
	kept := members[0]
	c := Cluster{About: where(kept.hit.Memory), Least: 1, Others: []Member{}}
	var others []*file.Memory
	seen := map[string]bool{}
	for i, it := range members {
		hash, err := it.hit.Memory.Hash()
		if err != nil {
			return err
		}
		m := it.hit.Memory
		one := Member{UUID: m.UUID, What: m.What, Type: m.Type, Origin: m.Trust.Origin, Verified: m.Trust.VerifiedBy != "", Confidence: m.Confidence,
			Updated: m.UpdatedAt, Cosine: rounded(vectors[it.represents[0].key], vectors[kept.represents[0].key]), hash: hash}
		for _, o := range members[:i] {
			c.Least = min(c.Least, rounded(vectors[it.represents[0].key], vectors[o.represents[0].key]))
		}
		for _, x := range it.represents[1:] {
			if !seen[x.stands.Hash] {
				seen[x.stands.Hash] = true
				c.stands = append(c.stands, x.stands)
			}
		}
		if i == 0 {
			c.Kept = one
			continue
		}
		c.Others, others = append(c.Others, one), append(others, m)
	}
	now := kept.hit.Memory.Clone()
	merge(now, others)
	c.Adds = adds(kept.hit.Memory, now)
	c.ID = c.id()
	f.r.Clusters = append(f.r.Clusters, c)
	return nil
}

// rounded is a cosine as it is shown.
func rounded(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return math.Round(sum*1000) / 1000
}

// reasons lists counts, the most frequent first.
func reasons(counts map[string]int) []store.Reason {
	out := []store.Reason{}
	for r, n := range counts {
		out = append(out, store.Reason{Reason: r, Count: n})
	}
	sorting.Func(out, func(a, b store.Reason) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Reason, b.Reason))
	})
	return out
}
