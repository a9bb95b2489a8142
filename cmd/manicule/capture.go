package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/hooks/install"
	"manicule/hooks/reviews"
	"manicule/indexer/treefile"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/gate"
	"manicule/memory/services"
)

//go:embed capture.yml
var captureWorkflow string

// captureJSON is the shape "capture".
type captureJSON struct {
	Comments int            `json:"comments"`
	Taken    []capturedJSON `json:"taken"`
	Known    int            `json:"known"` // taken by an earlier run
	More     int            `json:"more"`  // beyond the limit
	Left     map[string]int `json:"left"`  // comments that became nothing, by reason
	Dry      bool           `json:"dry_run"`
}

type capturedJSON struct {
	ID     string `json:"id,omitzero"` // of the candidate
	What   string `json:"what"`
	Type   string `json:"type"`
	Path   string `json:"path,omitzero"`
	Author string `json:"author"`
	URL    string `json:"url,omitzero"`
	Reason string `json:"refused,omitzero"` // why no candidate came of it
}

// noFile refuses what is no subcommand of capture. Where it names a file, that is what is to be read.
func noFile(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && strings.HasSuffix(args[0], ".json") {
		return usageError(fmt.Sprintf("`manicule capture` has no command %q", args[0]), "`manicule capture pr --file "+install.ShellQuote(args[0])+"` reads the reviews in it.")
	}
	return noCommand(cmd, args)
}

func newCaptureCommand(shared *cli) *cobra.Command {
	c := &cobra.Command{
		Use: "capture", Short: "Suggest memories from the reviews of a pull request", Args: noFile,
		Long: "Suggest memories from what reviewers said: rules that they name and traps that they explain. Nothing\n" +
			"becomes a memory without a person (`manicule review`).",
		RunE: onlyBelow(shared),
	}
	c.AddCommand(newCapturePRCommand(shared), &cobra.Command{
		Use: "workflow", Short: "Print a GitHub workflow that captures the reviews of merged pull requests", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			shared.raw = true // a document, which isn't folded
			shared.printf("%s", captureWorkflow)
			return nil
		},
	})
	return c
}

// capturePRCommand is `manicule capture pr`.
type capturePRCommand struct {
	*cli
	file, bots string
	limit      int
	dry        bool
}

func newCapturePRCommand(shared *cli) *cobra.Command {
	cc := &capturePRCommand{cli: shared}
	c := &cobra.Command{
		Use: "pr --file FILE", Short: "Read the reviews of a pull request from JSON",
		Long: "Read the reviews of a pull request from JSON of GitHub (REST, GraphQL, `gh pr view --json\n" +
			"comments,reviews`) or GitLab (discussions), or objects that hold several of these. The same file again\n" +
			"changes nothing. What programs, praise, answers and remarks about the change alone say is left out, and\n" +
			"counted. Patterns of further programs are read from .manicule/bots.txt and --bots.",
		Example: "  gh api repos/OWNER/REPO/pulls/7/comments --paginate | manicule capture pr --file -",
		Args:    cobra.NoArgs,
		RunE:    cc.run,
	}
	f := c.Flags()
	f.StringVar(&cc.file, "file", "", "the JSON; - for standard input")
	f.StringVar(&cc.bots, "bots", "", "a file with patterns of programs that comment, one a line")
	wholeVar(f, &cc.limit, "limit", "n", 10, "how many candidates are written at most, the best first")
	f.BoolVar(&cc.dry, "dry-run", false, "show what would come, write nothing")
	return c
}

// maxReviews is the size in bytes above which a file is not read.
const maxReviews = 64 << 20

func (cc *capturePRCommand) run(cmd *cobra.Command, _ []string) error {
	if cc.file == "" {
		return usageError("no file is named", "Write --file reviews.json, or --file - for standard input.")
	}
	data, err := cc.read(cc.file)
	if errors.Is(err, fs.ErrNotExist) {
		return &memory.UserError{Msg: "there is no file " + cc.file, Err: err, Hint: "`gh api repos/OWNER/REPO/pulls/7/comments --paginate > " + install.ShellQuote(cc.file) + "` writes the comments of pull request 7 into it."}
	}
	if err != nil {
		return fmt.Errorf("read the reviews: %w", err)
	}
	comments, err := reviews.Parse(data)
	if errors.Is(err, reviews.ErrNoComments) {
		return &memory.UserError{Msg: "in " + cc.file + " " + err.Error(), Err: err, Hint: "Write what `gh api repos/OWNER/REPO/pulls/N/comments` prints into it; docs/reviews.md lists the forms."}
	}
	if err != nil {
		return &memory.UserError{Msg: cc.file + ": " + err.Error(), Err: err, Hint: "It must be JSON; docs/reviews.md lists the forms."}
	}
	return cc.with(cmd.Context(), func(w *services.Workspace) error { return cc.capture(cmd.Context(), w, comments) })
}

func (cc *capturePRCommand) read(name string) ([]byte, error) {
	if name == "-" {
		data, err := io.ReadAll(io.LimitReader(cc.in, maxReviews+1))
		if err == nil && len(data) > maxReviews {
			err = errors.New("standard input is longer than 64 MB")
		}
		return data, err
	}
	return treefile.Read(cc.here(name), maxReviews)
}

// patterns are those of the program, of the repository and of the flag.
func (cc *capturePRCommand) patterns(root string) ([]string, error) {
	out := reviews.Bots()
	data, err := treefile.ReadWithin(root, ".manicule/bots.txt", 1<<20)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read .manicule/bots.txt: %w", err)
	}
	out = append(out, reviews.BotPatterns(string(data))...)
	if cc.bots != "" {
		data, err := cc.read(cc.bots)
		if err != nil {
			return nil, fmt.Errorf("read the patterns of programs: %w", err)
		}
		out = append(out, reviews.BotPatterns(string(data))...)
	}
	return out, nil
}

func (cc *capturePRCommand) capture(ctx context.Context, w *services.Workspace, comments []reviews.Comment) error {
	bots, err := cc.patterns(w.Root())
	if err != nil {
		return err
	}
	found := reviews.Suggest(comments, bots)
	out := captureJSON{Comments: found.Comments, Taken: []capturedJSON{}, Left: map[string]int{}, Dry: cc.dry}
	for why, n := range found.Left {
		out.Left[string(why)] = n
	}
	var keys []string
	for _, s := range found.Suggestions {
		keys = append(keys, s.Key)
	}
	known, err := w.State().Suggestions().Taken(ctx, keys)
	if err != nil {
		return fmt.Errorf("look up what was captured before: %w", err)
	}
	written := 0
	for _, s := range found.Suggestions {
		switch {
		case known[s.Key]:
			out.Known++
			continue
		case written >= max(0, cc.limit):
			out.More++
			continue
		}
		x, err := cc.take(ctx, w, s)
		if err != nil {
			return err
		}
		if x.Reason == "" {
			written++
		}
		out.Taken = append(out.Taken, x)
	}
	cc.report(out)
	return nil
}

// take makes a candidate of a suggestion.
func (cc *capturePRCommand) take(ctx context.Context, w *services.Workspace, s reviews.Suggestion) (capturedJSON, error) {
	c := s.Comment
	d := memory.Draft{Type: file.Gotcha, What: s.What, Tags: []string{"review"}, Confidence: s.Confidence, Agent: true, Origin: file.Import, Tool: "capture",
		// A stranger's words reach no agent before a person has read them.
		Tainted: !c.Member}
	if s.Rule {
		d.Type = file.Convention
	}
	if p := path.Clean(c.Path); c.Path != "" && fs.ValidPath(p) {
		d.Scope = []string{p}
	}
	d.Why = "Said by " + gate.Printable(c.Author) + " in a review"
	if c.URL != "" {
		d.Why += ": " + gate.Printable(c.URL)
	}
	out := capturedJSON{What: gate.Printable(s.What), Type: string(d.Type), Path: gate.Printable(c.Path), Author: gate.Printable(c.Author), URL: gate.Printable(c.URL)}
	if cc.dry {
		return out, nil
	}
	r, err := w.Remember(ctx, d)
	if err != nil {
		return out, fmt.Errorf("write a candidate: %w", err)
	}
	uuid := ""
	switch {
	case !r.Accepted || r.Deduped:
		out.Reason = r.Reason
		if out.Reason == "" {
			out.Reason = r.Code
		}
	case r.Memory != nil:
		uuid, out.ID = r.Memory.UUID, r.Memory.ShortID()
	}
	if err := w.State().Suggestions().Note(ctx, s.Key, uuid, "capture"); err != nil {
		return out, fmt.Errorf("note what was captured: %w", err)
	}
	return out, nil
}

func (cc *capturePRCommand) report(out captureJSON) {
	if cc.json {
		cc.printJSON("capture", out)
		return
	}
	for _, x := range out.Taken {
		switch {
		case x.Reason != "":
			cc.printf("%s  %s\n", cc.paint(faint, "left out"), x.What)
			cc.printf("          %s\n", cc.paint(faint, x.Reason))
			continue
		case x.ID != "":
			cc.printf("%s  %s\n", cc.paint(faint, x.ID), x.What)
		default:
			cc.printf("%s\n", x.What)
		}
		cc.printf("          %s\n", cc.paint(faint, strings.Join(slices.DeleteFunc([]string{x.Type, x.Path, x.Author, x.URL}, func(s string) bool { return s == "" }), ", ")))
	}
	var left []string
	for _, why := range []reviews.Reason{reviews.ByBot, reviews.IsHTML, reviews.IsPraise, reviews.IsReply, reviews.IsBare, reviews.IsOnce, reviews.IsSame, reviews.IsUnnamed} {
		if n := out.Left[string(why)]; n > 0 {
			left = append(left, fmt.Sprintf("%d %s", n, reasonText(why)))
		}
	}
	line := count(out.Comments, "comment", "comments")
	if len(left) > 0 {
		line += ", left out: " + strings.Join(left, ", ")
	}
	if out.Known > 0 {
		line += fmt.Sprintf("; %d taken before", out.Known)
	}
	if out.More > 0 {
		line += fmt.Sprintf("; %d more: --limit", out.More)
	}
	cc.printf("%s\n", cc.paint(faint, line))
	if slices.ContainsFunc(out.Taken, func(x capturedJSON) bool { return x.ID != "" }) {
		cc.printf("they wait for you: `manicule review`\n")
	}
}

func reasonText(why reviews.Reason) string {
	switch why {
	case reviews.ByBot:
		return "of programs"
	case reviews.IsHTML:
		return "mostly markup"
	case reviews.IsReply:
		return "in answer to another"
	case reviews.IsBare:
		return "without a sentence"
	case reviews.IsOnce:
		return "about this change alone"
	case reviews.IsSame:
		return "said twice"
	case reviews.IsUnnamed:
		return "failed checks that name no rule"
	}
	return string(why)
}
