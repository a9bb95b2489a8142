package lsp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"

	"manicule/indexer/anchor"
	"manicule/indexer/anchoring"
	"manicule/indexer/graph"
	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/store"
)

const tokenSource = `package auth

// Validate checks a token against the key of the issuer.
func Validate(token string) bool {
	if len(token) == 0 {
		return false
	}
	return signedBy(token, "the issuer")
}

func signedBy(token, who string) bool { return len(token) > len(who) }
`

// start opens a workspace whose token.go has a decision at Validate, with an
// editor on it that pushes diagnostics.
func (x *tracking) start(t *testing.T, opts lsp.Options) *lsptest.Editor {
	t.Helper()
	e := x.edit(t, opts)
	e.Initialize(lsptest.Full())
	x.refresh(t, e)
	return e
}

func (x *tracking) write(t testing.TB, rel, text string) {
	t.Helper()
	must.Write(t, filepath.Join(x.root, rel), text)
}

func wantHover(t *testing.T, e *lsptest.Editor, rel string, line uint32, want string) {
	t.Helper()
	if got := hoverText(t, e, rel, line, 6); !strings.Contains(got, want) {
		t.Errorf("hover on line %d of %s: %s, want %q in it", line, rel, got, want)
	}
}

// slowTracker blocks the resolution of a document's anchors until it is released.
type slowTracker struct {
	lsp.Tracker
	let chan struct{}
}

func (s slowTracker) ResolveText(ctx context.Context, now *anchoring.Source) ([]follow.LiveAnchor, error) {
	select {
	case <-s.let:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return s.Tracker.ResolveText(ctx, now)
}

// TestSlowResolution: requests are answered from the records while anchors are
// resolved, and the client is notified afterwards.
func TestSlowResolution(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	x.write(t, "token.go", strings.ReplaceAll(tokenSource, "Validate", "Check"))
	opts := x.options(t)
	let, track := make(chan struct{}), opts.Track
	opts.ResolveWait = time.Millisecond
	opts.Track = func(m lsp.Memories) (lsp.Tracker, error) {
		tr, err := track(m)
		return slowTracker{tr, let}, err
	}
	e := x.start(t, opts)
	e.Open("token.go")
	wantHover(t, e, "token.go", 0, "its place is not found") // what its record says
	seen := e.State().Seen[protocol.MethodWorkspaceCodeLensRefresh]
	close(let)
	e.Await(lsptest.When("lenses are asked for again", func(s lsptest.State) bool { return s.Seen[protocol.MethodWorkspaceCodeLensRefresh] > seen }))
	// The request may be one of the opening that came late: lenses are asked for more often than answers change.
	within(t, "the hover follows", func() bool {
		return strings.Contains(hoverText(t, e, "token.go", 3, 6), "followed from token.go#Validate")
	})
}

// restless is a tracker that finds an anchor elsewhere at each refresh.
type restless struct {
	lsp.Tracker
	w     *memory.Workspace
	uuid  string
	looks *atomic.Int64
}

func (r restless) Refresh(ctx context.Context) (follow.Report, error) {
	report, err := r.Tracker.Refresh(ctx)
	if err != nil {
		return report, err
	}
	n := int(r.looks.Add(1))
	p := store.Place{State: anchor.Fresh, Path: "token.go", Symbol: "Validate", Line: n, EndLine: n + 5, Confidence: 1}
	if hit, ok := r.w.View().Get(r.uuid); ok {
		p.Key = store.AnchorKey(hit.Memory.Anchors[0])
	}
	return report, r.w.Views().NotePlaces(ctx, map[string][]store.Place{r.uuid: {p}}, nil)
}

// TestRefreshSettles: the result of a refresh does not cause another one, which would
// repeat five times a second for ever.
func TestRefreshSettles(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	uuid := x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	var looks atomic.Int64
	opts := x.options(t)
	opts.RefreshAfter = time.Nanosecond
	track := opts.Track
	opts.Track = func(m lsp.Memories) (lsp.Tracker, error) {
		tr, err := track(m)
		return restless{tr, m.(*memory.Workspace), uuid, &looks}, err
	}
	e := x.start(t, opts)
	for i := range 3 {
		before := looks.Load()
		e.Write("token.go", tokenSource+fmt.Sprintf("// %d\n", i))
		e.Save("token.go", "")
		within(t, "a saved file is looked at", func() bool { return looks.Load() > before })
	}
	before := looks.Load()
	for range 5000 { // long enough for dozens of looks
		execute(t, e, "manicule.status")
	}
	if n := looks.Load() - before; n > 3 { // what was wanted meanwhile comes once more
		t.Errorf("%d looks at the anchors while nothing changes", n)
	}
}

// TestWhileGitIsBusy: no state changes during a merge.
func TestWhileGitIsBusy(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	e := x.start(t, x.options(t))
	head := x.git(t, "rev-parse", "HEAD")
	x.write(t, ".git/MERGE_HEAD", head+"\n")
	x.write(t, "token.go", strings.ReplaceAll(tokenSource, "return false", "panic(0)"))
	x.refresh(t, e)
	e.Open("token.go")
	execute(t, e, "manicule.sync")
	busy := func() bool { return !strings.Contains(hoverText(t, e, "token.go", 3, 6), "may be stale") }
	e.Write("other.go", "package auth\n")
	within(t, "the merge is seen", func() bool {
		e.Save("other.go", "") // the server looks again, once for all saves of a while
		return busy()
	})
	must.OK(t, os.Remove(filepath.Join(x.root, ".git", "MERGE_HEAD")))
	within(t, "the merge is over", func() bool {
		e.Save("other.go", "")
		return !busy()
	})
}

// within waits for a condition that another process brings about.
func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); {
		if time.Now().After(end) {
			t.Fatalf("not met: %s", what)
		}
	}
}

// TestOldRevision shows memories where they were in a commit.
func TestOldRevision(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	uuid := x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	first := x.git(t, "rev-parse", "HEAD")
	now := strings.ReplaceAll("package auth\n\nvar began = 1\n"+strings.TrimPrefix(tokenSource, "package auth\n"), "Validate", "Check")
	x.write(t, "token.go", now)
	x.git(t, "commit", "-qam", "renamed")
	e := x.start(t, x.options(t))
	e.Open("token.go")
	wantHover(t, e, "token.go", 5, "keep it here")

	old := oldURI(filepath.Join(x.root, "token.go"), first)
	e.OpenText(old, tokenSource)
	at := &protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: protocol.TextDocumentIdentifier{URI: old}, Position: protocol.Position{Line: 3, Character: 6}}}
	raw, err := e.Call(protocol.MethodTextDocumentHover, at)
	if err != nil || !strings.Contains(string(raw), "keep it here") || strings.Contains(string(raw), "followed") {
		t.Errorf("hover in the old version: %s %v", raw, err)
	}
	for rev, want := range map[string]string{
		first:  fmt.Sprintf(`[{"uuid":%q,"type":"decision","what":"keep it here","state":"fresh","symbol":"Validate","line":4,"endLine":9,"confidence":1}]`, uuid),
		"HEAD": `"symbol":"Check","line":6,`,
	} {
		raw, err := e.Call("manicule/showAt", map[string]any{"textDocument": map[string]any{"uri": e.URI("token.go")}, "rev": rev})
		if err != nil || !strings.Contains(string(raw), want) {
			t.Errorf("showAt %s: %s %v", rev, raw, err)
		}
	}
	_, err = e.Call("manicule/showAt", map[string]any{"textDocument": map[string]any{"uri": e.URI("token.go")}})
	wantCode(t, err, jsonrpc2.InvalidParams)
	_, err = e.Call("manicule/showAt", map[string]any{"textDocument": map[string]any{"uri": e.URI("token.go")}, "rev": "no-such-commit"})
	wantCode(t, err, jsonrpc2.Code(protocol.LSPErrorCodesRequestFailed))
}

// TestRemembered shows a memory at its code as soon as it was written.
func TestRemembered(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	x.remember(t, "token.go#signedBy", file.Decision, "keep this as well")
	e := x.start(t, x.options(t))
	e.Open("token.go")
	wantHover(t, e, "token.go", 10, "keep this as well")
	if got := execute(t, e, "manicule.remember", `"file://ROOT/token.go"`, `"token.go#Validate"`, `"keep it here"`); !strings.Contains(got, `"accepted":true`) {
		t.Fatal(got)
	}
	wantHover(t, e, "token.go", 3, "keep it here")
	wantHover(t, e, "token.go", 10, "keep this as well")
	x.refresh(t, e)
	if got := hoverText(t, e, "token.go", 3, 6); strings.Count(got, "keep it here") != 1 {
		t.Errorf("hover: %s", got)
	}
}

func touchedText(s lsptest.State, e *lsptest.Editor, rel string) string {
	for _, d := range s.Diagnostics[e.URI(rel)].Diagnostics {
		if d.Code == protocol.String("touched") {
			return fmt.Sprint(d.Message)
		}
	}
	return ""
}

// TestImpact: typing shows what an edit may make stale, which is the memory on the code
// and those on its dependents.
func TestImpact(t *testing.T) {
	files := callers()
	files["b/b.go"] += "\nfunc Far() { Use() }\n"
	x := newTracking(t, files)
	x.remember(t, "a/a.go#Work", file.Gotcha, "slow")
	x.remember(t, "b/b.go#Use", file.Decision, "only here")
	x.remember(t, "b/b.go#Far", file.Decision, "far away")
	opts := x.options(t)
	opts.IndexAfter = time.Nanosecond
	opts.Graph = func(root string) (lsp.Code, error) {
		return graph.Open(graph.Options{Root: root, Dir: filepath.Join(filepath.Dir(root), "cache")}), nil
	}
	e := x.start(t, opts)
	e.Open("a/a.go")
	ask(t, e, "manicule/graph", "a/a.go", map[string]any{"symbol": "Work"}) // it is indexed after it
	lensText(t, e, "a/a.go")
	at := protocol.Range{Start: protocol.Position{Line: 3, Character: 13}, End: protocol.Position{Line: 3, Character: 13}}
	e.Edit("a/a.go", at, " println() ")
	want := "this edit may make 1 gotcha here stale; this edit touches 2 decisions on 2 places (b/b.go#Use, b/b.go#Far), which depend on it"
	e.Await(lsptest.When("it is said what the edit touches", func(s lsptest.State) bool { return touchedText(s, e, "a/a.go") == want }))
	wantHover(t, e, "a/a.go", 3, "Not saved: this edit may make 1 gotcha here stale")
	over := protocol.Range{Start: protocol.Position{Line: 1}, End: protocol.Position{Line: 3, Character: 9}} // its beginning, and what is before it
	e.Edit("a/a.go", over, "")
	over.End = over.Start
	e.Edit("a/a.go", over, "\n// Work works.\nfunc Work")
	at.End.Character += 11
	e.Edit("a/a.go", at, "")
	e.Await(lsptest.When("it is taken back", func(s lsptest.State) bool { return touchedText(s, e, "a/a.go") == "" }))
	at.End = at.Start
	e.Edit("a/a.go", at, " /* a comment */ ")
	e.Edit("a/a.go", protocol.Range{Start: protocol.Position{Line: 3, Character: 5}, End: protocol.Position{Line: 3, Character: 9}}, "Toil")
	e.Await(lsptest.When("a name that others use", func(s lsptest.State) bool { return touchedText(s, e, "a/a.go") == want }))
}

// TestManyCursors moves anchors by edits at several places in one message.
func TestManyCursors(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	x.remember(t, "token.go#signedBy", file.Decision, "keep this as well")
	e := x.start(t, x.options(t))
	e.Open("token.go")
	wantHover(t, e, "token.go", 3, "keep it here")
	insert := func(line uint32) protocol.Range {
		p := protocol.Position{Line: line}
		return protocol.Range{Start: p, End: p}
	}
	e.EditAll("token.go", "// a\n// b\n", insert(10), insert(4), insert(1))
	wantHover(t, e, "token.go", 5, "keep it here")
	wantHover(t, e, "token.go", 16, "keep this as well")
	whole := func(line uint32) protocol.Range {
		return protocol.Range{Start: protocol.Position{Line: line}, End: protocol.Position{Line: line + 2}}
	}
	e.EditAll("token.go", "", whole(14), whole(6), whole(1))
	wantHover(t, e, "token.go", 3, "keep it here")
	wantHover(t, e, "token.go", 10, "keep this as well")
}

// TestMemoryFile shows a lost anchor in the memory's own file, with what to do.
func TestMemoryFile(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	uuid := x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	x.write(t, "token.go", "package auth\n")
	e := x.start(t, x.options(t))
	own := where + uuid + ".json"
	u := e.URI(own)
	s := e.Await(lsptest.When("diagnostics of the memory file, which is not open", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) > 0 }))
	d := s.Diagnostics[u].Diagnostics[0]
	if got := fmt.Sprint(d.Message); !strings.HasPrefix(got, "token.go#Validate: its place is not found: there is no function Validate") || d.Severity != protocol.DiagnosticSeverityWarning {
		t.Errorf("%d %s", d.Severity, got)
	}
	text := must.Read(t, filepath.Join(x.root, own))
	if line := strings.Split(string(text), "\n")[d.Range.Start.Line]; strings.TrimSpace(line[d.Range.Start.Character:]) != "{" {
		t.Errorf("the diagnostic begins at %q", line)
	}
	p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}, Range: d.Range}
	p.Context.Diagnostics = []protocol.Diagnostic{d}
	var titles []string
	for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
		titles = append(titles, a.(*protocol.CodeAction).Title)
	}
	if got := strings.Join(titles, "\n"); got != "Manicule: detach “keep it here” to the file\nManicule: forget “keep it here” (restorable for 30 days)" {
		t.Errorf("actions: %s", got)
	}
	execute(t, e, "manicule.detachMemory", quoted(uuid), "0")
	e.Await(lsptest.When("it is taken back", func(s lsptest.State) bool { return len(s.Diagnostics[u].Diagnostics) == 0 }))
	e.Open("token.go")
	wantHover(t, e, "token.go", 0, "keep it here")
}

// TestFollowSuggestion previews where a lost anchor may be, and follows when the
// person says so.
func TestFollowSuggestion(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource, "c.go": "package auth\n", "b.go": "package auth\n"})
	uuid := x.remember(t, "token.go#Validate", file.Decision, "keep it here")
	_, rest, _ := strings.Cut(tokenSource, "func signedBy")
	x.write(t, "token.go", "package auth\n\nfunc signedBy"+rest)
	code, _, _ := strings.Cut(tokenSource, "func signedBy")
	for _, to := range []string{"b", "c"} { // two copies: none is surely it
		x.write(t, to+".go", strings.ReplaceAll(code, "Validate", "Check"+to))
	}
	e := x.edit(t, x.options(t))
	answers := make(chan string, 1)
	e.Answer = func(method string, _ json.RawMessage) (any, bool) {
		if method != protocol.MethodWindowShowMessageRequest {
			return nil, false
		}
		return protocol.MessageActionItem{Title: <-answers}, true
	}
	e.Initialize(lsptest.Full())
	x.refresh(t, e)
	e.Open("token.go")
	other := "b" // nothing says which of the two comes first
	if strings.Contains(hoverText(t, e, "token.go", 0, 6), "It may be c.go") {
		other = "c"
	}
	maybe := fmt.Sprintf("It may be %s.go#Check%s now", other, other)
	wantHover(t, e, "token.go", 0, maybe)
	answers <- "Not this one"
	got := execute(t, e, "manicule.followMemory", quoted(uuid), "0")
	if !strings.Contains(got, fmt.Sprintf(`"from":"token.go#Validate","to":"%s.go#Check%s"`, other, other)) || !strings.Contains(got, `"applied":false`) {
		t.Errorf("preview: %s", got)
	}
	s := e.Await(lsptest.When("the place is shown and the question asked", func(s lsptest.State) bool { return len(s.Shown) == 1 && len(s.Offers) == 1 }))
	if s.Shown[0].URI != e.URI(other+".go") || s.Shown[0].Selection == nil || s.Shown[0].Selection.Start.Line != 3 {
		t.Errorf("shown: %+v", s.Shown[0])
	}
	wantHover(t, e, "token.go", 0, maybe)
	answers <- "Follow"
	execute(t, e, "manicule.followMemory", quoted(uuid), "0")
	e.Open(other + ".go")
	within(t, "it is followed", func() bool { return strings.Contains(hoverText(t, e, other+".go", 3, 6), "keep it here") })
	if got := execute(t, e, "manicule.anchorMemory", quoted(uuid), "0", `"token.go#signedBy"`); !strings.Contains(got, `"accepted":true`) {
		t.Errorf("anchor: %s", got)
	}
	x.refresh(t, e)
	wantHover(t, e, "token.go", 2, "keep it here")
	for args, want := range map[string]string{
		`5|"token.go"`:           "has no anchor 5",
		`0|"token.go:0"`:         "argument 3",
		`0|"token.go#Nothing"`:   "no symbol Nothing",
		`"x"|"token.go"`:         "argument 2",
		`0|"gone.go#SomethingX"`: "gone.go",
	} {
		_, err := tryExecute(e, "manicule.anchorMemory", append([]string{quoted(uuid)}, strings.Split(args, "|")...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("anchorMemory %s: %v, want %q in it", args, err, want)
		}
	}
}

// TestTrackedOfNoConcern: the code of memories that were superseded or deprecated is followed, and neither a hover nor a
// diagnostic tells of them, also after a change of another memory.
func TestTrackedOfNoConcern(t *testing.T) {
	for _, name := range []string{"superseded", "deprecated"} {
		t.Run(name, func(t *testing.T) {
			x := newTracking(t, map[string]string{"token.go": tokenSource})
			old := x.remember(t, "token.go#Validate", file.Gotcha, "tokens expire after 15 minutes")
			now := x.remember(t, "token.go#Validate", file.Gotcha, "keys are rotated on Mondays")
			ctx := context.Background()
			var err error
			if name == "deprecated" {
				_, err = x.mem.Edits().Deprecate(ctx, old, "no more")
			} else {
				_, err = x.mem.Edits().Change(ctx, now, func(m *file.Memory) error {
					m.Relations = []file.Relation{{Type: "supersedes", Memory: old, Confidence: 1}}
					return nil
				}, "edit", "")
			}
			must.OK(t, err)
			e := x.start(t, x.options(t))
			e.Open("token.go")
			for range 2 {
				if got := hoverText(t, e, "token.go", 3, 6); !strings.Contains(got, "keys are rotated") || strings.Contains(got, "15 minutes") {
					t.Fatalf("hover: %s", got)
				}
				e.Await(lsptest.When("the diagnostic of the other", func(s lsptest.State) bool {
					list := s.Diagnostics[e.URI("token.go")].Diagnostics
					return len(list) == 1 && strings.Contains(fmt.Sprint(list[0].Message), "keys are rotated")
				}))
				execute(t, e, "manicule.pinMemory", quoted(now))
				x.refresh(t, e)
			}
		})
	}
}

// TestLostPlaceOfWhatIsReplaced: Problems warns of a memory that lost its code, and no more once another replaces it.
func TestLostPlaceOfWhatIsReplaced(t *testing.T) {
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	uuid := x.remember(t, "token.go#Validate", file.Decision, "Keys are read from the issuer")
	x.write(t, "token.go", "package auth\n")
	e := x.edit(t, x.options(t))
	c := lsptest.Full()
	c.Pull = true
	e.Initialize(c)
	x.refresh(t, e)
	warned := func() bool {
		report := lsptest.Do[protocol.WorkspaceDiagnosticReport](e, protocol.MethodWorkspaceDiagnostic, &protocol.WorkspaceDiagnosticParams{PreviousResultIds: []protocol.PreviousResultId{}})
		for _, item := range report.Items {
			if full, ok := item.(*protocol.WorkspaceFullDocumentDiagnosticReport); ok && strings.Contains(string(full.URI), uuid) && len(full.Items) > 0 {
				return true
			}
		}
		return false
	}
	if !warned() {
		t.Fatal("no warning of the lost place")
	}
	res, err := x.mem.Remember(t.Context(), memory.Draft{
		Type: file.Decision, What: "Keys come from the vault", At: []string{"token.go"}, Origin: file.UserTaught,
		Relations: []file.Relation{{Type: "supersedes", Memory: uuid, Confidence: 1}},
	})
	if err != nil || !res.Accepted {
		t.Fatalf("%+v, %v", res, err)
	}
	execute(t, e, "manicule.sync")
	if warned() {
		t.Error("it still warns of the replaced memory")
	}
}

// TestSymbolsFollow: a search for memories leads to where their code is now, not to where it was recorded.
func TestSymbolsFollow(t *testing.T) {
	t.Parallel()
	x := newTracking(t, map[string]string{"token.go": tokenSource})
	x.remember(t, "token.go#Validate", file.Decision, "Tokens are checked by their issuer")
	must.OK(t, os.Rename(filepath.Join(x.root, "token.go"), filepath.Join(x.root, "moved.go")))
	x.write(t, "moved.go", "// Package auth.\n"+tokenSource)
	e := x.start(t, x.options(t))
	found := lsptest.Do[[]protocol.SymbolInformation](e, protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: "issuer"})
	if len(found) != 1 || found[0].Location.URI != e.URI("moved.go") || found[0].Location.Range.Start.Line != 4 || *found[0].ContainerName != "moved.go" {
		t.Errorf("found %+v", found)
	}
}

// TestByteOrderMark: an editor leaves a file's byte order mark out of the text. A memory of the first line is not stale for that.
func TestByteOrderMark(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.cs", "a.txt"} {
		const text = "using System;\nusing X;\n\nclass A {\n}\n"
		x := newTracking(t, map[string]string{name: "\ufeff" + text})
		x.remember(t, name+":1", file.Gotcha, "System is first")
		e := x.edit(t, x.options(t))
		e.Initialize(lsptest.Full())
		e.OpenText(e.URI(name), text)
		x.refresh(t, e)
		want := func(line string) {
			t.Helper()
			if got := lensText(t, e, name); !strings.HasPrefix(got, line+" ☞ 1 memory here: ") {
				t.Errorf("%s: %s", name, got)
			}
		}
		want("0:0-0:13")
		e.Replace(name, "// new\n"+text)
		want("1:0-1:13")
		e.Save(name, "\ufeff// new\n"+text)
		want("1:0-1:13")
	}
}
