// Package graph measures the accuracy of the code graph. It asks oracles, which know
// types or trace the flow of values, who uses what, asks the graph the same, and
// prints precision and recall. FIGURES.md describes each oracle and holds
// the latest figures. The package must not use anything that callers of the graph
// can't use.
package graph

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/indexer/graph"
)

// evaluation is one run: its flags and its results so far.
type evaluation struct {
	terraform  string
	fzf        string
	goGit      string
	callgraph  string
	pycg       string
	typescript string
	scip       string
	scipIndex  string
	gopls      string
	cache      string
	doc        evalkit.Document
	samples    string
	languages  []string
	misses     int
	robust     []string
	modules    []string
	symbols    int
	seed       uint64

	dir      string // the folder for all written files
	sections []evalkit.Section
	open     []*graph.Index // closed at the end
}

// Command is `eval graph`.
func Command() *cobra.Command {
	e := &evaluation{}
	cmd := evalkit.Command("graph", "Measure the accuracy of the code graph against oracles", evalkit.Names(e.parts()), e.run)
	f := cmd.Flags()
	f.StringVar(&e.terraform, "terraform", os.Getenv("EVAL_TERRAFORM"), "a checkout of "+terraformSource.String())
	f.StringVar(&e.fzf, "fzf", os.Getenv("EVAL_FZF"), "a checkout of "+fzfSource.String())
	f.StringVar(&e.goGit, "go-git", os.Getenv("EVAL_GO_GIT"), "a copy of go-git (default: that of go.mod, from the module cache)")
	f.StringVar(&e.callgraph, "callgraph", os.Getenv("EVAL_CALLGRAPH"), "a folder with fzf.static.tsv and fzf.vta.tsv")
	f.StringVar(&e.pycg, "pycg", os.Getenv("EVAL_PYCG"), "a checkout of "+pycgSource.String())
	f.StringVar(&e.typescript, "typescript", os.Getenv("EVAL_TYPESCRIPT"), "a checkout of "+typescriptSource.String())
	f.StringVar(&e.scip, "scip", os.Getenv("EVAL_SCIP_TYPESCRIPT"), "the scip-typescript program (default: installed with npm)")
	f.StringVar(&e.scipIndex, "scip-index", "", "scip: the index of another project, which scip-typescript made in the folder of --typescript")
	f.StringVar(&e.gopls, "gopls", os.Getenv("EVAL_GOPLS"), "the gopls program (default: "+goplsModule+", installed with go)")
	f.StringVar(&e.cache, "cache", os.Getenv("EVAL_CACHE"), "a folder that keeps the oracles' answers from run to run (default: a new one, removed)")
	f.StringVar(&e.samples, "samples", os.Getenv("EVAL_SAMPLES"), "a folder with checkouts of the repositories whose samples were checked by hand")
	f.StringSliceVar(&e.languages, "languages", nil, "the languages whose samples to ask, as java,rust (default: all)")
	f.StringSliceVar(&e.modules, "modules", nil, "gopls: only these modules, as terraform,fzf (default: all)")
	f.IntVar(&e.symbols, "symbols", 0, "gopls, scip: how many symbols to draw from each module, or of each kind (default: a number of its own)")
	f.Uint64Var(&e.seed, "seed", seed, "gopls: another number draws other symbols")
	f.IntVar(&e.misses, "misses", 0, "how many differing places to print, for each oracle")
	f.StringSliceVar(&e.robust, "robust", nil, "repositories to run over, as folders of sources or git directories (for the part robust)")
	e.doc.Flags(f, "cmd/eval/graph/FIGURES.md")
	return cmd
}

// parts lists the oracles in the order of their run.
func (e *evaluation) parts() []evalkit.Part {
	return []evalkit.Part{{Name: "gopls", Run: e.askGopls}, {Name: "types", Run: e.askTypes}, {Name: "callgraph", Run: e.askCallgraph}, {Name: "pycg", Run: e.askPyCG},
		{Name: "scip", Run: e.askSCIP}, {Name: "samples", Run: e.askSamples}, {Name: "syntax", Run: e.askSyntax}, {Name: "robust", Run: e.askRobust}}
}

func (e *evaluation) run(ctx context.Context, parts []string) (err error) {
	if e.dir, err = os.MkdirTemp("", "eval-graph-"); err != nil {
		return fmt.Errorf("make a folder to work in: %w", err)
	}
	defer func() {
		for _, ix := range e.open {
			err = errors.Join(err, ix.Close())
		}
		err = errors.Join(err, os.RemoveAll(e.dir))
	}()
	if e.cache == "" {
		e.cache = filepath.Join(e.dir, "answers")
	}
	if e.cache, err = filepath.Abs(e.cache); err != nil { // programs run in folders of their own
		return fmt.Errorf("keep the answers: %w", err)
	}
	if err := os.MkdirAll(e.cache, 0o755); err != nil {
		return fmt.Errorf("keep the answers: %w", err)
	}
	left, err := evalkit.RunParts(ctx, e.parts(), parts)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("\nMeasured on %s with `make eval-graph`.\n", e.doc.Date)
	for _, s := range e.sections {
		text += s.String()
	}
	return e.doc.Publish(text+"\n", left)
}

// source is a repository at a fixed commit, so that figures of different days can be
// compared.
type source struct{ name, url, commit string }

// String returns the address and the commit.
func (s source) String() string { return s.url + " at " + s.commit }

var (
	terraformSource  = source{"terraform", "https://github.com/hashicorp/terraform", "883c7221ee2e0bc2fad6912fd4b3cc4b53a598a7"}
	fzfSource        = source{"fzf", "https://github.com/junegunn/fzf", "956562daaa82ddf55ea8f7aeab56883377b742c6"}
	pycgSource       = source{"PyCG", "https://github.com/vitsalis/PyCG", "8d5dc40837803beef1d8d379fbf2cdad6cd94641"}
	typescriptSource = source{"typescript-eslint", "https://github.com/typescript-eslint/typescript-eslint", "56c9ed90d0aee0b5a71cfc39fc76b715b82e3ea8"}
)

// at returns the folder of a source.
func (s source) at(dir string) (string, error) {
	hint := fmt.Sprintf("git clone %s && git -C %s checkout %s, then name the folder with its flag", s.url, s.name, s.commit)
	if dir == "" {
		return "", evalkit.Missing("%s: %s", s.name, hint)
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", evalkit.Missing("%s is not at %s: %s", s.name, dir, hint)
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", fmt.Errorf("find %s: %w", s.name, err)
	}
	return real, nil
}

// indexed builds the graph of a folder without writing to the folder.
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
		evalkit.Progress("indexed %d files of %s in %s", r.Files, filepath.Base(root), r.Took.Round(time.Millisecond))
	}
	if g, err = ix.Graph(ctx); err != nil {
		return nil, nil, fmt.Errorf("load the graph of %s: %w", root, err)
	}
	return ix, g, nil
}
