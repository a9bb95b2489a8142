package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/protocol"

	"manicule/indexer/anchoring"
	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/ledger"
	"manicule/memory/secret/full"
)

// fakeSessions are sessions whose events a test makes up.
type fakeSessions struct {
	events  chan lsp.SessionEvent
	summary lsp.SessionSummary
	log     []lsp.SessionEntry
}

// Log lists the entries.
func (f fakeSessions) Log(_ context.Context, limit int) ([]lsp.SessionEntry, error) {
	return f.log[:min(limit, len(f.log))], nil
}

// Summary knows one session.
func (f fakeSessions) Summary(_ context.Context, id string) (lsp.SessionSummary, bool, error) {
	return f.summary, id == f.summary.Session, nil
}

// Watch passes the events on.
func (f fakeSessions) Watch(ctx context.Context, happened func(lsp.SessionEvent)) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-f.events:
			happened(e)
		}
	}
}

func withSessions(t *testing.T, s *sandbox) (fakeSessions, lsp.Options) {
	draft, _ := waitingCandidates(t, s)
	f := fakeSessions{events: make(chan lsp.SessionEvent), summary: lsp.SessionSummary{
		Session: "s1", Agent: "claude-code", Started: clock().Add(-time.Hour), Ended: clock(), Used: []string{uuid1, "gone"}, Learned: []string{draft, "gone"}, Balance: ledger.Balance{Tokens: 42, Heeded: 1, Saved: 300},
	}}
	for i := range 3 {
		f.log = append(f.log, lsp.SessionEntry{At: clock().Add(-time.Duration(i) * time.Minute), Session: "s1", Agent: "claude-code", Memory: uuid1, What: "first", Kind: lsp.EntryShown})
	}
	opts := s.options(t)
	opts.NotifyAfter = 1
	opts.Sessions = func(lsp.Memories) lsp.Sessions { return f }
	return f, opts
}

// notes returns the notifications of a method.
func notes(e *lsptest.Editor, method string) []string {
	var out []string
	for _, m := range e.Traffic() {
		if m.Method == method && !m.Result {
			out = append(out, string(m.Raw))
		}
	}
	return out
}

func TestSessionNotifications(t *testing.T) {
	for _, how := range []string{"experimental", "options"} {
		s := newSandbox(t, small())
		f, opts := withSessions(t, s)
		e := s.edit(t, opts)
		c := lsptest.Full()
		if c.Config = false; how == "options" {
			c.Options = `{"extensions": true}`
		} else {
			c.Extensions = true
		}
		e.Initialize(c)
		f.events <- lsp.SessionEvent{Kind: lsp.SessionCompacted, Session: "s1", Agent: "codex"}
		f.events <- lsp.SessionEvent{Kind: lsp.SessionEnded, Session: "s1", Agent: "codex", Used: 2, Learned: 1, Balance: ledger.Balance{Tokens: 42, Saved: 300}}
		e.Await(lsptest.When("the notifications", func(st lsptest.State) bool {
			return st.Seen["manicule/sessionEnded"] == 1 && st.Seen["manicule/compacted"] == 1 && st.Seen["manicule/changed"] > 0
		}))
		var ended struct {
			Session, Agent string
			Used, Learned  int
			Asks           string
			NeedLook       int
			Tokens, Saved  int
		}
		if raw := notes(e, "manicule/sessionEnded")[0]; json.Unmarshal([]byte(raw), &ended) != nil || ended.Session != "s1" || ended.Used != 2 || ended.Learned != 1 || ended.Agent != "codex" || ended.Asks != "all" || ended.NeedLook != 0 || ended.Tokens != 42 || ended.Saved != 300 {
			t.Errorf("%s: ended: %s", how, raw)
		}
		if raw := notes(e, "manicule/compacted")[0]; !strings.Contains(raw, `"session":"s1"`) || !strings.Contains(raw, `"agent":"codex"`) {
			t.Errorf("%s: compacted: %s", how, raw)
		}
		if n := len(e.State().Offers); n != 0 {
			t.Errorf("%s: %d questions beside the notification", how, n)
		}
		for _, l := range e.State().Logs {
			if strings.Contains(l.Message, "unknown setting") {
				t.Errorf("%s: %s", how, l.Message)
			}
		}
	}
}

// TestSessionEndWithoutExtensions: a plain client gets a question, and a list of what
// waits for review.
func TestSessionEndWithoutExtensions(t *testing.T) {
	for _, tt := range []struct {
		name    string
		level   int
		learned int
		asked   bool
	}{{"learned", 2, 2, true}, {"nothing learned", 2, 0, false}, {"on its own", 4, 2, false}} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSandbox(t, small())
			f, opts := withSessions(t, s)
			opts.Trust = func(lsp.Memories) lsp.Trust { return &fakeTrust{level: tt.level} }
			e := s.edit(t, opts)
			e.Answer = func(method string, _ json.RawMessage) (any, bool) {
				return protocol.MessageActionItem{Title: "Review"}, method == protocol.MethodWindowShowMessageRequest
			}
			e.Initialize(lsptest.Full())
			f.events <- lsp.SessionEvent{Kind: lsp.SessionEnded, Session: "s1", Agent: "cursor", Used: 1, Learned: tt.learned, Balance: ledger.Balance{Tokens: 42}}
			f.events <- lsp.SessionEvent{Kind: lsp.SessionCompacted, Session: "s1", Agent: "cursor"}
			e.Await(lsptest.When("the log", func(st lsptest.State) bool { return len(st.Logs) > 0 }))
			if tt.asked {
				st := e.Await(lsptest.When("the list", func(st lsptest.State) bool { return len(st.Messages) == 1 }))
				if m := st.Messages[0].Message; !strings.Contains(m, "an agent thinks this of Validate") || !strings.Contains(m, "manicule.acceptMemory") {
					t.Errorf("list: %s", m)
				}
				if m := st.Offers[0].Message; m != "Manicule: the cursor session was told of 1 memory and suggests 2 things to remember. It was told 42 tokens; no saving is known." {
					t.Errorf("question: %s", m)
				}
			}
			e.Shutdown() // waits for what was started
			st := e.State()
			if asked := len(st.Offers) > 0; asked != tt.asked {
				t.Errorf("asked: %+v", st.Offers)
			}
			for method := range st.Seen {
				if strings.HasPrefix(method, "manicule/") {
					t.Errorf("%s to a client that does not know it", method)
				}
			}
		})
	}
}

// TestHigherTrustIsOffered: the end of a session offers the next level, and never takes it by itself.
func TestHigherTrustIsOffered(t *testing.T) {
	for _, tt := range []struct {
		answer     string
		extensions bool
		level      int
		kept       int
	}{{"Raise it", false, 3, 0}, {"Raise it", true, 3, 0}, {"Keep it", true, 2, 1}, {"", false, 2, 0}} {
		s := newSandbox(t, small())
		f, opts := withSessions(t, s)
		level := &fakeTrust{level: 2, higher: true, answered: make(chan struct{}, 1)}
		opts.Trust = func(lsp.Memories) lsp.Trust { return level }
		e := s.edit(t, opts)
		e.Answer = func(method string, _ json.RawMessage) (any, bool) {
			if tt.answer == "" {
				return nil, method == protocol.MethodWindowShowMessageRequest
			}
			return protocol.MessageActionItem{Title: tt.answer}, method == protocol.MethodWindowShowMessageRequest
		}
		caps := lsptest.Full()
		if tt.extensions {
			caps.Options = `{"extensions": true}`
		}
		e.Initialize(caps)
		f.events <- lsp.SessionEvent{Kind: lsp.SessionEnded, Session: "s1", Agent: "codex", Used: 1}
		st := e.Await(lsptest.When("the offer", func(st lsptest.State) bool { return len(st.Offers) == 1 }))
		if m := st.Offers[0].Message; !strings.Contains(m, "3 of 4 drafts were accepted") || !strings.Contains(m, "from 2 to 3") {
			t.Errorf("question: %s", m)
		}
		if tt.answer != "" {
			<-level.answered
		}
		e.Shutdown() // waits for what was started
		if level.level != tt.level || level.kept != tt.kept {
			t.Errorf("%q: level %d, kept %d times", tt.answer, level.level, level.kept)
		}
	}
}

// TestLevelsAsk: what a session taught is asked about in the way of the level. The only candidate
// of the session needs no look.
func TestLevelsAsk(t *testing.T) {
	for level, want := range map[int]string{1: "Review Later", 2: "Accept all Review Later", 3: "", 4: ""} {
		s := newSandbox(t, small())
		f, opts := withSessions(t, s)
		opts.Trust = func(lsp.Memories) lsp.Trust { return &fakeTrust{level: level} }
		e := s.edit(t, opts)
		e.Answer = func(method string, _ json.RawMessage) (any, bool) {
			return protocol.MessageActionItem{Title: "Accept all"}, method == protocol.MethodWindowShowMessageRequest
		}
		e.Initialize(lsptest.Full())
		f.events <- lsp.SessionEvent{Kind: lsp.SessionEnded, Session: "s1", Agent: "codex", Used: 1, Learned: 1}
		f.events <- lsp.SessionEvent{Kind: lsp.SessionCompacted, Session: "s1", Agent: "codex"}
		if want != "" {
			e.Await(lsptest.When("the question", func(st lsptest.State) bool { return len(st.Offers) == 1 }))
		}
		e.Await(lsptest.When("the log", func(st lsptest.State) bool { return len(st.Logs) > 0 }))
		if level == 2 {
			st := e.Await(lsptest.When("the answer", func(st lsptest.State) bool { return len(st.Messages) == 1 }))
			if m := st.Messages[0].Message; m != "Manicule: 1 memory accepted." {
				t.Errorf("answer: %s", m)
			}
		} else if got := execute(t, e, "manicule.acceptSession", `"s1"`); !strings.Contains(got, `"accepted":1,"left":0`) {
			t.Errorf("level %d accepted: %s", level, got)
		}
		e.Shutdown()
		got := ""
		for _, o := range e.State().Offers {
			for _, a := range o.Actions {
				got = strings.TrimSpace(got + " " + a.Title)
			}
		}
		if got != want {
			t.Errorf("level %d asks %q, want %q", level, got, want)
		}
	}
}

func TestSessionSummaryAndLog(t *testing.T) {
	s := newSandbox(t, small())
	_, opts := withSessions(t, s)
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	got := askOwn[struct {
		Session, Agent, StartedAt, EndedAt string
		Used                               []theItem
		Learned                            []struct{ What string }
		Tokens, Saved, WarningsFollowed    int
	}](t, e, "manicule/sessionSummary", `{"session": "s1"}`)
	if got.Session != "s1" || got.Tokens != 42 || got.Saved != 300 || got.WarningsFollowed != 1 || len(got.Used) != 1 || got.Used[0].What != "first" || len(got.Learned) != 1 || got.StartedAt != "2026-05-04T11:00:00Z" {
		t.Errorf("summary: %+v", got)
	}
	log := askOwn[struct {
		Entries []struct{ At, Session, Agent, Memory, What, Kind string }
	}](t, e, "manicule/log", `{"limit": 2}`)
	if len(log.Entries) != 2 || log.Entries[0].At != "2026-05-04T12:00:00Z" || log.Entries[1].Kind != "shown" {
		t.Errorf("log: %+v", log)
	}
}

// TestChangedNotifiesOnce: changes by a person and by others are notified once, without
// noise.
func TestChangedNotifiesOnce(t *testing.T) {
	s := newSandbox(t, small())
	f, opts := withSessions(t, s)
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	e.Open("a.go")
	hoverText(t, e, "a.go", 2, 5)
	e.Await(lsptest.When("the first", func(st lsptest.State) bool { return st.Seen["manicule/changed"] > 0 }))
	f.events <- lsp.SessionEvent{Kind: lsp.StateChanged}
	f.events <- lsp.SessionEvent{Kind: lsp.SessionCompacted} // the one before was handled
	before := e.Await(lsptest.When("the mark", func(st lsptest.State) bool { return st.Seen["manicule/compacted"] == 1 })).Seen["manicule/changed"]
	execute(t, e, "manicule.pinMemory", quoted(uuid1))
	e.Await(lsptest.When("the change", func(st lsptest.State) bool { return st.Seen["manicule/changed"] > before }))
}

// TestActsAreToldAtOnce: an editor that asks again after each act hears of the act by then, and not once more when the
// databases that it wrote have changed.
func TestActsAreToldAtOnce(t *testing.T) {
	s := newSandbox(t, small())
	f, opts := withSessions(t, s)
	opts.NotifyAfter = time.Hour
	e := s.edit(t, opts)
	c := lsptest.Full()
	c.Extensions = true
	e.Initialize(c)
	e.Open("a.go")
	hoverText(t, e, "a.go", 2, 5)
	told := func(n int) lsptest.State {
		t.Helper()
		return e.Await(lsptest.When(fmt.Sprintf("%d notifications", n), func(st lsptest.State) bool { return st.Seen["manicule/changed"] == n }))
	}
	execute(t, e, "manicule.pinMemory", quoted(uuid1))
	told(1) // with what the start has reported
	execute(t, e, "manicule.rejectMemory", quoted(f.summary.Learned[0]))
	told(2)
	handled := func(n int) {
		t.Helper()
		f.events <- lsp.SessionEvent{Kind: lsp.SessionCompacted}
		e.Await(lsptest.When("the mark", func(st lsptest.State) bool { return st.Seen["manicule/compacted"] == n }))
	}
	f.events <- lsp.SessionEvent{Kind: lsp.StateChanged}
	handled(1)
	execute(t, e, "manicule.showMemories", quoted(string(e.URI("a.go"))), `{"line": 2, "character": 5}`) // tells what is left
	handled(2)
	told(2)
}

// TestDismissedElsewhere: dismissing a memory in one window hides it in the others.
func TestDismissedElsewhere(t *testing.T) {
	s := newSandbox(t, small())
	f, opts := withSessions(t, s)
	e := s.edit(t, opts)
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	has := func(n int) lsptest.State {
		t.Helper()
		return e.Await(lsptest.When(fmt.Sprintf("%d diagnostics", n), func(st lsptest.State) bool {
			p, ok := st.Diagnostics[e.URI("a.go")]
			return ok && len(p.Diagnostics) == n
		}))
	}
	before := has(1).Seen[protocol.MethodWorkspaceCodeLensRefresh]
	ws, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: s.root, Env: s.env, Now: clock})
	must.OK(t, err)
	t.Cleanup(func() {
		if err := ws.Close(); err != nil {
			t.Error(err)
		}
	})
	must.OK(t, ws.Dismissals().Set(t.Context(), uuid1, "diagnostic", true))
	f.events <- lsp.SessionEvent{Kind: lsp.StateChanged}
	has(0)
	e.Await(lsptest.When("the lenses", func(st lsptest.State) bool { return st.Seen[protocol.MethodWorkspaceCodeLensRefresh] > before }))
}

// fakeFiles is a workspace of many files.
type fakeFiles struct{}

// List lists 40 files.
func (fakeFiles) List(context.Context) ([]string, error) {
	var out []string
	for i := range 30 {
		out = append(out, fmt.Sprintf("src/f%02d.go", i))
	}
	for i := range 10 {
		out = append(out, fmt.Sprintf("docs/d%02d.md", i))
	}
	return out, nil
}

// Modified says that every third file was changed this month.
func (fakeFiles) Modified(path string) (time.Time, bool) {
	if strings.ContainsAny(path[len(path)-4:len(path)-3], "0369") {
		return clock().Add(-24 * time.Hour), true
	}
	return time.Time{}, true
}

func scopeText(t *testing.T, scope string) (*lsptest.Editor, string) {
	t.Helper()
	files := small()
	name, text := memoryJSON(7, `"type": "convention", "what": "x", "scope": `+scope)
	files[name] = text + "\n"
	s := newSandbox(t, files)
	opts := s.options(t)
	opts.Files = func(lsp.Memories) lsp.Files { return fakeFiles{} }
	return s.edit(t, opts), name
}

func TestScopePreview(t *testing.T) {
	for _, tt := range []struct{ scope, want, diags string }{
		{`["src/**"]`, "matches 30 files, 12 edited this month", ""},
		{`"docs/*.md"`, "matches 10 files, 4 edited this month", ""},
		{`["src/f00.go"]`, "matches 1 file, 1 edited this month", ""},
		{`["src/**", "!src/f0*"]`, "matches 30 files, 12 edited this month|leaves out 10 files; all together 20 files, 8 edited this month", ""},
		{`["gone/**"]`, "matches no file", "warning scope matches nothing"},
		{`["src/**", "gone/**"]`, "matches 30 files, 12 edited this month|matches no file; all together 30 files, 12 edited this month", "hint this pattern matches nothing"},
		{`["**"]`, "matches 40 files, 16 edited this month", "information scope matches everything: 40 of 40 files"},
		{`["src/[a-"]`, "", ""},
		{`null`, "", ""},
	} {
		for _, hints := range []bool{true, false} {
			e, name := scopeText(t, tt.scope)
			c := lsptest.Full()
			c.Hints = hints
			e.Initialize(c)
			e.Open(name)
			id := protocol.TextDocumentIdentifier{URI: e.URI(name)}
			var got []string
			if hints {
				for _, h := range lsptest.Do[[]protocol.InlayHint](e, protocol.MethodTextDocumentInlayHint, &protocol.InlayHintParams{TextDocument: id, Range: protocol.Range{End: protocol.Position{Line: 9}}}) {
					got = append(got, string(h.Label.(protocol.String)))
				}
			} else {
				for _, l := range lsptest.Do[[]protocol.CodeLens](e, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: id}) {
					got = append(got, strings.TrimPrefix(l.Command.Title, "☞ "))
				}
			}
			if text := strings.Join(got, "|"); text != tt.want {
				t.Errorf("%s, hints %v: got %q, want %q", tt.scope, hints, text, tt.want)
			}
			if tt.diags == "" {
				continue
			}
			severity, text, _ := strings.Cut(tt.diags, " ")
			number := map[string]protocol.DiagnosticSeverity{"warning": 2, "information": 3, "hint": 4}[severity]
			e.Await(lsptest.When(tt.diags, func(st lsptest.State) bool {
				list := st.Diagnostics[e.URI(name)].Diagnostics
				return len(list) == 1 && list[0].Severity == number && strings.Contains(diagText(list), text)
			}))
		}
	}
}

// TestSeenBefore: only another server's diagnostic that a memory quotes gets a quick
// fix.
func TestSeenBefore(t *testing.T) {
	files := small()
	for i, rest := range []string{
		`"type": "error_pattern", "what": "“undefined: wire.InitializeApp” after a pull: the wiring is stale", "why": "go generate ./cmd"`,
		`"type": "error_pattern", "what": "“undefined: wire.InitializeApp” as a web page has it", "trust": {"origin": "observer_inferred", "tainted": true}`,
		`"type": "error_pattern", "what": "“undefined: wire.InitializeApp” elsewhere", "scope": ["other/**"]`,
		`"type": "gotcha", "what": "“undefined: wire.InitializeApp” is no error pattern"`,
	} {
		name, text := memoryJSON(i+20, rest)
		files[name] = text
	}
	s := newSandbox(t, files)
	for _, options := range []string{`{}`, `{"seenBefore": false}`} {
		e := s.edit(t, s.options(t))
		c := lsptest.Full()
		c.Config, c.Options = false, options
		e.Initialize(c)
		e.Open("a.go")
		at := protocol.Range{Start: protocol.Position{Line: 2}, End: protocol.Position{Line: 2, Character: 4}}
		ask := func(source, message string, only ...protocol.CodeActionKind) []string {
			p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}, Range: at}
			p.Context.Only = only
			p.Context.Diagnostics = []protocol.Diagnostic{{Range: at, Message: protocol.String(message), Source: protocol.NewOptional(source)}}
			var out []string
			for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
				if x, ok := a.(*protocol.CodeAction); ok && strings.HasPrefix(x.Title, "☞") {
					if x.Command.Command != "manicule.openMemory" || len(x.Diagnostics) != 1 {
						t.Errorf("action: %+v", x)
					}
					out = append(out, x.Title)
				}
			}
			return out
		}
		const message = "undefined: wire.InitializeApp"
		want := []string{"☞ Seen before: “undefined: wire.InitializeApp” after a pull: the wiring is stale · go generate ./cmd"}
		if options != "{}" {
			want = nil
		}
		if got := ask("compiler", message); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: got %q", options, got)
		}
		for what, got := range map[string][]string{
			"another name": ask("compiler", "undefined: wire.Other"), "our own": ask("manicule", message), "another kind": ask("compiler", message, "source.organizeImports"),
		} {
			if len(got) > 0 {
				t.Errorf("%s: %q", what, got)
			}
		}
	}
}

// TestReviewMenu: a draft, as it is called everywhere else, has one entry where a menu can be shown.
func TestReviewMenu(t *testing.T) {
	s := newSandbox(t, small())
	draft, _ := waitingCandidates(t, s)
	e := s.edit(t, s.options(t))
	e.Initialize(lsptest.Full())
	e.Open("a.go")
	at := protocol.Position{Line: 2}
	p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}, Range: protocol.Range{Start: at, End: at}}
	p.Context.Diagnostics = []protocol.Diagnostic{}
	var got []string
	for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
		if x, ok := a.(*protocol.CodeAction); ok && strings.HasPrefix(x.Title, "Manicule: review draft “") {
			got = append(got, x.Command.Command+string(x.Command.Arguments[0]))
		}
	}
	if want := "[manicule.memoryActions" + quoted(draft) + "]"; fmt.Sprint(got) != want {
		t.Fatalf("got %v, want %s", got, want)
	}
	menu := execute(t, e, "manicule.memoryActions", quoted(draft))
	for _, command := range []string{"accept", "edit", "reject"} {
		if !strings.Contains(menu, `"manicule.`+command+`Memory"`) {
			t.Errorf("no %s in %s", command, menu)
		}
	}
}

func TestReviewActions(t *testing.T) {
	s := newSandbox(t, small())
	draft, candidate := waitingCandidates(t, s)
	for _, tt := range []struct {
		name    string
		line    uint32
		only    protocol.CodeActionKind
		trigger protocol.CodeActionTriggerKind
		options string
		want    []string
	}{
		{"on its line", 2, "", 0, `{}`, []string{draft}},
		{"on the first line", 0, "refactor", 0, `{}`, []string{candidate, draft}},
		{"on another line", 1, "", 0, `{}`, nil},
		{"another kind", 2, "quickfix", 0, `{}`, nil},
		{"unasked", 2, "", protocol.CodeActionTriggerKindAutomatic, `{}`, nil},
		{"turned off", 2, "", 0, `{"reviewActions": false}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := s.edit(t, s.options(t))
			c := lsptest.Full()
			c.Config, c.Options, c.Questions = false, tt.options, false
			e.Initialize(c)
			e.Open("a.go")
			p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI("a.go")}, Range: protocol.Range{Start: protocol.Position{Line: tt.line}, End: protocol.Position{Line: tt.line}}}
			p.Context.Diagnostics, p.Context.TriggerKind = []protocol.Diagnostic{}, tt.trigger
			if tt.only != "" {
				p.Context.Only = []protocol.CodeActionKind{tt.only}
			}
			var got []string
			for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
				if x, ok := a.(*protocol.CodeAction); ok && strings.HasPrefix(x.Title, "Manicule: Review: ") {
					got = append(got, x.Command.Command+string(x.Command.Arguments[0]))
				}
			}
			var want []string
			for _, id := range tt.want {
				for _, command := range []string{"accept", "edit", "reject"} {
					want = append(want, "manicule."+command+"Memory"+quoted(id))
				}
			}
			if tt.name == "on the first line" && len(got) == 6 && got[0] != want[0] { // best first, whichever that is
				want = append(want[3:], want[:3]...)
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("got %v\nwant %v", got, want)
			}
		})
	}
}
