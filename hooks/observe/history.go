package observe

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/detect"
	"manicule/hooks/observe/signal"
	"manicule/memory/episode"
)

// The minimum evidence from the whole history.
const (
	minRefused   = 3    // refusals of a command
	refusedShare = 0.25 // of all requests: an occasional refusal is about the moment
	minRuns      = 5    // runs for a statement about a duration
	minCommits   = 5    // commits of a file to compare a pair with
	gitShare     = 0.3  // of them, those with the other file
	slowEveryone = 0.9
)

// assessment is the evidence of the whole history for and against a signal, and whether it
// contradicts the signal. It may correct the signal's content.
type assessment struct {
	signal       signal.Signal
	pro, against string
	contradicted bool
}

// weigh compares a signal with the whole history, not only with the sessions that agree
// with it.
func (h History) weigh(s signal.Signal, r Report) assessment {
	switch d := s.Detail.(type) {
	case signal.RefusedCommand:
		return h.refused(s, d, r)
	case signal.SlowCommand:
		return h.duration(s, d, r)
	case signal.EditedTogether:
		return h.together(s, d)
	case signal.FailedCall:
		if d.Worked != "" {
			return h.worked(s, d, r)
		}
	}
	return assessment{signal: s}
}

// runs returns the runs of a command in all sessions, including this one.
func (h History) runs(r Report, key string) episode.PastCommand {
	past := h.Commands[key]
	out := episode.PastCommand{Runs: past.Runs, Fails: past.Fails, Took: map[int64]int{}}
	maps.Copy(out.Took, past.Took)
	for _, c := range r.Commands {
		if c.Key != key {
			continue
		}
		out.Runs += c.Runs
		out.Fails += c.Fails
		for ms, n := range c.Took {
			out.Took[ms] += n
		}
	}
	return out
}

// refused compares refusals with permitted runs.
func (h History) refused(s signal.Signal, d signal.RefusedCommand, r Report) assessment {
	n := h.Signals[signal.ID(s.Kind(), s.Key)].Count + s.N
	asked := max(n, h.runs(r, d.Command).Runs)
	out := assessment{signal: s, pro: fmt.Sprintf("refused %d of %d times", n, asked)}
	if asked > n {
		out.against = fmt.Sprintf("let run %d of %d times", asked-n, asked)
	}
	out.contradicted = n < minRefused || float64(n) < refusedShare*float64(asked)
	return out
}

// duration returns the time of a command: the median of all its runs, and the 90th
// percentile.
func (h History) duration(s signal.Signal, d signal.SlowCommand, r Report) assessment {
	took := h.runs(r, d.Command).Took
	total := 0
	for _, n := range took {
		total += n
	}
	median, most := quantile(took, total, 0.5), quantile(took, total, slowEveryone)
	d.Median, d.Most = int(median/1000), int(most/1000)
	s.Detail = d
	return assessment{signal: s, pro: fmt.Sprintf("median %s of %d runs, nine of ten within %s", span(median), total, span(most)), contradicted: total < minRuns || median < detect.SlowAfter}
}

// quantile is the duration that a share of the runs does not exceed.
func quantile(took map[int64]int, total int, share float64) int64 {
	seen := 0
	for _, ms := range slices.Sorted(maps.Keys(took)) {
		if seen += took[ms]; float64(seen) >= share*float64(total) {
			return ms
		}
	}
	return 0
}

// span formats a duration.
func span(ms int64) string {
	if ms < 60_000 {
		return strconv.FormatFloat(float64(ms)/1000, 'g', 3, 64) + " s"
	}
	return strconv.FormatFloat(float64(ms)/60_000, 'g', 2, 64) + " min"
}

// together compares files that sessions edit together with git's commits. It drops
// partners that the commits of the file lack, and deleted files.
func (h History) together(s signal.Signal, d signal.EditedTogether) assessment {
	out := assessment{signal: s}
	var kept []signal.Partner
	var pro, against []string
	for _, p := range d.Partners {
		if h.Exists != nil && !h.Exists(p.Path) {
			against = append(against, "`"+p.Path+"` is gone")
			continue
		}
		if h.Commits != nil {
			both, n := h.Commits(d.Path, p.Path)
			said := fmt.Sprintf("%d of %d commits of the first change `%s`", both, n, p.Path)
			if n >= minCommits && float64(both) < gitShare*float64(n) {
				against = append(against, said)
				continue
			}
			if n > 0 {
				pro = append(pro, said)
			}
		}
		kept = append(kept, p)
	}
	out.signal.Detail = signal.EditedTogether{Path: d.Path, Partners: kept}
	out.pro, out.against, out.contradicted = strings.Join(pro, "; "), strings.Join(against, "; "), len(kept) == 0
	return out
}

// worked reports whether a command that "does not work" has worked: with the same words
// in this session, or in most of its runs.
func (h History) worked(s signal.Signal, d signal.FailedCall, r Report) assessment {
	out := assessment{signal: s}
	if slices.Contains(r.Worked, cmdline.PlainCommand(d.Failed)) {
		out.against, out.contradicted = "the same command worked in this session", true
		return out
	}
	failed, fix := cmdline.Keys(d.Failed), cmdline.Keys(d.Worked)
	if len(failed) == 0 || slices.Contains(fix, failed[len(failed)-1]) {
		return out
	}
	key := failed[len(failed)-1]
	c := h.runs(r, key)
	if good := c.Runs - c.Fails; good > 0 {
		out.against = fmt.Sprintf("`%s` worked %d of %d times", key, good, c.Runs)
		out.contradicted = good >= c.Fails
	} else if c.Runs > 0 {
		out.pro = fmt.Sprintf("`%s` failed %d of %d times", key, c.Fails, c.Runs)
	}
	return out
}
