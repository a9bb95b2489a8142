package lsp

import (
	"context"
	"fmt"
	"strings"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/lsp/convert"
	"manicule/lsp/session"
)

// matchText says what a scope matches.
func matchText(m folder.ScopeMatch) string {
	switch {
	case m.Files == 0:
		return "matches no file"
	case m.Dated:
		return fmt.Sprintf("matches %s, %d edited this month", render.Plural(m.Files, "file"), m.Recent)
	}
	return "matches " + render.Plural(m.Files, "file")
}

// patternAt is a pattern of a memory file's scope with its place in the text.
type patternAt struct {
	pattern string
	at      span // without the quotes
}

// scopePatterns returns the patterns of the scope in a memory file as it is in
// the editor, up to the first fault of its JSON.
func scopePatterns(doc *session.Document) []patternAt {
	var out []patternAt
	for _, str := range jsonStrings(doc) {
		if str.pointer == "/scope" || strings.HasPrefix(str.pointer, "/scope/") {
			out = append(out, patternAt{str.value, str.at})
		}
	}
	return out
}

func patternsOf(list []patternAt) []string {
	out := make([]string, len(list))
	for i, p := range list {
		out[i] = p.pattern
	}
	return out
}

// noteAt is something to say behind a pattern.
type noteAt struct {
	at   span
	text string
}

// scopeNotes says what each pattern of a memory file matches; behind the last of
// several also what all do together.
func (r *request) scopeNotes(ctx context.Context, u uri.URI) (*session.Document, []noteAt) {
	path, ok := convert.PathFrom(u)
	if !ok || !isMemoryFile(path) || !r.settings.ScopeHints {
		return nil, nil
	}
	f, _, ok := r.folders.Owner(ctx, path)
	if !ok {
		return nil, nil
	}
	doc, err := r.snap.Read(ctx, u)
	if err != nil {
		return nil, nil
	}
	list := scopePatterns(doc)
	if len(list) == 0 {
		return nil, nil
	}
	select {
	case <-f.ListFiles():
	case <-ctx.Done():
		return nil, nil
	}
	var out []noteAt
	for i, p := range list {
		text := ""
		if bare, negative := strings.CutPrefix(p.pattern, "!"); negative {
			if used, known := f.MatchScope(bare); known && used.Err == nil {
				text = "leaves out " + render.Plural(used.Files, "file")
			}
		} else if used, known := f.MatchScope(p.pattern); known && used.Err == nil {
			text = matchText(used)
		}
		if i == len(list)-1 && len(list) > 1 {
			if used, known := f.MatchScope(patternsOf(list)...); known && used.Err == nil {
				text += "; all together " + strings.TrimPrefix(matchText(used), "matches ")
			}
		}
		if text != "" {
			out = append(out, noteAt{p.at, text})
		}
	}
	return doc, out
}

// InlayHint says in a memory's own file what its scope matches.
func (s *server) InlayHint(ctx context.Context, p *protocol.InlayHintParams) ([]protocol.InlayHint, error) {
	r := s.begin(ctx)
	doc, notes := r.scopeNotes(ctx, p.TextDocument.URI)
	var out []protocol.InlayHint
	for _, n := range notes {
		at := doc.Lines.Position(n.at.end+1, r.snap.Encoding)
		if at.Line < p.Range.Start.Line || at.Line > p.Range.End.Line {
			continue
		}
		out = append(out, protocol.InlayHint{Position: at, Label: protocol.String(n.text), PaddingLeft: new(true)})
	}
	return out, ctx.Err()
}

// scopeLenses say it to clients that show no inlay hints.
func (r *request) scopeLenses(ctx context.Context, u uri.URI) []protocol.CodeLens {
	if r.client.Capabilities.InlayHints {
		return nil
	}
	doc, notes := r.scopeNotes(ctx, u)
	var out []protocol.CodeLens
	for _, n := range notes {
		out = append(out, protocol.CodeLens{
			Range:   doc.Lines.Range(n.at.start, n.at.end, r.snap.Encoding),
			Command: protocol.Command{Title: "☞ " + n.text, Command: cmdStatus},
		})
	}
	return out
}

// broadShare is the share of the files from which on a scope is said to match
// everything, and fewFiles is below how many of them nothing is said of it.
const (
	broadShare = 0.95
	fewFiles   = 20
)

// scopeProblems are the diagnostics about the scope in a memory file that is
// open: it matches nothing, or as good as everything.
func (r *request) scopeProblems(ctx context.Context, u uri.URI, path string) []protocol.Diagnostic {
	doc, open := r.snap.Get(u)
	if !open || !r.settings.ScopeHints {
		return nil
	}
	f, _, ok := r.folders.Owner(ctx, path)
	if !ok {
		return nil
	}
	list := scopePatterns(doc)
	if len(list) == 0 {
		return nil
	}
	f.ListFiles() // who publishes does not wait; there is more when it is made
	say := func(at span, severity protocol.DiagnosticSeverity, code, text string) protocol.Diagnostic {
		return protocol.Diagnostic{
			Range: doc.Lines.Range(at.start, at.end, r.snap.Encoding), Severity: severity, Code: protocol.String(code),
			Source: protocol.NewOptional(source), Message: protocol.String(text),
		}
	}
	whole := span{list[0].at.start, list[len(list)-1].at.end}
	used, known := f.MatchScope(patternsOf(list)...)
	switch {
	case !known || used.Err != nil: // a malformed pattern is said by the file's own problems
		return nil
	case used.Files == 0:
		return []protocol.Diagnostic{say(whole, protocol.DiagnosticSeverityWarning, "scope-dead",
			"scope matches nothing: no file of the workspace lies under it, so the memory is shown nowhere until one does")}
	case used.All >= fewFiles && float64(used.Files) >= broadShare*float64(used.All):
		return []protocol.Diagnostic{say(whole, protocol.DiagnosticSeverityInformation, "scope-broad",
			fmt.Sprintf("scope matches everything: %d of %s. Narrow it, or set it to null for the whole project", used.Files, render.Plural(used.All, "file")))}
	}
	var out []protocol.Diagnostic
	for _, p := range list {
		if len(list) == 1 || strings.HasPrefix(p.pattern, "!") {
			continue
		}
		if one, known := f.MatchScope(p.pattern); known && one.Err == nil && one.Files == 0 {
			out = append(out, say(p.at, protocol.DiagnosticSeverityHint, "scope-dead", "this pattern matches nothing"))
		}
	}
	return out
}
