package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"manicule/hooks/nudge"
	"manicule/indexer/anchor"
	"manicule/memory"
	gitbranch "manicule/memory/branch"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/search"
	"manicule/memory/services"
	"manicule/memory/work"
)

func parseTypes(names []string) ([]file.Type, error) {
	var out []file.Type
	for _, n := range typeList(names) {
		t, err := typeOf(n)
		if err != nil {
			return nil, err
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
	rc := &recallCommand{cli: shared}
	c := &cobra.Command{
		Use:   "recall [PATH]...",
		Short: "Show what is known about files and folders",
		Long: "Show the memories that apply to the paths, which need not exist yet: scoped before\n" +
			"project-wide ones, then by layer, specificity and how well they answer --query. For\n" +
			"FILE#Symbol, or the bare name of a symbol that memories are at, those at other symbols of\n" +
			"the file are left out. Without paths, a question (or --query) shows only relevant memories,\n" +
			"the best first.",
		Example: "  manicule recall src/auth/token.go\n  manicule recall src/auth/token.go#Refresh\n  manicule recall src/ --query redis --limit 5\n  manicule recall \"why do sessions end early\"",
		RunE:    rc.run,
	}
	rc.flags.register(c)
	c.Flags().StringVar(&rc.query.Text, "query", "", "only memories about this")
	c.Flags().IntVarP(&rc.query.Limit, "limit", "n", 0, "how many at most; 0 for all (default: the setting recall.limit)")
	c.Flags().StringSliceVar(&rc.types, "type", nil, "only these types")
	complete(c, "type", toStrings(file.Types()))
	return c
}

func (rc *recallCommand) run(cmd *cobra.Command, args []string) error {
	if rc.query.Limit == 0 && cmd.Flags().Changed("limit") {
		rc.query.Limit = -1 // as the library says all
	}
	return rc.withState(cmd.Context(), func(w *services.Workspace) (err error) {
		if rc.query.Text == "" {
			args, rc.query.Text = rc.splitQuestion(args)
		}
		if rc.query.Text != "" && len(args) == 0 {
			return rc.recallByQuestion(cmd, w, rc.query.Text, rc.types, rc.query.Limit, rc.flags)
		}
		if rc.query.Types, err = parseTypes(rc.types); err != nil {
			return err
		}
		for _, p := range args {
			at := rc.here(p)
			if _, inside := w.Place().Rel(at); !inside {
				rc.warn("%s lies outside of this workspace (%s): nothing is known of it here", p, w.Root())
			}
			places, err := symbolsAt(cmd.Context(), w, rc.here, p)
			if err != nil {
				return err
			}
			rc.warnNoSymbol(cmd.Context(), w, at)
			if len(places) == 0 {
				places = []string{at}
			}
			rc.query.Paths = append(rc.query.Paths, places...)
		}
		if rc.query.Limit == 0 {
			rc.query.Limit = w.Config.Int("recall.limit")
		}
		if current, err := w.Tracker().Current(cmd.Context()); err != nil || !current {
			rc.refresh(cmd.Context(), w)
		}
		if rc.flags.explain || rc.flags.budget != 0 || rc.flags.confidence != 0 || rc.flags.phase != "" {
			return usageError("--explain, --phase, --budget and --min-confidence need a question without a path", "`manicule search --files PATH` takes them.")
		}
		if rc.query.Text != "" {
			if rc.query.Scores, err = rc.scores(cmd.Context(), w, rc.query, rc.flags); err != nil {
				return err
			}
		}
		rc.query.Agent, rc.query.Session = rc.agent(), rc.sessionID()
		r, err := w.Recaller().Recall(cmd.Context(), rc.query)
		if err != nil {
			return err
		}
		if rc.caller().ID != "" { // an agent is told what holds for the code that it sees
			checkedOut, here := sync.OnceValue(w.Branch), sync.OnceValue(w.Work().Here)
			r.Hits = slices.DeleteFunc(r.Hits, func(h memory.Hit) bool {
				return gitbranch.Elsewhere(h.Memory, checkedOut) || work.Elsewhere(h.Memory, here)
			})
		}
		r.Hits = rc.refreshHits(cmd.Context(), w, r.Hits)
		rc.countRecall(cmd, w, r.Hits)
		rc.recordShown(cmd.Context(), w, "recall", first(rc.query.Paths, w), r.Hits)
		rc.printRecall(cmd.Context(), w, args, r)
		warnAlike(cmd.Context(), rc.cli, w, r.Hits)
		warnUnmerged(cmd.Context(), rc.cli, w, "")
		return nil
	})
}

// warnNoSymbol says that a file has no such symbol: that no memory is at it then says nothing about the code.
func (rc *recallCommand) warnNoSymbol(ctx context.Context, w *services.Workspace, at string) {
	if _, _, named := anchor.CutSymbol(at); !named {
		return
	}
	_, err := w.Maker().Anchor(ctx, at)
	if none, ok := errors.AsType[*anchor.SymbolError](err); ok && !none.Ambiguous {
		rc.warn("%v\n  try: %s", none, services.Hint(err))
	}
}

// symbolsAt returns the places of memories that are at a symbol of this name, as FILE#Symbol, if it is no path.
func symbolsAt(ctx context.Context, w *services.Workspace, here func(string) string, given string) (places []string, err error) {
	name, bare := memory.BareName(w.Place(), given)
	if _, err := os.Lstat(here(given)); err == nil || !bare {
		return nil, nil
	}
	if _, err := w.Sync(ctx); err != nil {
		return nil, err
	}
	for _, at := range memory.AtSymbol(w.View(), name) {
		places = append(places, filepath.Join(w.Root(), at))
	}
	return places, nil
}

// splitQuestion takes a question from the arguments: a single one with several words that
// is no path.
func (rc *recallCommand) splitQuestion(args []string) (paths []string, text string) {
	if len(args) != 1 || len(strings.Fields(args[0])) < 2 {
		return args, ""
	}
	if _, err := os.Lstat(rc.here(args[0])); err == nil {
		return args, ""
	}
	return nil, args[0]
}

// maxScores is the number of memories about a path that are ranked by a question, which
// a search treats as "all".
const maxScores = 1000

// scores ranks the memories about some paths by a question.
func (rc *recallCommand) scores(ctx context.Context, w *services.Workspace, q memory.Query, f questionFlags) (map[string]float64, error) {
	f.files, f.types = slices.Clone(q.Paths), toStrings(q.Types)
	question, err := f.question(q.Text)
	if err != nil {
		return nil, err
	}
	question.Limit, question.Budget = maxScores, 0
	answer, err := rc.answer(ctx, w, question)
	out := map[string]float64{}
	for _, r := range answer.Results {
		out[r.ID] = r.Score
	}
	return out, err
}

// recallByQuestion shows the memories that a question finds.
func (rc *recallCommand) recallByQuestion(cmd *cobra.Command, w *services.Workspace, text string, types []string, limit int, f questionFlags) error {
	if f.types, f.limit = types, limit; limit == 0 {
		f.limit = w.Config.Int("recall.limit")
	}
	if f.limit < 0 {
		f.limit = maxScores
	}
	question, err := f.question(text)
	if err != nil {
		return err
	}
	answer, err := rc.answer(cmd.Context(), w, question)
	if err != nil {
		return err
	}
	hits, results, err := search.Hits(cmd.Context(), w.Workspace, answer)
	if err != nil {
		return err
	}
	hits = rc.refreshHits(cmd.Context(), w, hits)
	rc.countRecall(cmd, w, hits)
	rc.recordShown(cmd.Context(), w, "recall", "", hits)
	defer warnUnmerged(cmd.Context(), rc.cli, w, "")
	if rc.json {
		rc.printJSON("recall", struct {
			Paths    []string     `json:"paths"`
			Query    string       `json:"query"`
			Total    int          `json:"total"`
			Omitted  int          `json:"omitted"`
			Hits     []hitJSON    `json:"hits"`
			Envelope envelopeJSON `json:"envelope"`
		}{[]string{}, text, answer.Matched, answer.Matched - len(hits), foundJSON(w.Root(), hits, results), envelope(answer, len(hits))})
		return nil
	}
	if len(hits) == 0 && !noneYet(cmd.Context(), rc.console, w) {
		rc.printf("nothing known about %q\n", text)
	}
	for i, h := range hits {
		rc.hit(h)
		if h.Memory.Why != "" {
			reason(rc.console, h.Memory)
		}
		rc.printf("          %s\n", rc.paint(faint, cite(h, rc.now())))
		if f.explain {
			rc.why(results[i])
		}
	}
	if f.explain {
		rc.printf("\n")
		rc.account(answer)
	}
	return nil
}

// first returns the first path relative to the root, or "" if there is none inside it.
func first(paths []string, w *services.Workspace) string {
	if len(paths) == 0 {
		return ""
	}
	rel, _ := w.Place().Rel(paths[0])
	return rel
}

// countRecall counts the memories that were shown. A failure is only logged.
func (rc *recallCommand) countRecall(cmd *cobra.Command, w *services.Workspace, hits []memory.Hit) {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.Memory.UUID
	}
	if err := w.Uses().Recalled(cmd.Context(), ids); err != nil {
		rc.warn("count the recall: %v", err)
	}
}

func (rc *recallCommand) printRecall(ctx context.Context, w *services.Workspace, paths []string, r memory.Recall) {
	if rc.json {
		about := &r.About
		if len(paths) == 0 {
			about = nil
		}
		rc.printJSON("recall", struct {
			Paths     []string  `json:"paths"`
			Total     int       `json:"total"`
			About     *int      `json:"about,omitzero"`
			Elsewhere int       `json:"elsewhere,omitzero"`
			Omitted   int       `json:"omitted"`
			Hits      []hitJSON `json:"hits"`
		}{paths, r.Total, about, r.Elsewhere, r.Omitted, hitsJSON(w.Root(), r.Hits)})
		return
	}
	if len(r.Hits) == 0 && noneYet(ctx, rc.console, w) {
		return
	}
	switch {
	case len(r.Hits) == 0:
		rc.printf("no memories for %s\n", strings.Join(paths, " "))
	case len(paths) == 0:
		rc.printLayers(r.Hits)
	default:
		rc.printApart(strings.Join(paths, " "), r)
	}
	if r.Elsewhere > 0 {
		rc.printf("\n%s at other symbols of the same file; name the file alone to see them too\n", count(r.Elsewhere, "memory is", "memories are"))
	}
	if r.Omitted > 0 {
		rc.printf("\n%s left out of %d; --limit shows more\n", count(r.Omitted, "memory", "memories"), r.Total)
	}
}

// printApart prints what is about some paths, and after it what is about everything, which
// is the same for each file.
func (rc *recallCommand) printApart(paths string, r memory.Recall) {
	var about, rest []memory.Hit
	for _, h := range r.Hits {
		if h.Match > memory.MatchProject {
			about = append(about, h)
		} else {
			rest = append(rest, h)
		}
	}
	if r.About == 0 {
		rc.printf("no memories about %s alone\n", paths)
	} else if len(about) > 0 {
		rc.printf("%s\n\n", rc.paint(bold, fmt.Sprintf("☞ about %s (%d)", paths, r.About)))
		rc.printLayers(about)
	}
	if len(rest) > 0 {
		if r.About == 0 || len(about) > 0 {
			rc.printf("\n")
		}
		rc.printf("%s\n\n", rc.paint(bold, fmt.Sprintf("☞ about everything (%d)", r.Total-r.About)))
		rc.printLayers(rest)
	}
}

// printLayers prints memories by their layers.
func (rc *recallCommand) printLayers(hits []memory.Hit) {
	for i, g := range memory.ByLayer(hits) {
		if i > 0 {
			rc.printf("\n")
		}
		rc.printf("%s\n", rc.paint(bold, strings.ReplaceAll(string(g.Layer), "_", " ")))
		for _, h := range g.Hits {
			rc.hit(h)
			if h.Memory.Why != "" {
				reason(rc.console, h.Memory)
			}
			if instead := gist(h.Memory.Instead()); instead != "" {
				rc.printf("          %s\n", rc.paint(faint, "instead: "+instead))
			}
		}
	}
}

// reason prints the first line of a memory's reason below it.
func reason(c *console, m *file.Memory) {
	if why := gist(m.Why); why != "" {
		c.printf("          %s\n", c.paint(faint, why))
	}
}

// maxGist is the length of a reason in a list, in UTF-16 units. `manicule show` has all of it.
const maxGist = 300

// gist returns the first line of a reason that says something by itself: the head of a table, a
// heading or the fence of an example doesn't. It is "" if there is none, and cut if it is long.
func gist(s string) string {
	for line := range strings.Lines(gate.Clean(s)) {
		text := strings.TrimSpace(line)
		if strings.HasPrefix(text, "```") {
			break // what follows is an example
		}
		if text == "" || strings.HasPrefix(text, "|") || strings.HasPrefix(text, "#") {
			continue
		}
		rest := strings.TrimSpace(s[strings.Index(s, text)+len(text):])
		text = strings.TrimPrefix(text, "- ")
		if short := nudge.Cut(text, maxGist); short != text {
			return short
		}
		if rest != "" {
			text += " …"
		}
		return text
	}
	return ""
}

// maxFirstLine is how much of a text stands in a list, in characters: all of a memory that is as long as a memory should be.
const maxFirstLine = gate.Long

// firstLine is a text as it stands in a list; `manicule show` shows all of it.
func firstLine(s string) string {
	line, rest, _ := strings.Cut(gate.Clean(s), "\n")
	if utf8.RuneCountInString(line) > maxFirstLine {
		return cut(line, maxFirstLine)
	}
	if rest != "" {
		line += " …"
	}
	return line
}
