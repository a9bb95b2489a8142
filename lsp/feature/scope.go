package feature

import (
	"context"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
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

// patternAt is a pattern of a memory file's scope with its span in the text.
type patternAt struct {
	pattern string
	at      page.Span // without the quotes
}

// scopePatterns returns the patterns of the scope in a memory file as it is in the
// editor, up to the first error in its JSON.
func scopePatterns(f *page.MemoryFile) []patternAt {
	var out []patternAt
	for _, str := range page.JSONStrings(f.Doc) {
		if str.Pointer == "/scope" || strings.HasPrefix(str.Pointer, "/scope/") {
			out = append(out, patternAt{str.Value, str.At})
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

// scopeNote is a note behind a pattern.
type scopeNote struct {
	at   page.Span
	text string
}

// scopeNotes says how many files each pattern of a memory file matches; behind the last
// of several also how many all patterns match.
func scopeNotes(ctx context.Context, m *page.MemoryFile, s *settings.Settings) []scopeNote {
	if m.Folder == nil || !s.ScopeHints {
		return nil
	}
	f, list := m.Folder, scopePatterns(m)
	if len(list) == 0 {
		return nil
	}
	select {
	case <-f.Scopes.List():
	case <-ctx.Done():
		return nil
	}
	var out []scopeNote
	for i, p := range list {
		text := ""
		if bare, negative := strings.CutPrefix(p.pattern, "!"); negative {
			if used, known := f.Scopes.Match(bare); known && used.Err == nil {
				text = "leaves out " + render.Plural(used.Files, "file")
			}
		} else if used, known := f.Scopes.Match(p.pattern); known && used.Err == nil {
			text = matchText(used)
		}
		if i == len(list)-1 && len(list) > 1 {
			if used, known := f.Scopes.Match(patternsOf(list)...); known && used.Err == nil {
				text += "; all together " + strings.TrimPrefix(matchText(used), "matches ")
			}
		}
		if text != "" {
			out = append(out, scopeNote{p.at, text})
		}
	}
	return out
}

// InlayHints says in a memory's own file what its scope matches.
func InlayHints(ctx context.Context, m *page.MemoryFile, rng protocol.Range, s *settings.Settings) []protocol.InlayHint {
	var out []protocol.InlayHint
	for _, n := range scopeNotes(ctx, m, s) {
		at := m.Position(n.at.End + 1)
		if rng.Start.Line <= at.Line && at.Line <= rng.End.Line {
			out = append(out, protocol.InlayHint{Position: at, Label: protocol.String(n.text), PaddingLeft: new(true)})
		}
	}
	return out
}

// StatusCommand is a command without an effect in the editor, for lenses that are only
// text.
const StatusCommand = "manicule.status"

// ScopeLenses are the scope notes for clients without inlay hints.
func ScopeLenses(ctx context.Context, m *page.MemoryFile, s *settings.Settings) []protocol.CodeLens {
	var out []protocol.CodeLens
	for _, n := range scopeNotes(ctx, m, s) {
		out = append(out, protocol.CodeLens{Range: m.Range(n.at), Command: protocol.Command{Title: "☞ " + n.text, Command: StatusCommand}})
	}
	return out
}

// broadShare is the share of files from which a scope counts as matching nearly
// everything. With fewer than fewFiles files no scope does.
const (
	broadShare = 0.95
	fewFiles   = 20
)

// scopeProblems returns the diagnostics about the scope of an open memory file: it
// matches nothing, or nearly everything.
func scopeProblems(m *page.MemoryFile, s *settings.Settings) []protocol.Diagnostic {
	f := m.Folder
	if f == nil || !m.Doc.Open || !s.ScopeHints {
		return nil
	}
	list := scopePatterns(m)
	if len(list) == 0 {
		return nil
	}
	f.Scopes.List() // don't wait: the event at its end publishes again
	say := func(at page.Span, severity protocol.DiagnosticSeverity, code, text string) protocol.Diagnostic {
		return protocol.Diagnostic{
			Range: m.Range(at), Severity: severity, Code: protocol.String(code),
			Source: protocol.NewOptional(Source), Message: protocol.String(text),
		}
	}
	whole := page.Span{Start: list[0].at.Start, End: list[len(list)-1].at.End}
	used, known := f.Scopes.Match(patternsOf(list)...)
	switch {
	case !known || used.Err != nil: // the file's problems include a malformed pattern
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
		if one, known := f.Scopes.Match(p.pattern); known && one.Err == nil && one.Files == 0 {
			out = append(out, say(p.at, protocol.DiagnosticSeverityHint, "scope-dead", "this pattern matches nothing"))
		}
	}
	return out
}
