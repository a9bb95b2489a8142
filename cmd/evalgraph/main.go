// Command evalgraph measures how true the code graph is: it asks oracles that
// know types or run the flow of values who uses what, asks the graph the same,
// and prints precision and recall. docs/graph-truth.md says what each oracle
// is, and holds the last figures. It must not reach into the graph beyond what
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
	"time"

	"manicule/indexer/graph"
)

// options are the flags.
type options struct {
	terraform  string
	fzf        string
	goGit      string
	callgraph  string
	pycg       string
	typescript string
	scip       string
	gopls      string
	cache      string
	doc        string
	date       string
	only       string
	samples    string
	languages  string
	misses     int
	write      bool
}

func main() {
	var o options
	flag.StringVar(&o.terraform, "terraform", os.Getenv("EVAL_TERRAFORM"), "a checkout of "+terraformSource.String())
	flag.StringVar(&o.fzf, "fzf", os.Getenv("EVAL_FZF"), "a checkout of "+fzfSource.String())
	flag.StringVar(&o.goGit, "go-git", os.Getenv("EVAL_GO_GIT"), "a copy of go-git (default: that of go.mod, from the module cache)")
	flag.StringVar(&o.callgraph, "callgraph", os.Getenv("EVAL_CALLGRAPH"), "a folder with fzf.static.tsv and fzf.vta.tsv")
	flag.StringVar(&o.pycg, "pycg", os.Getenv("EVAL_PYCG"), "a checkout of "+pycgSource.String())
	flag.StringVar(&o.typescript, "typescript", os.Getenv("EVAL_TYPESCRIPT"), "a checkout of "+typescriptSource.String())
	flag.StringVar(&o.scip, "scip", os.Getenv("EVAL_SCIP_TYPESCRIPT"), "the scip-typescript program (default: installed with npm)")
	flag.StringVar(&o.gopls, "gopls", os.Getenv("EVAL_GOPLS"), "the gopls program (default: "+goplsModule+", installed with go)")
	flag.StringVar(&o.cache, "cache", os.Getenv("EVAL_CACHE"), "a folder that keeps the oracles' answers from run to run (default: a new one, removed)")
	flag.StringVar(&o.only, "only", "", "the oracles to ask, of gopls, callgraph, pycg, scip, samples and syntax, with commas between (default: all)")
	flag.StringVar(&o.samples, "samples", os.Getenv("EVAL_SAMPLES"), "a folder with checkouts of the repositories whose samples were checked by hand")
	flag.StringVar(&o.languages, "languages", "", "the languages whose samples to ask, as java,rust (default: all)")
	flag.StringVar(&o.doc, "doc", "docs/graph-truth.md", "the file that -write changes")
	flag.StringVar(&o.date, "date", "", "the day to write beside the figures (default: today)")
	flag.IntVar(&o.misses, "misses", 0, "how many of the places to print that only the oracle or only the graph has, of each oracle")
	flag.BoolVar(&o.write, "write", false, "write the figures into the documentation")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "evalgraph:", err) // nowhere left to complain
		os.Exit(1)
	}
}

// evaluation is one run.
type evaluation struct {
	options
	dir      string // for all that is written
	sections []section
	open     []*graph.Index // closed at the end
}

// section is what one oracle says, as a table.
type section struct {
	title string
	notes []string
	table *table
}

// errNotHere says that something an oracle needs is missing; the others go on.
type errNotHere struct{ what string }

// Error says what is missing.
func (e errNotHere) Error() string { return e.what }

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "evalgraph-")
	if err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if o.cache == "" {
		o.cache = filepath.Join(dir, "answers")
	}
	if err := os.MkdirAll(o.cache, 0o755); err != nil {
		return fmt.Errorf("keep the answers: %w", err)
	}
	e := &evaluation{options: o, dir: dir}
	defer func() {
		for _, ix := range e.open {
			err = errors.Join(err, ix.Close())
		}
	}()
	var left []string
	for _, part := range []struct {
		name string
		ask  func(context.Context) error
	}{{"gopls", e.askGopls}, {"callgraph", e.askCallgraph}, {"pycg", e.askPyCG}, {"scip", e.askSCIP}, {"samples", e.askSamples}, {"syntax", e.askSyntax}} {
		if o.only != "" && !slices.Contains(strings.Split(o.only, ","), part.name) {
			left = append(left, part.name)
			continue
		}
		var missing errNotHere
		err := part.ask(ctx)
		if errors.As(err, &missing) {
			progress("%s is left out: %s", part.name, missing.what)
			left = append(left, part.name)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	text := e.markdown()
	if _, err := fmt.Print(text); err != nil {
		return fmt.Errorf("print the figures: %w", err)
	}
	if !o.write {
		return nil
	}
	if len(left) > 0 { // the figures of the others would be lost
		return fmt.Errorf("nothing is written, since %s was left out", strings.Join(left, ", "))
	}
	return writeBlock(o.doc, text)
}

// day is the date to write.
func (e *evaluation) day() string {
	if e.date != "" {
		return e.date
	}
	return time.Now().Format(time.DateOnly)
}

func progress(format string, args ...any) {
	_, _ = fmt.Fprintf(os.Stderr, "evalgraph: "+format+"\n", args...) // only for who waits
}

// source is a repository that is measured, at a fixed state so that figures of
// different days can be compared.
type source struct{ name, url, commit string }

// String says how to get it.
func (s source) String() string { return s.url + " at " + s.commit }

var (
	terraformSource  = source{"terraform", "https://github.com/hashicorp/terraform", "883c7221ee2e0bc2fad6912fd4b3cc4b53a598a7"}
	fzfSource        = source{"fzf", "https://github.com/junegunn/fzf", "956562daaa82ddf55ea8f7aeab56883377b742c6"}
	pycgSource       = source{"PyCG", "https://github.com/vitsalis/PyCG", "8d5dc40837803beef1d8d379fbf2cdad6cd94641"}
	typescriptSource = source{"typescript-eslint", "https://github.com/typescript-eslint/typescript-eslint", "56c9ed90d0aee0b5a71cfc39fc76b715b82e3ea8"}
)

// at is the folder of a source.
func (s source) at(dir string) (string, error) {
	hint := fmt.Sprintf("git clone %s && git -C %s checkout %s, then name the folder with its flag", s.url, s.name, s.commit)
	if dir == "" {
		return "", errNotHere{s.name + " is not there: " + hint}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", errNotHere{fmt.Sprintf("%s is not at %s: %s", s.name, dir, hint)}
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", fmt.Errorf("find %s: %w", s.name, err)
	}
	return real, nil
}

// indexed builds the graph of a folder, without a trace in it.
func (e *evaluation) indexed(ctx context.Context, root string) (ix *graph.Index, g *graph.Graph, err error) {
	dir, err := os.MkdirTemp(e.dir, "graph-")
	if err != nil {
		return nil, nil, fmt.Errorf("make a folder for the graph: %w", err)
	}
	ix = graph.Open(graph.Options{Root: root, Dir: dir})
	e.open = append(e.open, ix)
	r, err := ix.Sync(ctx, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("index %s: %w", root, err)
	}
	if r.Files > 20 {
		progress("indexed %d files of %s in %s", r.Files, filepath.Base(root), r.Took.Round(time.Millisecond))
	}
	if g, err = ix.Graph(ctx); err != nil {
		return nil, nil, fmt.Errorf("load the graph of %s: %w", root, err)
	}
	return ix, g, nil
}
