package learn

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"manicule/hooks/observe"
	"manicule/memory"
	"manicule/memory/episode"
	"manicule/memory/file"
	"manicule/memory/store"
)

// Limits of digests.
const (
	visitsWeighed = 100 // sessions of a module, the latest
	touchedKept   = 60  // files of a session
	weekly        = 5   // sessions since the last digest of all modules
)

// digestKind is the kind under which what a digest found is proposed.
const digestKind = "digest"

// digests looks whether the end of a session is the occasion for a digest: of its module, when that has
// had so many sessions, and of all modules once a week. Each is made once.
func (o learner) digests(ctx context.Context, obs *store.Observation, r observe.Report) ([]memory.Inferred, error) {
	e := obs.Episode
	obs.Module = e.Module()
	for _, f := range r.Files {
		if len(obs.Touched) < touchedKept {
			obs.Touched = append(obs.Touched, f.Path)
		}
	}
	digests := o.Workspace.State().Digests()
	var found []memory.Inferred
	if obs.Module != "" {
		n, err := digests.Visited(ctx, obs.Module, e.Session)
		if err != nil {
			return nil, fmt.Errorf("count the sessions of a module: %w", err)
		}
		if mark := n + 1; slices.Contains(episode.Thresholds(), mark) {
			if found, err = o.digestModule(ctx, obs, mark); err != nil {
				return nil, err
			}
		}
	}
	return found, o.digestWeek(ctx, obs)
}

func (o learner) digestModule(ctx context.Context, obs *store.Observation, mark int) ([]memory.Inferred, error) {
	digests := o.Workspace.State().Digests()
	if made, err := digests.Made(ctx, obs.Module, mark); made || err != nil {
		return nil, err
	}
	visits, err := digests.Visits(ctx, obs.Module, visitsWeighed)
	if err != nil {
		return nil, fmt.Errorf("read the sessions of a module: %w", err)
	}
	visits = slices.DeleteFunc(visits, func(v episode.Visit) bool { return v.Episode.Session == obs.Session })
	visits = append(visits, episode.Visit{Episode: obs.Episode, Files: obs.Touched})
	var files []string
	here := map[string]int{}
	for _, v := range visits {
		files = append(files, v.Files...)
		for _, p := range v.Files {
			here[p]++
		}
	}
	slices.Sort(files)
	sessions, err := digests.FileSessions(ctx, slices.Compact(files))
	if err != nil {
		return nil, fmt.Errorf("count the sessions of files: %w", err)
	}
	all, err := o.Workspace.State().Episodes().CountBeside(ctx, obs.Session)
	if err != nil {
		return nil, err
	}
	others := max(1, all+1-len(visits))
	findings := episode.Digest(obs.Module, visits, func(p string) float64 { return float64(sessions[p]-here[p]) / float64(others) })
	obs.Digests = append(obs.Digests, store.Digest{Module: obs.Module, Mark: mark, Sessions: len(visits), Findings: findings})
	var out []memory.Inferred
	for _, f := range findings {
		// The other kinds have not earned a place: they are told as figures alone. So are the files of a folder in which
		// most of the work happens: they say nothing of the folder, and in later sessions too few of them were touched.
		if f.Kind == episode.Prefetch && len(visits) <= others && !slices.ContainsFunc(slices.Concat(f.Always, f.Often), func(p string) bool { return !o.Exists(p) }) {
			out = append(out, inferredPrefetch(f, obs))
		}
	}
	return out, nil
}

// digestWeek makes the digest of all modules once a week, if there were sessions.
func (o learner) digestWeek(ctx context.Context, obs *store.Observation) error {
	digests := o.Workspace.State().Digests()
	year, week := time.UnixMilli(obs.Ended).UTC().ISOWeek()
	mark := 100*year + week
	made, err := digests.Made(ctx, "", mark)
	if made || err != nil {
		return err
	}
	n, err := digests.SinceLast(ctx)
	if err != nil || n+1 < weekly {
		return err
	}
	list, err := o.Workspace.State().Episodes().Latest(ctx, visitsWeighed)
	if err != nil {
		return fmt.Errorf("read the episodes: %w", err)
	}
	visits := make([]episode.Visit, 0, len(list)+1)
	for _, e := range list {
		if e.Session != obs.Session {
			visits = append(visits, episode.Visit{Episode: e})
		}
	}
	visits = append(visits, episode.Visit{Episode: obs.Episode})
	obs.Digests = append(obs.Digests, store.Digest{Mark: mark, Sessions: len(visits), Findings: episode.Digest("", visits, func(string) float64 { return 0 })})
	return nil
}

// prefetchDraft says which files the sessions of a module touch.
func prefetchDraft(f episode.Finding) memory.Draft {
	what := "Work below `" + f.Module + "` "
	var parts []string
	if len(f.Always) > 0 {
		parts = append(parts, "nearly always touches "+codeList(f.Always))
	}
	if len(f.Often) > 0 {
		parts = append(parts, "more often than not touches "+codeList(f.Often))
	}
	return memory.Draft{Type: file.PrefetchPattern, What: what + strings.Join(parts, ", and ") + ".", Why: fmt.Sprintf("%d sessions made most of their changes there.", f.Seen),
		Scope: []string{f.Module + "/**"}, Tags: []string{digestKind}, Details: file.Details{Always: f.Always, Often: f.Often}, Confidence: .6}
}

// inferredPrefetch is the candidate of a list of files that the sessions of a module touch.
func inferredPrefetch(f episode.Finding, obs *store.Observation) memory.Inferred {
	d := prefetchDraft(f)
	d.Tool, d.Session, d.Tainted = obs.Agent, obs.Session, obs.Tainted
	return memory.Inferred{Draft: d, Kind: digestKind, Key: f.Key, Sessions: f.Sessions, Count: f.Seen, Value: .5, For: fmt.Sprintf("%d sessions below `%s`", f.Seen, f.Module)}
}

func codeList(paths []string) string { return "`" + strings.Join(paths, "`, `") + "`" }
