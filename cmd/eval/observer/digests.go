package observer

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"manicule/hooks/observe"
	"manicule/memory/episode"
)

// digestsCommand is `eval observer digests`: it makes the digests of recorded sessions in the order of time, and holds
// what they found against the later sessions of the same module.
func digestsCommand() *cobra.Command {
	var o episodeOptions
	var verbose bool
	cmd := &cobra.Command{
		Use: "digests", Short: "Make digests of recorded sessions, and hold them against later ones", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return o.digests(verbose) },
	}
	f := cmd.Flags()
	o.data.Flag(f)
	f.StringVar(&o.sessions, "sessions", "", "the folder of sessions (see convert) instead of the dataset's")
	f.BoolVarP(&verbose, "verbose", "v", false, "print the findings")
	return cmd
}

func (o episodeOptions) digests(verbose bool) error {
	_, sessions, err := sessionsIn(o.sessions, o.data, new(clock))
	if err != nil {
		return err
	}
	byRepo := map[string][]episode.Visit{}
	for _, s := range sessions {
		j := foldOf(s)
		if len(j.Episode.Tools) > 0 {
			byRepo[s.repo] = append(byRepo[s.repo], j)
		}
	}
	for _, repo := range slices.Sorted(maps.Keys(byRepo)) {
		heldAgainst(repo, byRepo[repo], verbose)
	}
	return nil
}

func foldOf(s *session) episode.Visit {
	fold := observe.New(root)
	for _, it := range s.items {
		if it.said != "" {
			fold.AddStatement(it.by, it.said)
			continue
		}
		fold.Add(it.record)
	}
	v := episode.Visit{Episode: fold.Episode()}
	for _, f := range fold.Report().Files {
		v.Files = append(v.Files, f.Path)
	}
	return v
}

// heldAgainst replays the sessions of a repository: each digest knows only those before it, and is judged by those after it.
func heldAgainst(repo string, list []episode.Visit, verbose bool) {
	r := digestReplay{verbose: verbose, modules: map[string][]episode.Visit{}, told: map[string]bool{}}
	planned := 0
	for i, v := range list {
		if v.Episode.Planned >= 3 {
			planned++
		}
		r.visit(v, list[i+1:])
	}
	r.print(repo, len(list))
	calibrations(list, planned)
	mends, fixes := 0, 0
	for _, v := range list {
		mends += len(v.Episode.Mends)
		for _, m := range v.Episode.Mends {
			if m.Commit != "" {
				fixes++
			}
		}
	}
	fmt.Printf("  %d checks were mended, %d of them with the commit of a fix\n", mends, fixes)
}

// digestReplay is what the digests of a repository found so far, and how often it held later.
type digestReplay struct {
	verbose bool
	all     []episode.Visit
	modules map[string][]episode.Visit
	told    map[string]bool // the keys of the findings

	findings, lists       int
	always, often, checks share
}

// share counts how many of some came true.
type share struct{ hits, of int }

func (s *share) add(hit bool) {
	s.of++
	if hit {
		s.hits++
	}
}

// visit adds a session; later are those after it.
func (r *digestReplay) visit(v episode.Visit, later []episode.Visit) {
	r.all = append(r.all, v)
	m := v.Episode.Module()
	if m == "" {
		return
	}
	r.modules[m] = append(r.modules[m], v)
	n := len(r.modules[m])
	if !slices.Contains(episode.Thresholds(), n) {
		return
	}
	later = slices.DeleteFunc(slices.Clone(later), func(w episode.Visit) bool { return w.Episode.Module() != m })
	for _, f := range episode.Digest(m, r.modules[m], func(path string) float64 { return r.usual(m, path) }) {
		if r.told[f.Key] {
			continue
		}
		r.told[f.Key] = true
		r.findings++
		if r.verbose {
			fmt.Printf("  at %d of %s: %s %q always %q often %q %s %s (%d of %d) planned %.0f calls %.0f minutes %.0f ratio %.1f\n", n, m, f.Kind, f.Key, f.Always, f.Often, f.Check, f.File, f.Seen, f.Of, f.Planned, f.Calls, f.Minutes, f.Ratio)
		}
		switch f.Kind {
		case episode.Prefetch:
			if 2*n <= len(r.all) { // else it is not proposed
				r.holdList(f, later)
			}
		case episode.QA:
			r.holdCheck(f, later)
		default: // calibrations
		}
	}
}

// usual is the share of the sessions of other modules that touch a file.
func (r *digestReplay) usual(module, path string) float64 {
	n, others := 0, 0
	for _, w := range r.all {
		if w.Episode.Module() == module {
			continue
		}
		if others++; slices.Contains(w.Files, path) {
			n++
		}
	}
	return float64(n) / float64(max(1, others))
}

// holdList holds a list of files against the module's later sessions.
func (r *digestReplay) holdList(f episode.Finding, later []episode.Visit) {
	r.lists++
	for _, w := range later {
		for _, p := range f.Always {
			r.always.add(slices.Contains(w.Files, p))
		}
		for _, p := range f.Often {
			r.often.add(slices.Contains(w.Files, p))
		}
	}
}

// holdCheck holds what mends a check against the module's later sessions.
func (r *digestReplay) holdCheck(f episode.Finding, later []episode.Visit) {
	for _, w := range later {
		for _, x := range w.Episode.Mends {
			if x.Check == f.Check {
				r.checks.add(slices.Contains(x.Files, f.File))
			}
		}
	}
}

func (r *digestReplay) print(repo string, sessions int) {
	modules := 0
	for _, visits := range r.modules {
		if len(visits) >= 5 {
			modules++
		}
	}
	fmt.Printf("%s: %d sessions, %d modules with five and more, %d findings; prefetch lists %d: of later sessions of the module %d of %d touch an always file, %d of %d an often one; qa: %d of %d later mends changed the file\n",
		repo, sessions, modules, r.findings, r.lists, r.always.hits, r.always.of, r.often.hits, r.often.of, r.checks.hits, r.checks.of)
}

// calibrations compares what kinds of work and lists tell of the calls of a session with the median of the sessions before it.
func calibrations(list []episode.Visit, planned int) {
	var byRatio, byKind, byAll []float64
	var calls []float64
	for i, v := range list {
		n := float64(v.Episode.Calls())
		if v.Episode.Planned >= 3 && i >= 10 {
			for _, f := range episode.Calibrate("", list[:i]) {
				if f.Work != episode.KindOf(v.Episode.Task) {
					continue
				}
				miss := func(guess float64) float64 { return math.Abs(math.Log2(max(1, guess) / max(1, n))) }
				byRatio = append(byRatio, miss(f.Ratio*float64(v.Episode.Planned)))
				byKind = append(byKind, miss(f.Calls))
				byAll = append(byAll, miss(middle(calls)))
			}
		}
		if v.Episode.Planned >= 3 {
			calls = append(calls, n)
		}
	}
	fmt.Printf("  %d sessions made a list; calls of %d later ones missed by (median, in doublings): items × ratio of the kind %.2f, calls of the kind %.2f, calls of all such sessions %.2f\n",
		planned, len(byRatio), middle(byRatio), middle(byKind), middle(byAll))
}

// middle is the median, 0 of nothing.
func middle(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(x))[len(x)/2]
}
