package observer

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks"
	"manicule/hooks/event"
)

// expectedCommand is `eval observer expected`: of the files that first prompts are told of, how many the session then uses.
func expectedCommand() *cobra.Command {
	var o episodeOptions
	var tainted, verbose bool
	cmd := &cobra.Command{
		Use: "expected", Short: "Measure the files that a first prompt is told to be under way on its branch", Args: cobra.NoArgs,
		Long: "Measure the files that a first prompt is told to be under way on its branch: those that the last two sessions there both\n" +
			"changed. They are right if the session then reads or changes them.",
		RunE: func(*cobra.Command, []string) error { return o.expected(tainted, verbose) },
	}
	f := cmd.Flags()
	o.data.Flag(f)
	f.StringVar(&o.sessions, "sessions", "", "the folder of sessions (see convert) instead of the dataset's")
	f.BoolVar(&tainted, "tainted", false, "count sessions that followed text from outside, too, as hooks don't")
	f.BoolVarP(&verbose, "verbose", "v", false, "print the prompts with their files")
	return cmd
}

// onBranch is what a session did on its branch.
type onBranch struct {
	branch string
	ended  int64
	edits  map[string]int
}

// keptFor is how long the files of a session count, in milliseconds, and most how many are named, as in hooks.
const (
	keptFor  = 14 * 24 * 3_600_000
	mostTold = 3
)

// expectedScore counts files that were named.
type expectedScore struct{ prompts, named, used int }

func (s expectedScore) String() string {
	return fmt.Sprintf("%d prompts, %d of %d files used (%.2f)", s.prompts, s.used, s.named, evalkit.Share(s.used, s.named))
}

func (o episodeOptions) expected(tainted, verbose bool) error {
	_, sessions, err := sessionsIn(o.sessions, o.data, new(clock))
	if err != nil {
		return err
	}
	past := map[string][]onBranch{}
	var going, others expectedScore
	for _, s := range sessions {
		if text, used := firstPrompt(s); text != "" && len(used) > 0 {
			score := &others
			if hooks.GoesOn(text) {
				score = &going
			}
			if files := underWay(s, text, past[s.repo]); len(files) > 0 {
				score.prompts++
				for _, f := range files {
					score.named++
					score.used += asInt(used[f])
				}
				if verbose && score == &going {
					fmt.Printf("  %s: %.120q %q used %v\n", s.repo, text, files, slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !used[f] }))
				}
			}
		}
		r := folded(s).Report()
		x := onBranch{s.branch, s.end, map[string]int{}}
		for _, f := range r.Files {
			x.edits[f.Path] = f.Edits
		}
		if len(r.Files) > 0 && (tainted || !r.Tainted) {
			past[s.repo] = append(past[s.repo], x)
		}
	}
	fmt.Printf("%d sessions; prompts that go on with their branch: %s; the same files at all other first prompts: %s\n", len(sessions), going, others)
	return nil
}

// firstPrompt returns the first prompt of a session, and the files that it then read or changed.
func firstPrompt(s *session) (text string, used map[string]bool) {
	used = map[string]bool{}
	for _, it := range s.items {
		if it.record.Prompt != "" && it.record.AgentID == "" && text == "" {
			if len(used) > 0 {
				return "", nil // it began before the record
			}
			text = it.record.Prompt
		}
		for _, c := range it.record.Calls {
			if k := event.Class(c.Class); k == event.Read || k == event.Edit || k == event.Create {
				for _, p := range c.Paths {
					used[strings.TrimPrefix(p, root+"/")] = true
				}
			}
		}
	}
	if strings.HasPrefix(text, "/") || strings.HasPrefix(text, "<") {
		return "", nil
	}
	return text, used
}

// underWay returns the files that the last two sessions on a feature branch both changed, without those that the text names.
func underWay(s *session, text string, past []onBranch) []string {
	if s.branch == "" || s.branch == "main" || s.branch == "master" {
		return nil
	}
	var last []onBranch
	for _, p := range slices.Backward(past) {
		if p.branch == s.branch && p.ended < s.start && s.start-p.ended <= keptFor && len(last) < 2 {
			last = append(last, p)
		}
	}
	if len(last) < 2 {
		return nil
	}
	edits := map[string]int{}
	var out []string
	for f, n := range last[0].edits {
		if n > 0 && last[1].edits[f] > 0 {
			edits[f] = n + last[1].edits[f]
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(edits[b], edits[a]), cmp.Compare(a, b)) })
	out = slices.DeleteFunc(out, func(f string) bool { return strings.Contains(text, path.Base(f)) })
	return out[:min(mostTold, len(out))]
}
