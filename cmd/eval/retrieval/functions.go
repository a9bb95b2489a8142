package retrieval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"manicule/cmd/eval/documented"
	"manicule/cmd/internal/evalkit"
	"manicule/indexer/code"
	"manicule/indexer/graph"
	"manicule/indexer/words"
	"manicule/memory/embed"
	"manicule/memory/retrieve"
	"manicule/memory/search"
)

// functionsEach is the number of functions to find in a repository.
const functionsEach = 25

// withComments are repositories whose functions are to be found by the first sentence of
// their comment, without the words of their name. The comments of these functions are
// removed from the code; tests and documents stay.
func withComments() []string {
	return []string{"spf13/cobra", "psf/requests", "sharkdp/fd", "sharkdp/hyperfine"}
}

// function is a function to find.
type function struct {
	file, name, text string
	start, end       int // bytes of its comment
}

// without drops the words of a name from a text.
func without(text, name string) string {
	own := words.Terms(strings.ReplaceAll(name, "_", " "))
	var out []string
	for _, w := range strings.Fields(text) {
		if !slices.ContainsFunc(words.Terms(w), func(t string) bool { return slices.Contains(own, t) }) {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

// functionsOf returns the documented functions of a file.
func functionsOf(file, text string) []function {
	if graph.IsTest(file) {
		return nil
	}
	var out []function
	for _, d := range documented.In(file, text) {
		f := function{file: file, name: d.Name, start: d.Start, end: d.End, text: without(documented.Sentence(d.Comment), d.Name)}
		if n := len(words.Terms(f.text)); n >= 4 && n <= 20 {
			out = append(out, f)
		}
	}
	return out
}

// undocumented writes a repository without the comments of the functions that it selects, at most as
// many as said.
func undocumented(ctx context.Context, repo, root string, most int) ([]function, error) {
	files := map[string]string{}
	var all []function
	err := documented.Tracked(ctx, repo, "HEAD", func(name string, data []byte) error {
		files[name] = string(data)
		all = append(all, functionsOf(name, string(data))...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	named := map[string]int{}
	for _, f := range all {
		named[f.file+"#"+f.name]++
	}
	all = slices.DeleteFunc(all, func(f function) bool { return named[f.file+"#"+f.name] > 1 }) // overloads
	var chosen []function
	for i := range min(most, len(all)) {
		chosen = append(chosen, all[i*len(all)/min(most, len(all))])
	}
	for i := len(chosen) - 1; i >= 0; i-- { // from the end, so that offsets stay valid
		f := chosen[i]
		files[f.file] = files[f.file][:f.start] + files[f.file][f.end:]
	}
	for name, text := range files {
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, []byte(text), 0o600)); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// codeWays lists the variants of code search.
func codeWays(o options) []variant {
	out := []variant{
		{name: "words", lexical: true, tune: oneLeg(retrieve.Weights{Words: 1})},
		{name: "meaning", tune: oneLeg(retrieve.Weights{Meaning: 1})},
	}
	for _, w := range []float64{.1, .15, .2, .3} {
		out = append(out, variant{name: fmt.Sprintf("words %.2f + meaning", w), tune: func(t *retrieve.Tuning) {
			plain(t)
			t.Code[retrieve.Semantic] = retrieve.Weights{Words: w, Meaning: 1 - w}
		}})
	}
	out = append(out, variant{name: "as shipped, without a model", lexical: true}, variant{name: "as shipped"})
	return slices.DeleteFunc(out, func(v variant) bool {
		return o.noEmbed && !v.lexical || v.name != "words" && !o.way(v.name)
	})
}

// functions finds functions by words that their code does not use.
func functions(ctx context.Context, o options) (_ string, bad []string, err error) {
	var model *embed.Service
	if !o.noEmbed {
		model = o.codeModel()
		defer func() { err = errors.Join(err, model.Close()) }()
	}
	ranks := map[string][]float64{} // of each variant and question: 1/rank of the function among ten
	var names []string
	add := func(way string, rank float64) {
		if ranks[way] == nil {
			names = append(names, way)
		}
		ranks[way] = append(ranks[way], rank)
	}
	total := 0
	for _, repo := range o.of {
		dir := o.history(ctx, repo)
		if dir == "" {
			continue
		}
		n, err := o.functionsIn(ctx, dir, repo, model, add)
		if err != nil {
			return "", nil, fmt.Errorf("%s: %w", repo, err)
		}
		total += n
		for _, way := range names {
			evalkit.Progress("%s: %d of %d among the first five", way, hitsAt(5, ranks[way]), total)
		}
	}
	if total == 0 {
		return "", nil, evalkit.Missing("none of the repositories of the set, name their folder with --repos")
	}
	t := newTable(fmt.Sprintf("%d functions by what they do", total), "MRR@10", "hit@1", "hit@5", "hit@10")
	for _, way := range names {
		t.row(way, ranks[way], hitsAt(1, ranks[way]), hitsAt(5, ranks[way]), hitsAt(10, ranks[way]))
	}
	return t.String(), nil, nil
}

// hitsAt counts the reciprocal ranks within the first k.
func hitsAt(k int, ranks []float64) (n int) {
	for _, r := range ranks {
		if r >= 1/float64(k) {
			n++
		}
	}
	return n
}

func (o options) functionsIn(ctx context.Context, dir, repo string, model *embed.Service, add func(string, float64)) (n int, err error) {
	var asked []function
	s, err := newSpace(ctx, nil, func(root string) (err error) {
		asked, err = undocumented(ctx, dir, root, o.each)
		return err
	}, model, o.cache)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	pieces, err := s.embedCode(ctx)
	if err != nil {
		return 0, err
	}
	evalkit.Progress("%s: %d functions of %d pieces", repo, len(asked), pieces)
	for _, v := range codeWays(o) {
		for _, all := range []bool{false, true} {
			searcher := s.searcher(v, true)
			name := v.name
			if all {
				name += ", tests and documents among them"
			}
			for _, f := range asked {
				_, got, err := searcher.Code(ctx, search.Question{Text: f.text, Limit: 10, Lexical: v.lexical, Explicit: true, All: all})
				if err != nil {
					return 0, errors.Join(err, searcher.Close())
				}
				at := slices.IndexFunc(got, func(p code.Piece) bool {
					return p.File == f.file && p.Symbol[strings.LastIndexAny(p.Symbol, ".:#/")+1:] == f.name
				})
				rank := 0.0
				if at >= 0 {
					rank = 1 / float64(at+1)
				}
				add(name, rank)
			}
			if err := searcher.Close(); err != nil {
				return 0, err
			}
		}
	}
	for _, f := range asked {
		rank, err := ripgrep(ctx, s.root, f)
		if err != nil {
			return 0, err
		}
		add("rg -i, files with most words (the file is enough)", rank)
	}
	return len(asked), nil
}

// ripgrep ranks files by the number of the question's words in them and returns the rank
// of the function's file.
func ripgrep(ctx context.Context, root string, f function) (float64, error) {
	count := map[string]int{}
	for _, w := range words.Fields(f.text) {
		if words.IsStopWord(w) {
			continue
		}
		cmd := exec.CommandContext(ctx, "rg", "-ilF", "--", w, ".")
		cmd.Dir = root
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			return 0, fmt.Errorf("run rg: %w", err)
		}
		for name := range strings.Lines(string(out)) {
			count[strings.TrimPrefix(strings.TrimSpace(name), "./")]++
		}
	}
	better := 0
	for name, n := range count {
		if n > count[f.file] || n == count[f.file] && name < f.file {
			better++
		}
	}
	if count[f.file] == 0 || better >= 10 {
		return 0, nil
	}
	return 1 / float64(better+1), nil
}
