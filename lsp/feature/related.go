package feature

import (
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"manicule/lsp/folder"
	"manicule/lsp/page"
	"manicule/lsp/render"
	"manicule/lsp/settings"
	"manicule/memory"
)

// contradicts is the code of the diagnostic about a memory that another one contradicts.
const contradicts = "contradicts"

// maxRelated is how many related memories a card names.
const maxRelated = 5

// related names the memories to which one is related.
func (w *cardWriter) related(h memory.Hit) {
	for i, r := range w.page.View.RelatedTo(h.Memory) {
		if r.What == "" || r.Type == "supersedes" && !r.Back { // what was replaced is not worth a line
			continue
		}
		if i == maxRelated {
			w.line("…")
			return
		}
		name := w.text(render.OneLine(r.What, 80))
		if other, ok := w.page.View.Get(r.UUID); ok {
			name = w.name(other)
		}
		mark := ""
		if r.Type == "conflicts_with" {
			mark = "⚠ "
		}
		w.line(mark + w.text(r.Says) + " " + name)
	}
}

// contradictions returns the diagnostics about memories that others contradict, one for each place.
// Like those about versions they repeat none of the words.
func contradictions(p *page.Page, marks []page.Mark, s *settings.Settings) []memoryDiagnostic {
	severity, wanted := settings.Severities()[s.StaleSeverity]
	if !wanted || !s.Diagnostics {
		return nil
	}
	type key struct {
		at   protocol.Range
		uuid string
	}
	said := make(map[key]bool)
	var out []memoryDiagnostic
	for _, m := range marks {
		uuid := m.Hit.Memory.UUID
		k := key{diagnosticRange(p, m), uuid}
		if said[k] || m.Deleted || m.Pasted || !p.Folder.Dismissed.Shows(uuid, folder.SurfaceDiagnostic) {
			continue
		}
		said[k] = true
		var others []string
		for _, r := range p.View.RelatedTo(m.Hit.Memory) {
			if r.Type == "conflicts_with" && r.What != "" {
				others = append(others, r.ShortID())
			}
		}
		if len(others) == 0 {
			continue
		}
		data, err := RawArgs(map[string]string{"uuid": uuid})
		if err != nil {
			continue
		}
		text := fmt.Sprintf("1 %s here contradicts memory %s. A person decides: edit, forget or supersede one of them (`manicule show %s`).",
			strings.ToLower(m.Hit.Memory.Type.Label()), strings.Join(others, ", "), m.Hit.Memory.ShortID())
		out = append(out, memoryDiagnostic{protocol.Diagnostic{
			Range: k.at, Severity: severity, Code: protocol.String(contradicts), Source: protocol.NewOptional(Source),
			Message: protocol.String(text), Data: data[0],
		}, []memory.Hit{m.Hit}})
	}
	return out
}
