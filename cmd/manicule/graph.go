package main

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/indexer/clip"
	"manicule/indexer/graph"
	"manicule/indexer/resolve"
	"manicule/memory"
	"manicule/memory/nearby"
	"manicule/memory/services"
)

// codeCommand is shared by the commands about code.
type codeCommand struct{ *cli }

// growHeap delays garbage collection in a command that reads the graph, because the
// process ends soon. Without it a cold index of 690,000 lines took a fifth more processor
// time. With graphMemory the whole process stays below 300 MB. A user's own GOGC or GOMEMLIMIT
// takes precedence. stored is the size of the stored graph in bytes.
func growHeap(stored int64) {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(growth(graphGrowth, graphMemory))
	debug.SetMemoryLimit(max(graphMemory, loadedGrowth*stored))
}

// growHeapLess is growHeap for a question that needs a part of the graph. It allocates as much again for
// every file that it decodes, of which little stays.
func growHeapLess() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(growth(partGrowth, partMemory))
	}
}

// growth is how many percent of what is in use Go may allocate before a garbage collection: most, or less if that is more than
// some bytes. A command that holds all memories of a company would take several times as much else.
func growth(most int, bytes uint64) int {
	const least = 60 // percent
	used := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(used)
	return max(least, min(most, int(100*bytes/max(1, used[0].Value.Uint64())))) //nolint:gosec // at most 100 * bytes
}

const (
	graphGrowth = 1000      // percent
	partGrowth  = 200       // percent
	graphMemory = 190 << 20 // bytes, the limit of Go's own part
	partMemory  = 100 << 20 // bytes

	// loadedGrowth is what Go allocates to load a stored graph, as a multiple of its size. With
	// less room the collector runs all the time: one touched file among 3 million lines took 1.0 s
	// instead of .5.
	loadedGrowth = 4
)

// heapRoom keeps the memory limit of growHeap at one and a half times what is in use. A graph of
// several million lines takes more than graphMemory, and the collector would run all
// the time.
type heapRoom struct {
	live  []metrics.Sample
	limit int64
}

func newHeapRoom() *heapRoom {
	return &heapRoom{live: []metrics.Sample{{Name: "/gc/heap/live:bytes"}}, limit: debug.SetMemoryLimit(-1)}
}

// widen raises the limit if the last collection left too much.
func (h *heapRoom) widen() {
	if debug.SetMemoryLimit(-1) != h.limit { // growHeap was not called, or GOGC is set
		return
	}
	metrics.Read(h.live)
	if wanted := int64(h.live[0].Value.Uint64()) / 2 * 3; wanted > h.limit {
		h.limit = wanted
		debug.SetMemoryLimit(h.limit)
	}
}

// codePlace parses FILE, FILE#Symbol or FILE:LINE, relative to the person's folder.
func (cc *codeCommand) codePlace(w *services.Workspace, arg string) (nearby.Place, error) {
	name, symbol, named := anchor.CutSymbol(arg)
	if name != "" {
		name = cc.rooted(w, name)
	}
	if named {
		name += "#" + symbol
	}
	return nearby.Parse(w.Workspace, name)
}

// graphCommand is `manicule graph`.
type graphCommand struct {
	codeCommand
	possible bool
	limit    int
	format   pictureFormat
}

func newGraphCommand(shared *cli) *cobra.Command {
	gc := &graphCommand{codeCommand: codeCommand{shared}}
	cmd := &cobra.Command{
		Use:   "graph FILE[#Symbol] | FILE:LINE | NAME | FOLDER",
		Short: "Show who calls a symbol, what it calls, and what a file or folder uses",
		Long: "Show the definition, callers and callees of a symbol, and the imports and dependents of its\n" +
			"file. The bare name of a symbol is enough where it is unique. A function that is passed on as\n" +
			"a value has a caller there. \"may\" marks relations that rest on dynamic dispatch or on a name\n" +
			"alone, \"via\" the method between. --possible also lists calls of the same name without other\n" +
			"evidence: the result of a text search, minus what certainly means something else. For a\n" +
			"folder, show the folders that it uses, those that use it, and the entry points of programs\n" +
			"that reach it. Of more than " + strconv.Itoa(listLimit) + " of a kind it says how many it left out; with --json and in a\n" +
			"picture there are all unless --limit says otherwise.",
		Example: "  manicule graph src/auth/token.go#Store.Validate\n  manicule graph Store.Validate\n  manicule graph src/auth/token.go --json\n  manicule graph src/auth\n  manicule graph src/auth --format dot | dot -Tsvg > auth.svg",
		Args:    cobra.ExactArgs(1),
		RunE:    gc.run,

		ValidArgsFunction: gc.completeSymbols,
	}
	cmd.Flags().BoolVar(&gc.possible, "possible", false, "also list calls of the same name without other evidence")
	limitFlag(cmd, &gc.limit)
	gc.format.register(cmd)
	return cmd
}

func (gc *graphCommand) run(cmd *cobra.Command, args []string) error {
	if err := gc.format.only(gc.json); err != nil {
		return err
	}
	if gc.json || gc.format != formatText {
		gc.limit = asJSON(cmd, gc.limit)
	}
	return gc.with(cmd.Context(), func(w *services.Workspace) error {
		if err := gc.updateGraph(cmd.Context(), w); err != nil {
			return err
		}
		p, err := gc.codePlace(w, args[0])
		if err != nil {
			return err
		}
		if _, err := w.Sync(cmd.Context()); err != nil { // edges of memories are found in the view of all
			return err
		}
		var module *graph.Module
		var syms []*resolve.Symbol
		var code nearby.Code
		err = askGraph(cmd.Context(), w, func(g *graph.Graph) (err error) {
			if module = nil; p.Symbol == "" && p.Line == 0 && !g.Has(p.File) {
				if m, ok := g.Module(p.File); ok {
					module = &m
					return nil
				}
			}
			if syms, err = nearby.Symbols(g, p); err == nil {
				code = nearby.Describe(g, p, syms)
			}
			return err
		})
		if err != nil {
			return err
		}
		if module != nil {
			return gc.printModule(cmd.Context(), w, *module)
		}
		out := gc.graphOf(cmd.Context(), w, code)
		if gc.possible {
			more, err := w.Graph().Possible(cmd.Context(), syms)
			if err != nil {
				return services.GraphError(err)
			}
			out.Possible = new(list(more))
		}
		return gc.printGraph(w, out)
	})
}

// completeSymbols completes the part after the # of FILE#Symbol from the graph of the
// last run. Before the # the shell completes the file.
func (cc *codeCommand) completeSymbols(cmd *cobra.Command, _ []string, prefix string) (out []string, _ cobra.ShellCompDirective) {
	file, text, ok := anchor.CutSymbol(prefix)
	if !ok {
		return nil, cobra.ShellCompDirectiveDefault
	}
	w, err := cc.openQuietly()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer func() { _ = w.Close() }() // nothing was written
	p, err := cc.codePlace(w, file)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []string
	if err := w.Graph().Ask(cmd.Context(), func(g *graph.Graph) { found = g.Complete(p.File, text) }); err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, s := range found {
		out = append(out, file+"#"+s)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// graphJSON is the shape "graph".
type graphJSON struct {
	nearby.Code
	Memories  []hitJSON     `json:"memories"`
	Knowledge []memory.Edge `json:"knowledge"`
	// Possible is present on request.
	Possible *[]graph.Relation `json:"possible,omitzero"`
}

func (gc *graphCommand) graphOf(ctx context.Context, w *services.Workspace, code nearby.Code) graphJSON {
	return graphJSON{
		Code: code, Memories: hitsJSON(w.Root(), gc.memoriesAt(ctx, w, code.File, code.Definitions)), Knowledge: list(edgesAt(w, code.File, code.Definitions)),
	}
}

func (gc *graphCommand) printGraph(w *services.Workspace, out graphJSON) error {
	if gc.json || gc.format != formatText {
		out.cut(gc.limit)
	}
	if gc.json {
		gc.printJSON("graph", out)
		return nil
	}
	groups := out.groups()
	roots := make([]*branch, len(out.Definitions))
	for i, d := range out.Definitions {
		roots[i] = &branch{Text: spot(d.File, d.Line) + " " + orFile(d.Symbol), Note: signatureShort(d.Signature), Title: true}
	}
	if n := len(roots); n > 0 {
		roots[n-1].Below = groups
	}
	if len(out.Memories) > 0 && gc.format == formatHTML {
		roots = append(roots, memoryTree("memories", out.Memories))
	}
	if gc.format != formatText {
		title := strings.TrimSuffix(out.File+"#"+out.Symbol, "#")
		return picture(gc.console, gc.format, title, out.drawing(), roots)
	}
	roots, left := bounded(roots, gc.limit)
	forest(gc.console, roots)
	moreLeft(gc.cli, left, "")
	if text := out.unused(); text != "" {
		gc.printf("%s\n", gc.paint(faint, text))
	}
	if out.Stale {
		gc.printf("%s\n", gc.paint(faint, "the file has changed since; another process is indexing it"))
	}
	gc.printKnowledge(w, out.Memories, out.Knowledge)
	return nil
}

// signatureWidth is how many characters of a signature a person is shown.
const signatureWidth = 120

// signatureShort writes a signature of several lines as it would stand in one, and cuts a long one between its parameters.
func signatureShort(s string) string {
	s = strings.NewReplacer("( ", "(", ", )", ")", " )", ")", "[ ", "[", ", ]", "]", " ]", "]").Replace(s)
	whole := strings.TrimSuffix(s, "…")
	if len(whole) == len(s) && utf8.RuneCountInString(s) <= signatureWidth {
		return s
	}
	whole = clip.Chars(whole, signatureWidth)
	if at := strings.LastIndex(whole, ", "); at > 0 {
		whole = whole[:at+1] + " "
	}
	return whole + "…"
}

// list prints as [] when it is empty.
func list[T any](in []T) []T {
	if in == nil {
		return []T{}
	}
	return in
}

func spot(file string, line int) string { return fmt.Sprintf("%s:%d", file, line) }

func orFile(symbol string) string {
	if symbol == "" {
		return "(file)"
	}
	return symbol
}

// memoriesAt returns the memories about a place. If they can't be read, the code is still
// shown.
func (cc *codeCommand) memoriesAt(ctx context.Context, w *services.Workspace, rel string, at []graph.Ref) []memory.Hit {
	hits, err := nearby.Memories(ctx, w.Recaller(), rel, at)
	if err != nil && ctx.Err() == nil {
		cc.warn("%v", err)
	}
	return hits
}
