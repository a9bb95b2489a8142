package observe

import (
	"strings"
	"testing"

	"manicule/hooks/eventlog"
	"manicule/hooks/observe/signal"
	"manicule/memory/episode"
)

// only is the judgement of the one signal of a kind.
func only(t *testing.T, p *play, kind signal.Kind, h History) Judgement {
	t.Helper()
	var out []Judgement
	for _, j := range Promote(p.f.Report(), h) {
		if j.Signal.Kind() == kind {
			out = append(out, j)
		}
	}
	if len(out) != 1 {
		t.Fatalf("%d signals of the kind %s: %+v", len(out), kind, out)
	}
	return out[0]
}

// TestRefusalsAreAShare: two refusals of four hundred are no rule; three of four are.
func TestRefusalsAreAShare(t *testing.T) {
	no := "The user doesn't want to proceed with this tool use."
	id := signal.ID(signal.UserCorrection, "refused\x00git log")
	h := History{Sessions: 9, Signals: map[string]episode.PastSignal{id: {Sessions: 2, Count: 2}}, Commands: map[string]episode.PastCommand{"git log": {Runs: 402}}}
	if j := only(t, newPlay().sh("git log", no), signal.UserCorrection, h); j.Verdict != HeldHistory || j.Against != "let run 400 of 403 times" {
		t.Errorf("%s, against: %q", j.Verdict, j.Against)
	}
	h.Commands["git log"] = episode.PastCommand{Runs: 3}
	j := only(t, newPlay().sh("git log", no), signal.UserCorrection, h)
	if j.Candidate == nil || j.Candidate.For != "refused 3 of 4 times" || j.Candidate.Against != "let run 1 of 4 times" {
		t.Errorf("%+v", j)
	}
}

// TestDurations: the median of all runs counts, and a time that nobody measured
// does not: a person may have been asked in between.
func TestDurations(t *testing.T) {
	run := func(p *play, ms string) *play {
		c := eventlog.Call{Tool: "Bash", Class: "shell", ID: "t" + ms, Command: "mise run lint"}
		p.event(eventlog.Record{Kind: "pre_tool", Calls: []eventlog.Call{c}})
		p.t += 700_000
		r := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{c}}
		if ms != "" {
			r.Facts = map[string]string{"duration_ms": ms}
		}
		return p.event(r)
	}
	if got := run(newPlay(), "").signals(signal.TimeAnomaly); len(got) > 0 {
		t.Errorf("a dialog is taken for work: %+v", got)
	}
	id := signal.ID(signal.TimeAnomaly, "mise run lint")
	h := History{Signals: map[string]episode.PastSignal{id: {Sessions: 5}}, Commands: map[string]episode.PastCommand{"mise run lint": {Runs: 146, Took: map[int64]int{3200: 140, 660_000: 6}}}}
	if j := only(t, run(newPlay(), "660000"), signal.TimeAnomaly, h); j.Verdict != HeldHistory {
		t.Errorf("mostly fast: %s", j.Verdict)
	}
	h.Commands["mise run lint"] = episode.PastCommand{Runs: 9, Took: map[int64]int{3200: 1, 120_000: 7, 300_000: 1}}
	j := only(t, run(newPlay(), "120000"), signal.TimeAnomaly, h)
	if j.Candidate == nil || !strings.Contains(j.Candidate.What, "about 2 minutes") || j.Candidate.For != "median 2 min of 10 runs, nine of ten within 2 min" {
		t.Errorf("mostly slow: %+v", j.Candidate)
	}
}

// TestPairsAgainstGit: partners that git's commits don't have, or that are gone, are
// left out, and said.
func TestPairsAgainstGit(t *testing.T) {
	p := newPlay().edit("status.go", "a", "b").edit("auto_commit.go", "a", "b").edit("gone.go", "a", "b")
	h := History{Sessions: 40, Files: map[string]episode.PastFile{"status.go": {Sessions: 5, Edited: 5}, "auto_commit.go": {Sessions: 5, Edited: 5}, "gone.go": {Sessions: 5, Edited: 5}},
		Pairs:  map[[2]string]episode.PastPair{{"auto_commit.go", "status.go"}: {Edited: 5, Proposed: false}, {"gone.go", "status.go"}: {Edited: 5, Proposed: false}},
		Exists: func(p string) bool { return p != "gone.go" }}
	h.Commits = func(string, string) (both, n int) { return 1, 8 }
	for _, j := range Promote(p.f.Report(), h) {
		if j.Candidate != nil {
			t.Errorf("contradicted by git: %q", j.Candidate.What)
		}
		if strings.HasPrefix(j.Signal.Subject(), "status.go") && j.Verdict == HeldHistory && (!strings.Contains(j.Against, "1 of 8 commits") || !strings.Contains(j.Against, "`gone.go` is gone")) {
			t.Errorf("against: %q", j.Against)
		}
	}
	h.Commits = func(string, string) (both, n int) { return 6, 8 }
	found := false
	for _, j := range Promote(p.f.Report(), h) {
		if j.Candidate != nil {
			found = true
			if strings.Contains(j.Candidate.What, "gone.go") || !strings.Contains(j.Candidate.For, "6 of 8 commits") {
				t.Errorf("%+v", j.Candidate)
			}
		}
	}
	if !found {
		t.Error("what git confirms is not proposed")
	}
}

// TestWorkedAllTheSame: that a command does not work is no lesson where it has worked.
func TestWorkedAllTheSame(t *testing.T) {
	failed, key := "error: unrecognized subcommand 'bun'", "rtk bun run test\x00unrecognized subcommand 'bun'"
	h := History{Signals: map[string]episode.PastSignal{signal.ID(signal.ErrorRetry, key): {Sessions: 2}}}
	if j := only(t, newPlay().sh("rtk bun run test", failed).sh("bun run test", ""), signal.ErrorRetry, h); j.Candidate == nil {
		t.Fatalf("%+v", j)
	}
	if j := only(t, newPlay().sh("rtk bun run test", "").sh("rtk bun run test", failed).sh("bun run test", ""), signal.ErrorRetry, h); j.Verdict != HeldHistory {
		t.Errorf("worked in this session: %s", j.Verdict)
	}
	h.Commands = map[string]episode.PastCommand{"rtk bun run test": {Runs: 30, Fails: 2}}
	if j := only(t, newPlay().sh("rtk bun run test", failed).sh("bun run test", ""), signal.ErrorRetry, h); j.Verdict != HeldHistory || !strings.Contains(j.Against, "worked 28 of 31 times") {
		t.Errorf("worked in others: %s, %q", j.Verdict, j.Against)
	}
}

// TestFileAccess: the sessions that open a file are counted, not those that said so.
func TestFileAccess(t *testing.T) {
	h := History{Sessions: 9, Files: map[string]episode.PastFile{"a.go": {Sessions: 8, Edited: 8}}, Judged: map[signal.Kind]signal.Judged{signal.FileAccess: {Accepted: 9}}}
	if j := only(t, newPlay().read("a.go"), signal.FileAccess, h); j.Sessions != 9 || j.Candidate == nil {
		t.Errorf("%d of %d sessions, %s", j.Sessions, j.Need, j.Verdict)
	}
}

// TestDeclarationsAreFree: where a name is declared a search finds again.
func TestDeclarationsAreFree(t *testing.T) {
	h := History{Signals: map[string]episode.PastSignal{signal.ID(signal.RepeatedSearch, "SessionState\x00state/types.go"): {Sessions: 9}}}
	if j := only(t, newPlay().grep("type SessionState struct").read("state/types.go"), signal.RepeatedSearch, h); j.Candidate != nil {
		t.Errorf("%q", j.Candidate.What)
	}
}

// TestCorrections: what is worded as a rule counts at once, with all that belongs to
// it; what may be about the task at hand only when it is said again.
func TestCorrections(t *testing.T) {
	for _, tc := range []struct{ said, want, verdict string }{
		{"No, don't use npm here. Always use pnpm", "Don't use npm here. Always use pnpm.", Promoted},
		{"Fix the header. Never use default exports in this project, because the bundler drops them.", "Never use default exports in this project, because the bundler drops them.", Promoted},
		{"don't create a PR for it, just a plain commit instead of that", "", ""},
		{"don't create a pull request, only commit", "", HeldFrequency},
	} {
		var got *Judgement
		for _, j := range Promote(newPlay().say(tc.said).f.Report(), History{}) {
			if j.Signal.Kind() == signal.UserCorrection {
				got = &j
			}
		}
		switch {
		case tc.verdict == "":
			if got != nil && got.Candidate != nil {
				t.Errorf("%q: %+v", tc.said, got.Candidate)
			}
		case got == nil:
			t.Errorf("%q: no signal", tc.said)
		case got.Verdict != tc.verdict || got.Candidate != nil && got.Candidate.What != tc.want:
			t.Errorf("%q: %s %+v", tc.said, got.Verdict, got.Candidate)
		}
	}
	said := "don't create a pull request, only commit"
	p := newPlay().say(said)
	h := History{Signals: map[string]episode.PastSignal{signal.ID(signal.UserCorrection, p.signals(signal.UserCorrection)[0].Key): {Sessions: 1}}}
	if j := only(t, p, signal.UserCorrection, h); j.Candidate == nil {
		t.Errorf("said again: %s", j.Verdict)
	}
}

// TestNeeds: what a command lacked is learned by its name, without a value.
func TestNeeds(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		p          *play
	}{
		{"a variable", "`go test` needs the environment variable `REDIS_URL`.",
			newPlay().sh("go test ./...", "panic: REDIS_URL is not set").sh("REDIS_URL=redis://:hunter2@localhost:6379 go test ./...", "")},
		{"a variable that is exported", "`npm test` needs the environment variable `DATABASE_URL`.",
			newPlay().sh("npm test", "Error: Environment variable not found: DATABASE_URL").sh("export DATABASE_URL=postgres://x && npm test", "")},
		{"a service", "`go test` needs what `docker compose up -d redis` starts.",
			newPlay().sh("go test ./store", "dial tcp 127.0.0.1:6379: connect: connection refused").sh("docker compose up -d redis", "").sh("go test ./store", "")},
		{"a folder", "Run `npm test` in `web/`.", newPlay().sh("npm test", `npm error Missing script: "test"`).sh("cd web && npm test", "")},
		{"a package manager", "Use `pnpm` here, not `npm`.", newPlay().sh("npm run build", "Unsupported URL Type \"workspace:\": workspace:*").sh("pnpm build", "")},
		{"an option of the program's", "", newPlay().sh("make deploy", "error: STAGE missing").sh("make deploy STAGE=dev", "")},
		{"an edit between", "", newPlay().sh("npm test", "1 test failed: expected 2").edit("web/a.ts", "a", "b").sh("cd web && npm test", "")},
	} {
		var got []string
		for _, s := range tc.p.signals(signal.ErrorRetry) {
			if _, needs := s.Detail.(signal.UnmetNeed); !needs {
				continue
			}
			j := judge(s, tc.p.f.Report(), History{Signals: map[string]episode.PastSignal{signal.ID(s.Kind(), s.Key): {Sessions: 1}}})
			if j.Candidate != nil {
				got = append(got, j.Candidate.What)
				if all := j.Candidate.What + j.Candidate.Why; strings.Contains(all, "hunter2") || strings.Contains(all, "redis://") {
					t.Errorf("%s: a value is told: %q", tc.name, all)
				}
			}
		}
		if strings.Join(got, "|") != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestBlame: of a chain the command that failed is to blame, with its own lines only.
func TestBlame(t *testing.T) {
	out := "Exit code 1\n[fmt] $ gofmt -l .\n[fmt] error: 3 files were not found formatted\n[lint] a.go:1:1: undefined: x\n[lint] ERROR task failed"
	f := newPlay().sh("mise run fmt && mise run lint", out).f.Report().Failures
	if len(f) != 1 || f[0].Key != "mise run lint" || strings.Contains(f[0].Line, "[fmt]") {
		t.Errorf("%+v", f)
	}
}

// A program that is written in the command, or a filter that finds nothing, says nothing about the
// project.
func TestNoCandidateOfOneOccasion(t *testing.T) {
	for _, tt := range []struct{ failed, message, worked string }{
		{"node -e \"console.log(a'b)\"", "SyntaxError: missing required )", "node -e \"console.log(1)\""},
		{"python3 -c 'import x'", "no module named x", "python3 -c 'import y'"},
		{"git for-each-ref refs/heads | rg checkpoints", "error: no such ref", "git for-each-ref refs/heads"},
	} {
		s := signal.Signal{Detail: signal.FailedCall{Key: "k", Failed: tt.failed, Worked: tt.worked, Message: tt.message}, Key: "k", Agents: 1}
		h := History{Signals: map[string]episode.PastSignal{signal.ID(signal.ErrorRetry, "k"): {Sessions: 3}}}
		if j := judge(s, Report{}, h); j.Verdict != HeldSentence {
			t.Errorf("%s: %s %+v", tt.failed, j.Verdict, j.Candidate)
		}
	}
}
