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
	by := map[string][]episode.Visit{}
	var all []episode.Visit
	var always, often, listed, qaHit, qaAll, proposals int
	var alwaysOf, oftenOf int
	told := map[string]bool{}
	planned := 0
	for i, v := range list {
		all = append(all, v)
		if v.Episode.Planned >= 3 {
			planned++
		}
		m := v.Episode.Module()
		if m == "" {
			continue
		}
		by[m] = append(by[m], v)
		if !slices.Contains(episode.Thresholds(), len(by[m])) {
			continue
		}
		usual := func(p string) float64 {
			n, others := 0, 0
			for _, w := range all {
				if w.Episode.Module() == m {
					continue
				}
				if others++; slices.Contains(w.Files, p) {
					n++
				}
			}
			return float64(n) / float64(max(1, others))
		}
		var later []episode.Visit
		for _, w := range list[i+1:] {
			if w.Episode.Module() == m {
				later = append(later, w)
			}
		}
		for _, f := range episode.Digest(m, by[m], usual) {
			if told[f.Key] {
				continue
			}
			told[f.Key] = true
			proposals++
			if verbose {
				fmt.Printf("  at %d of %s: %s %q always %q often %q %s %s (%d of %d) planned %.0f calls %.0f minutes %.0f ratio %.1f\n", len(by[m]), m, f.Kind, f.Key, f.Always, f.Often, f.Check, f.File, f.Seen, f.Of, f.Planned, f.Calls, f.Minutes, f.Ratio)
			}
			switch f.Kind {
			case episode.Prefetch:
				if 2*len(by[m]) > len(all) {
					continue // it is not proposed
				}
				listed++
				for _, w := range later {
					for _, p := range f.Always {
						alwaysOf++
						if slices.Contains(w.Files, p) {
							always++
						}
					}
					for _, p := range f.Often {
						oftenOf++
						if slices.Contains(w.Files, p) {
							often++
						}
					}
				}
			case episode.QA:
				for _, w := range later {
					for _, x := range w.Episode.Mends {
						if x.Check == f.Check {
							qaAll++
							if slices.Contains(x.Files, f.File) {
								qaHit++
							}
						}
					}
				}
			default: // below
			}
		}
	}
	modules := 0
	for _, visits := range by {
		if len(visits) >= 5 {
			modules++
		}
	}
	fmt.Printf("%s: %d sessions, %d modules with five and more, %d findings; prefetch lists %d: of later sessions of the module %d of %d touch an always file, %d of %d an often one; qa: %d of %d later mends changed the file\n",
		repo, len(list), modules, proposals, listed, always, alwaysOf, often, oftenOf, qaHit, qaAll)
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
