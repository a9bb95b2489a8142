package judge

import (
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/observe/cmdline"
	"manicule/hooks/observe/fold"
	"manicule/indexer/anchor"
	"manicule/memory/file"
	"manicule/memory/ledger"
)

// session writes what an agent did as "read a.go", "edit a.go", "miss a.go" (a
// read that fails), "$ command", "! command" (that fails), "asks text" and "said text", a
// second apart; the memory is shown at second 0.
func session(over bool, acts ...string) Session {
	s := Session{ID: "s", Over: over}
	for i, act := range acts {
		at := int64(1000 * (i + 1))
		verb, rest, _ := strings.Cut(act, " ")
		c := fold.Call{N: i + 1, At: at, Done: true, OK: true, Paths: []string{rest}}
		switch verb {
		case "read":
			c.Class = event.Read
		case "miss":
			c.Class, c.OK, c.Kind = event.Read, false, fold.FileMissing
		case "edit":
			c.Class = event.Edit
		case "sub":
			c.Class, c.Agent = event.Read, "sub"
		case "$", "!":
			c.Class, c.Command, c.Keys, c.Paths, c.OK = event.Shell, rest, cmdline.Keys(rest), nil, verb == "$"
		case "said":
			s.Corrections = append(s.Corrections, fold.Turn{At: at, Text: rest})
			continue
		case "asks":
			s.Turns = append(s.Turns, fold.Turn{N: i + 1, At: at, Text: rest})
			continue
		default:
			panic(act)
		}
		s.Calls = append(s.Calls, c)
	}
	return s
}

func TestRules(t *testing.T) {
	mem := func(typ file.Type, what string, anchors ...string) *file.Memory {
		m := &file.Memory{UUID: "m", Type: typ, What: what}
		for _, a := range anchors {
			m.Anchors = append(m.Anchors, anchor.Anchor{Path: a})
		}
		return m
	}
	npm := mem(file.ErrorPattern, "`npm test` does not work here; `mise run test` does.")
	push := mem(file.Gotcha, "Never run `git push --force`.")
	plain := mem(file.Gotcha, "Token refresh fails silently when Redis is unreachable", "src/token.go")
	pnpm := mem(file.Preference, "Use `pnpm`, not `npm`.")
	english := mem(file.Preference, "Always answer in plain English words.")
	pair := mem(file.CausalDependency, "Who changes `a.go` mostly changes `b.go` too.", "a.go", "b.go")
	fetch := mem(file.PrefetchPattern, "Who reads `x/a.go` mostly needs `x/b.go` as well.")
	piped := mem(file.Gotcha, "Never run `git log | cat`: it never ends.")
	tail := mem(file.Convention, "Use `go test ./... | tail -5`, not `go test ./...`: it prints too much.")
	gone := mem(file.Gotcha, "There is no `cmd/root.go`: it is `cmd/main/root.go`.")
	gen := mem(file.Convention, "Do not edit `api/gen.go` by hand.")
	scoped := &file.Memory{UUID: "m", Type: file.Decision, What: "Errors are wrapped", Scope: file.Scope{"src/auth/**"}}
	for _, tc := range []struct {
		name string
		m    *file.Memory
		path string
		acts []string
		want ledger.Verdict
		rule string
	}{
		{"told command", npm, "", []string{"read x.go", "$ cd app && mise run test ./..."}, ledger.Followed, "did what it tells"},
		{"warned command", npm, "", []string{"$ mise run test", "! npm test -- --watch"}, ledger.Overridden, "did what it warns of"},
		{"neither", npm, "", []string{"read x.go", "$ ls"}, ledger.Ignored, "nothing touched it"},
		{"another script is no occasion", npm, "", []string{"$ npm install"}, ledger.Ignored, "nothing touched it"},
		{"another way", push, "", []string{"$ git push origin main"}, ledger.Followed, "kept clear"},
		{"the warned way", push, "", []string{"$ git push origin main --force"}, ledger.Overridden, "did what it warns of"},
		{"a warned pipe", piped, "", []string{"$ cd x && git log -3 | cat"}, ledger.Overridden, "did what it warns of"},
		{"a warned pipe with more in it", piped, "", []string{"$ git log | grep x | cat -n"}, ledger.Overridden, "did what it warns of"},
		{"a warned pipe the other way round", piped, "", []string{"$ cat x | git log"}, ledger.Followed, "kept clear"},
		{"one end of a warned pipe", piped, "", []string{"$ git log -3"}, ledger.Followed, "kept clear"},
		{"the other end of a warned pipe", piped, "", []string{"$ cat x.go"}, ledger.Ignored, "nothing touched it"},
		{"both ends apart", piped, "", []string{"$ git log; cat x.go"}, ledger.Followed, "kept clear"},
		{"a told pipe", tail, "", []string{"$ go test ./... 2>&1 | tail -5"}, ledger.Followed, "did what it tells"},
		{"without the pipe", tail, "", []string{"$ go test ./..."}, ledger.Overridden, "did what it warns of"},
		{"something else to the pipe", tail, "", []string{"$ make | tail -5"}, ledger.Ignored, "nothing touched it"},
		{"a part of a told pipe", mem(file.Gotcha, "Use `make check | tee check.log`."), "", []string{"$ make check"}, ledger.Unknown, "worked there"},
		{"a word of a told pipe", mem(file.Gotcha, "Use `make check | tee check.log`."), "", []string{"$ make all"}, ledger.Ignored, "nothing touched it"},
		{"piped to anything", mem(file.Gotcha, "Never run `yes | <cmd>`."), "", []string{"$ yes | make config"}, ledger.Overridden, "did what it warns of"},
		{"piped to nothing", mem(file.Gotcha, "Never run `yes | <cmd>`."), "", []string{"$ yes"}, ledger.Followed, "kept clear"},
		{"a command twice in a pipe", mem(file.Gotcha, "Never run `sed -i`, use `sed -n`."), "", []string{"$ sed -n 1p x | sed -i s/a/b/ y"}, ledger.Overridden, "did what it warns of"},
		{"a long one is no way", mem(file.Gotcha, "`go test -v -run TestOne ./cmd/x` does not work here."), "", []string{"$ go test ./..."}, ledger.Ignored, "nothing touched it"},
		{"another word for it", pnpm, "", []string{"$ pnpm install"}, ledger.Followed, "did what it tells"},
		{"the old word for it", pnpm, "", []string{"$ npm ci"}, ledger.Overridden, "did what it warns of"},
		{"a warning at a file, changed", plain, "", []string{"edit src/token.go"}, ledger.Unknown, "worked there"},
		{"a warning at a file, not touched", plain, "src/token.go", []string{"edit src/other.go"}, ledger.Ignored, "nothing touched it"},
		{"nothing after", plain, "", nil, ledger.Unknown, "nothing came after"},
		{"only a subagent after", plain, "", []string{"sub src/token.go"}, ledger.Unknown, "nothing came after"},
		{"nothing to be seen", english, "", []string{"edit x.go"}, ledger.Unknown, "says nothing to be seen"},
		{"said again", english, "", []string{"edit x.go", "said Please always answer in plain English words"}, ledger.Overridden, "said again"},
		{"said something else", english, "", []string{"edit x.go", "said Always run the tests before a commit"}, ledger.Unknown, "says nothing to be seen"},
		{"both of a pair", pair, "a.go", []string{"edit a.go", "read b.go"}, ledger.Followed, "opened what goes with it"},
		{"one of a pair", pair, "a.go", []string{"edit a.go"}, ledger.Overridden, "changed one alone"},
		{"one of a pair, read", pair, "a.go", []string{"read a.go"}, ledger.Unknown, "worked there"},
		{"one of a pair, from the brief", pair, "", []string{"edit b.go"}, ledger.Overridden, "changed one alone"},
		{"both of a pair, from the brief", pair, "", []string{"edit b.go", "edit a.go"}, ledger.Followed, "opened what goes with it"},
		{"what is read together", fetch, "x/a.go", []string{"read x/b.go"}, ledger.Followed, "opened what goes with it"},
		{"what is read together, alone", fetch, "x/a.go", []string{"read x/a.go"}, ledger.Unknown, "worked there"},
		{"a path that is not there", gone, "", []string{"miss cmd/root.go"}, ledger.Overridden, "did what it warns of"},
		{"the path that is", gone, "", []string{"read cmd/main/root.go"}, ledger.Followed, "did what it tells"},
		{"a file not to be changed, read", gen, "", []string{"read api/gen.go"}, ledger.Unknown, "worked there"},
		{"a file not to be changed, changed", gen, "", []string{"edit api/gen.go"}, ledger.Overridden, "did what it warns of"},
		{"in its scope", scoped, "", []string{"edit src/auth/x.go"}, ledger.Unknown, "worked there"},
		{"out of its scope", scoped, "", []string{"edit src/db/x.go"}, ledger.Ignored, "nothing touched it"},
		{"deleted", nil, "", []string{"edit src/db/x.go"}, ledger.Unknown, "gone"},
	} {
		e := ledger.Entry{UUID: "m", At: time.UnixMilli(500), Agent: "claude-code", Session: "s", Path: tc.path}
		memories := map[string]*file.Memory{"m": tc.m}
		got := Entries(session(true, tc.acts...), []ledger.Entry{e}, memories)[0]
		if got.Verdict != tc.want || got.Rule != tc.rule {
			t.Errorf("%s: %s by %q, want %s by %q", tc.name, got.Verdict, got.Rule, tc.want, tc.rule)
		}
		// What came before it was shown counts for nothing.
		e.At = time.UnixMilli(1 << 40)
		if got := Entries(session(true, tc.acts...), []ledger.Entry{e}, memories)[0]; got.Verdict != ledger.Unknown {
			t.Errorf("%s, shown at the end: %s by %q", tc.name, got.Verdict, got.Rule)
		}
	}
}

// TestOpenSessions: while a session goes on, only what can't change is said.
func TestOpenSessions(t *testing.T) {
	memories := map[string]*file.Memory{"m": {UUID: "m", Type: file.ErrorPattern, What: "`npm test` does not work here; `mise run test` does."}}
	e := []ledger.Entry{{UUID: "m", At: time.UnixMilli(500), Agent: "x", Session: "s"}}
	for act, want := range map[string]ledger.Verdict{"$ mise run test": ledger.Open, "read a.go": ledger.Open, "! npm test": ledger.Overridden} {
		if got := Entries(session(false, act), e, memories)[0]; got.Verdict != want {
			t.Errorf("%s: %s, want %s", act, got.Verdict, want)
		}
	}
}

// TestConversations: a subagent is another conversation, a person none, and what
// is shown again is judged once.
func TestConversations(t *testing.T) {
	memories := map[string]*file.Memory{"m": {UUID: "m", Type: file.Gotcha, What: "x", Anchors: []anchor.Anchor{{Path: "a.go"}}}}
	at := time.UnixMilli(500)
	entries := []ledger.Entry{
		{UUID: "m", At: at, Agent: "x"}, {UUID: "m", At: at, Agent: "x", AgentID: "sub"}, {UUID: "m", At: at, Agent: "x"}, {UUID: "m", At: at},
	}
	var got []string
	for _, j := range Entries(session(true, "sub a.go", "read b.go"), entries, memories) {
		got = append(got, string(j.Verdict))
	}
	if want := []string{"ignored", "unknown", "again", ""}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoSession(t *testing.T) {
	memories := map[string]*file.Memory{"m": {UUID: "m", Type: file.Gotcha, What: "x"}}
	got := Entries(Session{Over: true}, []ledger.Entry{{UUID: "m", Agent: "x"}}, memories)[0]
	if got.Verdict != ledger.Unknown || got.Rule != "no session" {
		t.Errorf("%+v", got)
	}
}

func TestRulesAreDistinct(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		if seen[r.ID] || r.When == "" || r.Why == "" || !slices.Contains(ledger.Verdicts(), r.Verdict) {
			t.Errorf("rule %+v", r)
		}
		seen[r.ID] = true
	}
	last := Rules()[len(Rules())-1]
	if last.Types != nil || !last.holds(&evidence{}) {
		t.Error("the last rule does not hold for everything")
	}
}

// TestOutcomes: what came of following a memory is judged by what happened since.
func TestOutcomes(t *testing.T) {
	bun := &file.Memory{UUID: "m", Type: file.ErrorPattern, What: "`rtk bun run test` does not work here; `bun run test` does."}
	pair := &file.Memory{UUID: "m", Type: file.CausalDependency, What: "Who changes `a.go` mostly changes `b.go` too.", Anchors: []anchor.Anchor{{Path: "a.go"}, {Path: "b.go"}}}
	for _, tc := range []struct {
		name string
		m    *file.Memory
		acts []string
		want ledger.Outcome
		rule string
	}{
		{"its way passed", bun, []string{"$ bun run test"}, ledger.Worked, "its way passed"},
		{"its way failed, then passed", bun, []string{"! bun run test", "edit x.go", "$ bun run test"}, ledger.Worked, "its way passed"},
		{"its way failed", bun, []string{"$ bun run test", "edit x.go", "! bun run test"}, ledger.Failed, "its way failed"},
		{"both files, checks pass", pair, []string{"edit a.go", "edit b.go", "$ go test ./..."}, ledger.Worked, "checks pass"},
		{"both files, a check breaks", pair, []string{"$ go test ./...", "edit a.go", "edit b.go", "! go test ./..."}, ledger.Failed, "a check broke"},
		{"both files, a check was broken before", pair, []string{"! go test ./...", "edit a.go", "edit b.go", "! go test ./..."}, ledger.Untold, "nothing shows it"},
		{"both files, one check passes and one fails as before", pair, []string{"! go vet ./...", "edit a.go", "edit b.go", "$ go test ./...", "! go vet ./..."}, ledger.Untold, "nothing shows it"},
		{"committed", pair, []string{"edit a.go", "edit b.go", "$ git commit -m x"}, ledger.Worked, "committed"},
		{"a commit that failed", pair, []string{"edit a.go", "edit b.go", "! git commit -m x"}, ledger.Untold, "nothing shows it"},
		{"taken back", pair, []string{"edit a.go", "edit b.go", "$ go test ./...", "$ git checkout -- b.go"}, ledger.Failed, "taken back"},
		{"taken back, done again and committed", pair, []string{"edit a.go", "edit b.go", "$ git restore b.go", "edit b.go", "$ git commit -m x"}, ledger.Worked, "committed"},
		{"taken back before it was followed", pair, []string{"edit x.go", "$ git restore x.go", "read a.go", "read b.go"}, ledger.Untold, "nothing shows it"},
		{"complained of", pair, []string{"edit a.go", "edit b.go", "$ go test ./...", "asks that is still broken"}, ledger.Failed, "complained of"},
		{"asked for more, then complained of", pair, []string{"edit a.go", "edit b.go", "$ go test ./...", "asks now the docs", "edit d.md", "asks that is still broken"}, ledger.Worked, "checks pass"},
		{"not followed", pair, []string{"edit x.go", "$ go test ./..."}, "", ""},
	} {
		s := session(true, tc.acts...)
		e := ledger.Entry{UUID: "m", At: time.UnixMilli(500), Agent: "claude-code", Session: "s"}
		got := Entries(s, []ledger.Entry{e}, map[string]*file.Memory{"m": tc.m})[0].Applied
		if got.Outcome != tc.want || got.Rule != tc.rule {
			t.Errorf("%s: %s by %q, want %s by %q", tc.name, got.Outcome, got.Rule, tc.want, tc.rule)
		}
	}
}
