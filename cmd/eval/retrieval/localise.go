package retrieval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"manicule/cmd/internal/evalkit"
	"manicule/cmd/internal/gitread"
	"manicule/indexer/graph"
	"manicule/memory/embed"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// instance is an issue of a project with the files that its fix changed, from the set
// swebench-lite-loc.
type instance struct {
	ID       string   `json:"instance_id"`
	Repo     string   `json:"repo"`
	Commit   string   `json:"base_commit"`
	Issue    string   `json:"problem_statement"`
	Gold     []string `json:"gold_files"`
	LocAgent []string `json:"locagent_found_files"`
	Fetched  bool     `json:"snapshot_fetchable"`
	// Baseline is the rank, from 0, of the first changed file in a plain FTS5 query over
	// whole files, or nil if that query does not find one.
	Baseline *int `json:"baseline_fts5_file_rank"`
}

// localiseDepth is the number of pieces for each variant. A file has many pieces, and ten
// files are needed.
const localiseDepth = 60

// localise finds the files to change by the text of an issue. Each instance is a checkout
// of its own with its Python files without tests, like the baseline's.
func localise(ctx context.Context, o options) (_ string, bad []string, err error) {
	name, err := o.data.Path("swebench-lite-loc", o.split, "instances.jsonl")
	if err != nil {
		return "", nil, err
	}
	all, err := evalkit.ReadLines[instance](name)
	if err != nil {
		return "", nil, err
	}
	var list []instance
	missing := map[string]int{}
	for _, in := range all {
		switch {
		case !in.Fetched || !slices.ContainsFunc(o.repo, func(r string) bool { return strings.Contains(in.Repo, r) }):
		case o.repository(ctx, in) == "":
			missing[in.Repo]++
		default:
			list = append(list, in)
		}
	}
	if len(list) == 0 {
		return "", nil, evalkit.Missing("no repository of the set, name their folder with -repos")
	}
	slices.SortStableFunc(list, func(a, b instance) int { return strings.Compare(a.Repo, b.Repo) })
	model := o.codeModel()
	defer func() { err = errors.Join(err, model.Close()) }()
	ways := localiseWays(o)
	ranked := map[string][][]string{}
	repos, withVectors := map[string]int{}, 0
	for i, in := range list {
		evalkit.Progress("%d of %d: %s", i+1, len(list), in.ID)
		complete, err := o.localiseOne(ctx, model, in, ways, ranked)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", in.ID, err)
		}
		repos[in.Repo]++
		if complete {
			withVectors++
		}
	}
	t := newTable(fmt.Sprintf("swebench-lite-loc %s, %d issues, %d of them with all vectors", o.split, len(list), withVectors), "MRR", "Acc@1", "Acc@5", "Acc@10")
	for _, v := range ways {
		t.files(v.name, ranked[v.name], list)
	}
	var plain, agent [][]string
	for _, in := range list {
		var at []string
		if in.Baseline != nil {
			at = make([]string, *in.Baseline+1)
			at[*in.Baseline] = in.Gold[0]
		}
		plain, agent = append(plain, at), append(agent, in.LocAgent)
	}
	t.files("FTS5 over whole files (the set's baseline)", plain, list)
	t.files("LocAgent with a large model (published)", agent, list)
	return t.String() + fmt.Sprintf("\nInstances: %v. Not here: %v.\n", repos, missing), nil, nil
}

// files adds a variant by its rankings of files. Acc@k is the share of issues with all
// files among the first k.
func (t *table) files(name string, ranked [][]string, list []instance) {
	var first []float64
	acc := map[int][]float64{}
	for i, in := range list {
		rel := map[string]float64{}
		for _, g := range in.Gold {
			rel[g] = 1
		}
		first = append(first, firstAt(len(ranked[i]), ranked[i], rel))
		for _, k := range []int{1, 5, 10} {
			hit := 0.0
			if recallAt(k, ranked[i], rel) == 1 {
				hit = 1
			}
			acc[k] = append(acc[k], hit)
		}
	}
	t.row(name, first, three(acc[1]), three(acc[5]), three(acc[10]))
}

// localiseWays are the pipeline's stages, each with enough pieces for ten files.
func localiseWays(o options) []variant {
	var out []variant
	for _, v := range append(stages(), likeMemories()) {
		if v.name == "+ recency (words + meaning, .6/.25/.15)" || v.name != "words" && !o.way(v.name) {
			continue // code has no age
		}
		tune := v.tune
		out = append(out, variant{name: v.name, lexical: v.lexical, tune: func(t *retrieve.Tuning) {
			if tune != nil {
				tune(t)
			}
			t.Words, t.Meaning = localiseDepth, localiseDepth
		}})
	}
	return out
}

// localiseOne runs all variants on one issue. complete reports that every piece of the
// checkout had a vector.
func (o options) localiseOne(ctx context.Context, model *embed.Service, in instance, ways []variant, ranked map[string][][]string) (complete bool, err error) {
	s, err := newSpace(ctx, nil, func(root string) error { return checkout(ctx, o.repository(ctx, in), in.Commit, root) }, model, o.cache)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if o.noEmbed {
		s.model, complete = nil, false
	}
	if _, err := s.embedCode(ctx); err != nil {
		return false, err
	}
	s.model = model
	for _, v := range ways {
		searcher := s.searcher(v, true)
		files, unread, err := rankedFiles(ctx, searcher, search.Question{Text: in.Issue, Limit: localiseDepth, Lexical: v.lexical, Explicit: true})
		if err = errors.Join(err, searcher.Close()); err != nil {
			return false, err
		}
		if !v.lexical {
			complete = unread == 0
		}
		files = slices.DeleteFunc(files, graph.IsTest)
		ranked[v.name] = append(ranked[v.name], files)
	}
	return complete, nil
}

// repository returns the git directory of a project with an instance's commit, or "".
func (o options) repository(ctx context.Context, in instance) string {
	if o.repos == "" {
		return ""
	}
	for _, dir := range []string{filepath.Join(o.repos, filepath.FromSlash(in.Repo)), filepath.Join(o.repos, strings.ReplaceAll(in.Repo, "/", "+"), "repo")} {
		if gitread.Command(ctx, dir, "cat-file", "-e", in.Commit+"^{commit}").Run() == nil {
			return dir
		}
	}
	return ""
}

// checkout writes the Python files of a commit, without tests, into a folder.
func checkout(ctx context.Context, repo, commit, root string) error {
	python := func(name string, _ int64) bool { return path.Ext(name) == ".py" && !graph.IsTest(name) }
	err := gitread.Archive(ctx, repo, commit, python, func(name string, data []byte) error {
		to := filepath.Join(root, filepath.FromSlash(name))
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, data, 0o600))
	})
	if err != nil {
		return fmt.Errorf("check out %s: %w", commit, err)
	}
	return nil
}
