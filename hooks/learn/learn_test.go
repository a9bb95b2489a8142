package learn

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"manicule/hooks/event"
	"manicule/hooks/eventlog"
	"manicule/hooks/observe"
	"manicule/indexer/anchoring"
	"manicule/indexer/workspace"
	"manicule/memory"
	"manicule/memory/secret"
	"manicule/memory/secret/full"
	"manicule/memory/store"
)

// place is a workspace with logs of sessions.
type place struct {
	t   testing.TB
	w   *memory.Workspace
	now time.Time
}

func newPlace(t testing.TB) *place {
	t.Helper()
	home := t.TempDir()
	vars := map[string]string{"HOME": home}
	for _, k := range []string{"STATE", "CACHE", "DATA", "CONFIG"} {
		vars["XDG_"+k+"_HOME"] = filepath.Join(home, strings.ToLower(k))
	}
	vars["XDG_RUNTIME_DIR"] = filepath.Join(home, "run")
	root := filepath.Join(home, "tree")
	if err := os.MkdirAll(filepath.Join(root, ".manicule", "memories"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, now: time.Now()} // the logs' files have real times
	env := workspace.OSEnv()
	env.Getenv = func(k string) string { return vars[k] }
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: root, Env: env, Now: func() time.Time { return p.now }, User: "Ada"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	p.w = w
	return p
}

func (p *place) options() Options { return Options{Workspace: p.w, Slowness: patience} }

// patience is that of tests: what is learned does not depend on what else the machine does.
const patience = 1000

// log writes events of a session.
func (p *place) log(session string, records ...eventlog.Record) {
	p.t.Helper()
	for _, r := range records {
		r.Session, r.Agent, r.CWD, r.Time = session, "claude-code", p.w.Root(), p.now.UnixMilli()
		if err := eventlog.Append(p.w.Place().StateDir(), r); err != nil {
			p.t.Fatal(err)
		}
	}
}

func sh(command, failed string) eventlog.Record {
	r := eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Bash", Class: "shell", ID: command, Command: command, Error: failed}}}
	if failed != "" {
		r.Kind = "post_tool_failure"
	}
	return r
}

func end() eventlog.Record { return eventlog.Record{Kind: "session_end"} }

func retried() []eventlog.Record {
	return []eventlog.Record{sh("rtk bun run test", "error: unrecognized subcommand 'bun'"), sh("bun run test", "")}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestPending: sessions are learned from when they have ended or rest, once,
// and again when they go on.
func TestPending(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	p.log("ended", append(retried(), end())...)
	p.log("running", retried()...)
	if got := must(Pending(ctx, p.options(), 0))(t); len(got) != 1 || got[0].Report.Session != "ended" {
		t.Fatalf("learned from %d sessions: %+v", len(got), got)
	}
	if got := must(Pending(ctx, p.options(), 0))(t); len(got) != 0 {
		t.Errorf("learned again from %d", len(got))
	}
	p.now = p.now.Add(Idle + time.Minute)
	got := must(Pending(ctx, p.options(), 0))(t)
	if len(got) != 1 || got[0].Report.Session != "running" || len(got[0].Results) != 1 {
		t.Fatalf("after a rest: %+v", got)
	}
	p.log("ended", sh("ls", ""))
	p.now = p.now.Add(Idle + time.Minute)
	if got := must(Pending(ctx, p.options(), 0))(t); len(got) != 1 || got[0].Report.Session != "ended" {
		t.Errorf("a session that went on: %+v", got)
	}
	rows := must(p.w.State().Sessions().Latest(ctx, 10))(t)
	if len(rows) != 2 {
		t.Errorf("sessions %+v", rows)
	}
}

// TestPendingTogether: what is the same for all sessions that are learned from together is looked up once.
func TestPendingTogether(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	for _, session := range []string{"one", "two", "three", "four"} {
		p.log(session, append(retried(), end())...)
	}
	names := must(waiting(ctx, p.w.Place(), p.now, p.w.State().Sessions()))(t)
	o, asked := newLearner(p.options()), 0
	texts := o.texts
	o.texts = func(ctx context.Context) ([]string, error) {
		asked++
		return texts(ctx)
	}
	if got := must(o.pending(ctx, names, 0, nil))(t); len(got) != 4 || asked != 1 {
		t.Errorf("%d sessions, and the memories were read %d times", len(got), asked)
	}
}

// TestPendingStops: at the limit, and when the context ends, the rest is left, without an error and without being read.
func TestPendingStops(t *testing.T) {
	p := newPlace(t)
	for i := range 2*heldSessions + 1 {
		p.log(fmt.Sprint("s", i), append(retried(), end())...)
	}
	names := must(waiting(t.Context(), p.w.Place(), p.now, p.w.State().Sessions()))(t)
	for limit, want := range []int{0, 1} {
		ctx, cancel := context.WithCancel(t.Context())
		o, asked := newLearner(p.options()), 0
		o.several = true
		o.texts = func(context.Context) ([]string, error) {
			if asked++; limit == 0 {
				cancel()
			}
			return nil, nil
		}
		if out := must(o.inParts(ctx, names, limit))(t); len(out) != want || asked != 1 {
			t.Errorf("limit %d: %d learned from, and the memories were read %d times", limit, len(out), asked)
		}
		cancel()
	}
}

// TestAtRest: a session that goes on is learned from at the end of a turn, where much was done since it was last read, and
// its end counts it once.
func TestAtRest(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	p.log("first", append(retried(), end())...)
	must(Pending(ctx, p.options(), 0))(t)
	turn := func(session string) {
		p.log(session, retried()...)
		for i := range 150 {
			p.log(session, sh(fmt.Sprintf("go test ./some/package/number%d -run TestThatHasALongName -count=1", i), ""))
		}
	}
	turn("long")
	p.log("short", append(retried(), eventlog.Record{Kind: "stop"})...)
	later := func() []Outcome {
		const after = restsAfter + 5*time.Minute // files have the machine's time, and writing them takes some
		p.now = p.now.Add(after)
		defer func() { p.now = p.now.Add(-after) }()
		return must(AtRest(ctx, p.options()))(t)
	}
	if got := later(); len(got) != 0 {
		t.Errorf("in the middle of a turn: %d sessions", len(got))
	}
	p.log("long", eventlog.Record{Kind: "stop"})
	if got := must(AtRest(ctx, p.options()))(t); len(got) != 0 {
		t.Errorf("as the turn ends: %d sessions", len(got))
	}
	if got := later(); len(got) != 1 || got[0].Report.Session != "long" || len(got[0].Results) != 1 {
		t.Fatalf("at rest: %+v", got)
	}
	if got := later(); len(got) != 0 {
		t.Errorf("the same again: %d sessions", len(got))
	}
	p.log("long", sh("ls", ""), eventlog.Record{Kind: "stop"})
	if got := later(); len(got) != 0 {
		t.Errorf("after hardly anything more: %d sessions", len(got))
	}
	p.log("long", end())
	must(Pending(ctx, p.options(), 0))(t)
	if rows := must(p.w.State().Sessions().Latest(ctx, 10))(t); len(rows) != 2 {
		t.Errorf("sessions %+v", rows)
	}
}

// TestUnreadableLog: a log without a readable line stands in nobody's way.
func TestUnreadableLog(t *testing.T) {
	p := newPlace(t)
	p.log("aaaa", retried()...)
	if err := os.WriteFile(eventlog.Path(p.w.Place().StateDir(), "aaaa"), []byte("\x00\x00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.log("bbbb", append(retried(), end())...)
	p.now = p.now.Add(Idle + time.Minute)
	for range 2 {
		got := must(Pending(t.Context(), p.options(), 1))(t)
		if len(got) > 0 && got[0].Report.Session != "bbbb" {
			t.Errorf("learned from %+v", got)
		}
	}
	if rows := must(p.w.State().Sessions().Latest(t.Context(), 5))(t); len(rows) != 1 {
		t.Errorf("sessions %+v", rows)
	}
}

// TestAnotherWorktree: its sessions are its own, though the logs lie together.
func TestAnotherWorktree(t *testing.T) {
	p := newPlace(t)
	r := end()
	for _, x := range append(retried(), r) {
		x.Session, x.Agent, x.CWD, x.Time = "elsewhere", "claude-code", filepath.Join(filepath.Dir(p.w.Root()), "tree-2"), p.now.UnixMilli()
		if err := eventlog.Append(p.w.Place().StateDir(), x); err != nil {
			t.Fatal(err)
		}
	}
	if got := must(Pending(t.Context(), p.options(), 0))(t); len(got) != 0 {
		t.Errorf("learned from %+v", got)
	}
}

// TestCandidate: what two sessions agree on waits for a person, and is nothing before.
func TestCandidate(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	for i := range 2 {
		p.log(fmt.Sprint("s", i), append(retried(), end())...)
	}
	if got := must(Pending(ctx, p.options(), 1))(t); len(got) != 1 || len(got[0].Results) != 0 {
		t.Fatalf("the first: %+v", got)
	}
	must(Pending(ctx, p.options(), 0))(t)
	drafts := must(p.w.State().Drafts().All(ctx))(t)
	if len(drafts) != 1 || drafts[0].Status != store.StatusCandidate {
		t.Fatalf("drafts %+v", drafts)
	}
	m := drafts[0].Memory
	if m.Trust.Origin != "observer_inferred" || !m.Trust.NeedsReview || m.Trust.Tainted || len(m.Provenance.Sessions) != 2 || !strings.Contains(strings.Join(strings.Fields(string(m.Details)), ""), `"evidence":[1,2]`) {
		t.Errorf("memory %+v, details %s", m, m.Details)
	}
	if _, err := p.w.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if r := must(p.w.Recaller().Recall(ctx, memory.Query{}))(t); r.Total != 0 {
		t.Errorf("%d memories before anybody accepted", r.Total)
	}
	if err := p.w.Drafts().Reject(ctx, m.UUID, "no"); err != nil {
		t.Fatal(err)
	}
	p.log("s9", append(retried(), end())...)
	must(Pending(ctx, p.options(), 0))(t)
	if drafts := must(p.w.State().Drafts().All(ctx))(t); len(drafts) != 0 {
		t.Errorf("it came back: %+v", drafts)
	}
}

// TestRulesAreKnown: what a rule file says is not proposed.
func TestRulesAreKnown(t *testing.T) {
	p := newPlace(t)
	rules := "# Rules\nNever use `rtk bun run test`, only `bun run test` works.\n"
	if err := os.WriteFile(filepath.Join(p.w.Root(), "CLAUDE.md"), []byte(rules), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		p.log(fmt.Sprint("s", i), append(retried(), end())...)
	}
	must(Pending(t.Context(), p.options(), 0))(t)
	if drafts := must(p.w.State().Drafts().All(t.Context()))(t); len(drafts) != 0 {
		t.Errorf("proposed: %q", drafts[0].Memory.What)
	}
}

// TestSecrets: no candidate holds one, whatever the sessions did.
func TestSecrets(t *testing.T) {
	p := newPlace(t)
	const token = "ghp_x8Kd02mZqLw7RtYvB3nHsJ5cFgPa6eU9iT1o"
	for i := range 3 {
		p.log(fmt.Sprint("s", i), sh("deploy run --key "+token, "error: unknown flag: --key"), sh("deploy run --token "+token, ""),
			eventlog.Record{Kind: "prompt", Prompt: "Always use the token " + token + " and never another one"}, end())
	}
	must(Pending(t.Context(), p.options(), 0))(t)
	for _, d := range must(p.w.State().Drafts().All(t.Context()))(t) {
		if data := must(d.Memory.Marshal())(t); strings.Contains(string(data), token) {
			t.Errorf("a secret: %s", data)
		}
	}
}

// TestPendingOfOthers: a session of another worktree is left to it, also where
// the ends of its log can't be read or no event names a folder.
func TestPendingOfOthers(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	for name, tc := range map[string]struct {
		cwd, path  string
		head, tail string
		mine       bool
	}{
		"torn end of another's":    {cwd: other, tail: "{\"v\":1,\"kin"},
		"torn head of another's":   {cwd: other, head: "{\"v\":1,\"kin\n"},
		"torn end of mine":         {cwd: ".", tail: "{\"v\":1,\"kin", mine: true},
		"a path of another's only": {path: filepath.Join(other, "a.go")},
		"a path of mine only":      {path: "a.go", mine: true},
		"nothing of a place":       {mine: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			if tc.cwd == "." {
				tc.cwd = p.w.Root()
			}
			if tc.path == "a.go" {
				tc.path = filepath.Join(p.w.Root(), tc.path)
			}
			var data []byte
			data = append(data, tc.head...)
			for _, r := range append(retried(), eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "Read", Class: "read", Paths: []string{tc.path}}}}) {
				r.Session, r.Agent, r.CWD, r.Time = "s", "claude-code", tc.cwd, p.now.UnixMilli()
				data = append(append(data, must(eventlog.Encode(r))(t)...), '\n')
			}
			data = append(data, tc.tail...)
			path := eventlog.Path(p.w.Place().StateDir(), "s")
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := must(Pending(t.Context(), p.options(), 0))(t); len(got) != 0 {
				t.Errorf("learned from a session that may go on: %+v", got)
			}
			p.now = p.now.Add(Idle + time.Minute)
			if got := must(Pending(t.Context(), p.options(), 0))(t); (len(got) == 1) != tc.mine {
				t.Errorf("learned from %d sessions, mine %t", len(got), tc.mine)
			}
		})
	}
}

// TestSecretsInState: what the log's few rules don't know as a secret the gate
// does, and nothing of the state folder's database holds it.
func TestSecretsInState(t *testing.T) {
	p := newPlace(t)
	token := "SK" + strings.Repeat("0a1b9c8d7e6f2345", 2)
	if masked := secret.MaskCommand("call --key " + token); !strings.Contains(masked, token) {
		t.Fatalf("the log's own rules know it: %q", masked)
	}
	for i := range 3 {
		p.log(fmt.Sprint("s", i), sh("twilio call "+token, "error: bad credentials: "+token), sh("twilio call --sid "+token, ""), sh("twilio-"+token+" run", ""),
			append(retried(), end())[0], sh("bun run test", ""),
			eventlog.Record{Kind: "prompt", Prompt: "Always use the key " + token + " and never another one"}, end())
	}
	out := must(Pending(t.Context(), p.options(), 0))(t)
	if len(out) != 3 {
		t.Fatalf("%d sessions", len(out))
	}
	if err := p.w.Close(); err != nil {
		t.Fatal(err)
	}
	kept := 0
	err := filepath.WalkDir(p.w.Place().StateDir(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), "state") {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), token) {
			t.Errorf("%s holds the secret", d.Name())
		}
		if strings.Contains(string(data), "rtk bun run test") {
			kept++
		}
		return err
	})
	if err != nil || kept == 0 {
		t.Errorf("what is no secret is not there either: %v", err)
	}
}

// TestMethodology: candidates carry another methodology than the usual one.
func TestMethodology(t *testing.T) {
	for name, want := range map[string]string{"": "", "native": "", "test-first": "test-first"} {
		p := newPlace(t)
		for i := range 2 {
			p.log(fmt.Sprint("s", i), append(retried(), end())...)
		}
		p.w.Work().SetMethodology(name)
		must(Pending(t.Context(), p.options(), 0))(t)
		m := must(p.w.State().Drafts().All(t.Context()))(t)[0].Memory
		if got := strings.Join(m.Tags, " "); m.Provenance.Methodology != want || got != "error-retry" {
			t.Errorf("%q: %q, want %q; tags %q", name, m.Provenance.Methodology, want, got)
		}
	}
}

// TestExplain keeps nothing, and gives the events to the evidence.
func TestExplain(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	p.log("abcd-1", retried()...)
	names := must(Find(p.w.Place().StateDir(), "abcd"))(t)
	if len(names) != 1 {
		t.Fatalf("found %v", names)
	}
	e := must(Explain(ctx, p.options(), names[0]))(t)
	if len(e.Records) != 2 || len(e.Judgements) == 0 || e.Judgements[0].Verdict != observe.HeldFrequency {
		t.Errorf("%+v", e.Judgements)
	}
	if rows := must(p.w.State().Sessions().Latest(ctx, 1))(t); len(rows) != 0 {
		t.Errorf("it was kept: %+v", rows)
	}
	for text, want := range map[string]int{"last": 1, "abc": 0, "zzzz": 0, "abcd-1": 1} {
		if got := must(Find(p.w.Place().StateDir(), text))(t); len(got) != want {
			t.Errorf("%q finds %v", text, got)
		}
	}
}

// TestDamagedLog: torn and foreign lines are counted, the rest is read.
func TestDamagedLog(t *testing.T) {
	p := newPlace(t)
	p.log("s", retried()...)
	path := eventlog.Path(p.w.Place().StateDir(), "s")
	f := must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))(t)
	if _, err := f.WriteString("{\"v\":1,\"kind\":\n\x00\x00garbage"); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	out := must(Session(t.Context(), p.options(), "s"))(t)
	if out.Bad != 2 || out.Report.Steps != 2 {
		t.Errorf("%d bad lines, %d steps", out.Bad, out.Report.Steps)
	}
}

func TestOffers(t *testing.T) {
	p := newPlace(t)
	ctx := t.Context()
	look := func() *store.ObserverReader {
		o := must(store.OpenObserverReader(ctx, p.w.Place().StateDir(), p.w.Place().GitPrefix()))(t)
		t.Cleanup(func() {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		})
		return o
	}
	read := func(path, failed string) eventlog.Record {
		kind := "post_tool"
		if failed != "" {
			kind = "post_tool_failure"
		}
		return eventlog.Record{Kind: kind, Calls: []eventlog.Call{{Tool: "Read", Class: "read", ID: path, Paths: []string{filepath.Join(p.w.Root(), path)}, Error: failed}}}
	}
	for i := range 3 {
		p.log(fmt.Sprint("s", i), append(retried(), read("cmd/main.go", "File does not exist."), read("cmd/app/main.go", ""),
			sh("go test ./x", "x_test.go:3: undefined: Flag"), end())...)
	}
	p.log("web", eventlog.Record{Kind: "post_tool", Calls: []eventlog.Call{{Tool: "WebFetch", Class: "web", URL: "https://x.example"}}}, sh("npm run evil", "error: unknown command"), sh("npm run worse", ""), end())
	must(Pending(ctx, p.options(), 0))(t)
	o := look()
	for _, tt := range []struct {
		name, command, path, want string
	}{
		{"the command that failed", "cd x && rtk bun run test 2>&1 | tail -3", "", "`bun run test` then worked"},
		{"the one that works", "bun run test", "", ""},
		{"a path that is not there", "", "cmd/main.go", "`cmd/app/main.go` was the right one"},
		{"a path that is", "", "cmd/app/main.go", ""},
		{"after a page from the web", "npm run evil", "", ""},
	} {
		class, paths := event.Shell, []string(nil)
		if tt.path != "" {
			class, paths = event.Read, []string{tt.path}
		}
		got := must(Offers(ctx, o, class, tt.command, paths))(t)
		if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0].Text, tt.want)) {
			t.Errorf("%s: %+v, want %q", tt.name, got, tt.want)
		}
	}
	start := must(StartOffers(ctx, o, p.now))(t)
	if len(start) != 2 {
		t.Errorf("at the start: %+v", start)
	}
	if got := must(StartOffers(ctx, o, p.now.AddDate(1, 0, 0)))(t); len(got) != 0 {
		t.Errorf("a year later: %+v", got)
	}
}

// A cause that was removed shows in sessions that ran the command and did not meet it.
func TestOffersEndWithTheCause(t *testing.T) {
	p := newPlace(t)
	n := 0
	session := func(records ...eventlog.Record) {
		n++
		id := fmt.Sprint("s", n)
		p.log(id, append(records, end())...)
		must(Pending(t.Context(), p.options(), 0))(t)
		p.now = p.now.Add(time.Hour)
	}
	offers := func() int {
		o := must(store.OpenObserverReader(t.Context(), p.w.Place().StateDir(), p.w.Place().GitPrefix()))(t)
		defer func() { _ = o.Close() }() // it was only read
		return len(must(Offers(t.Context(), o, event.Shell, "pnpm test", nil))(t))
	}
	const message = "Exit code 1\nError: no such table: runtime_flags"
	for range 4 {
		session(sh("pnpm test", message))
	}
	if offers() != 1 {
		t.Fatal("a failure of four sessions is not offered")
	}
	for range 4 {
		session(sh("pnpm test", ""))
	}
	if n := offers(); n != 0 {
		t.Errorf("four sessions later, which did not meet it, there are %d offers", n)
	}
	session(sh("pnpm test", message))
	if offers() != 1 {
		t.Error("it is not offered again after it came back")
	}
}

// TestWaitingLooksAtTheNewest: a start looks at the sessions that were written last, among which is what waits, and not at thousands.
func TestWaitingLooksAtTheNewest(t *testing.T) {
	p := newPlace(t)
	waits := func() bool {
		t.Helper()
		o := must(store.OpenObserverReader(t.Context(), p.w.Place().StateDir(), ""))(t)
		defer func() {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}()
		return must(Waiting(t.Context(), p.w.Place(), p.now, o))(t)
	}
	if waits() {
		t.Error("nothing has happened")
	}
	for i := range newestLogs + 1 {
		p.log(fmt.Sprint("s", i), append(retried(), end())...)
	}
	must(Pending(t.Context(), p.options(), 0))(t)
	if waits() {
		t.Error("all of it was learned")
	}
	p.log("s3", sh("ls", ""), end()) // it was resumed
	if !waits() {
		t.Error("a session that went on waits")
	}
}

// TestSettled: after a session was learned from, a start looks only at the logs that are open, until a log comes or one may go on.
func TestSettled(t *testing.T) {
	p := newPlace(t)
	dir := p.w.Place().StateDir()
	open := func() (out []string) {
		t.Helper()
		for _, l := range must(eventlog.OpenLogs(dir))(t) {
			out = append(out, l.Name)
		}
		slices.Sort(out)
		return out
	}
	learn := func(session string) {
		t.Helper()
		must(Session(t.Context(), p.options(), session))(t)
	}
	p.log("ended", append(retried(), end())...)
	p.log("running", retried()...)
	if got := open(); len(got) != 2 {
		t.Errorf("before anything was learned: %q", got)
	}
	learn("ended")
	if got := open(); !slices.Equal(got, []string{"s-running"}) {
		t.Errorf("open: %q", got)
	}
	p.log("new", retried()...)
	if got := open(); len(got) != 3 {
		t.Errorf("a log has come: %q", got)
	}
	learn("running")
	if got := open(); !slices.Equal(got, []string{"s-new"}) {
		t.Errorf("open: %q", got)
	}
	goesOn := func(session string) {
		t.Helper()
		if err := eventlog.Unsettle(dir, session); err != nil {
			t.Fatal(err)
		}
	}
	goesOn("new")
	if got := open(); !slices.Equal(got, []string{"s-new"}) {
		t.Errorf("what is open goes on: %q", got)
	}
	goesOn("ended")
	if got := open(); len(got) != 3 {
		t.Errorf("what was learned from goes on: %q", got)
	}
	learn("new")
	if err := os.WriteFile(filepath.Join(dir, "settled.json"), []byte("{\"folder\""), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := open(); len(got) != 3 {
		t.Errorf("half a file says nothing: %q", got)
	}
}
