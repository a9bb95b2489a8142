package lsp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"manicule/lsp/folder"

	"manicule/lsp/render"
	"manicule/lsp/settings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/lsp/convert"
	"manicule/lsp/session"
	"manicule/memory"
	"manicule/memory/file"
)

// source is what our diagnostics say they are from.
const source = "manicule"

// Diagnostic answers a client that asks for a document's diagnostics.
func (s *server) Diagnostic(ctx context.Context, p *protocol.DocumentDiagnosticParams) (protocol.DocumentDiagnosticReport, error) {
	r := s.begin(ctx)
	items := r.diagnostics(ctx, p.TextDocument.URI)
	id, err := resultID(items)
	if err != nil {
		return nil, err
	}
	// Some clients drop the diagnostics of a document that they open again, and
	// keep the id: "unchanged" would leave them with none.
	id += "-" + strconv.FormatUint(s.opened.Load(), 36)
	if p.PreviousResultID != nil && *p.PreviousResultID == id {
		return &protocol.RelatedUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
		}, nil
	}
	return &protocol.RelatedFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: items},
	}, nil
}

// DiagnosticWorkspace answers for the memory files that are broken or have lost
// their code, open or not, and takes back what it reported before.
func (s *server) DiagnosticWorkspace(ctx context.Context, p *protocol.WorkspaceDiagnosticParams) (*protocol.WorkspaceDiagnosticReport, error) {
	r := s.begin(ctx)
	previous := make(map[uri.URI]string)
	for _, id := range p.PreviousResultIds {
		previous[id.URI] = id.Value
	}
	uris := r.problemFiles(ctx)
	for u := range previous {
		if path, ok := convert.PathFrom(u); ok && isMemoryFile(path) && !slices.Contains(uris, u) {
			uris = append(uris, u)
		}
	}
	slices.Sort(uris)
	report := &protocol.WorkspaceDiagnosticReport{Items: []protocol.WorkspaceDocumentDiagnosticReport{}}
	for _, u := range uris {
		item, err := r.workspaceReport(ctx, u, previous[u])
		if err != nil {
			return nil, err
		}
		report.Items = append(report.Items, item)
	}
	return report, nil
}

func (r *request) workspaceReport(ctx context.Context, u uri.URI, previous string) (protocol.WorkspaceDocumentDiagnosticReport, error) {
	items := r.diagnostics(ctx, u)
	id, err := resultID(items)
	if err != nil {
		return nil, err
	}
	var version *int32
	if d, ok := r.snap.Get(u); ok {
		version = new(d.Version)
	}
	if id == previous {
		return &protocol.WorkspaceUnchangedDocumentDiagnosticReport{
			UnchangedDocumentDiagnosticReport: protocol.UnchangedDocumentDiagnosticReport{Kind: "unchanged", ResultID: id},
			URI:                               u, Version: version,
		}, nil
	}
	return &protocol.WorkspaceFullDocumentDiagnosticReport{
		FullDocumentDiagnosticReport: protocol.FullDocumentDiagnosticReport{Kind: "full", ResultID: &id, Items: items},
		URI:                          u, Version: version,
	}, nil
}

// resultID names a list of diagnostics by its content.
func resultID(items []protocol.Diagnostic) (string, error) {
	b, err := protocol.Marshal(items)
	if err != nil {
		return "", fmt.Errorf("diagnostics: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

// diagnostics returns what there is to say about a document, never nil.
func (r *request) diagnostics(ctx context.Context, u uri.URI) []protocol.Diagnostic {
	none := []protocol.Diagnostic{}
	path, ok := convert.PathFrom(u)
	if !ok || !r.settings.Diagnostics {
		return none
	}
	if isMemoryFile(path) {
		return slices.Concat(none, r.fileProblems(ctx, u, path), r.fileConcerns(ctx, u, path), r.scopeProblems(ctx, u, path))
	}
	if _, open := r.snap.Get(u); !open {
		return none
	}
	pg, ok := r.page(ctx, u)
	if !ok {
		return none
	}
	marks := pg.marks(ctx)
	out := append(append(none, pg.fitting(append(pg.warnings(marks), pg.concerns(marks)...))...), pg.touching()...)
	slices.SortStableFunc(out, func(a, b protocol.Diagnostic) int { return int(a.Range.Start.Line) - int(b.Range.Start.Line) })
	return out
}

// finding is a diagnostic with the memories that it is about.
type finding struct {
	protocol.Diagnostic
	hits []memory.Hit
}

// warnings are the diagnostics of the document's memories themselves, without
// those of memories that a person does not want there.
func (p *page) warnings(marks []mark) []finding {
	var out []finding
	for _, m := range marks {
		if d, ok := p.diagnostic(m); ok && p.folder.Shows(m.hit.Memory.UUID, folder.SurfaceDiagnostic) {
			out = append(out, finding{d, []memory.Hit{m.hit}})
		}
	}
	return out
}

// fitting are those that a document has room for, in their order: of the most
// severe as many as fit, then of the next.
func (p *page) fitting(all []finding) []protocol.Diagnostic {
	kept := make(map[int]bool, len(all))
	for severity := protocol.DiagnosticSeverityError; severity <= protocol.DiagnosticSeverityHint; severity++ {
		places := make([][]memory.Hit, len(all))
		for i, f := range all {
			if f.Severity == severity {
				places[i] = f.hits
			}
		}
		maps.Copy(kept, chosen(p.folder, places, folder.SurfaceDiagnostic, p.settings.MaxPerFile-len(kept)))
	}
	var out []protocol.Diagnostic
	for i, f := range all {
		if kept[i] {
			out = append(out, f.Diagnostic)
		}
	}
	return out
}

// severityOfMemory is how much a memory's diagnostic stands out.
func severityOfMemory(s *settings.Settings, m *file.Memory) protocol.DiagnosticSeverity {
	name := s.Severity
	if m.Type == file.DeadEnd && m.Trust.DisputedBy == "" && m.Trust.DisputedAt == nil {
		name = s.DeadEndSeverity
	}
	return settings.Severities()[name]
}

// warns reports whether a memory belongs in Problems. What may repeat text
// from outside does not, until a person has verified it: agents read
// diagnostics too.
func warns(m *file.Memory) bool {
	if m.Trust.Tainted && m.Trust.VerifiedBy == "" {
		return false
	}
	return m.Type == file.Gotcha || m.Type == file.DeadEnd
}

func (p *page) diagnostic(m mark) (protocol.Diagnostic, bool) {
	mem := m.hit.Memory
	if !warns(mem) || m.deleted {
		return protocol.Diagnostic{}, false
	}
	data, err := rawArgs(map[string]string{"uuid": mem.UUID})
	if err != nil {
		return protocol.Diagnostic{}, false
	}
	return protocol.Diagnostic{
		Range:    p.diagnosticRange(m),
		Severity: severityOfMemory(p.settings, mem),
		Code:     protocol.String(mem.Type),
		Source:   protocol.NewOptional(source),
		Message:  protocol.String(p.diagnosticText(m)),
		Data:     data[0],
	}, true
}

// diagnosticRange is the symbol's name, or the lines without their indent; the
// first line for a file and for what is not found.
func (p *page) diagnosticRange(m mark) protocol.Range {
	l := p.doc.Lines
	at := m.name
	if !m.found || m.anchor.Kind == anchor.KindFile {
		at = span{0, l.End(0)}
	} else if at == m.body {
		first, last := p.lines(at)
		text := l.Text()[l.Start(first):l.End(first)]
		indent := len(text) - len(bytes.TrimLeft(text, " \t"))
		at = span{l.Start(first) + indent, l.End(last)}
	}
	return l.Range(at.start, at.end, p.snap.Encoding)
}

func (p *page) diagnosticText(m mark) string {
	mem := m.hit.Memory
	text := mem.Type.Label() + ": " + render.OneLine(mem.What, 400)
	if mem.Why != "" {
		text += "\nWhy: " + render.OneLine(mem.Why, 400)
	}
	var notes []string
	if mem.Trust.DisputedBy != "" || mem.Trust.DisputedAt != nil {
		notes = append(notes, "disputed")
	}
	if _, told := severityOf(p.settings, concernOf(m.res)); !told { // else in a diagnostic of its own
		if s := stateText(m.anchor, m.res); s != "" {
			notes = append(notes, s)
		}
	}
	if len(notes) > 0 {
		text += "\n(" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// fileProblems says what is wrong with a memory file: with the text in the
// editor where it is open, else with what is on disk.
func (r *request) fileProblems(ctx context.Context, u uri.URI, path string) []protocol.Diagnostic {
	doc, err := r.snap.Read(ctx, u)
	if err != nil {
		return nil
	}
	if doc.Open {
		_, err := file.Parse(doc.Text())
		var fault *file.Error
		if errors.As(err, &fault) {
			return []protocol.Diagnostic{r.problem(doc, memory.Problem{Line: fault.Line, Column: fault.Column, Message: fault.Error(), Hint: fault.Hint})}
		}
		if err != nil {
			return []protocol.Diagnostic{r.problem(doc, memory.Problem{Message: err.Error()})}
		}
	}
	f, _, ok := r.folders.Owner(ctx, path)
	if !ok {
		return nil
	}
	var out []protocol.Diagnostic
	for _, pr := range f.Memories.View().Problems() {
		if f.ClientPath(pr.Path) == path && !(doc.Open && doc.Base() != doc) {
			out = append(out, r.problem(doc, pr))
		}
	}
	return out
}

func (r *request) problem(doc *session.Document, pr memory.Problem) protocol.Diagnostic {
	line := max(pr.Line-1, 0)
	start := min(doc.Lines.Start(line)+max(pr.Column-1, 0), doc.Lines.End(line))
	text, code := pr.Message, "memory-file"
	if pr.Hint != "" {
		text += "\n" + pr.Hint
	}
	if pr.Held != "" {
		code = codeHeld
	}
	return protocol.Diagnostic{
		Range:    doc.Lines.Range(start, doc.Lines.End(line), r.snap.Encoding),
		Severity: protocol.DiagnosticSeverityWarning,
		Code:     protocol.String(code),
		Source:   protocol.NewOptional(source),
		Message:  protocol.String(text),
	}
}

// problemFiles returns the memory files of all folders that are broken or have
// lost their code.
func (r *request) problemFiles(ctx context.Context) []uri.URI {
	found := make(map[uri.URI]bool)
	for _, f := range r.folders.All(ctx) {
		for _, pr := range f.Memories.View().Problems() {
			found[f.URI(pr.Path)] = true
		}
		for _, u := range concernFiles(f) {
			found[u] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
