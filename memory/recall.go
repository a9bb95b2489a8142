package memory

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"manicule/indexer/gitinfo"
	"manicule/indexer/sorting"
	"manicule/indexer/workspace"
	"manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/scope"
	"manicule/memory/store"
	"manicule/memory/work"
)

// Recall is the answer to a Query.
type Recall struct {
	Hits    []Hit
	Total   int // number of memories that apply
	Omitted int // number that the limit left out
	About   int // number that are about the paths; the others are about the whole project
	// Elsewhere is the number that are about other symbols of the files whose symbols were asked about. Total leaves them out.
	Elsewhere int
}

// Query asks for the memories that apply to some paths.
type Query struct {
	// Paths are absolute, or relative to the root, as [Ask] reads them. A trailing slash or an existing folder asks for a folder.
	Paths []string
	Text  string // keywords that break ties
	// Scores break ties instead, by uuid, if the text was searched for already.
	Scores map[string]float64
	Limit  int    // DefaultLimit when 0; negative for no limit
	Agent  string // the agent that asks, "" for a person: what belongs to another agent is left out
	// Session is the session in which it asks: what belongs to another one is left out.
	Session string
	Types   []file.Type
}

// Recaller finds the memories that apply to paths, and those that have some words. It writes nothing, and is safe for
// concurrent use.
type Recaller struct {
	place     *workspace.Workspace
	rows      *store.Memories
	scopes    scope.Options
	views     *Views
	work      *work.Register
	layersOff []file.Layer
	diversity int
}

// Root is the workspace root.
func (k *Recaller) Root() string { return k.place.Root }

// Recall returns the memories that apply to the paths. Paths outside the workspace have none.
// Without a path it covers the whole project.
func (k *Recaller) Recall(ctx context.Context, q Query) (Recall, error) {
	if q.Limit < 0 || q.Agent != "" { // outlines don't name the owner
		return k.recall(ctx, q, k.reaching)
	}
	r, err := k.recall(ctx, q, k.outlined)
	if err == nil {
		err = k.fill(ctx, &r)
	}
	return r, err
}

// fill reads the memories of hits that are outlines. It omits memories that were removed meanwhile.
func (k *Recaller) fill(ctx context.Context, r *Recall) error {
	if len(r.Hits) == 0 {
		return nil
	}
	paths := make([]string, len(r.Hits))
	for i, h := range r.Hits {
		rel, err := filepath.Rel(k.place.MemoriesDir(), h.Path)
		if err != nil {
			return fmt.Errorf("recall %s: %w", h.Path, err)
		}
		paths[i] = filepath.ToSlash(rel)
	}
	rows, err := k.rows.At(ctx, paths)
	if err != nil {
		return err
	}
	full := map[string]Hit{}
	for _, h := range NewView(k.place.MemoriesDir(), k.scopes, rows, nil, 0).All() {
		full[h.Memory.UUID] = h
	}
	kept := r.Hits[:0:0]
	for _, h := range r.Hits {
		f, ok := full[h.Memory.UUID]
		if !ok {
			r.Total--
			if h.Match > MatchProject {
				r.About--
			}
			continue
		}
		f.Match, f.Score, f.specific = h.Match, h.Score, h.specific
		kept = append(kept, f)
	}
	r.Hits = kept
	return nil
}

// ViewRecaller recalls from the view alone, for a process that keeps one. It reads no rows and
// parses no memories, and leaves out those of other branches. Its answers are as fresh as the last Sync.
type ViewRecaller struct {
	recaller       *Recaller
	agent, session string
}

// FromView returns a recaller that answers from the view in memory.
func (k *Recaller) FromView() ViewRecaller { return ViewRecaller{recaller: k} }

// For is the recaller for an agent in a session: what belongs to others is left out.
func (k ViewRecaller) For(agent, session string) ViewRecaller {
	return ViewRecaller{k.recaller, agent, session}
}

// Root is the workspace root.
func (k ViewRecaller) Root() string { return k.recaller.Root() }

// Recall is [Recaller.Recall] from the view.
func (k ViewRecaller) Recall(ctx context.Context, q Query) (Recall, error) {
	q.Agent, q.Session = cmp.Or(q.Agent, k.agent), cmp.Or(q.Session, k.session)
	r := k.recaller
	v, here := r.views.Current(), sync.OnceValue(r.work.Here)
	checkedOut := sync.OnceValue(func() string { return gitinfo.Branch(r.place.GitDir) })
	return r.recall(ctx, q, func(_ context.Context, rel string, isDir bool) ([]Hit, error) {
		return slices.DeleteFunc(v.ForPath(rel, isDir), func(h Hit) bool { return branch.Elsewhere(h.Memory, checkedOut) || work.Elsewhere(h.Memory, here) }), nil
	})
}

func (k *Recaller) recall(ctx context.Context, q Query, reaching func(ctx context.Context, rel string, isDir bool) ([]Hit, error)) (Recall, error) {
	if q.Limit == 0 {
		q.Limit = DefaultLimit
	}
	if len(q.Paths) == 0 {
		q.Paths = []string{""}
	}
	scores := q.Scores
	if scores == nil {
		var err error
		if scores, err = k.scores(ctx, q.Text); err != nil {
			return Recall{}, err
		}
	}
	var all []Hit
	seen, elsewhere := map[string]int{}, map[string]bool{}
	for _, p := range q.Paths {
		asked, ok := Ask(k.place, p)
		if !ok {
			continue
		}
		hits, err := reaching(ctx, asked.Path, asked.IsDir)
		if real, inside := k.place.Real(asked.Path); err == nil && inside && real != asked.Path { // a link: its memories are where it leads
			asked.Path = real
			var there []Hit
			there, err = reaching(ctx, real, asked.IsDir)
			hits = append(hits, there...)
		}
		if err != nil {
			return Recall{}, err
		}
		for _, h := range hits {
			if h.Memory.HiddenFrom(q.Agent, q.Session) || !k.Recalls(h.Memory.Layer) || len(q.Types) > 0 && !slices.Contains(q.Types, h.Memory.Type) {
				continue
			}
			if !asked.About(h) {
				elsewhere[h.Memory.UUID] = true
				continue
			}
			if i, dup := seen[h.Memory.UUID]; dup {
				all[i].Match, all[i].specific = max(all[i].Match, h.Match), max(all[i].specific, h.specific)
				continue
			}
			h.Score = scores[h.Memory.UUID]
			seen[h.Memory.UUID] = len(all)
			all = append(all, h)
		}
	}
	Rank(all)
	about := 0
	for _, h := range all {
		if h.Match > MatchProject {
			about++
		}
	}
	for id := range seen { // another path asked for it
		delete(elsewhere, id)
	}
	kept, omitted := Limit(all, q.Limit, k.diversity)
	return Recall{Hits: kept, Total: len(all), Omitted: omitted, About: about, Elsewhere: len(elsewhere)}, nil
}

// PathQuery asks for the memories that apply to a path.
type PathQuery = store.PathQuery

// outlined is reaching with outlines, for callers that use few of the memories.
func (k *Recaller) outlined(ctx context.Context, rel string, isDir bool) ([]Hit, error) {
	rows, err := k.rows.OutlinesReaching(ctx, rel, isDir)
	if err != nil {
		return nil, err
	}
	return NewView(k.place.MemoriesDir(), k.scopes, rows, nil, 0).ForPath(rel, isDir), nil
}

func (k *Recaller) reaching(ctx context.Context, rel string, isDir bool) ([]Hit, error) {
	rows, err := k.rows.Reaching(ctx, rel, isDir)
	if err != nil {
		return nil, err
	}
	return NewView(k.place.MemoriesDir(), k.scopes, rows, nil, 0).ForPath(rel, isDir), nil
}

func (k *Recaller) scores(ctx context.Context, text string) (map[string]float64, error) {
	out := map[string]float64{}
	if text == "" {
		return out, nil
	}
	hits, err := k.Search(ctx, text, 1000)
	for _, h := range hits {
		out[h.Memory.UUID] = h.Score
	}
	return out, err
}

// Latest returns the memories that were changed last, newest first, at most limit, and how many there
// are. It reads no others.
func (k *Recaller) Latest(ctx context.Context, of store.Selection, limit int) (hits []Hit, total int, err error) {
	rows, total, err := k.rows.Latest(ctx, of, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("list the latest memories: %w", err)
	}
	hits = NewView(k.place.MemoriesDir(), k.scopes, rows, nil, 0).All()
	Newest(hits)
	return hits, total, nil
}

// MarkSuperseded sets [Hit.SupersededBy] of hits.
func (k *Recaller) MarkSuperseded(ctx context.Context, hits []Hit) error {
	by, err := k.rows.Superseded(ctx)
	if err != nil {
		return fmt.Errorf("list what is superseded: %w", err)
	}
	for i := range hits {
		hits[i].SupersededBy = by[hits[i].Memory.UUID]
	}
	return nil
}

// Newest sorts hits by their last change, newest first.
func Newest(hits []Hit) {
	sorting.Func(hits, func(a, b Hit) int {
		return cmp.Or(b.Memory.UpdatedAt.Compare(a.Memory.UpdatedAt.Time), cmp.Compare(b.Memory.UUID, a.Memory.UUID))
	})
}

// SetLayers switches layers off for recall and search, and sets the limit below which no layer may crowd
// out another. It must not run concurrently with other methods.
func (k *Recaller) SetLayers(off []string, diversity int) {
	k.layersOff, k.diversity = nil, diversity
	for _, name := range off {
		k.layersOff = append(k.layersOff, file.Layer(name))
	}
}

// Recalls reports whether a layer is not switched off.
func (k *Recaller) Recalls(l file.Layer) bool { return !slices.Contains(k.layersOff, l) }

// Diversity is the limit of a recall below which no layer may crowd out another.
func (k *Recaller) Diversity() int { return k.diversity }
