// Command evalretrieval measures retrieval: whether the embedding model is the
// published one, how well it tells meanings apart, and what each backend costs.
// docs/benchmarks.md holds the last figures. Sets are read from a folder beside
// the repository and never copied. It must not reach into a backend beyond what
// its users can ask.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"manicule/memory/embed"
	"manicule/memory/embed/local"
	"manicule/memory/embed/models"
	"manicule/memory/embed/provider"
)

// options are the flags.
type options struct {
	data    string
	part    string // of each set that is in halves
	models  string
	sources string
	repos   string
	cache   string
	only    string
	ways    string
	repo    string
	noEmbed bool
	profile string
	run     string
	node    string
	child   string // model/backend to measure in this process
	threads int
	check   bool
}

func main() {
	var o options
	flag.StringVar(&o.data, "data", os.Getenv("EVAL_DATA"), "the folder with minilm-reference, stsb, …")
	flag.StringVar(&o.part, "part", "dev", "the half of each set to ask: dev, on which constants were chosen, or heldout where that is at hand")
	flag.StringVar(&o.models, "models", os.Getenv("MANICULE_TEST_MODELS"), "a folder of models, as `manicule model list --json` names it")
	flag.StringVar(&o.sources, "sources", os.Getenv("EVAL_SOURCES"), "a folder of checkouts, as OWNER/NAME, that sets are about (optional)")
	flag.StringVar(&o.repos, "repos", os.Getenv("EVAL_REPOS"), "a folder of git repositories, as OWNER/NAME or OWNER+NAME/repo, for localise")
	flag.StringVar(&o.cache, "cache", os.Getenv("EVAL_CACHE"), "a folder that keeps vectors for the next run (default: one that is removed)")
	flag.StringVar(&o.only, "only", "", "the parts to run, of "+strings.Join(partNames(), ", ")+", with commas between (default: all)")
	flag.StringVar(&o.ways, "ways", "", "only the ways to ask whose name has this in it, and words alone")
	flag.IntVar(&o.threads, "threads", 2, "cores that onnxruntime may take")
	flag.BoolVar(&o.check, "check", false, "exit with 1 when a figure is worse than it must be")
	flag.StringVar(&o.repo, "repo", "", "localise: only the projects whose name has one of these in it, with commas between")
	flag.BoolVar(&o.noEmbed, "no-embed", false, "localise: use the vectors of code that there are, and make none")
	flag.StringVar(&o.node, "node", os.Getenv("EVAL_NODE"), "node: a folder with node_modules (npm install --ignore-scripts onnxruntime-node @huggingface/tokenizers)")
	flag.StringVar(&o.run, "run", "", "pipeline: a command that runs what is timed, such as \"chrt -r 10\"")
	flag.StringVar(&o.profile, "profile", os.Getenv("EVAL_PROFILE"), "pipeline: write a CPU profile of the last warm process here")
	flag.StringVar(&o.child, "child", "", "for itself: measure one model/backend and print JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "evalretrieval:", err) // nowhere left to complain
		os.Exit(1)
	}
}

// part is one thing to measure. It returns Markdown and what is worse than it
// must be.
type part struct {
	name string
	run  func(context.Context, options) (string, []string, error)
}

// parts lists what is measured, in order: first the model, then the pipeline,
// then what both cost.
func parts() []part {
	return []part{
		{"vectors", vectors}, {"similarity", similarity},
		{"scifact", scifact}, {"notes", notes}, {"cosqa", cosqa}, {"localise", localise}, {"paraphrases", paraphrases},
		{"consolidation", consolidation}, {"speed", speed}, {"node", node}, {"pipeline", pipeline},
	}
}

func partNames() []string {
	var out []string
	for _, p := range parts() {
		out = append(out, p.name)
	}
	return out
}

// errNotHere says that a part needs something that is missing.
var errNotHere = errors.New("not here")

func run(ctx context.Context, o options) error {
	switch {
	case strings.HasPrefix(o.child, "warm/"):
		return warmChild(ctx, o)
	case o.child != "":
		return child(ctx, o)
	}
	if o.cache == "" {
		dir, err := os.MkdirTemp("", "evalretrieval")
		if err != nil {
			return fmt.Errorf("make a folder for vectors: %w", err)
		}
		defer func() { _ = os.RemoveAll(dir) }() // only litter is left where that fails
		o.cache = dir
	}
	if o.models == "" {
		return errors.New("no folder of models: install some with `manicule model install` and name it with -models")
	}
	var bad []string
	for _, p := range parts() {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), p.name) {
			continue
		}
		text, worse, err := p.run(ctx, o)
		if errors.Is(err, errNotHere) || errors.Is(err, os.ErrNotExist) {
			_, _ = fmt.Fprintf(os.Stderr, "evalretrieval: %s is left out: %v\n", p.name, err) // only for who waits
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if _, err := fmt.Println(text); err != nil {
			return fmt.Errorf("print the figures: %w", err)
		}
		bad = append(bad, worse...)
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

// configurations lists what is installed; the Go backend runs the fp32 file.
func configurations(o options) ([]configuration, error) {
	store := models.At(o.models)
	var out []configuration
	for _, m := range models.Catalogue() {
		if store.Installed(m) {
			out = append(out, configuration{m.Name, local.ONNXRuntime})
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: no model in %s", errNotHere, o.models)
	}
	if last := out[len(out)-1].model; strings.HasSuffix(last, "-fp32") {
		out = append(out, configuration{last, local.Go})
	}
	return out, nil
}

func (o options) open(ctx context.Context, c configuration) (embed.Embedder, error) {
	p := provider.New(provider.Settings{Provider: provider.Local, Model: c.model, Threads: o.threads}, models.At(o.models))
	e, _, err := p.Open(ctx, c.backend)
	return e, err
}

func (o options) file(elem ...string) (string, error) {
	if o.data == "" {
		return "", fmt.Errorf("%w: no folder of data, name it with -data", errNotHere)
	}
	path := filepath.Join(append([]string{o.data}, elem...)...)
	_, err := os.Stat(path)
	return path, err
}

// source is the checkout of a repository, "" where there is none.
func (o options) source(repo string) string {
	path := filepath.Join(o.sources, filepath.FromSlash(repo))
	if _, err := os.Stat(path); o.sources == "" || err != nil {
		return ""
	}
	return path
}
