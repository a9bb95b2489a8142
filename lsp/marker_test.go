package lsp_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/lsptest"
)

var update = flag.Bool("update", false, "rewrite the golden parts of the marker files")

// TestMarkers runs testdata/<feature>/*.txtar. Such a file holds a workspace:
// sources, and memories under .manicule. Comments in the sources ("//@ …" and
// "#@ …") and lines of the header that begin with @ say what to ask and which
// golden part ("-- @name --") the answer must be. -update rewrites them.
//
//	hover("pattern", golden)     on the first match of the pattern in the line
//	nohover("pattern")           null
//	actions("pattern", golden, only…)
//	lens(file, golden)           resolved
//	diags(file, golden)          pushed, or pulled after @client(pull)
//	links(file, golden)
//	symbols("query", golden)
//	open(file)                   a memory's own file; sources are open
//	client(plain pull commandlinks commands noquestions utf-8 utf-32)
func TestMarkers(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no marker files: %v", err)
	}
	for _, file := range files {
		if filepath.Base(filepath.Dir(file)) == "following" { // TestFollowing's
			continue
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(file), "testdata/"), ".txtar")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			runMarkers(t, file)
		})
	}
}

type marker struct {
	file string // of a comment; "" in the header
	line int
	text string // of the line
	verb string
	args []string
}

type markerRun struct {
	*testing.T
	goldens *goldens
	sandbox *sandbox
	editor  *lsptest.Editor
	client  lsptest.Client
	sources map[string]string
}

func runMarkers(t *testing.T, file string) {
	archive := readGoldens(t, file)
	files := make(map[string]string)
	for _, f := range archive.Files {
		if !strings.HasPrefix(f.Name, "@") {
			files[f.Name] = strings.ReplaceAll(string(f.Data), "<CR>\n", "\r\n")
		}
	}
	r := &markerRun{T: t, goldens: archive, sandbox: newSandbox(t, files), sources: files}
	markers := r.markers()
	r.client = clientFor(markers)
	r.editor = r.sandbox.edit(t, r.sandbox.options(t))
	r.editor.Initialize(r.client)
	for _, name := range sortedNames(files) {
		if !strings.HasPrefix(name, ".manicule") && !strings.HasPrefix(name, "closed") {
			r.editor.Open(name)
		}
	}
	for _, m := range markers {
		r.run(m)
	}
	archive.save(t)
}

func sortedNames(files map[string]string) []string {
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

var (
	markerComment = regexp.MustCompile(`(?://|#)@ (.*)$`)
	markerCall    = regexp.MustCompile(`(\w+)\(((?:"(?:[^"\\]|\\.)*"|[^()"])*)\)`)
	markerArg     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|[^\s,]+`)
)

func (r *markerRun) markers() []marker {
	var out []marker
	for line := range strings.Lines(string(r.goldens.Comment)) {
		if rest, ok := strings.CutPrefix(line, "@"); ok {
			out = append(out, calls(r.T, marker{}, rest)...)
		}
	}
	for _, name := range sortedNames(r.sources) {
		if strings.HasPrefix(name, ".manicule") {
			continue
		}
		for i, line := range strings.Split(r.sources[name], "\n") {
			if c := markerComment.FindStringSubmatchIndex(line); c != nil {
				out = append(out, calls(r.T, marker{file: name, line: i, text: line[:c[0]]}, line[c[2]:c[3]])...)
			}
		}
	}
	return out
}

func calls(t *testing.T, at marker, text string) []marker {
	var out []marker
	for _, c := range markerCall.FindAllStringSubmatch(text, -1) {
		m := at
		m.verb = c[1]
		for _, a := range markerArg.FindAllString(c[2], -1) {
			if strings.HasPrefix(a, `"`) {
				s, err := strconv.Unquote(a)
				if err != nil {
					t.Fatalf("%s: %v", a, err)
				}
				a = s
			}
			m.args = append(m.args, a)
		}
		out = append(out, m)
	}
	return out
}

func clientFor(markers []marker) lsptest.Client {
	c := lsptest.Full()
	for _, m := range markers {
		if m.verb != "client" {
			continue
		}
		for _, a := range m.args {
			switch a {
			case "plain":
				c.Markdown = false
			case "pull":
				c.Pull = true
			case "commands":
				c.Literals = false
			case "noquestions":
				c.Questions = false
			case "commandlinks":
				c.Options = `{"commandLinks": true}`
			case "cap3":
				c.Config, c.Options = false, `{"maxPerFile": 3}`
			default:
				c.Encodings = append(c.Encodings, protocol.PositionEncodingKind(a))
			}
		}
	}
	return c
}

func (r *markerRun) run(m marker) {
	r.Helper()
	switch m.verb {
	case "client":
	case "open":
		r.editor.Open(m.args[0])
	case "hover":
		r.golden(m.args[1], r.hover(m))
	case "nohover":
		if got := r.hover(m); got != "null\n" {
			r.Errorf("%s:%d: hover on %q: %s", m.file, m.line+1, m.args[0], got)
		}
	case "actions":
		r.golden(m.args[1], r.actions(m))
	case "lens":
		r.golden(m.args[1], r.lenses(m.args[0]))
	case "diags":
		r.golden(m.args[1], r.diagnostics(m.args[0]))
	case "links":
		r.editor.Open(m.args[0])
		r.golden(m.args[1], r.links(m.args[0]))
	case "symbols":
		r.golden(m.args[1], r.symbols(m.args[0]))
	default:
		r.Fatalf("unknown marker %s", m.verb)
	}
}

// golden compares an answer with a part of the marker file.
func (r *markerRun) golden(name, got string) {
	r.Helper()
	got = strings.ReplaceAll(got, string(convert.URIFrom(r.sandbox.root)), "file://ROOT")
	got = strings.ReplaceAll(got, r.sandbox.root, "ROOT")
	got = strings.ReplaceAll(got, "  \n", "␠␠\n") // a line break in Markdown, made visible
	r.goldens.check(r.T, name, got)
}

func (r *markerRun) position(m marker) protocol.TextDocumentPositionParams {
	r.Helper()
	at := regexp.MustCompile(m.args[0]).FindStringIndex(m.text)
	if at == nil {
		r.Fatalf("%s:%d: no %q before the marker", m.file, m.line+1, m.args[0])
	}
	lines := convert.NewLines([]byte(r.sources[m.file]))
	p := lines.Position(lines.Start(m.line)+at[0], convert.EncodingFrom(r.client.Encodings))
	return r.editor.At(m.file, p.Line, p.Character)
}

func (r *markerRun) hover(m marker) string {
	r.Helper()
	raw, err := r.editor.Call(protocol.MethodTextDocumentHover, &protocol.HoverParams{TextDocumentPositionParams: r.position(m)})
	if err != nil {
		r.Fatal(err)
	}
	if string(raw) == "null" {
		return "null\n"
	}
	var h struct {
		Contents struct{ Kind, Value string }
		Range    *protocol.Range
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		r.Fatal(err)
	}
	where := "no range"
	if h.Range != nil {
		where = rangeText(*h.Range)
	}
	return fmt.Sprintf("%s, %s\n%s\n", h.Contents.Kind, where, h.Contents.Value)
}

func rangeText(r protocol.Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

func (r *markerRun) lenses(file string) string {
	r.Helper()
	return lensText(r.T, r.editor, file)
}

func lensText(t testing.TB, e *lsptest.Editor, file string) string {
	t.Helper()
	var b strings.Builder
	p := &protocol.CodeLensParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.URI(file)}}
	for _, l := range lsptest.Do[[]protocol.CodeLens](e, protocol.MethodTextDocumentCodeLens, p) {
		if l.Command.Title != "" {
			t.Error("the first step has a command already")
		}
		l = lsptest.Do[protocol.CodeLens](e, protocol.MethodCodeLensResolve, &l)
		fmt.Fprintf(&b, "%s %s: %s %s\n", rangeText(l.Range), l.Command.Title, l.Command.Command, bytes.Join(asBytes(l.Command.Arguments), []byte(" ")))
	}
	return b.String()
}

func asBytes(args []protocol.LSPAny) [][]byte {
	out := make([][]byte, len(args))
	for i, a := range args {
		out[i] = a
	}
	return out
}

func (r *markerRun) diagnostics(file string) string {
	r.Helper()
	if r.client.Pull {
		return r.pulled(file)
	}
	u := r.editor.URI(file)
	s := r.editor.Await(lsptest.When("diagnostics of "+file, func(s lsptest.State) bool {
		p, ok := s.Diagnostics[u]
		return ok && len(p.Diagnostics) > 0
	}))
	return diagText(s.Diagnostics[u].Diagnostics)
}

func (r *markerRun) pulled(file string) string {
	r.Helper()
	if strings.HasPrefix(file, ".manicule") {
		report := lsptest.Do[protocol.WorkspaceDiagnosticReport](r.editor, protocol.MethodWorkspaceDiagnostic, &protocol.WorkspaceDiagnosticParams{PreviousResultIds: []protocol.PreviousResultId{}})
		for _, item := range report.Items {
			if full, ok := item.(*protocol.WorkspaceFullDocumentDiagnosticReport); ok && full.URI == r.editor.URI(file) {
				return diagText(full.Items)
			}
		}
		return "none\n"
	}
	id := protocol.TextDocumentIdentifier{URI: r.editor.URI(file)}
	report := lsptest.Do[protocol.RelatedFullDocumentDiagnosticReport](r.editor, protocol.MethodTextDocumentDiagnostic, &protocol.DocumentDiagnosticParams{TextDocument: id})
	again := lsptest.Do[protocol.RelatedUnchangedDocumentDiagnosticReport](r.editor, protocol.MethodTextDocumentDiagnostic, &protocol.DocumentDiagnosticParams{TextDocument: id, PreviousResultID: report.ResultID})
	if again.Kind != "unchanged" {
		r.Errorf("asked again with its resultId, the report is %q", again.Kind)
	}
	if n := r.editor.State().Seen[protocol.MethodTextDocumentPublishDiagnostics]; n > 0 {
		r.Errorf("%d pushed beside what was asked for", n)
	}
	return diagText(report.Items)
}

func diagText(diags []protocol.Diagnostic) string {
	var b strings.Builder
	for _, d := range diags {
		from, _ := d.Source.Get()
		fmt.Fprintf(&b, "%s severity %d %s %v: %v %s\n", rangeText(d.Range), d.Severity, from, d.Code, d.Message, d.Data)
	}
	return b.String()
}

func (r *markerRun) actions(m marker) string {
	r.Helper()
	at := r.position(m)
	p := &protocol.CodeActionParams{TextDocument: at.TextDocument, Range: protocol.Range{Start: at.Position, End: at.Position}}
	p.Context.Diagnostics = r.editor.State().Diagnostics[at.TextDocument.URI].Diagnostics
	if p.Context.Diagnostics == nil {
		p.Context.Diagnostics = []protocol.Diagnostic{}
	}
	for _, only := range m.args[2:] {
		p.Context.Only = append(p.Context.Only, protocol.CodeActionKind(only))
	}
	var b strings.Builder
	for _, a := range lsptest.Do[[]protocol.CommandOrCodeAction](r.editor, protocol.MethodTextDocumentCodeAction, p) {
		switch a := a.(type) {
		case *protocol.CodeAction:
			fmt.Fprintf(&b, "%s (%s): %s %s\n", a.Title, *a.Kind, a.Command.Command, bytes.Join(asBytes(a.Command.Arguments), []byte(" ")))
		case *protocol.Command:
			fmt.Fprintf(&b, "%s: %s %s\n", a.Title, a.Command, bytes.Join(asBytes(a.Arguments), []byte(" ")))
		}
	}
	return b.String()
}

func (r *markerRun) links(file string) string {
	r.Helper()
	var b strings.Builder
	p := &protocol.DocumentLinkParams{TextDocument: protocol.TextDocumentIdentifier{URI: r.editor.URI(file)}}
	for _, l := range lsptest.Do[[]protocol.DocumentLink](r.editor, protocol.MethodTextDocumentDocumentLink, p) {
		fmt.Fprintf(&b, "%s %s (%s)\n", rangeText(l.Range), deref(l.Target), *l.Tooltip)
	}
	return b.String()
}

func deref(u *uri.URI) uri.URI {
	if u == nil {
		return ""
	}
	return *u
}

func (r *markerRun) symbols(query string) string {
	r.Helper()
	var b strings.Builder
	for _, s := range lsptest.Do[[]protocol.SymbolInformation](r.editor, protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: query}) {
		container := ""
		if s.ContainerName != nil {
			container = " in " + *s.ContainerName
		}
		fmt.Fprintf(&b, "%s%s (kind %d) %s %s\n", s.Name, container, s.Kind, s.Location.URI, rangeText(s.Location.Range))
	}
	return b.String()
}
