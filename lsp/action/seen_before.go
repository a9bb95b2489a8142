package action

import (
	"fmt"

	"go.lsp.dev/protocol"

	"manicule/lsp/feature"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/fingerprint"
	"manicule/memory/scope"
)

// offerSeenBefore offers quick fixes for other servers' diagnostics that a memory of an
// error explains. It matches messages on this machine, without a model.
func offerSeenBefore(p *page.Page, params *protocol.CodeActionParams, s *settings.Settings, out *offers) error {
	if !s.SeenBefore {
		return nil
	}
	known := errorPatterns(p)
	if len(known) == 0 {
		return nil
	}
	shown := 0
	for _, d := range params.Context.Diagnostics {
		if from, ok := d.Source.Get(); ok && from == feature.Source {
			continue
		}
		message := fingerprint.Parse(messageOf(d), codesOf(d)...)
		for _, e := range known {
			if shown == maxActionMemories {
				return nil
			}
			if !e.pattern.Matches(message) {
				continue
			}
			shown++
			m := e.hit.Memory
			title := "☞ Seen before: " + render.OneLine(m.What, 70)
			if m.Why != "" {
				title += " · " + render.OneLine(m.Why, 70)
			}
			if err := out.add(title, kindFix, []protocol.Diagnostic{d}, cmdOpen, m.UUID); err != nil {
				return err
			}
		}
	}
	return nil
}

// knownError is a memory of an error with the fingerprint of its message.
type knownError struct {
	hit     memory.Hit
	pattern fingerprint.Pattern
}

// errorPatterns returns the memories of errors that may apply to the document. It
// leaves out tainted and disputed ones.
func errorPatterns(p *page.Page) []knownError {
	var out []knownError
	for _, h := range p.View.Live() {
		m := h.Memory
		if m.Type != file.ErrorPattern || m.Trust.Tainted && m.Trust.VerifiedBy == "" || m.Trust.Disputed() || !p.Folder.Dismissed.Shows(m.UUID, folder.SurfaceFix) {
			continue
		}
		if m.Scope != nil && memory.MatchPath(m, h.Places, p.Rel, false, scope.Platform()) < memory.MatchScope {
			continue
		}
		out = append(out, knownError{h, fingerprint.Of(m.What, m.Why)})
	}
	return out
}

// messageOf returns the text of a diagnostic.
func messageOf(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}

// codesOf returns the codes of a diagnostic. tsc's are numbers, which people write with
// the tool before them.
func codesOf(d protocol.Diagnostic) []string {
	switch c := d.Code.(type) {
	case protocol.String:
		return []string{string(c)}
	case protocol.Integer:
		from, _ := d.Source.Get()
		if from == "typescript" || from == "tsserver" {
			from = "ts"
		}
		return []string{fmt.Sprintf("%s%d", from, c)}
	}
	return nil
}
