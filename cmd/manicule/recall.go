package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/indexer/anchor"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/gate"
	"manicule/memory/search"
	"manicule/memory/services"
	"manicule/memory/store"
)

func parseTypes(names []string) ([]file.Type, error) {
	var out []file.Type
	for _, n := range typeList(names) {
		t := file.Type(strings.TrimSpace(n))
		if !slices.Contains(file.Types(), t) {
			return nil, &codeError{exitUsage, &memory.UserError{Msg: fmt.Sprintf("unknown memory type %q", n), Hint: "Use one of: " + join(file.Types()) + "."}}
		}
		out = append(out, t)
	}
	return out, nil
}

// recallCommand is `manicule recall`.
type recallCommand struct {
	*cli
	query memory.Query
	flags questionFlags
	types []string
}

func newRecallCommand(shared *cli) *cobra.Command {
	a := &recallCommand{cli: shared}
	c := &cobra.Command{
		Use:   "recall [PATH]...",
		Short: "Show what is known about files and folders",
		Long: "Show the memories that apply to the paths, which need not exist yet: scoped before\n" +
			"project-wide ones, then by layer, specificity and how well they answer --query. Without\n" +
			"paths, a question (or --query) shows only what has to do with it, the best first.",
		Example: "  manicule recall src/auth/token.go\n  manicule recall src/ --query redis --limit 5\n  manicule recall \"why do sessions end early\"",
		RunE:    a.run,
	}
	a.flags.register(c)
	c.Flags().StringVar(&a.query.Text, "query", "", "what it has to be about")
	c.Flags().IntVar(&a.query.Limit, "limit", 0, "how many at most (default 20; -1 for all)")
	c.Flags().StringSliceVar(&a.types, "type", nil, "only these types")
	complete(c, "type", toStrings(file.Types()))
	return c
}

func (a *recallCommand) run(cmd *cobra.Command, args []string) error {
	return a.with(cmd.Context(), func(w *services.Workspace) (err error) {
		t := w.Tracker()
		if a.query.Text == "" {
			args, a.query.Text = a.asked(args)
		}
		if a.query.Text != "" && len(args) == 0 {
			return a.recallBy(cmd, w, t, a.query.Text, a.types, a.query.Limit, a.flags)
		}
		if a.query.Types, err = parseTypes(a.types); err != nil {
			return err
		}
		for _, p := range args {
			a.query.Paths = append(a.query.Paths, a.here(p))
		}
		if a.query.Limit == 0 {
			a.query.Limit = w.Config.Int("recall.limit")
		}
		if current, err := t.Current(cmd.Context()); err != nil || !current {
			a.refresh(cmd.Context(), t)
		}
		if a.flags.explain || a.flags.budget != 0 || a.flags.confidence != 0 || a.flags.phase != "" {
			return usageError("--explain, --phase, --budget and --min-confidence need a question without a path", "`manicule search --files PATH` takes them.")
		}
		if a.query.Text != "" {
			if a.query.Scores, err = a.scores(cmd.Context(), w, a.query, a.flags); err != nil {
				return err
			}
		}
		r, err := w.Recall(cmd.Context(), a.query)
		if err != nil {
			return err
		}
		r.Hits = a.look(cmd.Context(), t, r.Hits)
		a.countRecall(cmd, w, r.Hits)
		a.note(cmd.Context(), w, "recall", first(a.query.Paths, w), r.Hits)
		a.printRecall(w, args, r)
		return nil
	})
}

// asked takes a question from the arguments: the only one, when it has several
// words and is no path.
func (a *recallCommand) asked(args []string) (paths []string, text string) {
	if len(args) != 1 || len(strings.Fields(args[0])) < 2 {
		return args, ""
	}
	if _, err := os.Lstat(a.here(args[0])); err == nil {
		return args, ""
	}
	return nil, args[0]
}

// manyScores is how many memories about a path are ordered by a question, and
// what "all" is to a search.
const manyScores = 1000

// scores says how well each memory about some paths answers a question.
func (a *recallCommand) scores(ctx context.Context, w *services.Workspace, q memory.Query, f questionFlags) (map[string]float64, error) {
	f.files, f.types = slices.Clone(q.Paths), toStrings(q.Types)
	question, err := f.question(q.Text)
	if err != nil {
		return nil, err
	}
	question.Limit, question.Budget = manyScores, 0
	answer, err := a.answer(ctx, w, question)
	out := map[string]float64{}
	for _, r := range answer.Results {
		out[r.ID] = r.Score
	}
	return out, err
}

// recallBy shows what has to do with a question.
func (a *recallCommand) recallBy(cmd *cobra.Command, w *services.Workspace, t *follow.Tracker, text string, types []string, limit int, f questionFlags) error {
	if f.types, f.limit = types, limit; limit == 0 {
		f.limit = w.Config.Int("recall.limit")
	}
	if f.limit < 0 {
		f.limit = manyScores
	}
	question, err := f.question(text)
	if err != nil {
		return err
	}
	answer, err := a.answer(cmd.Context(), w, question)
	if err != nil {
		return err
	}
	hits, results, err := search.Hits(cmd.Context(), w.Workspace, answer)
	if err != nil {
		return err
	}
	hits = a.look(cmd.Context(), t, hits)
	a.countRecall(cmd, w, hits)
	a.note(cmd.Context(), w, "recall", "", hits)
	if a.json {
		a.printJSON("recall", struct {
			Paths    []string     `json:"paths"`
			Query    string       `json:"query"`
			Total    int          `json:"total"`
			Omitted  int          `json:"omitted"`
			Hits     []hitJSON    `json:"hits"`
			Envelope envelopeJSON `json:"envelope"`
		}{[]string{}, text, answer.Matched, answer.Matched - len(hits), foundJSON(w.Root(), hits, results), envelope(answer, len(hits))})
		return nil
	}
	if len(hits) == 0 {
		a.printf("nothing known about %q\n", text)
	}
	for i, h := range hits {
		a.hit(h)
		if h.Memory.Why != "" {
			a.printf("          %s\n", a.paint(faint, firstLine(h.Memory.Why)))
		}
		a.printf("          %s\n", a.paint(faint, cite(h, a.now())))
		if f.explain {
			a.why(results[i])
		}
	}
	if f.explain {
		a.printf("\n")
		a.account(answer)
	}
	return nil
}

// first is the first of some paths, relative to the root; "" for none or one
// outside.
func first(paths []string, w *services.Workspace) string {
	if len(paths) == 0 {
		return ""
	}
	rel, _ := w.Place().Rel(paths[0])
	return rel
}

// countRecall notes what was shown; a state that can't be written to is not
// worth failing for.
func (a *recallCommand) countRecall(cmd *cobra.Command, w *services.Workspace, hits []memory.Hit) {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Memory.UUID
	}
	if err := w.State().Recalled(cmd.Context(), ids); err != nil {
		a.warn("count the recall: %v", err)
	}
}

func (a *recallCommand) printRecall(w *services.Workspace, paths []string, r memory.Recall) {
	if a.json {
		a.printJSON("recall", struct {
			Paths   []string  `json:"paths"`
			Total   int       `json:"total"`
			Omitted int       `json:"omitted"`
			Hits    []hitJSON `json:"hits"`
		}{paths, r.Total, r.Omitted, hitsJSON(w.Root(), r.Hits)})
		return
	}
	if len(r.Hits) == 0 {
		a.printf("no memories for %s\n", strings.Join(paths, " "))
		return
	}
	for i, g := range memory.ByLayer(r.Hits) {
		if i > 0 {
			a.printf("\n")
		}
		a.printf("%s\n", a.paint(bold, strings.ReplaceAll(string(g.Layer), "_", " ")))
		for _, h := range g.Hits {
			a.hit(h)
			if h.Memory.Why != "" {
				a.printf("          %s\n", a.paint(faint, firstLine(h.Memory.Why)))
			}
		}
	}
	if r.Omitted > 0 {
		a.printf("\n%s left out of %d; --limit shows more\n", count(r.Omitted, "memory", "memories"), r.Total)
	}
}

func firstLine(s string) string {
	line, rest, _ := strings.Cut(gate.Clean(s), "\n")
	if rest != "" {
		line += " …"
	}
	return line
}

// listCommand is `manicule list`.
type listCommand struct {
	*cli
	types, tags []string
	layer       string
	personal    bool
}

func newListCommand(shared *cli) *cobra.Command {
	a := &listCommand{cli: shared}
	c := &cobra.Command{
		Use:   "list",
		Short: "List the memories",
		Args:  cobra.NoArgs,
		RunE:  a.run,
	}
	c.Flags().StringSliceVar(&a.types, "type", nil, "only these types")
	c.Flags().StringArrayVar(&a.tags, "tag", nil, "only with these tags")
	c.Flags().StringVar(&a.layer, "layer", "", "only this layer: "+join(file.Layers()))
	c.Flags().BoolVar(&a.personal, "personal", false, "only personal ones")
	complete(c, "type", toStrings(file.Types()))
	complete(c, "layer", toStrings(file.Layers()))
	return c
}

func (a *listCommand) run(cmd *cobra.Command, _ []string) error {
	want, err := parseTypes(a.types)
	if err != nil {
		return err
	}
	if a.layer != "" && !slices.Contains(file.Layers(), file.Layer(a.layer)) {
		return &codeError{exitUsage, &memory.UserError{Msg: fmt.Sprintf("unknown layer %q", a.layer), Hint: "Use one of: " + join(file.Layers()) + "."}}
	}
	return a.with(cmd.Context(), func(w *services.Workspace) error {
		t := w.Tracker()
		a.refresh(cmd.Context(), t)
		if _, err := w.Sync(cmd.Context()); err != nil {
			return err
		}
		hits := w.View().All()
		memory.Rank(hits)
		hits = slices.DeleteFunc(hits, func(h memory.Hit) bool {
			m := h.Memory
			return (len(want) > 0 && !slices.Contains(want, m.Type)) || (a.layer != "" && string(m.Layer) != a.layer) ||
				(a.personal && m.Visibility != file.Personal) || !hasAll(m.Tags, a.tags)
		})
		held, err := w.Held(cmd.Context())
		if err != nil {
			return err
		}
		if a.json {
			a.printJSON("list", struct {
				Total int        `json:"total"`
				Hits  []hitJSON  `json:"memories"`
				Held  []heldJSON `json:"quarantined"`
			}{len(hits), hitsJSON(w.Root(), hits), a.heldJSON(w.Root(), held)})
			return nil
		}
		for _, h := range hits {
			a.hit(h)
		}
		a.heldCount(len(held))
		if len(hits)+len(held) == 0 {
			a.printf("no memories; `manicule remember` writes one, `manicule import` reads rule files\n")
		}
		return nil
	})
}

func hasAll(have, want []string) bool {
	for _, w := range want {
		if !slices.Contains(have, w) {
			return false
		}
	}
	return true
}

// showCommand is `manicule show`.
type showCommand struct {
	*cli
	history bool
	rev     string
}

func newShowCommand(shared *cli) *cobra.Command {
	a := &showCommand{cli: shared}
	c := &cobra.Command{
		Use:               "show ID",
		Short:             "Show a memory in full",
		Long:              "Show a memory in full, with where its code is now. --at REV shows it as it was in a\nrevision, with where its code was then.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: a.completeIDs,
		RunE:              a.run,
	}
	c.Flags().BoolVar(&a.history, "history", false, "also the versions that this machine has seen")
	c.Flags().StringVar(&a.rev, "at", "", "as it was in a revision")
	c.MarkFlagsMutuallyExclusive("at", "history")
	return c
}

func (a *showCommand) run(cmd *cobra.Command, args []string) error {
	return a.with(cmd.Context(), func(w *services.Workspace) error {
		t := w.Tracker()
		h, err := w.Get(cmd.Context(), args[0])
		if errors.Is(err, memory.ErrHeld) {
			if ok, herr := a.showHeld(cmd.Context(), w, args[0]); ok || herr != nil {
				return herr
			}
		}
		if err != nil {
			return err
		}
		if a.rev != "" {
			return a.showAt(cmd.Context(), w, t, h, a.rev)
		}
		h = a.look(cmd.Context(), t, []memory.Hit{h})[0]
		var versions []*file.Memory
		if a.history {
			if versions, err = w.State().Versions(cmd.Context(), h.Memory.UUID); err != nil {
				return err
			}
		}
		came, err := a.came(cmd.Context(), w, h.Memory.UUID)
		if err != nil {
			return err
		}
		a.note(cmd.Context(), w, "show", "", []memory.Hit{h})
		if a.json {
			a.printJSON("show", struct {
				hitJSON
				Versions []*file.Memory `json:"versions,omitempty"`
				Ledger   ledgerJSON     `json:"ledger"`
			}{hitsJSON(w.Root(), []memory.Hit{h})[0], versions, came})
			return nil
		}
		a.card(h, a.now(), w.Root())
		a.printLedger(came)
		for _, v := range versions {
			a.printf("  v%-3d %s  %-8s %s\n", v.Lineage.Version, v.UpdatedAt.Format("2006-01-02 15:04"), firstLine(v.Lineage.ChangeKind), firstLine(v.What))
		}
		return nil
	})
}

// showAt shows a memory as a revision has it.
func (a *showCommand) showAt(ctx context.Context, w *services.Workspace, t *follow.Tracker, h memory.Hit, rev string) error {
	commit, _, err := a.revision(ctx, w, rev, nil)
	if err != nil {
		return err
	}
	m, places, err := t.At(ctx, h.Memory, commit)
	if err != nil {
		return err
	}
	h.Memory, h.Places = m, nil
	for _, p := range places {
		h.Places = append(h.Places, p.Place)
	}
	if a.json {
		then := []anchorJSON{}
		for i, p := range h.Places {
			x := anchorJSON{Number: i + 1, State: p.State, Reason: p.Reason, Confidence: p.Confidence, Suggestion: p.Suggestion}
			if p.State != anchor.Orphaned {
				x.At = placeAt(p)
			}
			then = append(then, x)
		}
		a.printJSON("show", struct {
			hitJSON
			Revision string       `json:"revision"`
			Then     []anchorJSON `json:"then"`
		}{hitsJSON(w.Root(), []memory.Hit{h})[0], commit, then})
		return nil
	}
	a.card(h, a.now(), w.Root())
	a.printf("  %-10s %s\n", "revision", commit)
	for i, p := range h.Places {
		if p.State == anchor.Fresh {
			a.printf("  %-10s %s\n", fmt.Sprintf("anchor %d", i+1), gate.Clean(placeNow(p)))
		}
	}
	return nil
}

// placeNow is a place as a person writes it.
func placeNow(p store.Place) string {
	at := anchor.Place{Path: p.Path, Lines: &anchor.LineRange{Start: p.Line, End: p.EndLine}}
	if p.Line == 0 {
		at.Lines = nil
	}
	text := at.String()
	if p.Symbol != "" {
		text += " " + p.Symbol
	}
	return text
}
