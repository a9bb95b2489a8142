package feature

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/anchor"
	"manicule/indexer/sorting"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/session"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
)

// Source is the source of our diagnostics.
const Source = "manicule"

// ResultID returns an id for a list of diagnostics, made from its content.
func ResultID(items []protocol.Diagnostic) (string, error) {
	b, err := protocol.Marshal(items)
	if err != nil {
		return "", fmt.Errorf("diagnostics: %w", err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

// Diagnostics returns the diagnostics of a document in a snapshot, never nil.
func Diagnostics(ctx context.Context, pages *page.Cache, snap *session.Snapshot, u uri.URI, s *settings.Settings) []protocol.Diagnostic {
	none := []protocol.Diagnostic{}
	path, ok := snap.Path(u)
	if !ok || !s.Diagnostics {
		return none
	}
	if page.IsMemoryFile(path) {
		if m, ok := pages.OpenMemoryFile(ctx, snap, u); ok {
			return slices.Concat(none, memoryFileProblems(m), takenForAnother(ctx, m), memoryFileConflict(m, s), memoryFileAnchorDiagnostics(m, s), scopeProblems(m, s))
		}
		return none
	}
	if page.IsThreadFile(path) {
		if m, ok := pages.OpenThreadFile(ctx, snap, u); ok {
			return append(none, threadFileConflict(m, s)...)
		}
		return none
	}
	if _, open := snap.Get(u); !open {
		return none
	}
	p, ok := pages.Open(ctx, snap, u)
	if !ok {
		return none
	}
	return append(none, pageDiagnostics(ctx, p, s)...)
}

// pageDiagnostics returns the diagnostics of a page, sorted by line.
func pageDiagnostics(ctx context.Context, p *page.Page, s *settings.Settings) []protocol.Diagnostic {
	marks := p.Marks(ctx)
	out := capDiagnostics(p, s, slices.Concat(conflictDiagnostics(p, marks, s), contradictions(p, marks, s), violations(p, s), warnings(p, marks, s), anchorDiagnostics(p, marks, s)))
	out = slices.Concat(out, threadConflicts(ctx, p, s), impactHints(p, s))
	sorting.StableFunc(out, func(a, b protocol.Diagnostic) int { return int(a.Range.Start.Line) - int(b.Range.Start.Line) })
	return out
}

// memoryDiagnostic is a diagnostic with the memories that it concerns.
type memoryDiagnostic struct {
	protocol.Diagnostic
	hits []memory.Hit
}

// warnings returns the diagnostics that repeat the text of memories, without dismissed
// ones.
func warnings(p *page.Page, marks []page.Mark, s *settings.Settings) []memoryDiagnostic {
	var out []memoryDiagnostic
	for _, m := range marks {
		if d, ok := warning(p, m, s); ok && p.Folder.Dismissed.Shows(m.Hit.Memory.UUID, folder.SurfaceDiagnostic) {
			out = append(out, memoryDiagnostic{d, []memory.Hit{m.Hit}})
		}
	}
	return out
}

// capDiagnostics keeps at most Settings.MaxPerFile diagnostics, in their order. The
// most severe stay.
func capDiagnostics(p *page.Page, s *settings.Settings, all []memoryDiagnostic) []protocol.Diagnostic {
	kept := make(map[int]bool, len(all))
	for severity := protocol.DiagnosticSeverityError; severity <= protocol.DiagnosticSeverityHint; severity++ {
		places := make([][]memory.Hit, len(all))
		for i, f := range all {
			if f.Severity == severity {
				places[i] = f.hits
			}
		}
		maps.Copy(kept, selectPlaces(p.Folder, places, folder.SurfaceDiagnostic, s.MaxPerFile-len(kept)))
	}
	var out []protocol.Diagnostic
	for i, f := range all {
		if kept[i] {
			out = append(out, f.Diagnostic)
		}
	}
	return out
}

// severityOfMemory returns the severity of a memory's diagnostic.
func severityOfMemory(s *settings.Settings, m *file.Memory) protocol.DiagnosticSeverity {
	name := s.Severity
	if m.Type == file.DeadEnd && !m.Trust.Disputed() {
		name = s.DeadEndSeverity
	}
	return settings.Severities()[name]
}

// warns reports whether a memory gets a diagnostic. A tainted memory gets one only
// after a person has verified it, because agents read diagnostics, too.
func warns(m *file.Memory) bool {
	if m.Trust.Tainted && m.Trust.VerifiedBy == "" {
		return false
	}
	return m.Type == file.Gotcha || m.Type == file.DeadEnd
}

func warning(p *page.Page, m page.Mark, s *settings.Settings) (protocol.Diagnostic, bool) {
	mem := m.Hit.Memory
	if !warns(mem) || m.Deleted {
		return protocol.Diagnostic{}, false
	}
	data, err := RawArgs(map[string]string{"uuid": mem.UUID})
	if err != nil {
		return protocol.Diagnostic{}, false
	}
	return protocol.Diagnostic{
		Range:    diagnosticRange(p, m),
		Severity: severityOfMemory(s, mem),
		Code:     protocol.String(mem.Type),
		Source:   protocol.NewOptional(Source),
		Message:  protocol.String(warningText(m, s)),
		Data:     data[0],
	}, true
}

// diagnosticRange returns the range of the symbol's name, or of the lines without their
// indentation. For a file, and for code that was not found, it is the first line.
func diagnosticRange(p *page.Page, m page.Mark) protocol.Range {
	l := p.Text()
	if !m.Found || m.Anchor.Kind == anchor.KindFile {
		return p.TextRange(page.Span{Start: 0, End: l.End(0)})
	}
	if m.Name != m.Body {
		return p.Range(m.Name)
	}
	first, last := p.LinesOf(m.Body)
	text := l.Text()[l.Start(first):l.End(first)]
	indent := len(text) - len(bytes.TrimLeft(text, " \t"))
	return p.TextRange(page.Span{Start: l.Start(first) + indent, End: l.End(last)})
}

func warningText(m page.Mark, s *settings.Settings) string {
	mem := m.Hit.Memory
	text := mem.Type.Label() + ": " + render.OneLine(mem.What, 400)
	if mem.Why != "" {
		text += "\nWhy: " + render.OneLine(mem.Why, 400)
	}
	if instead := mem.Instead(); instead != "" {
		text += "\nInstead: " + render.OneLine(instead, 400)
	}
	var notes []string
	if mem.Trust.Disputed() {
		notes = append(notes, "disputed")
	}
	if _, told := severityOf(s, ConcernOf(m.Resolution)); !told { // else it has a diagnostic of its own
		if state := stateText(m.Anchor, m.Resolution); state != "" {
			notes = append(notes, state)
		}
	}
	if len(notes) > 0 {
		text += "\n(" + strings.Join(notes, "; ") + ")"
	}
	return text
}

// Telling is a diagnostic that shows the text of a memory.
type Telling struct {
	UUID  string         // of the memory
	Range protocol.Range // where a hover surely shows the diagnostic
}

// hintWidth is how many characters of a hint's range have the hint in a hover. VS Code draws three dots for a hint, and gives them the
// first two columns of its range (markerDecorationsService.ts); the second column's end belongs to what follows.
const hintWidth = 1

// Tellings returns the diagnostics that show the text of a memory.
func Tellings(diags []protocol.Diagnostic) []Telling {
	var out []Telling
	for _, d := range diags {
		if uuid, ok := toldBy(d); ok {
			t := Telling{uuid, d.Range}
			if d.Severity == protocol.DiagnosticSeverityHint {
				t.Range.End = t.Range.Start
				t.Range.End.Character += hintWidth
			}
			out = append(out, t)
		}
	}
	return out
}

// toldAt returns the memories whose text a diagnostic shows at a position and has told the client.
func toldAt(diags []protocol.Diagnostic, at protocol.Position, told func(Telling) bool) map[string]bool {
	out := make(map[string]bool)
	for _, t := range Tellings(diags) {
		if holds(t.Range, at) && told(t) {
			out[t.UUID] = true
		}
	}
	return out
}

// toldBy returns the memory whose text a diagnostic shows.
func toldBy(d protocol.Diagnostic) (uuid string, ok bool) {
	if code, _ := d.Code.(protocol.String); file.Type(code) != file.Gotcha && file.Type(code) != file.DeadEnd {
		return "", false
	}
	var about struct {
		UUID string `json:"uuid"`
	}
	err := protocol.Unmarshal(d.Data, &about)
	return about.UUID, err == nil && about.UUID != ""
}

// holds reports whether a position is in a range or at its end.
func holds(r protocol.Range, at protocol.Position) bool {
	compare := func(a, b protocol.Position) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Character, b.Character))
	}
	return compare(r.Start, at) <= 0 && compare(at, r.End) <= 0
}

// memoryFileProblems returns the problems of a memory file: of the text in the editor
// if it is open, else of the file on disk.
func memoryFileProblems(m *page.MemoryFile) []protocol.Diagnostic {
	if m.Doc.Open {
		parsed, err := file.Parse(m.Doc.Text())
		if _, merged := file.ParseMerged(m.Doc.Text()); merged != nil {
			err = merged // its markers can't be read either
		}
		var fault *file.Error
		if errors.As(err, &fault) {
			return []protocol.Diagnostic{problemDiagnostic(m, memory.Problem{Line: fault.Line, Column: fault.Column, Message: fault.Error(), Hint: fault.Hint})}
		}
		if err != nil {
			return []protocol.Diagnostic{problemDiagnostic(m, memory.Problem{Message: err.Error()})}
		}
		if pr, bad := badExpression(parsed, m.Doc.Text()); bad {
			return []protocol.Diagnostic{problemDiagnostic(m, pr)}
		}
	}
	if m.Folder == nil || m.Doc.Open && m.Doc.Base() != m.Doc {
		return nil
	}
	var out []protocol.Diagnostic
	for _, pr := range m.Folder.Memories.View().Problems() {
		if m.Folder.ClientPath(pr.Path) == m.Path {
			out = append(out, problemDiagnostic(m, pr))
		}
	}
	return out
}

// takenForAnother returns the diagnostic in the file of a memory for which git took that of another one, which the merge it is
// in the middle of has no more. It repeats no words: agents read diagnostics, too.
func takenForAnother(ctx context.Context, m *page.MemoryFile) (out []protocol.Diagnostic) {
	if m.Folder == nil {
		return nil
	}
	for _, x := range m.Folder.Memories.Git().Mistaken(ctx) {
		if pr := x.Problem(); m.Folder.ClientPath(x.FileFor) == m.Path {
			out = append(out, problemDiagnostic(m, memory.Problem{Message: "git took another memory for this one: " + pr.ForAgents()}))
		}
	}
	return out
}

func problemDiagnostic(m *page.MemoryFile, pr memory.Problem) protocol.Diagnostic {
	doc := m.Doc
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
		Range:    m.Range(page.Span{Start: start, End: doc.Lines.End(line)}),
		Severity: protocol.DiagnosticSeverityWarning,
		Code:     protocol.String(code),
		Source:   protocol.NewOptional(Source),
		Message:  protocol.String(render.Printable(text)),
	}
}

// ProblemFiles returns the memory files of all folders that are invalid or whose code
// is lost, and the files of undecided threads that have no place in the code.
func ProblemFiles(ctx context.Context, folders *folder.Set) []uri.URI {
	found := make(map[uri.URI]bool)
	for _, f := range folders.All(ctx) {
		for _, pr := range f.Memories.View().Problems() {
			found[f.URI(pr.Path)] = true
		}
		for _, m := range f.Memories.Git().Mistaken(ctx) {
			found[f.URI(m.FileFor)] = true
		}
		for _, u := range lostAnchorFiles(f) {
			found[u] = true
		}
		for _, name := range undecidedFiles(f) {
			found[f.RelURI(name)] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
