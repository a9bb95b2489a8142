package feature

import (
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
)

// impactHints returns hints about memories that unsaved edits may make stale.
func impactHints(p *page.Page, s *settings.Settings) []protocol.Diagnostic {
	if s.DriftedSeverity == settings.Off {
		return nil
	}
	var out []protocol.Diagnostic
	for _, x := range p.Impacts() {
		at, ok := p.Locate(x)
		if !ok || !p.Holds(at.Start) {
			continue
		}
		uuids := []string{}
		for _, h := range x.Own {
			uuids = append(uuids, h.Memory.UUID)
		}
		for _, d := range x.Dependents {
			uuids = append(uuids, d.Hit.Memory.UUID)
		}
		data, err := RawArgs(map[string][]string{"uuids": uuids})
		if err != nil {
			continue
		}
		out = append(out, protocol.Diagnostic{
			Range: p.Range(at), Severity: protocol.DiagnosticSeverityHint, Code: protocol.String("touched"),
			Source: protocol.NewOptional(Source), Message: protocol.String(impactText(x)), Data: data[0],
		})
	}
	return out
}

// impactText says what an edit may make stale. It repeats none of the memories' text,
// because agents read diagnostics, too.
func impactText(x page.Impact) string {
	var parts []string
	if len(x.Own) > 0 {
		parts = append(parts, "this edit may make "+kindsOfHits(x.Own)+" here stale")
	}
	if len(x.Dependents) > 0 {
		hits := make([]memory.Hit, len(x.Dependents))
		var places []string
		for i, d := range x.Dependents {
			hits[i] = d.Hit
			if at := render.OneLine(d.Place, maxPlace); !slices.Contains(places, at) {
				places = append(places, at)
			}
		}
		where := places[0]
		how := "which depends on it"
		if len(places) > 1 {
			where, how = render.Plural(len(places), "place"), "which depend on it"
			where += " (" + strings.Join(places[:min(len(places), 3)], ", ") + ")"
		}
		parts = append(parts, "this edit touches "+kindsOfHits(hits)+" on "+where+", "+how)
	}
	return strings.Join(parts, "; ")
}

func kindsOfHits(hits []memory.Hit) string {
	marks := make([]page.Mark, len(hits))
	for i, h := range hits {
		marks[i].Hit = h
	}
	return kindsOf(marks)
}
