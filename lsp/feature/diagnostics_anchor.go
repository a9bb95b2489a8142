package feature

import (
	"cmp"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"manicule/indexer/sorting"
	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/settings"
	"manicule/memory"
	"manicule/memory/follow"
)

// anchorDiagnostics returns the diagnostics about memories that may no longer fit the
// code of a document, one for each place and concern.
func anchorDiagnostics(p *page.Page, marks []page.Mark, s *settings.Settings) []memoryDiagnostic {
	type key struct {
		at protocol.Range
		of Concern
	}
	groups := make(map[key][]page.Mark)
	for _, m := range marks {
		c := ConcernOf(m.Resolution)
		if _, wanted := severityOf(s, c); !wanted || m.Deleted || m.Pasted || !p.Folder.Dismissed.Shows(m.Hit.Memory.UUID, folder.SurfaceDiagnostic) {
			continue
		}
		k := key{diagnosticRange(p, m), c}
		if !slices.ContainsFunc(groups[k], func(o page.Mark) bool { return o.Hit.Memory.UUID == m.Hit.Memory.UUID }) {
			groups[k] = append(groups[k], m)
		}
	}
	var out []memoryDiagnostic
	for k, group := range groups {
		severity, _ := severityOf(s, k.of)
		uuids, hits := make([]string, len(group)), make([]memory.Hit, len(group))
		for i, m := range group {
			uuids[i], hits[i] = m.Hit.Memory.UUID, m.Hit
		}
		data, err := RawArgs(map[string][]string{"uuids": uuids})
		if err != nil {
			continue
		}
		out = append(out, memoryDiagnostic{protocol.Diagnostic{
			Range: k.at, Severity: severity, Code: protocol.String(k.of), Source: protocol.NewOptional(Source),
			Message: protocol.String(concernText(group)), Data: data[0],
		}, hits})
	}
	sorting.Func(out, func(a, b memoryDiagnostic) int {
		return cmp.Or(cmp.Compare(a.Range.Start.Line, b.Range.Start.Line), cmp.Compare(a.Range.Start.Character, b.Range.Start.Character), cmp.Compare(string(a.Data), string(b.Data)))
	})
	return out
}

// memoryFileAnchorDiagnostics returns the diagnostics in a memory's own file about its
// anchors. A lost anchor can be shown nowhere else. One whose code changed is shown
// here while the file is open.
func memoryFileAnchorDiagnostics(m *page.MemoryFile, s *settings.Settings) []protocol.Diagnostic {
	var out []protocol.Diagnostic
	for _, at := range m.Anchors() {
		res := page.ResolutionOf(at.Place)
		c := ConcernOf(res)
		severity, wanted := severityOf(s, c)
		if !wanted || !m.Doc.Open && !Lost(c) {
			continue
		}
		data, err := RawArgs(map[string]string{"uuid": at.Memory})
		if err != nil {
			continue
		}
		text := RecordedPlace(at.Anchor) + ": " + stateText(at.Anchor, res)
		if how := stateAdvice(res); how != "" {
			text += "\n" + how
		}
		out = append(out, protocol.Diagnostic{
			Range: m.Range(at.Span), Severity: severity, Code: protocol.String(c),
			Source: protocol.NewOptional(Source), Message: protocol.String(text), Data: data[0],
		})
	}
	return out
}

// Lost reports whether a concern means that the code was not found.
func Lost(c Concern) bool { return c == staleMark || c == orphanedMark }

// lostAnchorFiles returns the files of memories in use with a lost anchor.
func lostAnchorFiles(f *folder.Folder) []uri.URI {
	if f.Tracker == nil {
		return nil
	}
	var out []uri.URI
	view := f.Memories.View()
	for _, h := range view.All() {
		if _, live := view.GetLive(h.Memory.UUID); len(h.Memory.Anchors) == 0 || !live {
			continue // nobody needs to mend what is superseded or deprecated
		}
		if slices.ContainsFunc(f.Tracker.Of(h.Memory.UUID), func(p follow.Place) bool { return Lost(ConcernOf(page.ResolutionOf(p))) }) {
			out = append(out, f.URI(h.Path))
		}
	}
	return out
}
