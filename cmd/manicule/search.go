package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/code"
	"manicule/memory"
	"manicule/memory/embed/provider"
	"manicule/memory/file"
	"manicule/memory/retrieve"
	"manicule/memory/search"
	"manicule/memory/services"
)

// questionFlags are the flags of a question to the memories or the code.
type questionFlags struct {
	limit, budget     int
	lexical, explain  bool
	newest, code, all bool
	phase             string
	types, files      []string
	modules           []string
	filter            listFilter
	confidence        float64
}

func (f *questionFlags) register(c *cobra.Command) {
	fl := c.Flags()
	fl.BoolVar(&f.lexical, "lexical", false, "by words and structure, without loading a model")
	fl.BoolVar(&f.explain, "explain", false, "show how each memory was found, and what was left out")
	fl.StringVar(&f.phase, "phase", "", "your phase of work, which weighs the types: "+join(retrieve.Phases()))
	fl.IntVar(&f.budget, "budget", 0, "the approximate limit of the answer in tokens (default: the phase's)")
	fl.Float64Var(&f.confidence, "min-confidence", 0, "only memories with at least this confidence, from 0 to 1")
	complete(c, "phase", toStrings(retrieve.Phases()))
}

// question makes a question from the flags.
func (f *questionFlags) question(text string) (search.Question, error) {
	types, err := parseTypes(f.types)
	if err != nil {
		return search.Question{}, err
	}
	phase := retrieve.Phase(f.phase)
	if phase != retrieve.NoPhase && !slices.Contains(retrieve.Phases(), phase) {
		return search.Question{}, usageError(fmt.Sprintf("unknown phase %q", f.phase), oneOf(f.phase, toStrings(retrieve.Phases())))
	}
	if f.confidence < 0 || f.confidence > 1 {
		return search.Question{}, usageError(fmt.Sprintf("--min-confidence %g is not between 0 and 1", f.confidence), "Use 0.65 for what is at least fairly sure.")
	}
	if f.budget < 0 {
		return search.Question{}, usageError("--budget can't be negative", "Leave it out for no limit.")
	}
	filter := search.Filter{Types: types, Files: f.files, Modules: f.modules}
	if err := f.filter.narrow(&filter); err != nil {
		return search.Question{}, err
	}
	q := search.Question{
		Text: text, Phase: phase, Limit: f.limit, Budget: f.budget, MinConfidence: f.confidence, Newest: f.newest, Lexical: f.lexical, All: f.all, Explicit: true,
		Filter: filter,
	}
	if q.Budget == 0 {
		q.Budget = phase.Budget()
	}
	return q, nil
}

func usageError(msg, hint string) error {
	return &codeError{exitUsage, &memory.UserError{Msg: msg, Hint: hint}}
}

// searchCommand is `manicule search`.
type searchCommand struct {
	*cli
	flags questionFlags
}

func newSearchCommand(shared *cli) *cobra.Command {
	sc := &searchCommand{cli: shared}
	c := &cobra.Command{
		Use:   "search WORDS...",
		Short: "Search the memories, or the code, by words, meaning and structure",
		Long: "Search the memories by words, by meaning if a model is installed, and by the code that the\n" +
			"question names. --code searches the code itself.",
		Example: "  manicule search token refresh\n  manicule search --phase implement --budget 800 rework the session store\n  manicule search --code where do we retry a request",
		Args:    cobra.MinimumNArgs(1),
		RunE:    sc.run,
	}
	sc.flags.register(c)
	fl := c.Flags()
	wholeVar(fl, &sc.flags.limit, "limit", "n", memory.DefaultLimit, "how many at most")
	fl.BoolVar(&sc.flags.code, "code", false, "search the code instead of the memories")
	fl.BoolVar(&sc.flags.all, "all", false, "with --code: rank tests, examples and documents with the code")
	fl.BoolVar(&sc.flags.newest, "newest", false, "newest first, instead of best first")
	fl.StringSliceVar(&sc.flags.types, "type", nil, "only these types")
	fl.StringArrayVar(&sc.flags.files, "files", nil, "only memories that apply to this file or folder")
	fl.StringArrayVar(&sc.flags.modules, "module", nil, "only memories about code below this folder")
	sc.flags.filter.flags(c, shared.workspaces)
	complete(c, "type", toStrings(file.Types()))
	return c
}

func (sc *searchCommand) run(cmd *cobra.Command, args []string) error {
	words := strings.Join(args, " ")
	if strings.TrimSpace(words) == "" {
		return usage(cmd, errors.New("there are no words to search for"))
	}
	q, err := sc.flags.question(words)
	if err != nil {
		return err
	}
	for i, p := range q.Filter.Files {
		q.Filter.Files[i] = sc.here(p)
	}
	if sc.flags.all && !sc.flags.code {
		return usageError("--all applies to code, not to memories", "Add --code to search the code.")
	}
	if sc.flags.code {
		for _, name := range append([]string{"type", "min-confidence", "newest"}, listFilterFlags...) {
			if cmd.Flags().Changed(name) {
				return usageError("--"+name+" applies to memories, not to code", "--files and --module narrow a search in the code.")
			}
		}
		return sc.searchCode(cmd.Context(), q, sc.flags.explain)
	}
	return sc.withState(cmd.Context(), func(w *services.Workspace) error {
		return sc.searchMemories(cmd.Context(), w, q, sc.flags.explain)
	})
}

func (sc *searchCommand) searchMemories(ctx context.Context, w *services.Workspace, q search.Question, explain bool) error {
	answer, err := sc.answer(ctx, w, q)
	if err != nil {
		return err
	}
	hits, results, err := search.Hits(ctx, w.Workspace, answer)
	if err != nil {
		return err
	}
	hits = sc.refreshHits(ctx, w, hits)
	defer warnUnmerged(ctx, sc.cli, w, "")
	countSearch(ctx, sc.cli, w, results)
	sc.recordShown(ctx, w, "search", "", hits)
	if sc.json {
		sc.printJSON("search", struct {
			Query    string       `json:"query"`
			Meaning  bool         `json:"meaning"`
			Hits     []hitJSON    `json:"hits"`
			Envelope envelopeJSON `json:"envelope"`
		}{q.Text, answer.Meaning, foundJSON(w.Root(), hits, results), envelope(answer, len(hits))})
		return nil
	}
	if len(hits) == 0 && !noneYet(ctx, sc.console, w) {
		sc.printf("nothing found for %q\n", q.Text)
		if !q.Lexical && !answer.Meaning {
			withoutModel(sc.console, w, "`manicule model install` lets memories be found by meaning")
		}
	}
	unsure := allWeak(sc.console, results, q.Text)
	for i, h := range hits {
		sc.hit(h)
		if results[i].Weak && !unsure && !explain {
			sc.printf("          %s\n", sc.paint(faint, markWeak))
		}
		if explain {
			sc.why(results[i])
		}
	}
	if n := omitted(answer, retrieve.OmitLimit) + omitted(answer, retrieve.OmitBudget); n > 0 && !explain {
		sc.printf("\n%s left out; --limit or --budget shows more\n", count(n, "memory", "memories"))
	}
	if explain {
		sc.printf("\n")
		sc.account(answer)
	}
	return nil
}

// markWeak marks a result with little relation to the question.
const markWeak = "weak: it may have nothing to do with the question"

// allWeak says first that no result is a sure answer, and returns whether that is so.
func allWeak(c *console, results []retrieve.Result, question string) bool {
	sure := func(r retrieve.Result) bool { return !r.Weak }
	if len(results) == 0 || slices.ContainsFunc(results, sure) {
		return false
	}
	c.printf("no sure answer to %q; the nearest, which may have nothing to do with it:\n", question)
	return true
}

// withoutModel says how to find more if no model is installed.
func withoutModel(c *console, w *services.Workspace, advice string) {
	if s := w.EmbedderState(); s.Model == "" && s.Provider == provider.Local {
		c.printf("  No model compared meanings: %s.\n", advice)
	}
}

// countSearch counts a search, and whether the code graph contributed to its answer.
func countSearch(ctx context.Context, c *cli, w *services.Workspace, results []retrieve.Result) {
	kinds := []string{"search"}
	by := func(r retrieve.Result) bool {
		return slices.ContainsFunc(r.By, func(l retrieve.LegRank) bool { return l.Leg == retrieve.ByStructure })
	}
	if slices.ContainsFunc(results, by) {
		kinds = append(kinds, "search by structure")
	}
	for _, k := range kinds {
		if err := w.State().Usage().Count(ctx, k); err != nil {
			c.warn("count the search: %v", err)
		}
	}
}

func omitted(answer search.Answer, reason string) int {
	for _, o := range answer.Omitted {
		if o.Reason == reason {
			return o.Count
		}
	}
	return 0
}

// why prints the reasons for a result.
func (c *console) why(r retrieve.Result) {
	var by []string
	for _, c := range r.By {
		by = append(by, fmt.Sprintf("%s #%d (%.2f)", c.Leg, c.Rank, c.Score))
	}
	line := fmt.Sprintf("%.2f by %s", r.Score, strings.Join(by, ", "))
	if r.Weak {
		line += "; " + markWeak
	}
	for _, b := range r.Boosts {
		line += fmt.Sprintf("; %+.2f %s", b.Value, b.Reason)
	}
	for _, d := range r.Doubts {
		line += "; " + d
	}
	c.printf("          %s\n", c.paint(faint, plainLine(line)))
}

// envelopeJSON is the metadata of an answer.
type envelopeJSON struct {
	Kind     retrieve.Kind        `json:"kind"`
	Phase    retrieve.Phase       `json:"phase,omitzero"`
	Matched  int                  `json:"matched"`
	Returned int                  `json:"returned"`
	Omitted  []retrieve.Omission  `json:"omitted"`
	Tokens   int                  `json:"tokens"`
	Millis   float64              `json:"ms"`
	Legs     []retrieve.LegReport `json:"legs"`
	Index    search.State         `json:"index"`
	Fault    string               `json:"fault,omitzero"`
}

func envelope(answer search.Answer, returned int) envelopeJSON {
	e := envelopeJSON{
		Kind: answer.Kind, Phase: answer.Phase, Matched: answer.Matched, Returned: returned, Omitted: answer.Omitted, Tokens: answer.Tokens,
		Millis: answer.Millis, Legs: answer.Legs, Index: answer.Index, Fault: answer.Fault,
	}
	if e.Omitted == nil {
		e.Omitted = []retrieve.Omission{}
	}
	return e
}

// foundJSON returns hits with their reasons.
func foundJSON(root string, hits []memory.Hit, results []retrieve.Result) []hitJSON {
	out := hitsJSON(root, hits)
	for i, r := range results {
		for _, c := range r.By {
			out[i].By = append(out[i].By, c.Leg)
		}
		out[i].Found = &foundJSONDetail{r.By, r.Weak, r.Boosts, r.Parts, r.Doubts, r.Cluster, r.Tokens}
	}
	return out
}

// foundJSONDetail explains how a search found a result.
type foundJSONDetail struct {
	By      []retrieve.LegRank  `json:"by"`
	Weak    bool                `json:"weak,omitzero"`
	Boosts  []retrieve.Boost    `json:"boosts,omitempty"`
	Parts   retrieve.ScoreParts `json:"parts"`
	Doubts  []string            `json:"doubts,omitempty"`
	Cluster int                 `json:"cluster,omitzero"`
	Tokens  int                 `json:"tokens"`
}

// pieceJSON is a piece of code in an answer.
type pieceJSON struct {
	File    string          `json:"file"`
	Line    int             `json:"line"`
	EndLine int             `json:"end_line"`
	Symbol  string          `json:"symbol,omitzero"`
	Kind    string          `json:"symbol_kind"`
	Score   float64         `json:"score"`
	Found   foundJSONDetail `json:"found"`
}

// searchCode searches the code by its pieces.
func (sc *searchCommand) searchCode(ctx context.Context, q search.Question, explain bool) error {
	return sc.withCode(ctx, q.Lexical, func(w *services.Workspace, s *search.Searcher) error {
		for i, p := range q.Filter.Files {
			if rel, ok := w.Place().Rel(p); ok {
				q.Filter.Files[i] = rel
			}
		}
		answer, pieces, err := s.Code(ctx, q)
		if err != nil {
			return err
		}
		sc.warnLimits(answer)
		if sc.json {
			out := make([]pieceJSON, len(pieces))
			for i, p := range pieces {
				r := answer.Results[i]
				out[i] = pieceJSON{p.File, p.Line, p.EndLine, p.Symbol, p.Kind, r.Score, foundJSONDetail{r.By, r.Weak, r.Boosts, r.Parts, r.Doubts, r.Cluster, r.Tokens}}
			}
			sc.printJSON("search-code", struct {
				Query    string       `json:"query"`
				Meaning  bool         `json:"meaning"`
				Pieces   []pieceJSON  `json:"pieces"`
				Envelope envelopeJSON `json:"envelope"`
			}{q.Text, answer.Meaning, out, envelope(answer, len(pieces))})
			return nil
		}
		if len(pieces) == 0 {
			sc.printf("no code found for %q\n", q.Text)
		}
		unsure := allWeak(sc.console, answer.Results, q.Text)
		for i, p := range pieces {
			sc.piece(p)
			if explain {
				sc.why(answer.Results[i])
			}
		}
		switch {
		case q.Lexical || len(pieces) > 0 && !unsure:
		case answer.Index.Unread > 0:
			sc.printf("  %s no vector yet: `manicule index --embed` makes the missing ones.\n", count(answer.Index.Unread, "piece of code has", "pieces of code have"))
		case !answer.Meaning:
			withoutModel(sc.console, w, "`manicule model install`, then `manicule index --embed`, let code be found by meaning")
		}
		if explain {
			sc.printf("\n")
			sc.account(answer)
		}
		return nil
	})
}

// piece prints the place of a piece of code in the format that editors and terminals
// understand.
func (sc *searchCommand) piece(p code.Piece) {
	what := p.Kind
	if p.Symbol != "" {
		what += " " + p.Symbol
	}
	sc.printf("%s:%d-%d  %s\n", plainPath(p.File), p.Line, p.EndLine, sc.paint(faint, plainLine(what)))
}
