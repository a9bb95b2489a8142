package observer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"manicule/cmd/internal/evalkit"
	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/hooks/observe/unfinished"
	"manicule/indexer/clip"
	"manicule/memory/episode"
)

// episodeOptions are the inputs of `eval observer episodes`.
type episodeOptions struct {
	data     evalkit.Data
	sessions string
	part     string
	show     string
	sample   int
	labels   string
}

// episodesCommand is `eval observer episodes`: it makes the episodes of recorded sessions and the
// procedures of them, and prints a sample for judging against the transcripts.
func episodesCommand() *cobra.Command {
	var o episodeOptions
	cmd := &cobra.Command{
		Use: "episodes", Short: "Make episodes and procedures of recorded sessions", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.run() },
	}
	f := cmd.Flags()
	o.data.Flag(f)
	f.StringVar(&o.sessions, "sessions", "", "the folder of sessions (see convert) instead of the dataset's")
	f.StringVar(&o.part, "score", "all", "the sessions that are used, by time: all, first or second half")
	f.StringVar(&o.show, "show", "", "print a sample of the episodes to this file, for judging, a JSON line each")
	f.StringVar(&o.labels, "labels", filepath.Join("cmd", "eval", "observer", "testdata", "episodes.jsonl"), "the file of what readers of the transcripts say")
	f.IntVar(&o.sample, "sample", 50, "how many episodes are in it")
	return cmd
}

// judged is an episode beside what its session shows, for judging.
type judgedEpisode struct {
	Episode episode.Episode `json:"episode"`
	Prompts []string        `json:"prompts"`
	Last    []string        `json:"last"` // calls, with their results
	Said    string          `json:"said"` // the agent's last words
	Left    unfinished.Work `json:"left"` // what the next session is told
}

func (o episodeOptions) run() error {
	_, sessions, err := sessionsIn(o.sessions, o.data, new(clock))
	if err != nil {
		return err
	}
	byRepo := map[string][]*session{}
	for _, s := range sessions {
		byRepo[s.repo] = append(byRepo[s.repo], s)
	}
	var all []judgedEpisode
	for _, repo := range slices.Sorted(maps.Keys(byRepo)) {
		list := byRepo[repo]
		half := (len(list) + 1) / 2
		switch o.part {
		case "first":
			list = list[:half]
		case "second":
			list = list[half:]
		}
		var episodes []episode.Episode
		outcomes := map[episode.Outcome]int{}
		fallbacks, left := 0, map[string]int{}
		for _, s := range list {
			j := episodeOf(s)
			if j.Episode.Requests == 0 && len(j.Episode.Tools) == 0 && (j.Episode.Fallback || j.Said == "") { // nothing was asked or done
				continue
			}
			all = append(all, j)
			episodes = append(episodes, j.Episode)
			for what, has := range map[string]bool{"a list": len(j.Left.Open) > 0, "words": j.Left.Said != "", "a failing check": len(j.Left.Fails) > 0, "the middle of a turn": j.Left.Cut} {
				if has {
					left[what]++
				}
			}
			outcomes[j.Episode.Outcome]++
			if j.Episode.Fallback {
				fallbacks++
			}
		}
		began := time.Now()
		procedures := episode.Procedures(episodes)
		took := time.Since(began)
		fmt.Printf("%s: %d sessions, %d episodes (%d success, %d partial, %d failure), %d fallbacks; %d procedures, found in %s\n", repo, len(list), len(episodes),
			outcomes[episode.Success], outcomes[episode.Partial], outcomes[episode.Failure], fallbacks, len(procedures), took.Round(time.Microsecond))
		fmt.Printf("  left unfinished: %v\n", left)
		for _, p := range procedures {
			fmt.Printf("  %.2f  %s  %v  (%d sessions: %d worked, %d failed)\n", p.Score, p.Trigger, p.Words, len(p.Sessions), p.Successes, p.Failures)
			for _, s := range p.Steps {
				fmt.Printf("          %s %s (%d)\n", s.Act, s.What, s.In)
			}
		}
	}
	if err := o.judge(all); err != nil || o.show == "" {
		return err
	}
	rand.New(rand.NewSource(1)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	out, err := os.Create(o.show)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(out)
	for _, j := range all[:min(len(all), o.sample)] {
		if err := enc.Encode(j); err != nil {
			return err
		}
	}
	return out.Close()
}

// episodeLabel is what a reader of a transcript says, before the episode was seen.
type episodeLabel struct {
	Repo    string          `json:"repo"`
	Session string          `json:"session"`
	Task    string          `json:"task"`
	Outcome episode.Outcome `json:"outcome"`
	Or      episode.Outcome `json:"or,omitzero"` // where two readers may differ; not counted as right
	Shown   string          `json:"shown"`       // the words of the transcript that the outcome rests on, "" in older draws
	Draw    string          `json:"draw"`        // which sample, and whether rules were made from it
	// Got is a task that an episode had, and Right whether it says what Task does.
	Got   string `json:"got"`
	Right bool   `json:"right"`
}

// judge counts the episodes that are right in task and outcome, by draw.
func (o episodeOptions) judge(all []judgedEpisode) error {
	list, err := evalkit.ReadLines[episodeLabel](o.labels)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	type score struct{ n, right, outcome, other int }
	by := map[string]*score{}
	for _, l := range list {
		i := slices.IndexFunc(all, func(j judgedEpisode) bool { return j.Episode.Session == l.Session })
		if i < 0 {
			continue
		}
		s := by[l.Draw]
		if s == nil {
			s = &score{}
			by[l.Draw] = s
		}
		e := all[i].Episode
		s.n++
		s.outcome += asInt(e.Outcome == l.Outcome)
		s.right += asInt(e.Outcome == l.Outcome && e.Task == l.Got && l.Right)
		s.other += asInt(e.Task != l.Got)
	}
	for _, draw := range slices.Sorted(maps.Keys(by)) {
		s := by[draw]
		fmt.Printf("  draw %s: %d of %d right in task and outcome (%.2f), %d outcomes; %d tasks differ from the judged ones\n", draw, s.right, s.n, evalkit.Share(s.right, s.n), s.outcome, s.other)
	}
	return nil
}

func episodeOf(s *session) judgedEpisode {
	fold := observe.New(root)
	var j judgedEpisode
	for i, it := range s.items {
		if it.said != "" {
			if it.by != "" || !endsTurn(s.items[i+1:]) {
				continue // no hook tells it
			}
			it.record = eventlog.Record{Kind: string(event.Stop), Session: s.id, Text: it.said}
		}
		fold.Add(it.record)
		if it.record.Text != "" && it.record.AgentID == "" {
			j.Said = it.record.Text
		}
		if it.record.Prompt != "" {
			j.Prompts = append(j.Prompts, clip.MarkedChars(it.record.Prompt, 400))
		}
	}
	for _, c := range fold.Calls() {
		line := fmt.Sprintf("%s %s %v ok=%t %s", c.Tool, clip.MarkedChars(c.Command, 120), c.Paths, c.OK, clip.MarkedChars(c.Line, 80))
		j.Last = append(j.Last, line)
	}
	j.Last = slices.Clone(j.Last[max(0, len(j.Last)-15):])
	j.Said = clip.MarkedChars(j.Said, 500)
	j.Episode, j.Left = fold.Episode(), fold.Report().Work
	return j
}

// endsTurn reports whether the main conversation goes on with a request, or not at all. The dataset lacks the event of many turns'
// ends.
func endsTurn(next []item) bool {
	for _, it := range next {
		switch kind := event.Kind(it.record.Kind); {
		case it.by != "" || it.record.AgentID != "":
		case it.said != "" || kind == event.Stop:
			return false
		default:
			return kind == event.Prompt || kind == event.SessionEnd
		}
	}
	return true
}
