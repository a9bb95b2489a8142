package lsp

import (
	"context"
	"fmt"

	"manicule/lsp/folder"

	"manicule/lsp/render"

	"go.lsp.dev/protocol"

	"manicule/memory"
	"manicule/memory/file"
	"manicule/memory/fingerprint"
)

// seenActions are quick fixes for other servers' diagnostics that a memory of an
// error explains (B-07). They are found on this machine, by the messages alone.
func (p *page) seenActions(params *protocol.CodeActionParams, add addAction) error {
	if !p.settings.SeenBefore {
		return nil
	}
	known := p.errorPatterns()
	if len(known) == 0 {
		return nil
	}
	shown := 0
	for _, d := range params.Context.Diagnostics {
		if from, ok := d.Source.Get(); ok && from == source {
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
			if err := add(title, kindMemory, []protocol.Diagnostic{d}, cmdOpen, m.UUID); err != nil {
				return err
			}
		}
	}
	return nil
}

// knownError is a memory of an error with what its message is known by.
type knownError struct {
	hit     memory.Hit
	pattern fingerprint.Pattern
}

// errorPatterns are the memories of errors that may apply to the document. What
// may repeat text from outside, and what a person called wrong, is none.
func (p *page) errorPatterns() []knownError {
	var out []knownError
	for _, h := range p.view.Live() {
		m := h.Memory
		if m.Type != file.ErrorPattern || m.Trust.Tainted && m.Trust.VerifiedBy == "" || m.Trust.DisputedBy != "" || !p.folder.Shows(m.UUID, folder.SurfaceFix) {
			continue
		}
		if m.Scope != nil && memory.MatchPath(m, h.Places, p.rel, false, p.scopeRules()) < memory.MatchScope {
			continue
		}
		out = append(out, knownError{h, fingerprint.Of(m.What, m.Why)})
	}
	return out
}

// messageOf is the text of a diagnostic.
func messageOf(d protocol.Diagnostic) string {
	switch m := d.Message.(type) {
	case protocol.String:
		return string(m)
	case *protocol.MarkupContent:
		return m.Value
	}
	return ""
}

// codesOf are the names of a diagnostic's rule or kind of error: tsc's are
// numbers, which people write with the tool before them.
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

// reviewActions are for the candidates that concern the lines, or on the first
// line the file (V5-OBS, review).
func (p *page) reviewActions(ctx context.Context, params *protocol.CodeActionParams, add addAction) error {
	if !p.settings.ReviewActions || p.rev != "" || params.Context.TriggerKind == protocol.CodeActionTriggerKindAutomatic {
		return nil
	}
	waiting, err := p.folder.Memories.Candidates(ctx)
	if err != nil {
		return err
	}
	n := 0
	for _, c := range waiting {
		if !p.isAbout(ctx, c.Memory, params.Range) {
			continue
		}
		if n++; n > maxActionMemories {
			return nil
		}
		what := "candidate “" + render.OneLine(c.Memory.What, 40) + "”"
		for _, a := range []struct{ title, command string }{
			{"Review: accept ", cmdAccept}, {"Review: edit ", cmdEdit}, {"Review: reject ", cmdReject},
		} {
			if err := add(a.title+what, kindMemory, nil, a.command, c.Memory.UUID); err != nil {
				return err
			}
		}
	}
	return nil
}

// isAbout reports whether a candidate is about the lines of a range, or on the
// first line about the file.
func (p *page) isAbout(ctx context.Context, m *file.Memory, rng protocol.Range) bool {
	for i, a := range m.Anchors {
		if a.Path != p.rel {
			continue
		}
		at := resolve(mark{hit: memory.Hit{Memory: m}, index: i, anchor: a}, p.parsed(ctx, p.doc), p.doc)
		if !at.found || at.body.end == 0 {
			continue
		}
		if first, last := p.lines(at.head); first <= int(rng.End.Line) && int(rng.Start.Line) <= last {
			return true
		}
	}
	return rng.Start.Line == 0 && memory.MatchPath(m, nil, p.rel, false, p.scopeRules()) >= memory.MatchScope
}
