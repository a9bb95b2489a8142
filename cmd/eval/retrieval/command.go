// Package retrieval measures search: whether the embedding model matches the
// published one, how well it separates meanings, how accurate the pipeline is, and
// what each backend costs. FIGURES.md, docs/retrieval-figures.md and docs/benchmarks.md hold the latest
// figures. Datasets are read from a folder beside the repository and never copied.
// The package must not use anything that callers of a backend can't use.
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
)

// options are the flags.
type options struct {
	data    evalkit.Data
	split   string
	models  string
	model   string
	sources string
	repos   string
	cache   string
	ways    string
	repo    []string
	noEmbed bool
	of      []string
	each    int
	profile string
	dump    string
	run     string
	node    string
	child   string // model/backend to measure in this process
	threads int
	check   bool
}

// Command is `eval retrieval`.
func Command() *cobra.Command {
	var o options
	var names []string
	for _, p := range parts() {
		names = append(names, p.name)
	}
	cmd := evalkit.Command("retrieval", "Measure the accuracy and speed of search", names, func(ctx context.Context, parts []string) error { return o.measure(ctx, parts) })
	f := cmd.Flags()
	o.data.Flag(f)
	f.StringVar(&o.split, "split", "dev", "the split of each dataset: dev, on which constants were chosen, or heldout where that is at hand; histories also has more, check and fresh")
	f.StringVar(&o.models, "models", os.Getenv("MANICULE_TEST_MODELS"), "a folder of models, as 'manicule model list --json' names it")
	f.StringVar(&o.model, "model", models.Default, "the model that searches use, by its name in the catalogue")
	f.StringVar(&o.sources, "sources", os.Getenv("EVAL_SOURCES"), "a folder of checkouts, as OWNER/NAME, that datasets are about (optional)")
	f.StringVar(&o.repos, "repos", os.Getenv("EVAL_REPOS"), "a folder of git repositories, as OWNER/NAME or OWNER+NAME/repo, for localise")
	f.StringVar(&o.cache, "cache", os.Getenv("EVAL_CACHE"), "a folder that keeps vectors for the next run (default: one that is removed)")
	f.StringVar(&o.ways, "ways", "", "only the ways to ask whose name matches this regular expression, and words alone")
	f.IntVar(&o.threads, "threads", 2, "cores that onnxruntime may take")
	f.BoolVar(&o.check, "check", false, "exit with 1 if a figure is worse than required")
	f.StringSliceVar(&o.repo, "repo", []string{""}, "localise, histories, questions: only the projects whose name has one of these in it")
	f.BoolVar(&o.noEmbed, "no-embed", false, "localise: use the vectors of code that there are, and make none; functions, questions, cosqa: by words alone")
	f.StringSliceVar(&o.of, "of", withComments(), "functions: the repositories whose functions are asked for")
	f.IntVar(&o.each, "each", functionsEach, "functions: how many of each repository")
	f.StringVar(&o.node, "node", os.Getenv("EVAL_NODE"), "node: a folder with node_modules (npm install --ignore-scripts onnxruntime-node @huggingface/tokenizers)")
	f.StringVar(&o.run, "run", "", "pipeline: a command that runs what is timed, such as \"chrt -r 10\"")
	f.StringVar(&o.profile, "profile", os.Getenv("EVAL_PROFILE"), "pipeline: write a CPU profile of the last warm process here")
	f.StringVar(&o.dump, "dump", "", "notes, histories, questions: a folder to write what each leg found to, as JSON; fusion: reads it")
	f.StringVar(&o.child, "child", "", "internal: measure one model/backend and print JSON")
	return cmd
}

// part is one thing to measure. It returns Markdown and the list of figures that are
// worse than required.
type part struct {
	name string
	run  func(context.Context, options) (string, []string, error)
}

// parts lists the measurements in order: the model, the pipeline, and the cost of both.
func parts() []part {
	return []part{
		{"vectors", vectors}, {"similarity", similarity},
		{"scifact", scifact}, {"notes", notes}, {"histories", histories}, {"fusion", fusion}, {"confidence", confidence}, {"late", lateTable}, {"walks", walks}, {"merge", merge}, {"legs", legsTable}, {"cosqa", cosqa}, {"functions", functions}, {"questions", questions}, {"localise", localise}, {"paraphrases", paraphrases},
		{"consolidation", consolidation}, {"speed", speed}, {"node", node}, {"pipeline", pipeline},
	}
}

func (o options) measure(ctx context.Context, named []string) error {
	switch {
	case strings.HasPrefix(o.child, "warm/"):
		return warmChild(ctx, o)
	case o.child != "":
		return child(ctx, o)
	}
	if o.cache == "" {
		dir, err := os.MkdirTemp("", "eval-retrieval-")
		if err != nil {
			return fmt.Errorf("make a folder for vectors: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // if that fails, only litter is left
		o.cache = dir
	}
	if _, err := regexp.Compile(o.ways); err != nil {
		return fmt.Errorf("read --ways: %w", err)
	}
	if o.models == "" {
		return errors.New("no folder of models: install some with `manicule model install` and name it with --models")
	}
	var bad []string
	var all []evalkit.Part
	for _, p := range parts() {
		all = append(all, evalkit.Part{Name: p.name, Run: func(ctx context.Context) error {
			text, worse, err := p.run(ctx, o)
			if err != nil {
				return err
			}
			bad = append(bad, worse...)
			_, err = fmt.Println(text)
			return err
		}})
	}
	if _, err := evalkit.RunParts(ctx, all, named); err != nil {
		return err
	}
	if len(bad) > 0 && o.check {
		return errors.New(strings.Join(bad, "\n"))
	}
	return nil
}

// configuration is a model on a backend.
type configuration struct {
	model   string
	backend local.Backend
}

// String is "model/backend".
func (c configuration) String() string { return c.model + "/" + string(c.backend) }

// configurations lists the installed ones. The Go backend runs the fp32 file.
func configurations(o options) ([]configuration, error) {
	store := models.Open(o.models)
	var out []configuration
	for _, m := range models.Catalogue() {
		if store.Installed(m) {
			out = append(out, configuration{m.Name, local.ONNXRuntime})
		}
	}
	if len(out) == 0 {
		return nil, evalkit.Missing("no model in %s", o.models)
	}
	if last := out[len(out)-1].model; strings.HasSuffix(last, "-fp32") {
		out = append(out, configuration{last, local.Go})
	}
	return out, nil
}

func (o options) open(ctx context.Context, c configuration) (embed.Embedder, error) {
	p := provider.New(provider.Settings{Provider: provider.Local, Model: c.model, Threads: o.threads}, models.Open(o.models))
	e, _, err := p.Open(ctx, c.backend)
	return e, err
}

// way reports whether --ways selects a way to ask.
func (o options) way(name string) bool {
	ok, err := regexp.MatchString(o.ways, name)
	return ok && err == nil
}

// source returns the checkout of a repository, or "".
func (o options) source(repo string) string {
	path := filepath.Join(o.sources, filepath.FromSlash(repo))
	if _, err := os.Stat(path); o.sources == "" || err != nil {
		return ""
	}
	return path
}
