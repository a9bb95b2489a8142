package retrieval

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/indexer/sorting"
	"manicule/memory/retrieve"
)

// walks measures two walks that a search could make beside the one over the code graph, on lessons: to the files that change
// together with those of its best results, and to what lies near the files that the author of a question's commit changed
// last. The edges are those of the commits before the question. It reads what each leg found from the folders below --dump.
func walks(ctx context.Context, o options) (string, []string, error) {
	names, err := filepath.Glob(filepath.Join(o.dump, "*", "lessons-*.json"))
	if err != nil || o.dump == "" || len(names) == 0 {
		return "", nil, evalkit.Missing("no legs of lessons below %q: histories writes them with --dump, one repository a folder", o.dump)
	}
	t := evalkit.NewTable("set", "questions", "before", "walk", "weight", "nDCG@10", "difference")
	var all = map[string][]float64{}
	var before []float64
	for _, name := range names {
		repo := strings.ReplaceAll(filepath.Base(filepath.Dir(name)), "+", "/")
		cases, err := o.walkCases(ctx, name, repo)
		if err != nil {
			return "", nil, err
		}
		var none []float64
		for _, c := range cases {
			none = append(none, ndcg(c.ranked("", 0), c.rel))
		}
		before = append(before, none...)
		for _, walk := range []string{"co-change of the best", "co-change of the recent", "recent module", "recent module, what was found"} {
			for _, w := range []float64{.05, .1, .25} {
				var got []float64
				for _, c := range cases {
					got = append(got, ndcg(c.ranked(walk, w), c.rel))
				}
				key := fmt.Sprintf("%s | %.2f", walk, w)
				all[key] = append(all[key], got...)
				t.Add(repo, len(cases), three(none), walk, fmt.Sprintf("%.2f", w), three(got), evalkit.Difference(got, none))
			}
		}
		evalkit.Progress("%s: %d", repo, len(cases))
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		walk, w, _ := strings.Cut(key, " | ")
		t.Add("all", len(before), three(before), walk, w, three(all[key]), evalkit.Difference(all[key], before))
	}
	return t.String(), nil, nil
}

// walkCase is a question with the legs of the search and those of the walks.
type walkCase struct {
	found
	rel   map[string]float64
	walks map[string][]retrieve.Ranked
}

func (c walkCase) ranked(walk string, weight float64) []string {
	d := retrieve.Default()
	legs := c.legs(fusionChoice{d.Weights[retrieve.Semantic].Words, d.Covered})
	if weight > 0 {
		legs = append(legs, retrieve.Leg{Name: walk, Weight: weight, List: c.walks[walk]})
	}
	return fused(legs)
}

// authored is a commit for the walks.
type authored struct {
	at     time.Time
	author string
	files  []string
}

func (o options) walkCases(ctx context.Context, name, repo string) ([]walkCase, error) {
	list, err := readFound(name)
	if err != nil {
		return nil, err
	}
	dir := o.history(ctx, repo)
	if dir == "" {
		return nil, evalkit.Missing("no history of %s", repo)
	}
	set, err := lessonSet(ctx, dir, derived{repo: repo})
	if err != nil {
		return nil, err
	}
	text, err := gitread.Output(ctx, dir, "log", "--no-merges", "--no-renames", "-n", "6000", "--name-only", "--date-order", "--reverse", "--format=%x1e%aI%x1f%an%x1f")
	if err != nil {
		return nil, err
	}
	var commits []authored
	for part := range strings.SplitSeq(string(text), "\x1e") {
		if f := strings.Split(part, "\x1f"); len(f) == 3 {
			at, err := time.Parse(time.RFC3339, f[0])
			if err != nil {
				return nil, fmt.Errorf("read the date of a commit: %w", err)
			}
			commits = append(commits, authored{at, f[1], strings.Fields(f[2])})
		}
	}
	asOf := map[string]time.Time{}
	for _, q := range set.questions {
		asOf[q.Text] = q.AsOf
	}
	var out []walkCase
	for _, f := range list {
		at, ok := asOf[f.Text]
		if f.Foreign || !ok {
			continue
		}
		c := walkCase{found: f, rel: f.Rel, walks: map[string][]retrieve.Ranked{}}
		edges, recent := pastOf(commits, at)
		paths := map[string]string{} // of the notes that may be answered
		for i, e := range set.entries {
			if e.created.Before(at) {
				paths[fmt.Sprintf("%s#%s", repo, set.entries[i].id)] = e.path
			}
		}
		var seeds []string
		for _, id := range c.ranked("", 0) {
			if p := paths[id]; p != "" && !slices.Contains(seeds, p) && len(seeds) < 5 {
				seeds = append(seeds, p)
			}
		}
		c.walks["co-change of the best"] = near(paths, partners(edges, seeds))
		c.walks["co-change of the recent"] = near(paths, partners(edges, recent))
		module := map[string]float64{}
		for i, r := range recent {
			module[r] = max(module[r], 1/float64(i+1))
			for _, p := range paths {
				if path.Dir(p) == path.Dir(r) {
					module[p] = max(module[p], .5/float64(i+1))
				}
			}
		}
		c.walks["recent module"] = near(paths, module)
		ids := c.ranked("", 0)
		found := maps.Clone(paths)
		maps.DeleteFunc(found, func(id, _ string) bool { return !slices.Contains(ids, id) })
		c.walks["recent module, what was found"] = near(found, module)
		out = append(out, c)
	}
	return out, nil
}

// pastOf returns which files changed together before a time, how often, and what the author of the commit at that time had
// changed last, the latest first.
func pastOf(commits []authored, at time.Time) (edges map[string]map[string]float64, recent []string) {
	edges = map[string]map[string]float64{}
	author := ""
	for _, c := range commits {
		if c.at.Equal(at) {
			author = c.author
		}
	}
	for _, c := range commits {
		if !c.at.Before(at) {
			continue
		}
		if c.author == author {
			recent = append(slices.Clone(c.files[:min(len(c.files), 5)]), recent...)
		}
		if len(c.files) < 2 || len(c.files) > 10 {
			continue
		}
		for _, a := range c.files {
			for _, b := range c.files {
				if a != b {
					if edges[a] == nil {
						edges[a] = map[string]float64{}
					}
					edges[a][b]++
				}
			}
		}
	}
	return edges, recent[:min(len(recent), 5)]
}

// partners returns the files that change with some files, by their share of each one's strongest.
func partners(edges map[string]map[string]float64, of []string) map[string]float64 {
	out := map[string]float64{}
	for i, f := range of {
		best := 2.0 // once is no habit
		for _, n := range edges[f] {
			best = max(best, n)
		}
		for p, n := range edges[f] {
			if n >= 2 && !slices.Contains(of, p) {
				out[p] = max(out[p], n/best/float64(i+1))
			}
		}
	}
	return out
}

// near ranks the notes about files, at most as many as the design has for a walk.
func near(paths map[string]string, files map[string]float64) []retrieve.Ranked {
	var out []retrieve.Ranked
	for id, p := range paths {
		if s := files[p]; s > 0 {
			out = append(out, retrieve.Ranked{ID: id, Score: s})
		}
	}
	sorting.Func(out, func(a, b retrieve.Ranked) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return out[:min(len(out), retrieve.Default().Structure)]
}
