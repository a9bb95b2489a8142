package observe

import (
	"slices"
	"strings"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/failures"
	"manicule/hooks/observe/fold"
	"manicule/hooks/observe/signal"
)

// Prefixes of the keys of retries that are not about one error message.
const (
	mismatch = "mismatch\x00" // an edit whose text is not in the file
	ruled    = "rule\x00"     // a rule of a linter or a compiler
	lacking  = "needs\x00"    // something that a command lacked
)

// retries are the failures that a changed call has resolved, or that came back.
func retries(ses *fold.Session, failures []failures.Failure) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Done && !s.OK && s.Kind == fold.EditMismatch && len(s.Paths) == 1 {
			out = append(out, signal.Signal{Detail: signal.MissedText{Path: s.Paths[0]}, Key: mismatch + s.Paths[0], N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
		}
		for _, r := range s.Rules {
			out = append(out, signal.Signal{Detail: signal.BrokenRule{Command: s.Key, Rule: r.Name, Message: r.Text}, Key: ruled + s.Key + "\x00" + r.Name, N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
		}
	}
	for _, x := range failures {
		if x.Need != "" {
			out = append(out, needed(x))
			continue
		}
		if x.Generic || x.Kind == fold.EditMismatch || x.Kind == fold.NotRead || x.Kind == fold.ChangedSince {
			continue
		}
		s := signal.Signal{Detail: signal.FailedCall{Key: x.Key, Failed: x.Failed, Worked: x.Fix, Message: x.Line}, Key: x.Key + "\x00" + x.Print, N: x.Count, Evidence: x.Seen, Tainted: x.Taint}
		if x.Kind == fold.FileMissing || x.Kind == fold.IsFolder {
			s.Detail, s.Paths = signal.WrongPath{Path: x.Failed, Found: x.Fix, Folder: x.Kind == fold.IsFolder}, []string{x.Key}
		}
		if x.Count >= 2 && x.Fix != "" {
			s.Acute = 0.75 // two of the same fingerprint
		}
		out = append(out, s)
	}
	return append(out, clusters(failures)...)
}

// needed is the signal of a failure with a known need. It is the same for all error
// messages of that need.
func needed(x failures.Failure) signal.Signal {
	command := x.Key
	if x.Need == failures.NeedsManager {
		command = cmdline.PlainCommand(x.Failed)
	}
	return signal.Signal{Detail: signal.UnmetNeed{Need: x.Need, Command: command, Name: x.Lacked, Message: x.Line}, Key: lacking + string(x.Need) + "\x00" + x.Key + "\x00" + x.Lacked, N: x.Count, Evidence: x.Seen, Tainted: x.Taint}
}

// backtracks are edits that were undone: by the opposite edit, or by git.
func backtracks(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	edits := map[string][]fold.Step{}
	for _, s := range ses.Steps {
		switch s.Class {
		case event.Edit:
			if len(s.Paths) != 1 || s.Done && !s.OK {
				continue
			}
			p := s.Paths[0]
			for _, e := range edits[p] {
				if e.Before != "" && e.Before == s.After && e.After == s.Before {
					out = append(out, signal.Signal{Detail: signal.UndoneEdit{Path: p, By: "edit"}, Key: p, Paths: []string{p}, N: 1, Evidence: []int{e.N, s.N}, Tainted: s.Tainted, Rejected: true})
				}
			}
			edits[p] = append(edits[p], s)
		case event.Shell:
			for _, args := range s.Simple {
				if len(args) < 3 || args[0] != "git" || args[1] != "checkout" && args[1] != "restore" {
					continue
				}
				for _, a := range args[2:] {
					rel, ok := ses.Root.Under(a, "")
					if !ok || len(edits[rel]) == 0 {
						continue
					}
					last := edits[rel][len(edits[rel])-1]
					out = append(out, signal.Signal{Detail: signal.UndoneEdit{Path: rel, By: "git"}, Key: rel, Paths: []string{rel}, N: 1, Evidence: []int{last.N, s.N}, Tainted: s.Tainted, Rejected: true})
					delete(edits, rel)
				}
			}
		}
	}
	return out
}

// sequences are the checks that come before a commit.
func sequences(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	var keys []string
	var evidence []int
	tainted := false
	for _, s := range ses.Steps {
		if s.Class != event.Shell || s.Done && !s.OK {
			continue
		}
		for _, k := range s.Keys {
			switch {
			case cmdline.Checks(k):
				if !slices.Contains(keys, k) {
					keys = append(keys, k)
					evidence = append(evidence, s.N)
				}
				tainted = tainted || s.Tainted
			case k == "git commit" && len(keys) > 1 && slices.ContainsFunc(keys, own):
				sorted := slices.Sorted(slices.Values(keys))
				out = append(out, signal.Signal{Detail: signal.CheckSequence{Commands: keys}, Key: strings.Join(sorted, "\x00"), N: 1, Evidence: append(evidence, s.N), Tainted: tainted})
				keys, evidence, tainted = nil, nil, false
			case k == "git commit":
				keys, evidence, tainted = nil, nil, false
			}
		}
	}
	return out
}

// own reports whether a check is the project's, not one that everybody runs who knows the language.
func own(key string) bool {
	return !slices.Contains([]string{"go build", "go test", "go vet", "gofmt", "cargo build", "cargo test", "cargo check", "cargo fmt", "cargo clippy", "npm test", "npm run build", "npm run test", "npm run lint", "pnpm test", "yarn test",
		"bun test", "pytest", "ruff check", "ruff format", "mypy", "tsc", "dotnet build", "dotnet test", "mvn test"}, key)
}

// slowAfter is the duration from which a person would call a command slow, in
// milliseconds.
const slowAfter = 60_000

// slow are slow commands.
func slow(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Class == event.Shell && s.OK && s.Measured && s.Took >= slowAfter && s.Took < 20*slowAfter && len(s.Keys) == 1 && cmdline.Checks(s.Keys[0]) {
			out = append(out, signal.Signal{Detail: signal.SlowCommand{Command: s.Keys[0], Median: int(s.Took / 1000)}, Key: s.Keys[0], N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted})
		}
	}
	return out
}

// orders are pairs of checks whose first one fails more often than not.
func orders(ses *fold.Session) []signal.Signal {
	var first []string
	at := map[string]fold.Step{}
	for _, s := range ses.Steps {
		for _, k := range s.Keys {
			if cmdline.Checks(k) && !slices.Contains(first, k) {
				first = append(first, k)
				at[k] = s
			}
		}
	}
	if len(first) < 2 {
		return nil
	}
	a, b := at[first[0]], at[first[1]]
	if a.OK || a.Kind != fold.CommandFailed || cmdline.Misused(a.Line) || strings.HasSuffix(first[0], first[1]) || strings.HasSuffix(first[1], first[0]) {
		return nil
	}
	return []signal.Signal{{Detail: signal.FailsFirst{First: first[0], Then: first[1]}, Key: first[0] + "\x00" + first[1], N: 1, Evidence: []int{a.N, b.N}, Tainted: a.Tainted}}
}

// manySteps is more calls than a request usually takes, near the 90th percentile of the
// development set.
const manySteps = 60

// overruns are requests with many steps, by the folder of the work.
func overruns(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, r := range ses.Requests() {
		if r.Calls < manySteps || r.Folder == "" || r.Folder == "." {
			continue
		}
		out = append(out, signal.Signal{Detail: signal.LongRequest{Folder: r.Folder, Calls: r.Calls}, Key: r.Folder, Paths: []string{r.Folder + "/"}, N: 1, Evidence: []int{r.N}, Tainted: ses.Tainted})
	}
	return out
}

// conflictWithin is the maximum time between conflicting edits of two agents, in
// milliseconds.
const conflictWithin = 10 * 60_000

// conflicts are files that two agents edit at once, or that change while an agent works
// on them.
func conflicts(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	last := map[string]fold.Step{}
	for _, s := range ses.Steps {
		if s.Class != event.Edit && s.Class != event.Create || len(s.Paths) == 0 {
			continue
		}
		p := s.Paths[0]
		before, seen := last[p]
		switch {
		case s.Done && !s.OK && s.Kind == fold.ChangedSince:
			out = append(out, signal.Signal{Detail: signal.Conflict{Path: p, Changed: true}, Key: p, Paths: []string{p}, N: 1, Evidence: []int{s.N}, Tainted: s.Tainted})
		case seen && before.Agent != s.Agent && before.Agent != "" && s.Agent != "" && s.At-before.At < conflictWithin:
			out = append(out, signal.Signal{Detail: signal.Conflict{Path: p, Changed: false}, Key: p, Paths: []string{p}, N: 1, Evidence: []int{before.N, s.N}, Tainted: s.Tainted})
		}
		if !s.Done || s.OK {
			last[p] = s
		}
	}
	return out
}

// spikeBytes is the size of a result that fills a noticeable part of a context: about
// 10,000 tokens of 4 bytes.
const spikeBytes = 40_000

// spikes are results that fill much of the context.
func spikes(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Bytes < spikeBytes {
			continue
		}
		sig := signal.Signal{N: 1, Evidence: []int{s.N, s.Ended}, Tainted: s.Tainted}
		size := signal.LargeResult{Thousands: s.Bytes / 4000}
		switch {
		case s.Class == event.Read && len(s.Paths) == 1:
			size.Name, size.File, sig.Paths = s.Paths[0], true, s.Paths
		case s.Class == event.Shell && len(s.Keys) > 0 && !cmdline.Unspecific(s.Keys[len(s.Keys)-1]) && !cmdline.OfForge(s.Keys[len(s.Keys)-1]):
			size.Name = s.Keys[len(s.Keys)-1]
		default:
			continue
		}
		sig.Detail, sig.Key = size, size.Name
		out = append(out, sig)
	}
	return out
}

// references are pages that are fetched again. They are always tainted.
func references(ses *fold.Session) []signal.Signal {
	var out []signal.Signal
	for _, s := range ses.Steps {
		if s.Class != event.Web || !strings.Contains(s.URL, "://") {
			continue
		}
		u, _, _ := strings.Cut(s.URL, "#")
		u, _, _ = strings.Cut(u, "?")
		out = append(out, signal.Signal{Detail: signal.FetchedPage{URL: u}, Key: u, N: 1, Evidence: []int{s.N}, Tainted: true})
	}
	return out
}
