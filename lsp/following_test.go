package lsp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchoring"
	"manicule/indexer/gittest"
	"manicule/indexer/must"
	"manicule/lsp"
	"manicule/lsp/convert"
	"manicule/lsp/lsptest"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/follow"
	"manicule/memory/secret/full"
)

// tracking is a sandbox in a git repository, with the tracker of its server.
type tracking struct {
	*sandbox
	mem     *memory.Workspace // another process's, as it were
	mu      sync.Mutex
	tracker *follow.Tracker     // guarded by mu
	moved   []follow.EditorMove // guarded by mu; what the server told
	told    chan struct{}       // has a value after each of them
}

// watched is a tracker that records the moves it gets.
type watched struct {
	*follow.Tracker
	of *tracking
}

func (w watched) Moved(ctx context.Context, m follow.EditorMove) error {
	err := w.Tracker.Moved(ctx, m)
	w.of.mu.Lock()
	w.of.moved = append(w.of.moved, m)
	w.of.mu.Unlock()
	w.of.told <- struct{}{}
	return err
}

// newTracking commits files to a new repository.
func newTracking(t testing.TB, files map[string]string) *tracking {
	t.Helper()
	x := &tracking{sandbox: newSandbox(t, files), told: make(chan struct{}, 100)}
	x.git(t, "init", "-q", "-b", "main")
	x.git(t, "add", "-A")
	x.git(t, "commit", "-q", "-m", "as it was")
	w, err := memory.Open(memory.Options{Secrets: full.Rules{}, MakeAnchor: anchoring.Make, Dir: x.root, Env: x.env, Now: x.now, User: "ahmed"})
	must.OK(t, err)
	x.mem = w
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func (x *tracking) git(t testing.TB, args ...string) string {
	t.Helper()
	return gittest.GitAt(t, x.root, time.Date(2026, 5, 4, 11, 0, 0, 0, time.UTC), args...)
}

// remember anchors a memory to a place on disk.
func (x *tracking) remember(t testing.TB, at string, kind file.Type, text string) string {
	t.Helper()
	res, err := x.mem.Remember(context.Background(), memory.Draft{Type: kind, What: text, At: []string{at}, Origin: file.UserTaught})
	if err != nil || !res.Accepted {
		t.Fatalf("remember at %s: %+v %v", at, res, err)
	}
	return res.Memory.UUID
}

func (x *tracking) options(t testing.TB) lsp.Options {
	opts := x.sandbox.options(t)
	opts.RefreshAfter = 1
	opts.ResolveWait = time.Minute // on a busy machine an editor is asked again; a test is not
	opts.Commit = func(_ context.Context, root, rev string) (string, error) {
		out, err := exec.Command("git", "-C", root, "rev-parse", "--verify", "--quiet", rev+"^{commit}").Output()
		return strings.TrimSpace(string(out)), err
	}
	opts.Track = func(m lsp.Memories) (lsp.Tracker, error) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.tracker = follow.Open(m.(*memory.Workspace))
		return watched{x.tracker, x}, nil
	}
	return opts
}

// refresh refreshes the server's tracker and waits for it.
func (x *tracking) refresh(t testing.TB, e *lsptest.Editor) {
	t.Helper()
	execute(t, e, "manicule.status") // the folder is open after it
	x.mu.Lock()
	tracker := x.tracker
	x.mu.Unlock()
	if _, err := tracker.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// followRun plays one file of testdata/following.
type followRun struct {
	*testing.T
	goldens *goldens
	x       *tracking
	editor  *lsptest.Editor
	texts   map[string]string // of open documents
	undo    []change
	uuids   []string
}

type change struct {
	file     string
	at       int
	old, new string
}

// TestFollowing runs testdata/following/*.txtar. The parts was/… are committed
// and memories are anchored to them; then the parts now/… are written over them and
// an editor opens the workspace. Lines that begin with @ are the steps, in
// their order:
//
//	remember("place", type, "text")   before the editor comes
//	gone(file)                        the same
//	open(file) edit(file, "old", "new") undo() save(file) close(file)
//	rename(from, to)                  on disk and reported by the editor
//	run(command, arguments…)          $1 stands for the first memory's uuid
//	show(file, golden)                lenses, diagnostics, hovers and code actions
//	told(file)                        waits until the tracker was told of a move in it
func TestFollowing(t *testing.T) {
	files, err := filepath.Glob("testdata/following/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no files: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive := readGoldens(t, file)
			r := &followRun{T: t, goldens: archive, texts: make(map[string]string)}
			r.play()
			archive.save(t)
		})
	}
}

func (r *followRun) parts(prefix string) map[string]string {
	out := make(map[string]string)
	for _, f := range r.goldens.Files {
		if rel, ok := strings.CutPrefix(f.Name, prefix); ok {
			out[rel] = string(f.Data)
		}
	}
	return out
}

func (r *followRun) play() {
	r.x = newTracking(r.T, r.parts("was/"))
	var steps []marker
	for line := range strings.Lines(string(r.goldens.Comment)) {
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			steps = append(steps, calls(r.T, marker{}, rest)...)
		}
	}
	for _, s := range steps {
		if s.verb != "remember" && r.editor == nil {
			r.begin()
		}
		r.step(s)
	}
}

func (r *followRun) begin() {
	for name, text := range r.parts("now/") {
		path := filepath.Join(r.x.root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			r.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			r.Fatal(err)
		}
	}
	opts := r.x.options(r.T)
	opts.DebounceDelay = time.Hour // no impacts here; TestImpact covers them
	r.editor = r.x.edit(r.T, opts)
	c := lsptest.Full()
	c.Pull, c.Markdown = true, false
	r.editor.Initialize(c)
}

func (r *followRun) path(name string) string {
	return filepath.Join(r.x.root, filepath.FromSlash(name))
}

func (r *followRun) step(s marker) {
	r.Helper()
	switch a := s.args; s.verb {
	case "remember":
		r.uuids = append(r.uuids, r.x.remember(r.T, a[0], file.Type(a[1]), a[2]))
	case "gone":
		if err := os.Remove(r.path(a[0])); err != nil {
			r.Fatal(err)
		}
	case "open":
		text, err := os.ReadFile(r.path(a[0]))
		if err != nil {
			r.Fatal(err)
		}
		r.texts[a[0]] = string(text)
		r.x.refresh(r.T, r.editor)
		r.editor.OpenText(r.editor.URI(a[0]), string(text))
	case "edit":
		at := strings.Index(r.texts[a[0]], a[1])
		if at < 0 {
			r.Fatalf("%s has no %q", a[0], a[1])
		}
		r.apply(change{a[0], at, a[1], a[2]})
		r.undo = append(r.undo, change{a[0], at, a[2], a[1]})
	case "undo":
		r.apply(r.undo[len(r.undo)-1])
		r.undo = r.undo[:len(r.undo)-1]
	case "save":
		r.editor.Save(a[0], r.texts[a[0]])
		r.x.refresh(r.T, r.editor)
	case "close":
		r.editor.CloseDocument(a[0])
	case "rename":
		r.rename(a[0], a[1])
	case "run":
		args := make([]string, len(a)-1)
		for i, arg := range a[1:] {
			args[i] = strings.ReplaceAll(arg, "$1", r.uuids[0])
		}
		execute(r.T, r.editor, a[0], args...)
		r.x.refresh(r.T, r.editor)
	case "told":
		select {
		case <-r.x.told:
		case <-time.After(20 * time.Second):
			r.Fatalf("the tracker was told nothing; the file is\n%s", r.show(a[0]))
		}
		r.x.refresh(r.T, r.editor)
	case "show":
		r.golden(a[1], r.show(a[0]))
	default:
		r.Fatalf("unknown step %s", s.verb)
	}
}

func (r *followRun) apply(c change) {
	text := r.texts[c.file]
	lines := convert.NewLines([]byte(text))
	r.editor.Edit(c.file, lines.Range(c.at, c.at+len(c.old), convert.UTF16), c.new)
	r.texts[c.file] = text[:c.at] + c.new + text[c.at+len(c.old):]
}

func (r *followRun) rename(from, to string) {
	p := &protocol.RenameFilesParams{Files: []protocol.FileRename{{OldURI: string(r.editor.URI(from)), NewURI: string(r.editor.URI(to))}}}
	r.x.refresh(r.T, r.editor)
	if raw, err := r.editor.Call(protocol.MethodWorkspaceWillRenameFiles, p); err != nil || string(raw) != "null" {
		r.Fatalf("willRenameFiles: %s %v", raw, err)
	}
	if err := os.MkdirAll(filepath.Dir(r.path(to)), 0o755); err != nil {
		r.Fatal(err)
	}
	if err := os.Rename(r.path(from), r.path(to)); err != nil {
		r.Fatal(err)
	}
	r.editor.Notify(protocol.MethodWorkspaceDidRenameFiles, p)
}

// show returns everything that a person sees of a file's memories.
func (r *followRun) show(name string) string {
	var b strings.Builder
	b.WriteString("lenses\n")
	id := protocol.TextDocumentIdentifier{URI: r.editor.URI(name)}
	lenses := lsptest.Do[[]protocol.CodeLens](r.editor, protocol.MethodTextDocumentCodeLens, &protocol.CodeLensParams{TextDocument: id})
	for _, l := range lenses {
		l = lsptest.Do[protocol.CodeLens](r.editor, protocol.MethodCodeLensResolve, &l)
		fmt.Fprintf(&b, "  %s %s\n", rangeText(l.Range), l.Command.Title)
	}
	report := lsptest.Do[protocol.RelatedFullDocumentDiagnosticReport](r.editor, protocol.MethodTextDocumentDiagnostic, &protocol.DocumentDiagnosticParams{TextDocument: id})
	b.WriteString("diagnostics\n" + indented(diagText(report.Items)))
	for _, l := range lenses {
		raw, err := r.editor.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: id, Position: l.Range.Start}})
		if err != nil {
			r.Fatal(err)
		}
		var h struct{ Contents struct{ Value string } }
		if err := json.Unmarshal(raw, &h); err != nil {
			r.Fatal(err)
		}
		fmt.Fprintf(&b, "hover on line %d\n%s", l.Range.Start.Line, indented(h.Contents.Value+"\n"))
		r.actions(&b, id, l.Range, report.Items)
	}
	return b.String()
}

func (r *followRun) actions(b *strings.Builder, id protocol.TextDocumentIdentifier, at protocol.Range, diags []protocol.Diagnostic) {
	p := &protocol.CodeActionParams{TextDocument: id, Range: protocol.Range{Start: at.Start, End: at.Start}}
	p.Context.Diagnostics, p.Context.Only = diags, []protocol.CodeActionKind{"quickfix"}
	fmt.Fprintf(b, "actions on line %d\n", at.Start.Line)
	for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](r.editor, protocol.MethodTextDocumentCodeAction, p) {
		a := a.(*protocol.CodeAction)
		if slices.Contains([]string{"stillTrue", "rejectPlace", "followMemory", "anchorMemory", "detachMemory", "archiveMemory"}, strings.TrimPrefix(a.Command.Command, "manicule.")) {
			fmt.Fprintf(b, "  %s: %s %s, fixes %d\n", a.Title, a.Command.Command, bytes.Join(asBytes(a.Command.Arguments), []byte(" ")), len(a.Diagnostics))
		}
	}
}

func indented(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		if strings.TrimSpace(line) != "" {
			b.WriteString("  " + line)
		}
	}
	return b.String()
}

func (r *followRun) golden(name, got string) {
	r.Helper()
	for i, u := range r.uuids {
		got = strings.ReplaceAll(got, u, fmt.Sprintf("$%d", i+1))
	}
	got = strings.ReplaceAll(got, r.x.git(r.T, "rev-parse", "HEAD")[:7], "COMMIT")
	r.goldens.check(r.T, name, got)
}

// oldURI is an old version as VS Code's git names it.
func oldURI(path, rev string) uri.URI {
	q, err := json.Marshal(map[string]string{"path": path, "ref": rev})
	if err != nil {
		panic(err)
	}
	return uri.URI("git:" + path + "?" + strings.NewReplacer("{", "%7B", "}", "%7D", `"`, "%22").Replace(string(q)))
}

// TestFirstHover: the first hover after a file was opened shows a memory whose code moved
// there from another file, at the start of the server and while it runs. Nobody asks twice.
func TestFirstHover(t *testing.T) {
	t.Parallel()
	const function = "func Deliver(to string) error {\n\tif to == \"\" {\n\t\treturn errNobody\n\t}\n\treturn post(to, 3)\n}\n"
	x := newTracking(t, map[string]string{"a.go": "package a\n\n" + function, "b.go": "package a\n\nvar b = 1\n", "c.go": "package a\n\nvar c = 1\n"})
	x.remember(t, "a.go#Deliver", file.Gotcha, "Deliver never retries")
	move := func(from, to string) {
		for name, text := range map[string]string{from: "package a\n", to: "package a\n\n" + function} {
			must.OK(t, os.WriteFile(filepath.Join(x.root, name), []byte(text), 0o644))
		}
	}
	move("a.go", "b.go")
	opts := x.options(t)
	opts.RefreshAfter = time.Hour // nobody but the request brings it forward
	e := x.edit(t, opts)
	e.Initialize(lsptest.Full())
	first := func(name string) {
		t.Helper()
		e.Open(name)
		got, err := e.Call("textDocument/hover", e.At(name, 2, 6))
		must.OK(t, err)
		if !strings.Contains(string(got), "never retries") {
			t.Errorf("the first hover in %s: %s", name, got)
		}
	}
	first("b.go")

	e.CloseDocument("b.go")
	move("b.go", "c.go") // by an agent; the editor has not noticed
	first("c.go")
}

// TestOldVersionRemember: in an old version of a file nothing is offered that would be tied to a line of today's file.
func TestOldVersionRemember(t *testing.T) {
	x := newTracking(t, map[string]string{"a.go": "package a\n\nfunc Old() {}\n\nfunc Keep() {}\n"})
	x.write(t, "a.go", "package a\n\n// A comment.\n\nfunc Keep() {}\n")
	e := x.edit(t, x.options(t))
	e.Initialize(lsptest.Full())
	u := oldURI(filepath.Join(x.root, "a.go"), "HEAD")
	e.OpenText(u, "package a\n\nfunc Old() {}\n\nfunc Keep() {}\n")
	var titles []string
	for _, line := range []uint32{2, 4} {
		at := protocol.Position{Line: line, Character: 6}
		p := &protocol.CodeActionParams{TextDocument: protocol.TextDocumentIdentifier{URI: u}, Range: protocol.Range{Start: at, End: at}}
		p.Context.Diagnostics = []protocol.Diagnostic{}
		for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](e, protocol.MethodTextDocumentCodeAction, p) {
			titles = append(titles, a.(*protocol.CodeAction).Title)
		}
	}
	const file, keep = "Manicule: remember something about this file", "Manicule: remember something about this function Keep"
	if want := []string{file, keep, file}; !slices.Equal(titles, want) { // Old is no more
		t.Errorf("offered %q, want %q", titles, want)
	}
}
